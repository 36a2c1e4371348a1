//! A sandbox that cannot be built is a run that failed: exit −1 or no start at all, and never a run
//! without the wrapping.

use serde_json::json;

use crate::support::{
    Client, Era, Launcher, Setup, confined, everywhere, ignored, refuses_to_start, touch, under,
    users,
};

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
