//! Runs that share a template of the view: what each has for itself, and that none sees an old host.

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;

use cofferdam_landlock::Landlock;
use cofferdam_launcher::{Launch, Launcher, Scratch};
use cofferdam_profiles::Access;
use serde_json::json;

use crate::support::{Ran, User, World, users};

/// A world in which runs share a template, with its launcher. None where there are no namespaces.
fn shared(prepare: impl Fn(&mut World)) -> Option<(World, Landlock)> {
    let user = users().into_iter().find(|user| *user == User::Again)?;
    let mut world = World::new(user);
    prepare(&mut world);
    let launcher = world.launcher();
    Some((world, launcher))
}

fn launch(world: &World, launcher: &Landlock) -> Launch {
    launcher.wrap(&world.plan("true", &[""; 0])).unwrap()
}

/// Whether the next run gets a template: it has a descriptor more.
fn has_template(world: &World, launcher: &Landlock) -> bool {
    launch(world, launcher).kept().len() == 4
}

fn sh(world: &World, launcher: &Landlock, script: &str) -> Ran {
    world.start(launcher, &world.plan("sh", &["-c", script])).finish(launcher)
}

#[test]
fn a_tool_that_runs_once_has_no_template_and_one_that_goes_on_has() {
    let Some((world, _)) = shared(|_| {}) else { return };
    let launcher = Landlock::new(Default::default(), world.policy().into()).unwrap();
    let taken: Vec<_> = (0..4).map(|_| has_template(&world, &launcher)).collect();
    assert_eq!(taken, [false, true, true, true]);
}

#[test]
fn a_template_leaves_no_process_and_few_descriptors() {
    let Some((world, launcher)) = shared(|_| {}) else { return };
    let count = |what: &str| fs::read_dir(format!("/proc/self/{what}")).unwrap().count();
    let children = || -> String {
        let tasks = fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path());
        tasks.filter_map(|task| fs::read_to_string(task.join("children")).ok()).collect()
    };
    let before = count("fd");
    let launch = launch(&world, &launcher);
    assert_eq!(launch.kept().len(), 4);
    for fd in launch.kept() {
        let flags = nix::fcntl::fcntl(fd, nix::fcntl::FcntlArg::F_GETFD).unwrap();
        assert_eq!(flags, nix::fcntl::FdFlag::FD_CLOEXEC.bits(), "{}", fd.as_raw_fd());
    }
    drop(launch);
    assert_eq!(count("fd"), before);
    assert_eq!(children(), "");
}

#[test]
fn a_file_that_was_replaced_is_the_new_one_for_the_next_run() {
    let Some((world, launcher)) = shared(|world| {
        let file = world.outside.join("settings");
        fs::write(&file, "old").unwrap();
        world.allow(Access::Read, &file);
    }) else {
        return;
    };
    let file = world.outside.join("settings");
    let read = || sh(&world, &launcher, &format!("cat {}", file.display()));
    assert!(has_template(&world, &launcher));
    assert_eq!(read().succeeded(), "old");
    fs::write(file.with_extension("new"), "new").unwrap();
    fs::rename(file.with_extension("new"), &file).unwrap();
    assert_eq!(read().succeeded(), "new");
    // The run has told that the template is outdated, and in time there is another.
    assert!(!has_template(&world, &launcher));
    let again = (0..8).any(|_| has_template(&world, &launcher));
    assert!(again);
    assert_eq!(read().succeeded(), "new");
}

#[test]
fn a_folder_that_was_replaced_is_the_new_one_for_the_next_run() {
    let Some((world, launcher)) = shared(|world| {
        let folder = world.outside.join("around/tools");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("f"), "old").unwrap();
        world.allow(Access::Read, &folder);
    }) else {
        return;
    };
    let around = world.outside.join("around");
    let read = || sh(&world, &launcher, &format!("cat {}/tools/f", around.display()));
    assert_eq!(read().succeeded(), "old");
    // The folder above it: the path leads to another one, which nothing in the old one tells.
    fs::rename(&around, world.outside.join("away")).unwrap();
    fs::create_dir_all(around.join("tools")).unwrap();
    fs::write(around.join("tools/f"), "new").unwrap();
    assert_eq!(read().succeeded(), "new");
}

#[test]
fn a_workspace_that_was_replaced_is_the_new_one_for_the_next_run() {
    let Some((world, launcher)) = shared(|_| {}) else { return };
    assert!(has_template(&world, &launcher));
    let away = world.outside.join("away");
    fs::rename(&world.workspace, &away).unwrap();
    fs::create_dir(&world.workspace).unwrap();
    sh(&world, &launcher, "echo x > made").succeeded();
    assert!(world.workspace.join("made").exists() && !away.join("made").exists());
}

#[test]
fn a_link_that_was_put_in_the_way_is_refused_as_ever() {
    let Some((world, launcher)) = shared(|world| {
        let folder = world.outside.join("around/tools");
        fs::create_dir_all(&folder).unwrap();
        world.allow(Access::Read, &folder);
    }) else {
        return;
    };
    // It leads to the very folder that the template shows.
    let around = world.outside.join("around");
    fs::rename(&around, world.outside.join("away")).unwrap();
    symlink("away", &around).unwrap();
    let ran = sh(&world, &launcher, "true");
    assert!(ran.not_started().contains("symbolic link"), "{ran:?}");
}

#[test]
fn a_file_that_is_gone_is_gone_and_a_writable_folder_that_is_gone_is_named() {
    let Some((world, launcher)) = shared(|world| {
        fs::write(world.outside.join("read"), "text").unwrap();
        fs::create_dir(world.outside.join("write")).unwrap();
        world.allow(Access::Read, world.outside.join("read"));
        world.allow(Access::Write, world.outside.join("write"));
    }) else {
        return;
    };
    let file = world.outside.join("read");
    assert_eq!(sh(&world, &launcher, &format!("cat {}", file.display())).succeeded(), "text");
    fs::remove_file(&file).unwrap();
    sh(&world, &launcher, &format!("test ! -e {}", file.display())).succeeded();
    world.run_before(&launcher);
    fs::remove_dir(world.outside.join("write")).unwrap();
    let ran = sh(&world, &launcher, "true");
    assert!(ran.not_started().contains("outside/write"), "{ran:?}");
}

#[test]
fn what_one_run_leaves_in_memory_another_does_not_find() {
    let Some((world, launcher)) = shared(|world| {
        // So that `/tmp` is memory.
        fs::create_dir_all(world.outside.join("x")).unwrap();
        world.set("filesystem.write", json!(["${workspace}"]));
    }) else {
        return;
    };
    assert!(has_template(&world, &launcher));
    let script = "ls -A /dev/shm; echo x > /dev/shm/left; ls /dev/pts; ls -A / | tr '\\n' ' '";
    let first = sh(&world, &launcher, script).succeeded().to_owned();
    assert_eq!(sh(&world, &launcher, script).succeeded(), first);
    assert!(!first.contains("left") && !first.contains(".blank"), "{first}");
}

#[test]
fn two_runs_have_no_namespace_in_common() {
    let Some((world, launcher)) = shared(|_| {}) else { return };
    assert!(has_template(&world, &launcher));
    let names = ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"];
    let script = format!("for n in {}; do readlink /proc/self/ns/$n; done; cat", names.join(" "));
    let plan = world.plan("sh", &["-c", &script]);
    let lines = |stdin| {
        let mut live = world.start_with(&launcher, &plan, fs::File::from(stdin));
        let lines: Vec<_> = names.iter().map(|_| live.next_line()).collect();
        (live, lines)
    };
    // Both live at once: the number of a namespace that is gone may be given out again.
    let ((one_end, one_stop), (other_end, other_stop)) =
        (std::io::pipe().unwrap(), std::io::pipe().unwrap());
    let (one, of_one) = lines(std::os::fd::OwnedFd::from(one_end));
    let (other, of_other) = lines(std::os::fd::OwnedFd::from(other_end));
    for (one, other) in of_one.iter().zip(&of_other) {
        let host = fs::read_link(format!("/proc/self/ns/{}", one.split(':').next().unwrap()));
        assert_ne!(one, other);
        assert_ne!(one.trim(), host.unwrap().to_str().unwrap());
    }
    drop((one_stop, other_stop));
    one.finish(&launcher).succeeded();
    other.finish(&launcher).succeeded();
}

#[test]
fn a_file_that_came_to_be_closed_is_closed_for_the_next_run() {
    let Some((world, launcher)) = shared(|world| {
        let secret = world.workspace.join(".env");
        world.allow(Access::Deny, &secret);
        world.allow(Access::Protect, world.workspace.join(".git/hooks"));
    }) else {
        return;
    };
    assert!(has_template(&world, &launcher));
    world.make(".env", "password");
    world.make(".git/hooks/", "");
    let close = "cat .env; echo x > .git/hooks/x; mv .git git; test -d .git";
    for _ in 0..4 {
        let ran = sh(&world, &launcher, close);
        assert!(!ran.succeeded().contains("password"), "{ran:?}");
        assert!(!world.workspace.join(".git/hooks/x").exists());
    }
    assert!(has_template(&world, &launcher));
}

#[test]
fn a_run_with_other_scratch_folders_does_not_see_those_of_the_template() {
    let Some((world, launcher)) = shared(|_| {}) else { return };
    let make = |name: &str| {
        let folder = world.outside.join(name);
        fs::create_dir(&folder).unwrap();
        folder
    };
    let own = Scratch { tmp: make("own-tmp"), home: make("own-home") };
    fs::write(world.scratch.tmp.join("theirs"), "").unwrap();
    let plan = world.plan("sh", &["-c", "ls /tmp; echo x > /tmp/made"]).with_scratch(own.clone());
    let ran = world.start(&launcher, &plan).finish(&launcher);
    assert_eq!(ran.succeeded(), "");
    assert!(own.tmp.join("made").exists());
}
