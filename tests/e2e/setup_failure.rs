//! A sandbox that cannot be built is a run that failed: exit −1 or no start at all, and never a run
//! without the wrapping.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{
    Client, Era, Launcher, Setup, User, confined, everywhere, finish, ignored, no_mounts,
    refuses_to_start, under, users,
};

fn touch() -> Value {
    json!({ "command": "touch", "args": ["ran"] })
}

/// Where bubblewrap is.
fn bwrap() -> PathBuf {
    let folders = ["/usr/bin", "/usr/local/bin", "/bin"].map(PathBuf::from);
    folders.into_iter().map(|folder| folder.join("bwrap")).find(|path| path.exists()).unwrap()
}

/// Runs a test under bubblewrap, as every user, with a stand-in for it. The stand-in is bubblewrap
/// until the file `broken` exists; from then on the script decides.
fn with_stand_in(script: &str, test: impl Fn(&Setup, Client)) {
    under(&[Launcher::Bubblewrap], &users(), |setup| {
        let broken = setup.place.text("broken");
        let real = bwrap();
        let text =
            format!("#!/bin/sh\n[ -e {broken} ] || exec {} \"$@\"\n{script}\n", real.display());
        let program = setup.place.script("stand-in/bwrap", &text);
        let launcher = json!({ "name": "bubblewrap", "program": program });
        let mut client = setup.serve(json!({ "launcher": launcher }));
        let answer = client.run(json!({ "command": "true" }));
        assert_eq!(answer.exited(0)["sandbox"]["active"], true, "the stand-in does not work");
        setup.place.file("broken", "");
        test(setup, client);
    });
}

#[test]
fn a_wrapper_that_fails_before_the_command_is_minus_one_with_its_words() {
    let script = "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1";
    with_stand_in(script, |setup, mut client| {
        let answer = client.run(touch());
        answer.not_started(&["setting up uid map: Permission denied", "bubblewrap"]);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_wrapper_that_claims_success_without_a_command_is_minus_one() {
    with_stand_in("exit 0", |setup, mut client| {
        client.run(touch()).not_started(&["bubblewrap"]);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_wrapper_that_is_killed_is_minus_one() {
    with_stand_in("kill -9 $$", |setup, mut client| {
        client.run(touch()).not_started(&["signal 9"]);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_wrapper_that_prints_rubbish_is_minus_one() {
    let script = "head -c 100000 /dev/zero; head -c 100000 /dev/zero >&2; exit 3";
    with_stand_in(script, |setup, mut client| {
        let answer = client.run(touch());
        assert_eq!(answer.exited(-1).get("sandbox"), None, "{answer:?}");
        assert!(!setup.place.has("work/ran"));
        client.is_alive();
    });
}

#[test]
fn a_wrapper_that_hangs_is_ended_by_the_timeout() {
    with_stand_in("exec sleep 600", |setup, mut client| {
        let mut call = touch();
        call["timeout"] = json!(0.5);
        let answer = client.run(call);
        assert_eq!(answer.ran()["timed-out"], true, "{answer:?}");
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_wrapper_that_has_gone_is_minus_one() {
    with_stand_in("", |setup, mut client| {
        fs::remove_file(setup.place.path("stand-in/bwrap")).unwrap();
        client.run(touch()).not_started(&["bwrap"]);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_wrapper_that_may_not_be_executed_is_minus_one() {
    with_stand_in("", |setup, mut client| {
        let program = setup.place.path("stand-in/bwrap");
        fs::set_permissions(program, PermissionsExt::from_mode(0o644)).unwrap();
        client.run(touch()).not_started(&["bwrap"]);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_wrapper_that_never_works_stops_the_start_with_its_words() {
    under(&[Launcher::Bubblewrap], &users(), |setup| {
        let script = "#!/bin/sh\n[ \"$1\" = --version ] && exec bwrap --version\n\
                      echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n";
        let program = setup.place.script("stand-in/bwrap", script);
        let launcher = json!({ "name": "bubblewrap", "program": program });
        let words = ["bubblewrap", "setting up uid map: Permission denied"];
        refuses_to_start(setup.serve_command(json!({ "launcher": launcher })), &words);
        let option = launcher.to_string();
        let command =
            setup.cofferdam(["run", "--launcher", &option, "--", "touch", "ran"]).spawn().unwrap();
        finish(command).exited(125).said(&words);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_wrapper_that_a_run_could_replace_is_not_trusted() {
    under(&[Launcher::Bubblewrap], &users(), |setup| {
        let copy = setup.place.path("work/bwrap");
        fs::copy(bwrap(), &copy).unwrap();
        let launcher = json!({ "name": "bubblewrap", "program": copy });
        refuses_to_start(setup.serve_command(json!({ "launcher": launcher })), &["work/bwrap"]);
    });
}

#[test]
fn bubblewrap_that_is_not_installed_is_named_with_the_way_to_get_it() {
    if let Some(why) = no_mounts() {
        return ignored(why);
    }
    under(&[Launcher::Bubblewrap], &users(), |setup| {
        let hide = format!("mount --bind /dev/null {}", bwrap().display());
        let command = setup.with_mounts(&hide, &setup.serve_command(json!({})));
        refuses_to_start(command, &["bwrap", "install"]);
        let run = setup.run_command(&[], ["touch", "ran"]);
        let ran = finish(setup.with_mounts(&hide, &run).spawn().unwrap());
        ran.exited(125).said(&["bwrap", "install"]);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_path_of_the_profile_that_does_not_exist_stops_the_start() {
    confined(|setup| {
        let absent = setup.place.text("absent");
        let profile = json!({ "extends": "workspace", "filesystem": { "read": [absent] } });
        refuses_to_start(setup.serve_command(json!({ "profile": profile })), &[&absent]);
        setup.run(&["--read", &absent], ["touch", "ran"]).exited(125).said(&[&absent]);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn all_missing_paths_stand_in_one_message() {
    confined(|setup| {
        let write = ["/private/tmp", "/var/folders"];
        let profile = json!({ "extends": "workspace", "filesystem": { "write": write } });
        refuses_to_start(setup.serve_command(json!({ "profile": profile })), &write);
        let optional = json!({ "write": ["/private/tmp?", "/var/folders?"] });
        let profile = json!({ "extends": "workspace", "filesystem": optional });
        setup.serve(json!({ "profile": profile })).run(touch()).exited(0);
    });
}

#[test]
fn a_launcher_of_another_system_stops_the_start() {
    let setup = Setup::plain();
    let command = setup.serve_command(json!({ "launcher": "seatbelt" }));
    refuses_to_start(command, &["seatbelt", "not available", "landlock"]);
}

#[test]
fn an_ordinary_failure_inside_is_the_commands_own() {
    confined(|setup| {
        let mut client = setup.serve(json!({}));
        let failures: [(&[&str], i32, &str); 4] = [
            (&["false"], 1, ""),
            (&["sh", "-c", "exit 3"], 3, ""),
            (
                &["sh", "-c", "echo 'sandbox_apply: Operation not permitted' >&2; exit 1"],
                1,
                "sandbox_apply: Operation not permitted\n",
            ),
            (
                &["sh", "-c", "echo 'bwrap: execvp x: No such file or directory' >&2; exit 1"],
                1,
                "bwrap: execvp x: No such file or directory\n",
            ),
        ];
        for (argv, exit, stderr) in failures {
            let answer = client.run(json!({ "command": argv[0], "args": argv[1..] }));
            let payload = answer.exited(exit);
            assert_eq!(payload["stderr"], stderr, "{payload}");
            assert_eq!(payload["sandbox"]["active"], true, "{payload}");
        }
        let answer = client.run(json!({ "command": "ls", "args": ["/no/such"] }));
        let payload = answer.exited(2);
        assert_eq!(payload["stderr"].as_str().unwrap().lines().count(), 1, "{payload}");
        assert_eq!(payload["sandbox"]["active"], true, "{payload}");
    });
}

#[test]
fn a_wrapper_of_the_configuration_is_a_vector_in_and_a_vector_out() {
    let setup = Setup::plain();
    setup.place.script("my wrapper", "#!/bin/sh\nshift\nexec \"$@\"\n");
    let with_blank = setup.place.text("my wrapper");
    let wrappers: [&[&str]; 5] = [
        &["env"],
        &["nice", "-n", "5"],
        &["env", "--", "{command}", "{args}"],
        &[&with_blank, "a  b"],
        &["sh", "-c", "exec \"$@\"", "sh"],
    ];
    for wrapper in wrappers {
        let mut client = setup.serve(json!({ "launcher": { "command": wrapper } }));
        let call = json!({ "command": "printf", "args": ["%s|", "a b", "$x", ""] });
        let answer = client.run(call);
        answer.printed("a b|$x||");
        assert_eq!(answer.payload.get("sandbox"), None, "it made no claim");
    }
    let claims = json!({ "launcher": { "command": ["env"], "sandboxed": true } });
    let answer = setup.serve(claims).run(json!({ "command": "true" }));
    assert_eq!(answer.exited(0)["sandbox"], json!({ "active": true }));
}

#[test]
fn a_wrapper_of_the_configuration_that_is_missing_or_wrong_stops_the_start() {
    let setup = Setup::plain();
    let missing = setup.place.text("no-wrapper");
    let wrong: [(&[&str], &[&str]); 4] = [
        (&[&missing], &[&missing]),
        (&["no-such-wrapper"], &["no-such-wrapper"]),
        (&["env", "{comand}"], &["{comand}"]),
        (&["env", "{command}"], &["{command}", "args"]),
    ];
    for (wrapper, words) in wrong {
        let launcher = json!({ "command": wrapper });
        refuses_to_start(setup.serve_command(json!({ "launcher": launcher })), words);
    }
}

#[test]
fn a_wrapper_of_the_configuration_that_goes_away_is_minus_one() {
    let setup = Setup::plain();
    let wrapper = setup.place.script("wrapper", "#!/bin/sh\nexec \"$@\"\n");
    let launcher = json!({ "command": [wrapper], "sandboxed": true });
    let mut client = setup.serve(json!({ "launcher": launcher }));
    client.run(json!({ "command": "true" })).printed("");
    fs::set_permissions(&wrapper, PermissionsExt::from_mode(0o644)).unwrap();
    client.run(touch()).not_started(&["wrapper"]);
    fs::remove_file(&wrapper).unwrap();
    client.run(touch()).not_started(&["wrapper"]);
    assert!(!setup.place.has("work/ran"));
}

#[test]
fn a_wrapper_may_stand_outside_of_bubblewrap_and_not_of_landlock() {
    under(&[Launcher::Bubblewrap], &users(), |setup| {
        let list = json!([{ "command": ["env", "OUTER=yes"] }, "bubblewrap"]);
        let mut client = setup.serve(json!({ "launcher": list }));
        let answer = client.sh("echo x > /usr/x || exit 7");
        assert_eq!(answer.exited(7)["sandbox"]["active"], true);
        client.run(json!({ "command": "nosuchtool" })).not_started(&["nosuchtool"]);
        let list = json!([{ "command": ["env"] }, "landlock"]);
        refuses_to_start(
            setup.serve_command(json!({ "launcher": list })),
            &["landlock", "confine the wrapper"],
        );
    });
}

#[test]
fn landlock_works_where_the_list_of_security_modules_is_not_mounted() {
    if std::path::Path::new("/sys/kernel/security/lsm").exists() {
        return ignored("the list is mounted here");
    }
    under(&[Launcher::Landlock], &users(), |setup| {
        let answer = setup.serve(json!({})).run(touch());
        assert_eq!(answer.exited(0)["sandbox"]["active"], true);
        assert!(setup.place.has("work/ran"));
    });
}

/// Whether the tests can make a place without user namespaces.
fn can_take_namespaces_away(setup: &Setup) -> bool {
    let hindrance = Launcher::Bubblewrap.hindrance(setup.user);
    if let Some(why) = &hindrance {
        ignored(why);
    }
    hindrance.is_none()
}

#[test]
fn without_user_namespaces_the_default_starts_and_says_what_is_missing() {
    under(&[Launcher::Auto], &users(), |setup| {
        if !can_take_namespaces_away(setup) {
            return;
        }
        let script = "echo hi > in.txt && cat in.txt; echo x > /usr/x || exit 7";
        let run = setup.run_command(&["--json"], ["sh", "-c", script]);
        let payload = finish(setup.without_user_namespaces(&run).spawn().unwrap()).payload();
        assert_eq!(payload["exit"], 7, "{payload}");
        assert_eq!(payload["stdout"], "hi\n", "{payload}");
        let missing = payload["sandbox"]["missing"].as_array().expect("something is missing");
        for promise in ["processes", "metadata", "protect"] {
            assert!(missing.contains(&json!(promise)), "{payload}");
        }
        let serve = setup.without_user_namespaces(&setup.serve_command(json!({})));
        let mut client = Client::start(serve, Era::Legacy);
        assert_eq!(client.run(touch()).exited(0)["sandbox"]["missing"], json!(missing));
    });
}

#[test]
fn without_user_namespaces_strict_refuses_with_the_remedy() {
    under(&[Launcher::Auto, Launcher::Landlock, Launcher::Bubblewrap], &users(), |setup| {
        if !can_take_namespaces_away(setup) {
            return;
        }
        let run = setup.run_command(&["--profile", "strict"], ["touch", "ran"]);
        let ran = finish(setup.without_user_namespaces(&run).spawn().unwrap());
        ran.exited(125);
        let remedies = ["max_user_namespaces", "bubblewrap"];
        assert!(remedies.iter().any(|remedy| ran.stderr.contains(remedy)), "{ran:?}");
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn bubblewrap_without_user_namespaces_refuses_with_the_remedy() {
    under(&[Launcher::Bubblewrap], &users(), |setup| {
        let run = setup.run_command(&[], ["touch", "ran"]);
        let ran = finish(setup.without_user_namespaces(&run).spawn().unwrap());
        // For an ordinary user root's files belong to nobody in there, and so does bwrap.
        let reason = match setup.user {
            User::Own => "sysctl user.max_user_namespaces",
            User::Ordinary => "belongs neither to root nor to this user",
        };
        ran.exited(125).said(&[reason]);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_launcher_and_a_profile_that_do_not_go_together_stop_the_start() {
    let setup = Setup::plain();
    let profile = json!({ "launcher": "none", "profile": "workspace" });
    refuses_to_start(setup.serve_command(profile), &["profile", "without a launcher"]);
    let wrapper = json!({ "launcher": { "command": ["env"] }, "profile": "workspace" });
    refuses_to_start(setup.serve_command(wrapper), &["profile"]);
    let terminal = json!({ "launcher": "auto", "isolate-terminal": false });
    refuses_to_start(setup.serve_command(terminal), &["isolate-terminal"]);
}

#[test]
fn a_program_whose_links_lead_out_of_the_view_is_minus_one_and_runs_once_they_are_opened() {
    everywhere(|setup| {
        use std::os::unix::fs::symlink;
        let store = setup.place.folder("store/1");
        symlink("/bin/sh", store.join("sh")).unwrap();
        let text = format!("#!{}/sh\necho from the store\n", store.display());
        let tool = setup.place.script("store/1/tool", &text);
        symlink(&tool, setup.place.folder("profile/bin").join("tool")).unwrap();
        let path = format!("{}:/usr/bin:/bin", setup.place.text("profile/bin"));
        let serve = |read: &[&str]| {
            let read: Vec<_> = read.iter().map(|name| setup.place.text(name)).collect();
            let profile = json!({ "extends": "workspace", "filesystem": { "read": read } });
            let settings = match setup.launcher {
                Launcher::None => json!({}),
                _ => json!({ "profile": profile }),
            };
            let mut command = setup.serve_command(settings);
            command.env("PATH", &path);
            Client::start(command, Era::Legacy)
        };
        let call = || json!({ "command": "tool" });
        if setup.launcher != Launcher::None {
            serve(&["profile"]).run(call()).not_started(&["tool", &setup.place.text("store/1")]);
        }
        serve(&["profile", "store"]).run(call()).printed("from the store\n");
    });
}
