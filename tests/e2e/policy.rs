//! Profiles and configurations: what they open, what they refuse, and that they leave no traces.

use std::fs;
use std::os::unix::fs::symlink;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    Client, Era, Launcher, Setup, Sleep, confined, finish, ignored, no_mounts, refuses_to_start,
    under, users, with_namespaces,
};

/// A profile that is `workspace` with these file rules beside its own.
fn workspace_and(filesystem: Value) -> Value {
    json!({ "profile": { "extends": "workspace", "filesystem": filesystem } })
}

#[test]
fn a_misspelt_key_stops_the_start_at_every_level() {
    let setup = Setup::plain();
    let wrong: [(Value, &[&str]); 6] = [
        (json!({ "timeut": 5 }), &["timeut", "timeout"]),
        (workspace_and(json!({ "wrte": ["/x"] })), &["wrte", "write"]),
        (json!({ "profile": { "network": { "mod": "on" } } }), &["mod", "mode"]),
        (workspace_and(json!({ "write": "x" })), &["write", "list"]),
        (json!({ "launcher": { "name": "landlock", "namespace": "off" } }), &["namespaces"]),
        (json!({ "environment": { "pas": ["A"] } }), &["pas", "pass"]),
    ];
    for (mut settings, words) in wrong {
        if settings.get("launcher").is_none() {
            settings["launcher"] = json!("auto");
        }
        refuses_to_start(setup.serve_command(settings), words);
    }
}

#[test]
fn a_configuration_as_people_write_it_is_refused_with_its_place() {
    let setup = Setup::plain();
    let good = r#"{"name": "x", "tools": {"Shell": {"allow": ["git"], "launcher": "none"}}}"#;
    let wrong = [
        (good.replace("\"none\"}", "\"none\",}"), "line 1"),
        (format!("// mine\n{good}"), "line 1"),
        (String::new(), "line 1"),
        (good.replace("\"launcher\"", "\"allow\": [\"rm\"], \"launcher\""), "allow"),
        (good.replace("\"tools\"", "\"name\": \"y\", \"tools\""), "name"),
    ];
    for (text, place) in wrong {
        refuses_to_start(setup.serve_config(&text), &["config.json", place]);
    }
    let mark = format!("\u{feff}{good}");
    let ran = finish(setup.serve_config(&mark).spawn().unwrap());
    match ran.code {
        Some(0) => {}
        _ => drop(ran.said(&["config.json"])),
    }
    assert_eq!(ran.stdout, "");
    let mut client = Client::start(setup.serve_config(good), Era::Legacy);
    client.run(json!({ "command": "git", "args": ["--version"] })).exited(0);
}

#[test]
fn every_mistake_of_a_configuration_stands_in_one_message() {
    let setup = Setup::plain();
    let settings = json!({
        "timeut": 5, "max-jobs": 0, "max-output-bytes": 100, "launcher": "bwrap", "allow": [""],
    });
    let words = ["timeut", "max-jobs", "max-output-bytes", "1024", "bubblewrap", "allow"];
    refuses_to_start(setup.serve_command(settings), &words);
}

#[test]
fn the_configuration_may_not_lie_in_the_workspace() {
    confined(|setup| {
        let instance = json!({ "allow": ["true"], "launcher": setup.launcher.setting() });
        let config = json!({ "name": "x", "tools": { "Shell": instance } });
        let file = setup.place.file("work/config.json", config.to_string());
        let mut command = setup.cofferdam(["serve", "--config"]);
        command.arg(file);
        refuses_to_start(command, &["work/config.json", "cwd"]);
    });
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
fn the_resolver_is_read_through_its_link() {
    if let Some(why) = no_mounts() {
        return ignored(why);
    }
    confined(|setup| {
        let upper = setup.place.text("upper");
        let overlay = format!(
            "mkdir -p {upper}/etc {upper}/work\n\
             mount -t overlay -o lowerdir=/etc,upperdir={upper}/etc,workdir={upper}/work o /etc\n\
             mount -t tmpfs t /run && mkdir /run/x && chmod 755 /run /run/x\n\
             ln -sf ../run/x/resolv.conf /etc/resolv.conf"
        );
        let there = format!("{overlay}\necho '# by the link' > /run/x/resolv.conf");
        let run = setup.run_command(&["--profile", "online"], ["cat", "/etc/resolv.conf"]);
        finish(setup.with_mounts(&there, &run).spawn().unwrap()).printed("# by the link\n");
        let run = setup.run_command(&["--profile", "online"], ["true"]);
        finish(setup.with_mounts(&overlay, &run).spawn().unwrap()).printed("");
    });
}

#[test]
fn the_short_names_of_a_merged_system_work_in_every_profile() {
    confined(|setup| {
        for profile in ["workspace", "build", "online", "read-only", "strict"] {
            let script = "echo ok";
            for shell in ["/bin/sh", "bash"] {
                let ran = setup.run(&["--profile", profile], [shell, "-c", script]);
                if ran.code == Some(125) {
                    ran.said(&[setup.launcher.name(), "cannot enforce"]);
                    ignored(format!("{} refuses the profile {profile} here", setup.launcher));
                    break;
                }
                ran.printed("ok\n");
            }
        }
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
fn a_mount_below_a_root_follows_the_rules_of_its_place() {
    if let Some(why) = no_mounts() {
        return ignored(why);
    }
    confined(|setup| {
        let mount = setup.place.folder("mount");
        let mount = mount.to_str().unwrap();
        let script = format!("mount -t tmpfs -o mode=777 t {mount}; echo hi > {mount}/a");
        let run = |options: &[&str], words: &[&str]| {
            let command = setup.run_command(options, words);
            finish(setup.with_mounts(&script, &command).spawn().unwrap())
        };
        let (a, b) = (format!("{mount}/a"), format!("{mount}/b"));
        run(&["--read", mount], &["cat", &a]).printed("hi\n");
        run(&["--read", mount], &["touch", &b]).exited(1).said(&[&b]);
        run(&["--write", mount], &["touch", &b]).printed("");
        run(&[], &["cat", &a]).exited(1);
    });
}

#[test]
fn shared_memory_is_private_or_named_as_missing() {
    confined(|setup| {
        let name = setup.place.path("").file_name().unwrap().to_str().unwrap().to_owned();
        let payload = setup.payload(&[], ["touch", &format!("/dev/shm/{name}")]);
        let leaked = std::path::Path::new("/dev/shm").join(&name);
        let is_missing = payload["sandbox"]["missing"]
            .as_array()
            .is_some_and(|missing| missing.contains(&json!("ipc")));
        assert!(!leaked.exists() || is_missing, "{payload}");
        let _ = fs::remove_file(leaked);
    });
}

#[test]
fn grants_of_the_command_line_open_and_close_single_paths() {
    confined(|setup| {
        setup.place.file("outside/text", "hello\n");
        let outside = setup.place.text("outside");
        let text = setup.place.text("outside/text");
        setup.run(&[], ["cat", &text]).exited(1);
        setup.run(&["--read", &outside], ["cat", &text]).printed("hello\n");
        setup.run(&["--read", &text], ["cat", &text]).printed("hello\n");
        let script = format!("echo x > {outside}/new || exit 7");
        setup.run(&["--read", &outside], ["sh", "-c", &script]).exited(7);
        setup.run(&["--write", &outside], ["sh", "-c", &script]).printed("");
        assert_eq!(setup.place.read("outside/new"), "x\n");
        setup.run(&["--deny", &outside], ["cat", &text]).exited(1);
    });
}

#[test]
fn a_granted_link_opens_what_it_leads_to() {
    confined(|setup| {
        setup.place.file("outside/real/text", "hello\n");
        setup.place.file("outside/secret", "SECRET\n");
        let link = setup.place.path("link");
        symlink(setup.place.path("outside/real"), &link).unwrap();
        let link = link.to_str().unwrap();
        let ran = setup.run(&["--read", link], ["cat", &format!("{link}/text")]);
        ran.printed("hello\n");
        let secret = setup.place.text("outside/secret");
        assert_eq!(setup.run(&["--read", link], ["cat", &secret]).exited(1).stdout, "");
    });
}

#[test]
fn a_link_in_the_workspace_is_no_way_out() {
    confined(|setup| {
        setup.place.file("outside/text", "SECRET\n");
        symlink(setup.place.path("outside"), setup.place.path("work/link")).unwrap();
        let ran =
            setup.sh("cat link/text; ln -s \"$PWD/../outside/text\" t; cat t; echo x > link/x");
        assert_eq!(ran.stdout, "", "{ran:?}");
        assert!(!setup.place.has("outside/x"));
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
        assert_ne!(ran.code, Some(0), "{ran:?}");
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
