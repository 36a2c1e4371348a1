//! Everyday programs that break first in a sandbox.

use crate::support::{World, has, users};

#[test]
fn semaphores_pools_and_threads_of_python_work() {
    if !has("python3") {
        return;
    }
    for user in users() {
        let world = World::new(user);
        let script = "import multiprocessing as m, threading\n\
            m.Lock(); t = threading.Thread(target=lambda: None); t.start(); t.join()\n\
            with m.Pool(2) as pool: print(sum(pool.map(abs, [-1, -2])))";
        assert_eq!(world.run(&world.plan("python3", &["-c", script])).succeeded(), "3\n");
    }
}

#[test]
fn a_pseudo_terminal_can_be_opened() {
    if !has("python3") {
        return;
    }
    for user in users() {
        let world = World::new(user);
        let script = "import os; os.openpty(); print(os.ttyname(os.openpty()[1])[:9])";
        assert_eq!(world.run(&world.plan("python3", &["-c", script])).succeeded(), "/dev/pts/\n");
    }
}

#[test]
fn the_harmless_devices_work() {
    for user in users() {
        let world = World::new(user);
        let script = "echo x > /dev/null 2>&1 && head -c 4 /dev/urandom > /dev/null && echo ok; sleep 0 & wait; echo bg";
        assert_eq!(world.sh(script).succeeded(), "ok\nbg\n");
    }
}

#[test]
fn files_keep_their_owner() {
    for user in users() {
        let world = World::new(user);
        world.make("f", "");
        let ran = world.sh("stat -c %u f . > owners; id -u >> owners; sort -u owners | wc -l");
        assert_eq!(ran.succeeded(), "1\n", "{:?}", ran.stdout);
    }
}

#[test]
fn what_is_compiled_runs() {
    if !has("cc") {
        return;
    }
    for user in users() {
        let world = World::new(user);
        world.make("a.c", "int main(void) { return 7; }");
        world.sh("cc a.c -o a").succeeded();
        world.sh("./a").failed_with(7);
    }
}
