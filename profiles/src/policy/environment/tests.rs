use super::*;
use crate::Origin;

fn entry<T>(value: T) -> Entry<T> {
    Entry { value, origin: Origin::default() }
}

fn environment(path: &[&str], pass: &[&str], set: &[(&str, &str)]) -> Environment {
    Environment {
        path: path.iter().map(|dir| entry(PathBuf::from(dir))).collect(),
        pass: pass.iter().map(|name| entry((*name).to_owned())).collect(),
        set: set
            .iter()
            .map(|(name, value)| {
                ((*name).to_owned(), entry(Value(vec![Piece::Text(value.into())])))
            })
            .collect(),
    }
}

fn build(environment: &Environment, host: &[(&str, &str)]) -> BTreeMap<String, String> {
    let host = host.iter().map(|(name, value)| (name.into(), value.into()));
    let scratch = (Path::new("/s/tmp"), Path::new("/s/home"));
    environment
        .build(host, Some(scratch))
        .into_iter()
        .map(|(name, value)| (name.into_string().unwrap(), value.into_string().unwrap()))
        .collect()
}

#[test]
fn nothing_crosses_that_is_not_named() {
    let run = build(
        &environment(&[], &["LANG", "LC_*"], &[]),
        &[("LANG", "C"), ("LC_ALL", "C"), ("LCX", "no"), ("SECRET_TOKEN", "s3"), ("lang", "no")],
    );
    let names: Vec<&str> = run.keys().map(String::as_str).collect();
    assert_eq!(names, ["HOME", "LANG", "LC_ALL", "PATH", "TMPDIR"]);
}

#[test]
fn a_wildcard_takes_no_secret_and_no_name_that_runs_programs() {
    let bad = [
        "LD_PRELOAD",
        "LD_AUDIT",
        "DYLD_INSERT_LIBRARIES",
        "BASH_ENV",
        "ENV",
        "IFS",
        "PS4",
        "SHELLOPTS",
        "BASH_FUNC_ls%%",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PERL5OPT",
        "RUBYOPT",
        "NODE_OPTIONS",
        "GIT_SSH_COMMAND",
        "GIT_CONFIG_COUNT",
        "GITHUB_TOKEN",
        "API_KEY",
        "DB_PASSWORD",
        "CLIENT_SECRET",
        "AWS_ACCESS_KEY_ID",
        "SSH_AUTH_SOCK",
        "HOME",
        "TMPDIR",
    ];
    for name in bad {
        let wildcard = format!("{}*", &name[..2]);
        let run = build(&environment(&[], &[&wildcard], &[]), &[(name, "evil")]);
        assert!(!run.values().any(|value| value == "evil"), "{name} crossed by {wildcard}");
    }
}

#[test]
fn an_exact_name_takes_anything() {
    let run = build(&environment(&[], &["API_KEY"], &[]), &[("API_KEY", "k")]);
    assert_eq!(run["API_KEY"], "k");
}

#[test]
fn a_set_value_wins_over_a_passed_one() {
    let run = build(&environment(&[], &["PAGER"], &[("PAGER", "cat")]), &[("PAGER", "less")]);
    assert_eq!(run["PAGER"], "cat");
}

#[test]
fn the_profiles_directories_come_first_and_relative_entries_are_gone() {
    let run = build(
        &environment(&["/home/u/.cargo/bin"], &[], &[]),
        &[("PATH", "/usr/bin::.:bin:/bin:/usr/bin")],
    );
    assert_eq!(run["PATH"], "/home/u/.cargo/bin:/usr/bin:/bin");
}

#[test]
fn a_directory_of_the_hosts_path_keeps_its_place() {
    let run = build(
        &environment(&["/home/u/.pyenv/shims"], &[], &[]),
        &[("PATH", "/srv/venv/bin:/home/u/.pyenv/shims:/usr/bin")],
    );
    assert_eq!(run["PATH"], "/srv/venv/bin:/home/u/.pyenv/shims:/usr/bin");
}

#[test]
fn a_set_path_replaces_the_hosts_part() {
    let run =
        build(&environment(&["/opt/bin"], &[], &[("PATH", "/usr/bin:x")]), &[("PATH", "/evil")]);
    assert_eq!(run["PATH"], "/opt/bin:/usr/bin");
}

#[test]
fn a_host_without_a_path_gets_the_usual_one() {
    let run = build(&environment(&[], &[], &[]), &[("PATH", "")]);
    assert_eq!(run["PATH"], FALLBACK_PATH);
    assert_eq!(build(&environment(&[], &[], &[]), &[])["PATH"], FALLBACK_PATH);
}

#[test]
fn home_and_tmpdir_are_the_scratch_folders() {
    let run = build(&environment(&[], &["H*", "T*"], &[]), &[("HOME", "/root"), ("TMPDIR", "/")]);
    assert_eq!((run["HOME"].as_str(), run["TMPDIR"].as_str()), ("/s/home", "/s/tmp"));
}

#[test]
fn without_scratch_there_is_no_tmpdir_and_home_does_not_exist() {
    let mut environment = environment(&[], &["TMPDIR"], &[]);
    environment.set.insert("CACHE".into(), entry(Value(vec![Piece::Tmp])));
    let host = [("TMPDIR", "/tmp")].map(|(name, value)| (name.into(), value.into()));
    let run = environment.build(host.into_iter(), None);
    assert_eq!(
        run,
        [("HOME", NO_HOME), ("PATH", FALLBACK_PATH)].map(|(n, v)| (n.into(), v.into()))
    );
}

#[test]
fn a_value_holds_the_scratch_folder_of_the_run() {
    let mut environment = Environment::default();
    let value = Value(vec![Piece::Tmp, Piece::Text("/cache".into())]);
    assert_eq!(value.shown(), "${tmp}/cache");
    environment.set.insert("CACHE".into(), entry(value));
    assert_eq!(build(&environment, &[])["CACHE"], "/s/tmp/cache");
}
