//! Git at its everyday work, inside the profile that is the default.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::support::{Setup, finish, ignored, with_programs};

/// Runs git in the host, for what was there before a run.
fn git(setup: &Setup, dir: &Path, words: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words);
    setup.prepared(&mut command);
    finish(command.current_dir(dir).spawn().unwrap()).exited(0);
}

#[test]
fn git_makes_a_repository_and_commits() {
    with_programs(&["git"], |setup| {
        setup.place.file("work/f", "text\n");
        // What a repository could start later is new: it is allowed, and said.
        setup.run(&[], ["git", "init", "-q", "-b", "main"]).exited(0).said(&[".git/config"]);
        setup.run(&[], ["git", "add", "f"]).printed("");
        setup.run(&[], ["git", "commit", "-q", "-m", "first"]).printed("");
        setup.run(&[], ["git", "status", "--porcelain"]).printed("");
        setup.run(&[], ["git", "log", "--format=%s"]).printed("first\n");
        setup.run(&[], ["sh", "-c", "git mv f g && git commit -qam second"]).printed("");
        setup.run(&[], ["git", "branch", "-q", "other"]).printed("");
        setup.run(&[], ["git", "checkout", "-q", "other"]).printed("");
    });
}

#[test]
fn git_commits_as_the_person_and_does_not_read_their_file() {
    with_programs(&["git"], |setup| {
        let settings = "[user]\n\tname = Ann B\n\temail = ann@example.org\n[credential]\n\thelper = \
                        store\n[alias]\n\tleak = !cat\n";
        setup.place.file("home/.gitconfig", settings);
        setup.place.file("home/.git-credentials", "https://ann:SECRET@example.org\n");
        let script =
            "git init -q . && git commit -q --allow-empty -m x && git log --format='%an %ae'";
        assert_eq!(setup.sh(script).exited(0).stdout, "Ann B ann@example.org\n");
        setup.run(&[], ["git", "config", "--get", "credential.helper"]).exited(1);
        let credentials = setup.place.text("home/.git-credentials");
        assert_eq!(setup.run(&[], ["cat", &credentials]).exited(1).stdout, "");
    });
}

#[test]
fn git_commits_in_a_repository_that_was_there_before() {
    with_programs(&["git"], |setup| {
        let work = setup.place.path("work");
        git(setup, &work, &["init", "-q", "-b", "main"]);
        git(setup, &work, &["commit", "-q", "--allow-empty", "-m", "before"]);
        setup.place.file("work/f", "text\n");
        setup
            .sh("git add f && git commit -q -m inside && git log --format=%s")
            .printed("inside\nbefore\n");
        setup.sh("git stash list; git gc -q; git status --porcelain").printed("");
    });
}

/// A linked worktree in `tree`, whose repository is `main`.
fn linked_worktree(setup: &Setup) -> PathBuf {
    let main = setup.place.folder("main");
    git(setup, &main, &["init", "-q", "-b", "main"]);
    git(setup, &main, &["commit", "-q", "--allow-empty", "-m", "before"]);
    let tree = setup.place.path("trees/tree");
    setup.place.folder("trees");
    git(setup, &main, &["worktree", "add", "-q", tree.to_str().unwrap(), "-b", "side"]);
    setup.place.file("trees/tree/f", "text\n");
    tree
}

#[test]
fn git_commits_in_a_linked_worktree() {
    with_programs(&["git"], |setup| {
        let tree = linked_worktree(setup);
        let options = ["-C", tree.to_str().unwrap()];
        let script = "git add f && git commit -q -m inside && git log --format=%s";
        setup.run(&options, ["sh", "-c", script]).printed("inside\nbefore\n");
    });
}

#[test]
fn a_worktree_whose_repository_is_closed_is_gits_own_failure() {
    with_programs(&["git"], |setup| {
        let tree = linked_worktree(setup);
        let profile = json!({
            "extends": "base",
            "best-effort": ["metadata", "processes", "ipc", "pty", "loopback"],
            "filesystem": { "write": [tree] },
        });
        let mut client = setup.serve(json!({ "cwd": tree, "profile": profile }));
        let answer = client.run(json!({ "command": "git", "args": ["add", "f"] }));
        assert_eq!(answer.exited(128)["sandbox"]["active"], true, "{answer:?}");
    });
}

#[test]
fn a_worktree_cannot_point_at_a_repository_that_does_not_know_it() {
    with_programs(&["git"], |setup| {
        let main = setup.place.folder("main");
        git(setup, &main, &["init", "-q", "-b", "main"]);
        let foreign = setup.place.folder("main/.git/worktrees/work");
        setup.place.file("main/.git/worktrees/work/gitdir", "/somewhere/else/.git\n");
        setup.place.file("main/.git/worktrees/work/commondir", "../..\n");
        setup.place.file("work/.git", format!("gitdir: {}\n", foreign.display()));
        let script = format!("echo x > {}/.git/planted || exit 7", main.display());
        setup.sh(&script).exited(7).said(&["planted"]);
        assert!(!setup.place.has("main/.git/planted"));
    });
}

/// Places from which git outside would start something, of every kind of repository in a workspace.
const STARTS_SOMETHING: [&str; 9] = [
    ".git/hooks/pre-commit",
    ".git/config",
    "vendor/lib/.git/hooks/pre-commit",
    "vendor/lib/.git/config",
    "module/.git",
    ".git/modules/module/config",
    ".git/modules/module/hooks/pre-commit",
    "linked/.git",
    "linkhooks/.git/hooks/pre-commit",
];

/// A workspace with repositories of every kind.
fn repositories(setup: &Setup) -> PathBuf {
    let work = setup.place.path("work");
    let make = |name: &str| {
        let folder = setup.place.folder(name);
        git(setup, &folder, &["init", "-q", "-b", "main"]);
        git(setup, &folder, &["commit", "-q", "--allow-empty", "-m", "x"]);
    };
    make("work");
    make("work/vendor/lib");
    make("work/linkhooks");
    make("module");
    let module = setup.place.text("module");
    let add =
        ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &module, "module"];
    git(setup, &work, &add);
    git(setup, &work, &["worktree", "add", "-q", "linked"]);
    let hooks = work.join("linkhooks/.git/hooks");
    std::fs::remove_dir_all(&hooks).unwrap();
    setup.place.folder("work/hooks");
    std::os::unix::fs::symlink("../../hooks", hooks).unwrap();
    work
}

#[test]
fn repositories_at_every_depth_start_nothing_that_a_run_has_written() {
    with_programs(&["git"], |setup| {
        let work = repositories(setup);
        let places = STARTS_SOMETHING.join(" ");
        let script = format!(
            "for p in {places}; do ( echo evil >> $p ) 2> /dev/null && echo wrote $p; \
             rm -f $p; mv -f $p gone 2> /dev/null && echo moved $p; done; \
             mv vendor away 2> /dev/null && echo moved vendor; \
             mv vendor/lib/.git away 2> /dev/null && echo moved repository; \
             cd vendor/lib && echo text > file && git add file && git commit -q -m inside; true"
        );
        let payload = setup.payload(&[], ["sh", "-c", &script]);
        if payload["sandbox"]["missing"].to_string().contains("\"protect\"") {
            return ignored(format!("{} has no `protect` here, and says so", setup.launcher));
        }
        assert_eq!(payload["stdout"], "", "{payload}");
        for place in STARTS_SOMETHING {
            let text = std::fs::read_to_string(work.join(place)).unwrap_or_default();
            assert!(!text.contains("evil"), "{place}");
        }
        let log = setup.run(&[], ["git", "-C", "vendor/lib", "log", "--format=%s"]);
        log.printed("inside\nx\n");
    });
}

#[test]
fn a_link_that_was_protected_and_replaced_is_told() {
    with_programs(&["git"], |setup| {
        repositories(setup);
        let script = "rm linkhooks/.git/hooks && mkdir linkhooks/.git/hooks";
        let payload = setup.payload(&[], ["sh", "-c", script]);
        let replaced = setup.place.text("work/linkhooks/.git/hooks");
        assert_eq!(payload["sandbox"]["created"], json!([replaced]), "{payload}");
        let payload = setup.payload(&[], ["git", "init", "-q", "fresh"]);
        assert!(payload["sandbox"].get("created").is_none(), "{payload}");
    });
}

#[test]
fn a_new_repository_is_told_in_one_line() {
    with_programs(&["git"], |setup| {
        let ran = setup.run(&[], ["git", "init", "-q"]);
        let told: Vec<_> = ran.stderr.lines().filter(|line| line.contains("has created")).collect();
        assert_eq!(told.len(), 1, "{ran:?}");
        assert!(told[0].contains(".git/config") && told[0].contains(".git/hooks"), "{ran:?}");
    });
}
