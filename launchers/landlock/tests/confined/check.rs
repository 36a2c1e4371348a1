//! What the launcher refuses, and what it says.

use std::fs;
use std::sync::Arc;

use cofferdam_landlock::Landlock;
use cofferdam_launcher::{LaunchError, Launcher, Plan};
use serde_json::{Value, json};

use crate::support::{OPEN, Place, User, in_place, policy};

fn place(more: impl FnOnce(&Place) -> Value) -> Place {
    let place = Place::new(User::Own);
    fs::create_dir(place.path("work/.git")).unwrap();
    let more = more(&place);
    place.and(more)
}

/// The rule and the remedy of a refusal, at start-up and at each run alike.
#[track_caller]
fn refusal(launcher: &Landlock) -> (String, String) {
    let error = launcher.check().unwrap_err();
    assert!(launcher.wrap(&Plan::new("true", "/bin/true", "/")).is_err());
    match error {
        LaunchError::CannotEnforce { launcher, rule, remedy } => {
            assert_eq!(launcher, "landlock");
            // Root's processes no launcher can count.
            let is_count = rule.contains("`limits.processes`");
            let help = if is_count { "another user" } else { "bubblewrap" };
            assert!(remedy.contains(help), "{remedy}");
            (rule, remedy)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_policy_that_insists_on_what_needs_namespaces_is_refused() {
    let policy = policy(json!({"filesystem": {"read": ["/usr"]}}));
    let (rule, remedy) = refusal(&Landlock::new(in_place(), Arc::new(policy)).unwrap());
    for promise in OPEN {
        assert!(rule.contains(&format!("`{promise}`")), "{rule}");
        assert!(remedy.contains(&format!("\"{promise}\"")), "{remedy}");
    }
}

#[test]
fn what_best_effort_lists_is_missing_and_every_run_says_so() {
    let launcher = Place::new(User::Own).launcher();
    assert_eq!(launcher.missing(), OPEN);
    let place = Place::new(User::Own);
    let launcher = place.launcher();
    launcher.check().unwrap();
    let launch = launcher.wrap(&Plan::new("true", "/bin/true", "/")).unwrap();
    assert_eq!(**launch.missing_rules(), OPEN);
    assert!(launch.is_sandboxed());
}

#[test]
fn with_the_network_on_loopback_is_not_missing() {
    let place = place(|_| json!({"network": {"mode": "on"}}));
    assert_eq!(place.launcher().missing(), ["ipc", "metadata", "processes", "pty"]);
}

#[test]
fn a_deny_below_a_grant_names_both_rules() {
    let place = place(|place| json!({"filesystem": {"deny": [place.path("work/.git")]}}));
    let (rule, remedy) = refusal(&place.launcher());
    assert!(rule.contains(&format!("`deny = [{:?}]`", place.path("work/.git"))), "{rule}");
    assert!(rule.contains(&format!("`write = [{:?}]`", place.path("work"))), "{rule}");
    assert!(remedy.contains("add \"deny\" to"), "{remedy}");

    let place = place.and(json!({"best-effort": ["deny"]}));
    let launcher = place.launcher();
    launcher.check().unwrap();
    assert!(launcher.missing().contains(&"deny".to_owned()));
}

#[test]
fn a_deny_outside_every_grant_or_of_nothing_is_enforced_already() {
    let place = place(
        |place| json!({"filesystem": {"deny": [place.path("outside"), place.path("work/absent")]}}),
    );
    place.launcher().check().unwrap();
}

#[test]
fn a_deny_at_the_path_of_a_grant_takes_the_grant_away() {
    let place = place(|place| {
        let outside = place.path("outside");
        json!({"filesystem": {"read": [outside], "deny": [outside]}})
    });
    place.launcher().check().unwrap();
    place.sh("cat ../outside/secret").failed_with("Permission denied");
}

#[test]
fn a_deny_in_what_every_command_reads_is_refused() {
    let (rule, _) = refusal(&place(|_| json!({"filesystem": {"deny": ["/proc/sys"]}})).launcher());
    assert!(rule.contains("/proc/sys") && rule.contains("`/proc`"), "{rule}");
}

#[test]
fn a_deny_of_what_every_command_reads_is_enforced() {
    let place = place(|_| json!({"filesystem": {"deny": ["/proc"]}}));
    place.sh("cat /proc/version").failed_with("Permission denied");
}

#[test]
fn a_protected_path_in_the_workspace_is_refused_whether_it_exists_or_not() {
    for name in ["work/.git", "work/absent"] {
        let place = place(|place| json!({"filesystem": {"protect": [place.path(name)]}}));
        let (rule, remedy) = refusal(&place.launcher());
        assert!(rule.contains("protect") && rule.contains(name), "{rule}");
        assert!(remedy.contains("add \"protect\" to"), "{remedy}");
    }
}

#[test]
fn a_read_only_folder_in_a_writable_one_is_refused_and_no_best_effort_helps() {
    let place = place(|place| json!({"filesystem": {"read": [place.path("work/.git")]}}));
    let (rule, remedy) = refusal(&place.launcher());
    assert!(rule.contains("read") && rule.contains("write"), "{rule}");
    assert!(!remedy.contains("best-effort"), "{remedy}");
}

#[test]
fn single_socket_files_need_a_newer_kernel() {
    let place = place(|place| json!({"network": {"unix-sockets": [place.path("outside/secret")]}}));
    let launcher = place.launcher();
    if launcher.check().is_ok() {
        println!("ignored, because this kernel's Landlock governs socket files");
        return;
    }
    let (rule, remedy) = refusal(&launcher);
    assert!(rule.contains("outside/secret"), "{rule}");
    assert!(remedy.contains("unix-sockets"), "{remedy}");
}

#[test]
fn a_limit_that_root_escapes_is_refused_for_root_only() {
    let place = place(|_| json!({"limits": {"processes": 4000}}));
    let launcher = place.launcher();
    match nix::unistd::getuid().is_root() {
        true => assert!(refusal(&launcher).0.contains("processes")),
        false => launcher.check().unwrap(),
    }
}

#[test]
fn a_wrong_system_call_name_is_an_error_of_the_policy() {
    let place = place(|_| json!({"syscalls": {"allow": ["ptrce"]}}));
    let error = Landlock::new(in_place(), Arc::new(place.policy())).unwrap_err();
    assert!(error.to_string().contains("ptrace"), "{error}");
}

#[test]
fn a_trial_leaves_the_host_as_it_was() {
    let settings = || -> Vec<String> {
        let status = fs::read_to_string("/proc/thread-self/status").unwrap();
        let wanted = ["Cap", "NoNewPrivs", "Seccomp"];
        let lines = status.lines().filter(|line| wanted.iter().any(|word| line.starts_with(word)));
        lines.map(str::to_owned).collect()
    };
    let before = settings();
    let place = place(|_| json!({"limits": {"open-files": 16}}));
    place.launcher().check().unwrap();
    assert_eq!(before, settings());
    let (open_files, _) =
        nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_NOFILE).unwrap();
    assert!(open_files > 16);
    assert!(fs::read_dir(place.path("outside")).is_ok());
}

#[test]
fn the_explanation_shows_paths_limits_gaps_and_calls() {
    let place = place(|_| json!({"limits": {"open-files": 64}}));
    let plan = Plan::new("git", "/usr/bin/git", place.path("work")).with_args(["status"]);
    let text = place.launcher().explain(&plan).unwrap();
    for expected in [
        "\"status\"".to_owned(),
        format!("{}  read,list,execute,write", place.path("work").display()),
        "/dev/null  read,write,truncate,ioctl  (every command)".to_owned(),
        "open-files = 64".to_owned(),
        "missing    `metadata`".to_owned(),
        "no_new_privs".to_owned(),
    ] {
        assert!(text.contains(&expected), "{expected} in {text}");
    }
    assert!(text.lines().any(|line| line.starts_with("bpf ") && line.contains("EPERM")), "{text}");
}

#[test]
fn the_shipped_profiles_for_work_start_without_namespaces() {
    use cofferdam_profiles::{Context, Grants, Source, resolve};

    let place = Place::new(User::Own);
    let mut context = Context::from_environment(&place.path("work"));
    context.home = Some(place.path("home"));
    context.cache_base = Some(place.path("tmp"));
    for name in ["workspace", "build", "online"] {
        let source = Source::parse(name);
        let policy = resolve(&source, &Grants::default(), &context).unwrap();
        let launcher = Landlock::new(in_place(), Arc::new(policy)).unwrap();
        launcher.check().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    for name in ["strict", "read-only"] {
        let source = Source::parse(name);
        let policy = resolve(&source, &Grants::default(), &context).unwrap();
        let launcher = Landlock::new(in_place(), Arc::new(policy)).unwrap();
        refusal(&launcher);
    }
}
