//! Folders that a person opens with `--read`, in which the host may keep sockets and named pipes.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;

use serde_json::json;

use crate::support::{
    Client, Era, Launcher, Setup, confined, finish, ignored, no_mounts, with_programs,
};

const CONNECT: &str = "import socket, sys\nsocket.socket(socket.AF_UNIX).connect(sys.argv[1])";

/// A service that anybody may connect to.
fn service(path: &Path) -> UnixListener {
    let service = UnixListener::bind(path).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o777)).unwrap();
    service.set_nonblocking(true).unwrap();
    service
}

/// A profile's file that opens a folder for reading.
fn profile(setup: &Setup, folder: &str) -> String {
    let text = format!("extends = [\"workspace\"]\n[filesystem]\nread = [{folder:?}]\n");
    setup.place.file("opens.toml", text).to_str().unwrap().to_owned()
}

#[test]
fn a_socket_that_comes_up_after_the_start_is_not_reached() {
    confined(|setup| {
        let folder = setup.place.folder("outside");
        let profile = profile(setup, folder.to_str().unwrap());
        let path = folder.join("late");
        let mut client =
            Client::start(setup.serve_command(json!({ "profile": profile })), Era::Legacy);
        client.sh("true").exited(0);
        // One that comes up between runs, and one that comes up while a run waits.
        let early = service(&path);
        let script = format!(
            "while ! test -e ../outside/go; do sleep 0.01; done; python3 -c '{CONNECT}' \"$0\" || exit 7"
        );
        let connect = ["-c", &script, path.to_str().unwrap()];
        setup.place.file("outside/go", "");
        client.run(json!({ "command": "sh", "args": connect })).exited(7);
        drop(early);
        std::fs::remove_file(&path).unwrap();
        let late = service(&path);
        client.run(json!({ "command": "sh", "args": connect })).exited(7);
        assert!(late.accept().is_err());
    });
}

#[test]
fn the_workspace_of_a_run_that_only_reads_is_such_a_folder() {
    confined(|setup| {
        let service = service(&setup.place.path("work/service"));
        let ran = setup.run(&["--profile", "read-only"], ["python3", "-c", CONNECT, "service"]);
        match ran.code {
            Some(125) => ignored(format!("{} refuses the profile read-only here", setup.launcher)),
            code => assert_eq!(code, Some(1), "{ran:?}"),
        }
        assert!(service.accept().is_err());
    });
}

#[test]
fn a_mount_below_such_a_folder_is_read_and_no_door_either() {
    if let Some(why) = no_mounts() {
        return ignored(why);
    }
    confined(|setup| {
        let mount = setup.place.folder("open/mount");
        let (mount, open) = (mount.to_str().unwrap(), setup.place.text("open"));
        // It ends when its parent does, which becomes the program that is tested.
        let listen = "import socket, os, sys, time\nos.umask(0)\nparent = os.getppid()\n\
                      l = socket.socket(socket.AF_UNIX)\nl.bind(sys.argv[1])\nl.listen()\n\
                      while os.getppid() == parent: time.sleep(0.05)";
        let script = format!(
            "mount -t tmpfs -o mode=777 t {mount}; echo hi > {mount}/a\n\
             python3 -c '{listen}' {mount}/s < /dev/null > /dev/null 2>&1 &\n\
             while ! test -S {mount}/s; do sleep 0.01; done"
        );
        let connect = format!(
            "cat {mount}/a; python3 -c '{CONNECT}' {mount}/s 2> /dev/null && echo reached; true"
        );
        let command = setup.run_command(&["--read", &open], ["sh", "-c", &connect]);
        finish(setup.with_mounts(&script, &command).spawn().unwrap()).printed("hi\n");
    });
}

#[test]
fn real_programs_work_beside_such_a_folder() {
    with_programs(&["python3", "git"], |setup| {
        let folder = setup.place.folder("outside");
        let program = "import asyncio, multiprocessing as m, subprocess\n\
                       async def run():\n    p = await asyncio.create_subprocess_exec('true')\n    \
                       return await p.wait()\n\
                       if __name__ == '__main__':\n    m.set_start_method('fork')\n    \
                       print(asyncio.run(run()), sum(m.Pool(2).map(abs, [-1, -2])))\n    \
                       subprocess.run(['git', 'init', '-q', 'repository'], check=True)\n";
        setup.place.file("work/program.py", program);
        let options = ["--read", folder.to_str().unwrap()];
        setup.run(&options, ["python3", "program.py"]).printed("0 3\n");
    });
}

#[test]
fn a_run_with_an_overlay_keeps_sockets_of_its_own() {
    confined(|setup| {
        if setup.launcher != Launcher::Landlock
            || Launcher::Bubblewrap.hindrance(setup.user).is_some()
        {
            return ignored(format!("{} refuses them all, and its README says so", setup.launcher));
        }
        let folder = setup.place.folder("outside");
        let own = "import socket as s\nl = s.socket(s.AF_UNIX); l.bind('own'); l.listen()\n\
                   s.socket(s.AF_UNIX).connect('own'); print('own')";
        setup.run(&["--read", folder.to_str().unwrap()], ["python3", "-c", own]).printed("own\n");
    });
}
