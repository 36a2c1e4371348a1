//! What must keep working.

use std::process::Command;

use crate::support::{Place, users};

fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        println!("ignored, because `{program}` is not installed");
    }
    found
}

#[test]
fn output_to_dev_null_and_random_bytes_work() {
    for user in users() {
        let place = Place::new(user);
        place
            .sh("echo x >/dev/null 2>&1 && head -c 4 /dev/urandom >/dev/null && echo ok")
            .printed("ok");
        place.sh("sleep 0 & wait; echo bg").printed("bg");
        place.sh("{ echo x > /dev/fd/1; echo y > /dev/stdout; } | cat /dev/stdin").printed("x\ny");
    }
}

#[test]
fn python_semaphores_threads_and_processes_work() {
    for user in users() {
        let place = Place::new(user);
        place.python("import multiprocessing as m; m.Lock(); print('lock')").printed("lock");
        place
            .python(
                "import threading as t\nx = t.Thread(target=lambda: print('thread'))\nx.start(); \
                 x.join()",
            )
            .printed("thread");
        place
            .python("import multiprocessing as m\nprint(sum(m.Pool(2).map(abs, [-1, -2])))")
            .printed("3");
        place
            .python("import asyncio\nasyncio.run(asyncio.sleep(0)); print('loop')")
            .printed("loop");
    }
}

#[test]
fn a_pseudo_terminal_can_be_opened() {
    for user in users() {
        let place = Place::new(user);
        place.python("import os; os.openpty(); print('pty')").printed("pty");
        place.sh("script -qec 'echo inside' /dev/null </dev/null").printed("inside");
    }
}

#[test]
fn a_terminal_cannot_be_typed_into() {
    for user in users() {
        Place::new(user)
            .python(
                "import os, pty, fcntl, termios\nm, s = os.openpty()\n\
                 fcntl.ioctl(s, termios.TIOCSTI, b'x')",
            )
            .failed_with("PermissionError");
    }
}

#[test]
fn node_runs() {
    if !installed("node") {
        return;
    }
    for user in users() {
        let place = Place::new(user);
        place.run(["/usr/bin/env", "node", "-e", "console.log(1)"]).printed("1");
        place
            .run([
                "/usr/bin/env",
                "node",
                "-e",
                "const {Worker} = require('worker_threads'); \
                 new Worker('console.log(2)', {eval: true}); \
                 console.log(require('child_process').execSync('echo 3').toString().trim())",
            ])
            .printed("3\n2");
        // The files API is what would use io_uring.
        place
            .run([
                "/usr/bin/env", "node", "-e",
                "require('fs').promises.readFile('/etc/passwd').then(t => console.log(t.length > 0))",
            ])
            .printed("true");
    }
}

#[test]
fn a_compiler_works_and_what_it_made_runs() {
    if !installed("cc") {
        return;
    }
    for user in users() {
        let place = Place::new(user);
        place.write("work/a.c", "#include <stdio.h>\nint main(void) { puts(\"built\"); }\n");
        place.sh("cc -o a a.c && ./a").printed("built");
    }
}

#[test]
fn git_commits_in_the_workspace() {
    if !installed("git") {
        return;
    }
    for user in users() {
        Place::new(user)
            .sh("git init -q r && cd r && echo x > f && git add f \
                 && git -c user.name=a -c user.email=b@c commit -qm m && git log --format=%s")
            .printed("m");
    }
}

#[test]
fn exit_codes_signals_and_arguments_pass_untouched() {
    for user in users() {
        let place = Place::new(user);
        for code in [1, 2, 126, 127, 128, 255] {
            assert_eq!(place.sh(&format!("exit {code}")).code, Some(code));
        }
        assert_eq!(place.sh("kill -9 $$").code, None);
        place.run(["/usr/bin/printf", "%s|", "a b", "$x", "", "*"]).printed("a b|$x||*|");
    }
}

#[test]
fn nothing_depends_on_a_status_file() {
    for user in users() {
        let place = Place::new(user);
        // Neither this test nor the launcher looks whether /sys/kernel/security is mounted; that it
        // is not readable inside shows that nothing there was needed.
        place.sh("touch a; ls /sys/kernel/security 2>/dev/null || echo unseen").printed("unseen");
        assert!(place.path("work/a").exists());
    }
}
