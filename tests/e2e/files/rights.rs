//! Which files a call may name: the directory of the run, the profile, and what is nobody's to name.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use super::run;
use crate::support::{Launcher, Setup, confined, everywhere};

#[test]
fn nothing_outside_of_the_directory_of_the_run_is_reached() {
    everywhere(|setup| {
        let secret = setup.place.file("outside/secret", "SECRET");
        setup.place.file("work/near", "near");
        setup.place.folder("work/sub");
        symlink(&secret, setup.place.path("work/link")).unwrap();
        symlink(setup.place.path("outside"), setup.place.path("work/folder")).unwrap();
        symlink(setup.place.path("outside/new"), setup.place.path("work/dangling")).unwrap();
        symlink("/proc/self/fd", setup.place.path("work/magic")).unwrap();
        let mut client = setup.serve(json!({}));
        let absolute = setup.place.text("outside/secret");
        let near = setup.place.text("work/near");
        for path in [
            "../outside/secret",
            &absolute,
            "link",
            "folder/secret",
            "dangling",
            "folder/new",
            "magic/0",
            "sub/../../outside/secret",
            "/proc/self/environ",
            "",
            ".",
            "sub",
        ] {
            for key in ["stdin-file", "stdout-file", "stdout-append"] {
                let answer = run(&mut client, &["cat"], json!({ key: path }));
                answer.refused(&[key]);
                assert!(!answer.text.contains("SECRET"), "{answer:?}");
            }
        }
        let above = json!({ "cwd": "sub", "stdout-file": near });
        run(&mut client, &["echo"], above).refused(&["below", "the run's directory"]);
        assert_eq!(setup.place.read("outside/secret"), "SECRET");
        assert_eq!(setup.place.list("outside"), ["secret"]);
        assert_eq!(setup.place.read("work/near"), "near");
    });
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    everywhere(|setup| {
        let fifo = setup.place.path("work/fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::from_bits_truncate(0o666)).unwrap();
        fs::set_permissions(&fifo, Permissions::from_mode(0o666)).unwrap();
        let _socket =
            std::os::unix::net::UnixListener::bind(setup.place.path("work/socket")).unwrap();
        let mut client = setup.serve(json!({}));
        for path in ["fifo", "socket"] {
            for key in ["stdin-file", "stdout-file", "stdout-append"] {
                run(&mut client, &["cat"], json!({ key: path })).refused(&["no regular file"]);
            }
        }
        if setup.launcher == Launcher::None {
            let null = json!({ "cwd": "/dev", "stdout-file": "null" });
            run(&mut client, &["echo"], null).refused(&["no regular file"]);
            let own = json!({ "cwd": "/proc/self", "stdin-file": "status" });
            run(&mut client, &["cat"], own).refused(&["the kernel makes up"]);
        }
    });
}

#[test]
fn the_profile_decides_about_files_too() {
    confined(|setup| {
        setup.place.folder("work/.git/hooks");
        setup.place.file("work/.git/config", "[core]\n");
        setup.place.file("work/.envrc", "export A=b\n");
        setup.place.file("work/secret/key", "SECRET");
        let profile = json!({
            "extends": ["workspace"],
            "filesystem": { "protect": ["${workspace}/kept"] },
        });
        setup.place.file("work/kept", "kept");
        let mut client = setup.serve(json!({ "profile": profile }));
        for path in [".git/config", ".git/hooks/pre-commit", ".GIT/config", "kept", ".envrc"] {
            for key in ["stdout-file", "stdout-append"] {
                let answer = run(&mut client, &["echo", "x"], json!({ key: path }));
                answer.refused(&[key, path]);
            }
        }
        let read = json!({ "stdin-file": ".git/config" });
        run(&mut client, &["cat"], read).printed("[core]\n");
        assert_eq!(setup.place.read("work/.git/config"), "[core]\n");
        assert_eq!(setup.place.read("work/kept"), "kept");
        assert!(!setup.place.has("work/.git/hooks/pre-commit") && !setup.place.has("work/.GIT"));

        // Where only reading is opened, nothing is written.
        let read = setup.place.text("outside");
        setup.place.file("outside/open", "open");
        let profile = json!({ "extends": ["workspace"], "filesystem": { "read": [read] } });
        let mut client = setup.serve(json!({ "profile": profile }));
        let there = |key: &str| json!({ "cwd": setup.place.path("outside"), key: "open" });
        run(&mut client, &["cat"], there("stdin-file")).printed("open");
        run(&mut client, &["echo"], there("stdout-file")).refused(&["does not let a run write"]);
        assert_eq!(setup.place.read("outside/open"), "open");
    });
}

#[test]
fn what_a_profile_denies_is_not_read_by_any_name() {
    crate::support::with_namespaces(|setup| {
        let secret = setup.place.file("work/secret/key", "SECRET");
        fs::hard_link(&secret, setup.place.path("work/other-name")).unwrap();
        let profile = json!({
            "extends": ["workspace"],
            "filesystem": { "deny": ["${workspace}/secret/key"] },
        });
        let mut client = setup.serve(json!({ "profile": profile }));
        for path in ["secret/key", "other-name"] {
            let answer = run(&mut client, &["cat"], json!({ "stdin-file": path }));
            answer.refused(&["`stdin-file`", "profile"]);
        }
    });
}

#[test]
fn git_folders_are_not_written_without_a_profile_either() {
    let setup = Setup::plain();
    setup.place.file("work/.git/config", "[core]\n");
    setup.place.file("work/vendor/x/.git/config", "[core]\n");
    let mut client = setup.serve(json!({ "allow": ["echo", "git"] }));
    for path in [".git/config", "vendor/x/.git/config", ".git/hooks/x", ".git"] {
        let append = json!({ "stdout-append": path });
        run(&mut client, &["echo", "[core] fsmonitor = touch ran"], append).refused(&["git"]);
    }
    let inside = json!({ "cwd": ".git", "stdout-append": "config" });
    run(&mut client, &["echo", "x"], inside).refused(&["git"]);
    assert_eq!(setup.place.read("work/.git/config"), "[core]\n");
}

#[test]
fn a_file_with_several_names_is_read_and_not_written() {
    everywhere(|setup| {
        let other = setup.place.file("work/one", "text");
        fs::hard_link(&other, setup.place.path("work/two")).unwrap();
        let mut client = setup.serve(json!({}));
        run(&mut client, &["cat"], json!({ "stdin-file": "two" })).printed("text");
        for key in ["stdout-file", "stdout-append"] {
            run(&mut client, &["echo"], json!({ key: "two" })).refused(&["2 names", "hard links"]);
        }
        assert_eq!(setup.place.read("work/one"), "text");
    });
}

#[test]
fn cofferdams_own_files_are_out_of_reach() {
    let setup = Setup::plain();
    let audit = setup.place.folder("audit").join("calls.jsonl");
    let mut client = setup.serve(json!({ "audit": audit }));
    client.run(json!({ "command": "true" })).exited(0);
    let root = setup.place.path("");
    for (path, key) in [
        ("config.json", "stdin-file"),
        ("config.json", "stdout-file"),
        ("audit/calls.jsonl", "stdout-append"),
        ("audit/calls.jsonl", "stdin-file"),
    ] {
        let answer = run(&mut client, &["cat"], json!({ "cwd": root, key: path }));
        answer.refused(&["Cofferdam's own"]);
    }
    fs::hard_link(setup.place.path("config.json"), setup.place.path("work/alias")).unwrap();
    run(&mut client, &["cat"], json!({ "stdin-file": "alias" })).refused(&["Cofferdam's own"]);
}
