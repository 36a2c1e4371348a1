//! Profiles: what they open, what they refuse, and that they leave no traces.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    Client, Era, Launcher, Setup, Sleep, confined, finish, ignored, refuses_to_start, under, users,
    with_namespaces,
};

/// A profile that is `workspace` with these file rules beside its own.
fn workspace_and(filesystem: Value) -> Value {
    json!({ "profile": { "extends": "workspace", "filesystem": filesystem } })
}

#[test]
fn what_is_denied_below_a_grant_is_denied_or_the_launcher_refuses() {
    confined(|setup| {
        setup.place.file("work/.git/config", "as it was\n");
        setup.place.script("work/.git/hooks/pre-commit", "as it was\n");
        let git = setup.place.text("work/.git");
        let settings = workspace_and(json!({ "deny": [git] }));
        let script = "echo x > .git/config; echo x > a; mv a .git/hooks/pre-commit; \
                      cat .git/config; mv .git other; true";
        let command = setup.serve_command(settings);
        match setup.launcher {
            // With namespaces it can express that.
            Launcher::Landlock | Launcher::LandlockInPlace if !starts(setup, "deny", &git) => {
                refuses_to_start(command, &["landlock", &git, "bubblewrap"]);
            }
            _ => {
                let answer = Client::start(command, Era::Legacy).sh(script);
                let payload = answer.exited(0);
                assert_eq!(payload["sandbox"]["active"], true, "{payload}");
                assert!(!payload["stdout"].as_str().unwrap().contains("as it was"), "{payload}");
            }
        }
        assert_eq!(setup.place.read("work/.git/config"), "as it was\n");
        assert_eq!(setup.place.read("work/.git/hooks/pre-commit"), "as it was\n");
    });
}

/// Whether a run starts with one more rule.
fn starts(setup: &Setup, option: &str, path: &str) -> bool {
    setup.run(&[&format!("--{option}"), path], ["true"]).code == Some(0)
}

#[test]
fn what_is_protected_stays_or_is_named_as_missing() {
    confined(|setup| {
        setup.place.file("work/.git/config", "as it was\n");
        setup.place.script("work/.git/hooks/pre-commit", "as it was\n");
        setup.place.file("work/.git/HEAD", "ref: refs/heads/main\n");
        setup.place.file("work/.vscode/tasks.json", "as it was\n");
        let attempts = [
            "echo x >> .git/config",
            "echo x > .git/hooks/new",
            "echo x > a; mv a .git/hooks/pre-commit",
            "rm -rf .git/hooks",
            "mv .git/hooks other; mkdir .git/hooks; echo x > .git/hooks/pre-commit",
            "echo x >> .vscode/tasks.json",
            "rm .vscode/tasks.json; echo x > .vscode/tasks.json",
        ];
        let mut client = setup.serve(json!({}));
        for script in attempts {
            let answer = client.sh(script);
            let sandbox = &answer.ran()["sandbox"];
            if sandbox["missing"].as_array().is_some_and(|all| all.contains(&json!("protect"))) {
                return ignored(format!("{} has no `protect` here, and says so", setup.launcher));
            }
            for file in [".git/config", ".git/hooks/pre-commit", ".vscode/tasks.json"] {
                let name = format!("work/{file}");
                assert_eq!(setup.place.read(&name), "as it was\n", "after `{script}`");
            }
            assert!(!setup.place.has("work/.git/hooks/new"), "after `{script}`");
        }
    });
}

#[test]
fn nothing_is_left_in_the_workspace() {
    confined(|setup| {
        setup.place.file("work/mine", "");
        let before = setup.place.list("work");
        let hidden = ["work/.env", "work/.git/hooks"].map(|name| setup.place.text(name));
        let mut client = setup.serve(workspace_and(json!({ "deny": hidden.map(|p| p + "?") })));
        client.run(json!({ "command": "true" })).exited(0);
        assert_eq!(setup.place.list("work"), before);

        let sleep = Sleep::new(701);
        let id = client.begin("sh_run", json!({ "command": "sleep", "args": [sleep.seconds()] }));
        sleep.await_running(1);
        assert_eq!(setup.place.list("work"), before, "during a run");
        client.notify("notifications/cancelled", json!({ "requestId": id }));
        sleep.await_gone();
        assert_eq!(setup.place.list("work"), before, "after a cancelled run");

        client.begin("sh_run", json!({ "command": "sleep", "args": [sleep.seconds()] }));
        sleep.await_running(1);
        client.signal(Signal::KILL);
        sleep.await_gone();
        assert_eq!(setup.place.list("work"), before, "after a killed server");
    });
}

#[test]
fn a_protected_file_that_a_run_creates_is_reported() {
    confined(|setup| {
        let mut client = setup.serve(json!({}));
        let answer =
            client.sh("mkdir .claude && echo '{}' > .claude/settings.json; echo x > .envrc");
        let payload = answer.exited(0);
        let created = payload["sandbox"]["created"].as_array().expect("something was created");
        for name in [".claude/settings.json", ".envrc"] {
            let path = setup.place.text(&format!("work/{name}"));
            assert!(created.contains(&json!(path)), "{payload}");
        }
        let answer = client.run(json!({ "command": "true" }));
        assert!(answer.exited(0)["sandbox"].get("created").is_none(), "{answer:?}");
    });
}

#[test]
fn with_namespaces_every_shipped_profile_is_enforced_as_a_whole() {
    with_namespaces(|setup| {
        for profile in ["workspace", "build", "online", "read-only", "strict"] {
            let payload = setup.payload(&["--profile", profile], ["true"]);
            assert_eq!(payload["exit"], 0, "{profile}: {payload}");
            assert_eq!(payload["sandbox"], json!({ "active": true }), "{profile}: {payload}");
        }
    });
}

#[test]
fn read_only_reads_the_workspace_and_writes_nothing_there() {
    with_namespaces(|setup| {
        setup.place.file("work/text", "hello\n");
        let script = "cat text; echo x > new || exit 7";
        let ran = setup.run(&["--profile", "read-only"], ["sh", "-c", script]);
        assert_eq!(ran.exited(7).stdout, "hello\n");
        assert_eq!(setup.place.list("work"), ["text"]);
    });
}

#[test]
fn grants_of_the_command_line_open_and_close_single_paths() {
    confined(|setup| {
        setup.place.file("outside/text", "hello\n");
        let outside = setup.place.text("outside");
        let text = setup.place.text("outside/text");
        setup.run(&[], ["cat", &text]).exited(1).said(&[&text]);
        setup.run(&["--read", &outside], ["cat", &text]).printed("hello\n");
        setup.run(&["--read", &text], ["cat", &text]).printed("hello\n");
        let script = format!("echo x > {outside}/new || exit 7");
        setup.run(&["--read", &outside], ["sh", "-c", &script]).exited(7);
        setup.run(&["--write", &outside], ["sh", "-c", &script]).printed("");
        assert_eq!(setup.place.read("outside/new"), "x\n");
        setup.run(&["--deny", &outside], ["cat", &text]).exited(1).said(&[&text]);
    });
}

#[test]
fn no_file_in_the_workspace_and_no_variable_changes_the_policy() {
    confined(|setup| {
        let open =
            "extends = \"workspace\"\n[filesystem]\nwrite = [\"/\"]\n[network]\nmode = \"on\"\n";
        for name in
            ["workspace.toml", "cofferdam.toml", ".cofferdam.toml", "profiles/workspace.toml"]
        {
            setup.place.file(format!("work/{name}"), open);
            setup.place.file(format!("work/.cofferdam/{name}"), open);
            setup.place.file(format!("work/cofferdam/{name}"), open);
        }
        let script = format!("echo x > {}/x || exit 7", setup.place.text("outside"));
        let mut run = setup.run_command(&[], ["sh", "-c", &script]);
        run.env("COFFERDAM_PROFILE", "online").env("COFFERDAM_LAUNCHER", "none");
        run.env("COFFERDAM_CONFIG", setup.place.path("work/cofferdam.toml"));
        finish(run.spawn().unwrap()).exited(7);
        assert!(!setup.place.has("outside/x"));
    });
}

#[test]
fn a_users_own_profile_is_found_by_its_name_and_may_not_take_a_shipped_one() {
    confined(|setup| {
        let folder = "home/.config/cofferdam/profiles";
        setup.place.file("outside/text", "hello\n");
        let text = setup.place.text("outside/text");
        let profile = format!("extends = \"workspace\"\n[filesystem]\nread = [{text:?}]\n");
        setup.place.file(format!("{folder}/mine.toml"), &profile);
        setup.run(&["--profile", "mine"], ["cat", &text]).printed("hello\n");
        setup.place.file(format!("{folder}/workspace.toml"), &profile);
        let ran = setup.run(&["--profile", "workspace"], ["cat", &text]);
        assert_eq!(ran.stdout, "", "a shipped name was taken: {ran:?}");
        ran.exited(125).said(&["workspace", "shipped"]);
    });
}

#[test]
fn a_launcher_that_cannot_enforce_a_profile_names_the_rule_and_one_that_can() {
    under(&[Launcher::LandlockInPlace], &users(), |setup| {
        let ran = setup.run(&["--profile", "strict"], ["touch", "ran"]);
        ran.exited(125).said(&["landlock", "cannot enforce", "bubblewrap"]);
        assert!(!setup.place.has("work/ran"));
    });
}
