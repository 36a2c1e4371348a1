//! Real programs at their everyday work, inside the profile that is the default. A sandbox that stops
//! work is turned off.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{
    Launcher, PATH, Ran, Setup, confined, finish, ignored, no_mounts, with_namespaces,
};

/// Runs a test under every confining launcher, as every user, where these programs are installed.
fn with_programs(programs: &[&str], test: impl Fn(&Setup)) {
    let installed =
        |name: &str| PATH.split(':').any(|folder| Path::new(folder).join(name).exists());
    match programs.iter().find(|name| !installed(name)) {
        Some(missing) => ignored(format!("{missing} is not installed")),
        None => confined(test),
    }
}

/// Whether the launcher says that it leaves a promise of the profile unenforced here.
fn is_missing(setup: &Setup, promise: &str) -> bool {
    let payload = setup.payload(&[], ["true"]);
    payload["sandbox"]["missing"].as_array().is_some_and(|all| all.contains(&json!(promise)))
}

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
        let ran = setup.sh(&script);
        assert!(ran.code != Some(0) && !setup.place.has("main/.git/planted"), "{ran:?}");
    });
}

#[test]
fn python_starts_processes_and_shares_memory_with_them() {
    with_programs(&["python3"], |setup| {
        let python = |program: &str| setup.run(&[], ["python3", "-c", program]);
        python("import subprocess as s; print(s.check_output(['echo', 'sub'], text=True), end='')")
            .printed("sub\n");
        python("import multiprocessing as m; m.Lock(); print('lock')").printed("lock\n");
        let pool = "import multiprocessing as m\n\
                    def twice(x): return 2 * x\n\
                    if __name__ == '__main__':\n  with m.Pool(2) as p: print(p.map(twice, [1, 2]))";
        python(pool).printed("[2, 4]\n");
        let shared = "from multiprocessing.shared_memory import SharedMemory as S\n\
                      s = S(create=True, size=9); s.buf[0] = 7; o = S(s.name)\n\
                      print(o.buf[0]); o.close(); s.close(); s.unlink()";
        assert_eq!(python(shared).exited(0).stdout, "7\n");
        let thread = "import threading as t; h = t.Thread(target=lambda: print('thread')); \
                      h.start(); h.join()";
        python(thread).printed("thread\n");
        python("import asyncio; asyncio.run(asyncio.sleep(0)); print('loop')").printed("loop\n");
        python("import os; os.openpty(); print('pty')").printed("pty\n");
        python("import tempfile as t; t.NamedTemporaryFile().write(b'x'); print('tmp')")
            .printed("tmp\n");
    });
}

#[test]
fn node_starts_a_child_process_and_a_worker() {
    with_programs(&["node"], |setup| {
        let node = |program: &str| setup.run(&[], ["node", "-e", program]);
        node("console.log(1)").printed("1\n");
        node("process.stdout.write(require('child_process').execSync('echo child'))")
            .printed("child\n");
        let worker = "const w = require('worker_threads'); \
                      new w.Worker('require(\"worker_threads\").parentPort.postMessage(7)', \
                      {eval: true}).on('message', console.log)";
        node(worker).printed("7\n");
    });
}

#[test]
fn a_compiler_makes_a_program_that_runs() {
    with_programs(&["cc"], |setup| {
        let source = "#include <stdio.h>\nint main(void) { puts(\"compiled\"); return 0; }\n";
        setup.place.file("work/a.c", source);
        setup.sh("cc -O1 -o a a.c && ./a").printed("compiled\n");
    });
}

#[test]
fn make_runs_its_recipes() {
    with_programs(&["make"], |setup| {
        setup.place.file("work/Makefile", "all: b\n\t@cat b\nb: a\n\t@tr a b < a > b\n");
        setup.place.file("work/a", "aaa\n");
        setup.run(&[], ["make", "-s"]).printed("bbb\n");
    });
}

#[test]
fn tar_packs_and_unpacks() {
    with_programs(&["tar", "gzip"], |setup| {
        setup.place.script("work/d/tool", "text\n");
        let script = "tar czf d.tgz d && mkdir o && tar xzf d.tgz -C o && cat o/d/tool && \
                      test -x o/d/tool";
        setup.sh(script).printed("text\n");
    });
}

#[test]
fn a_search_finds_its_lines() {
    with_programs(&["grep"], |setup| {
        setup.place.file("work/d/f", "one\ntwo\n");
        setup.run(&[], ["grep", "-rn", "two", "."]).printed("./d/f:2:two\n");
        match Path::new("/usr/bin/rg").exists() {
            true => setup.run(&[], ["rg", "-n", "two", "."]).printed("./d/f:2:two\n"),
            false => ignored("rg is not installed"),
        }
    });
}

#[test]
fn devices_that_every_shell_needs_are_there() {
    confined(|setup| {
        let script = "echo x > /dev/null 2>&1 && head -c 4 /dev/urandom > /dev/null && \
                      head -c 4 /dev/zero > /dev/null && echo ok";
        setup.sh(script).printed("ok\n");
        setup.sh("sleep 0 & wait; echo bg").printed("bg\n");
        setup.run(&[], ["bash", "-c", "cat <(echo fd) /dev/fd/3 3< /dev/null"]).printed("fd\n");
    });
}

#[test]
fn files_move_and_are_linked_across_the_folders_of_the_workspace() {
    confined(|setup| {
        let script = "mkdir a b && echo x > a/f && mv a/f b/g && ln b/g a/h && ln -s ../b/g a/s && \
                      chmod 700 a/h && touch -d @0 a/h && cat a/s && rm -r a b";
        setup.sh(script).printed("x\n");
    });
}

#[test]
fn programs_know_who_and_where_they_are() {
    confined(|setup| {
        let ran =
            setup.sh("id -un; hostname; pwd; date +%Y; nproc; test -r /proc/self/status && echo p");
        let lines: Vec<_> = ran.exited(0).stdout.lines().collect();
        assert_eq!(lines.len(), 6, "{ran:?}");
        assert_eq!(lines[2], setup.place.text("work"));
        assert_eq!(ran.stderr, "");
    });
}

#[test]
fn a_socket_of_ones_own_works_in_the_workspace_and_on_loopback() {
    with_programs(&["python3"], |setup| {
        let unix = "import socket as s\n\
                    l = s.socket(s.AF_UNIX); l.bind('sock'); l.listen()\n\
                    c = s.socket(s.AF_UNIX); c.connect('sock'); a = l.accept()[0]\n\
                    c.send(b'hi'); print(a.recv(9).decode())";
        let ran = setup.run(&[], ["python3", "-c", unix]);
        match ran.stderr.contains("Address family not supported") {
            true if setup.launcher == Launcher::LandlockInPlace => {
                ignored(
                    "landlock tells socket files apart from Linux 7.1 on, and opens none before",
                );
            }
            _ => ran.printed("hi\n"),
        }
        let tcp = "import socket as s\n\
                   l = s.create_server(('127.0.0.1', 0)); c = s.create_connection(l.getsockname())\n\
                   a = l.accept()[0]; c.send(b'hi'); print(a.recv(9).decode())";
        match is_missing(setup, "loopback") {
            true => ignored(format!("{} has no loopback of its own here", setup.launcher)),
            false => setup.run(&[], ["python3", "-c", tcp]).printed("hi\n"),
        }
        let pair = "import socket as s; a, b = s.socketpair(); a.send(b'hi'); \
                    print(b.recv(9).decode())";
        setup.run(&[], ["python3", "-c", pair]).printed("hi\n");
    });
}

/// With the bare path of a server that a graphical client started.
fn with_bare_path(mut command: Command) -> Ran {
    finish(command.env("PATH", "/usr/bin:/bin").spawn().unwrap())
}

#[test]
fn a_tool_in_the_home_directory_is_found_and_what_lies_beside_it_is_not() {
    confined(|setup| {
        for folder in [".cargo/bin", ".local/bin", ".pyenv/shims"] {
            let script = format!("#!/bin/sh\necho from {folder}\n");
            let name = format!("own-tool-{}", folder.split(['/', '.']).nth(1).unwrap());
            setup.place.script(&format!("home/{folder}/{name}"), &script);
            let ran = with_bare_path(setup.run_command(&[], [&name]));
            ran.printed(&format!("from {folder}\n"));
        }
        for secret in [".cargo/credentials.toml", ".npmrc", ".netrc", ".aws/credentials"] {
            setup.place.file(format!("home/{secret}"), "SECRET\n");
            let path = setup.place.text(&format!("home/{secret}"));
            assert_eq!(setup.run(&[], ["cat", &path]).exited(1).stdout, "");
        }
    });
}

/// Runs a command with the home directory of whoever runs the tests, opened for the ordinary user as
/// well; `None` where that cannot be done.
fn with_real_home<A: AsRef<OsStr>>(
    setup: &Setup,
    options: &[&str],
    command: impl IntoIterator<Item = A>,
) -> Ran {
    let home = env::var("HOME").unwrap();
    let mut run = setup.run_command(options, command);
    run.env("HOME", &home);
    if no_mounts().is_some() {
        return with_bare_path(run);
    }
    let aside = setup.place.folder("aside");
    let script = format!(
        "mount --bind {home} {0}; mount -t tmpfs -o mode=755 t {home}\n\
         for name in .cargo .rustup .pyenv; do [ ! -d {0}/$name ] && continue\n\
         mkdir {home}/$name; mount --bind {0}/$name {home}/$name; done; umount {0}",
        aside.display()
    );
    run.env("PATH", "/usr/bin:/bin");
    finish(setup.with_mounts(&script, &run).spawn().unwrap())
}

/// Whether the home directory of whoever runs the tests has this program.
fn home_has(name: &str) -> bool {
    let found = env::var_os("HOME").is_some_and(|home| Path::new(&home).join(name).exists());
    if !found {
        ignored(format!("there is no {name} in the home directory"));
    }
    found
}

#[test]
fn cargo_from_the_home_directory_builds_offline() {
    if !home_has(".cargo/bin/cargo") {
        return;
    }
    confined(|setup| {
        setup.place.file(
            "work/Cargo.toml",
            "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        );
        setup.place.file("work/src/main.rs", "fn main() { println!(\"built\"); }\n");
        let version = with_real_home(setup, &[], ["cargo", "--version"]);
        assert!(version.exited(0).stdout.starts_with("cargo 1."), "{version:?}");
        let build = ["cargo", "build", "--offline", "--quiet"];
        with_real_home(setup, &["--profile", "build"], build).printed("");
        setup.run(&[], ["target/debug/small"]).printed("built\n");
    });
}

#[test]
fn python_from_the_home_directory_works() {
    if !home_has(".pyenv/shims/python3") {
        return;
    }
    confined(|setup| {
        let ran = with_real_home(setup, &[], ["python3", "-c", "import sys; print(sys.prefix)"]);
        assert!(ran.exited(0).stdout.contains(".pyenv"), "{ran:?}");
    });
}

#[test]
fn the_strictest_profile_runs_threads_and_pseudo_terminals() {
    with_namespaces(|setup| {
        let strict = |words: &[&str]| {
            let payload: Value = setup.payload(&["--profile", "strict"], words);
            assert_eq!(payload["exit"], 0, "{payload}");
            payload["stdout"].as_str().unwrap().to_owned()
        };
        let thread = "import threading as t, os; h = t.Thread(target=os.openpty); h.start(); \
                      h.join(); print('ok')";
        assert_eq!(strict(&["python3", "-c", thread]), "ok\n");
        match Path::new("/usr/bin/node").exists() {
            true => assert_eq!(strict(&["node", "-e", "console.log(1)"]), "1\n"),
            false => ignored("node is not installed"),
        }
    });
}
