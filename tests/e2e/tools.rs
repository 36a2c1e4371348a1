//! Real programs at their everyday work, inside the profile that is the default. A sandbox that stops
//! work is turned off.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Launcher, Setup, confined, ignored, with_namespaces, with_programs};

/// Whether the launcher says that it leaves a promise of the profile unenforced here.
fn is_missing(setup: &Setup, promise: &str) -> bool {
    let payload = setup.payload(&[], ["true"]);
    payload["sandbox"]["missing"].as_array().is_some_and(|all| all.contains(&json!(promise)))
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
