//! `deny` and `protect` below what is granted.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use cofferdam_profiles::Access::{Deny, Protect, Read, Write};

use crate::support::{World, has, users};

#[test]
fn a_hidden_file_cannot_be_read_changed_moved_or_replaced() {
    for user in users() {
        let mut world = World::new(user);
        let secret = world.make("a/.env", "password");
        world.allow(Deny, &secret);
        for script in [
            "cat a/.env",
            "echo x > a/.env",
            "chmod 644 a/.env",
            "mv a/.env b",
            "rm -f a/.env",
            "echo x > new; mv new a/.env",
            "ln a/.env b",
            "mv a b",
        ] {
            let ran = world.sh(script);
            assert!(!ran.failed().stdout.contains("password"), "{script}");
        }
        world.sh("ls -l a > /dev/null && test -f a/.env").succeeded();
        assert_eq!(fs::read_to_string(&secret).unwrap(), "password");
    }
}

#[test]
fn a_hidden_folder_cannot_be_listed_entered_filled_or_replaced() {
    for user in users() {
        let mut world = World::new(user);
        world.make("keys/id", "password");
        let keys = world.workspace.join("keys");
        world.allow(Deny, &keys);
        for script in [
            "ls keys/",
            "cd keys",
            "cat keys/id",
            "touch keys/x",
            "chmod 755 keys",
            "mv keys x",
            "rm -r keys",
            "mkdir new && mv -T new keys",
        ] {
            let ran = world.sh(script);
            assert!(!ran.failed().stdout.contains("password"), "{script}");
        }
        world.sh("ls -l > /dev/null").succeeded();
        assert_eq!(fs::read_to_string(keys.join("id")).unwrap(), "password");
    }
}

#[test]
fn hiding_works_below_a_readable_folder_and_for_a_socket() {
    for user in users() {
        let mut world = World::new(user);
        let outside = world.outside.clone();
        world.allow(Read, &outside);
        fs::write(outside.join("secret"), "password").unwrap();
        let _listener = UnixListener::bind(outside.join("socket")).unwrap();
        world.allow(Deny, outside.join("secret"));
        world.allow(Deny, outside.join("socket"));
        let outside = outside.display();
        let ran = world.sh(&format!("test ! -S {outside}/socket && cat {outside}/secret"));
        assert!(ran.failed_with(1).stderr.contains("Permission denied"), "{ran:?}");
    }
}

#[test]
fn a_grant_below_a_hidden_folder_is_all_that_can_be_reached_there() {
    for user in users() {
        let mut world = World::new(user);
        let keys = world.make("keys/", "");
        world.make("keys/known", "text");
        world.make("keys/id", "password");
        world.make("keys/open/deep/f", "text");
        world.allow(Deny, &keys);
        world.allow(Read, keys.join("known"));
        world.allow(Write, keys.join("open/deep"));
        assert_eq!(world.sh("cat keys/known keys/open/deep/f").succeeded(), "texttext");
        world.sh("touch keys/open/deep/made").succeeded();
        for script in
            ["ls keys/", "cat keys/id", "echo x > keys/known", "touch keys/x", "touch keys/open/x"]
        {
            world.sh(script).failed();
        }
    }
}

#[test]
fn what_is_protected_can_be_read_and_nothing_else() {
    for user in users() {
        let mut world = World::new(user);
        let hook = world.make(".git/hooks/pre-commit", "hook");
        let config = world.make(".git/config", "config");
        world.allow(Protect, world.workspace.join(".git/hooks"));
        world.allow(Protect, &config);
        assert_eq!(world.sh("cat .git/hooks/pre-commit .git/config").succeeded(), "hookconfig");
        for script in [
            "echo x > .git/hooks/pre-commit",
            "touch .git/hooks/new",
            "echo x > new; mv new .git/hooks/pre-commit",
            "mv .git/hooks x",
            "rm -r .git/hooks",
            "rm -f .git/config",
            "echo x > new; mv new .git/config",
            "chmod 777 .git/hooks/pre-commit",
            "ln .git/config hard",
            "mv .git .git-old",
            "mkdir new && mv -T new .git",
        ] {
            world.sh(script).failed();
        }
        assert_eq!(fs::read_to_string(hook).unwrap(), "hook");
        assert_eq!(fs::read_to_string(config).unwrap(), "config");
    }
}

#[test]
fn folders_on_the_way_to_a_protected_file_stay_writable() {
    for user in users() {
        let mut world = World::new(user);
        let file = world.make("a/b/file", "text");
        world.allow(Protect, &file);
        world.sh("touch a/x a/b/y && mkdir a/b/c && mv a/b/y a/b/c/ && mv a/x a/z").succeeded();
        assert!(world.workspace.join("a/b/c/y").exists());
    }
}

#[test]
fn a_readable_folder_in_a_writable_one_cannot_be_moved_away() {
    for user in users() {
        let mut world = World::new(user);
        let vendor = world.make("third/vendor/f", "text");
        world.allow(Read, world.workspace.join("third/vendor"));
        for script in ["touch third/vendor/x", "mv third/vendor x", "mv third x"] {
            world.sh(script).failed();
        }
        assert!(vendor.exists());
    }
}

#[test]
fn absent_paths_leave_no_stub() {
    for user in users() {
        let mut world = World::new(user);
        world.make("kept", "text");
        world.allow(Deny, world.workspace.join(".env"));
        world.allow(Deny, world.workspace.join("deep/er/.env"));
        world.allow(Protect, world.workspace.join(".git/hooks"));
        let before = world.listing();
        let inside = world.sh("ls -A");
        assert_eq!(inside.succeeded(), "kept\n");
        assert_eq!(world.listing(), before);
    }
}

#[test]
fn a_protected_path_that_comes_to_be_is_protected_in_the_next_run() {
    for user in users() {
        let mut world = World::new(user);
        let hooks = world.workspace.join(".git/hooks");
        world.allow(Protect, &hooks);
        world.sh("mkdir -p .git/hooks && echo 1 > .git/hooks/x").succeeded();
        assert!(hooks.join("x").exists());
        world.sh("echo 2 > .git/hooks/x").failed();
        world.sh("mv .git x").failed();
    }
}

#[test]
fn a_link_put_where_something_is_to_be_hidden_stops_the_run() {
    use cofferdam_launcher::Launcher;
    for user in users() {
        let mut world = World::new(user);
        world.allow(Deny, world.workspace.join("a/secret"));
        let launcher = world.launcher();
        symlink("/etc", world.workspace.join("a")).unwrap();
        let error = launcher.wrap(&world.plan("true", &[""; 0])).unwrap_err();
        assert!(error.to_string().contains("a/secret"), "{error}");
    }
}

#[test]
fn git_works_beside_protected_hooks_and_configuration() {
    if !has("git") {
        return;
    }
    for user in users() {
        let mut world = World::new(user);
        let git = "git -c user.name=a -c user.email=a@b";
        world.sh("git init -q . && touch .git/hooks/x").succeeded();
        for path in [".git/hooks", ".git/config"] {
            world.allow(Protect, world.workspace.join(path));
        }
        world.sh(&format!("echo 1 > f && git add f && {git} commit -qm one")).succeeded();
        let more =
            format!("git checkout -qb other && echo 2 > f && {git} commit -qam two && git gc -q");
        world.sh(&more).succeeded();
        assert_eq!(world.sh("git log --format=%s && git status --short").succeeded(), "two\none\n");
        world.sh("git config core.fsmonitor /bin/false").failed();
    }
}
