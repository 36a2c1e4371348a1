//! Both sides of the init's protocol, and the steps of a view.

use std::path::Path;

use cofferdam_launcher::{Ended, Scratch};
use cofferdam_profiles::{
    Access::{self, Deny, Protect, Read, Write},
    Filesystem, Kind, Origin, Rule, UnixSockets,
};
use cofferdam_view::View;
use tempfile::TempDir;

use super::blame::judge;
use super::protocol::{stage, tell, what};
use super::reach::Reach;
use super::scene::{Closing, Scene};
use super::shared::Parts;
use super::status::Status;

#[path = "../../init/numbers.rs"]
#[allow(unreachable_pub, missing_docs, reason = "the init's own file")]
mod numbers;

macro_rules! of_libc {
    ($($name:ident $call:ident)*) => { [$((stringify!($name), libc::$call as usize)),*] };
}

#[test]
fn the_numbers_of_the_init_are_those_of_the_c_library() {
    let expected = of_libc! {
        WRITE SYS_write  CLOSE SYS_close  LSEEK SYS_lseek  MMAP SYS_mmap
        RT_SIGPROCMASK SYS_rt_sigprocmask  IOCTL SYS_ioctl  NANOSLEEP SYS_nanosleep
        GETPID SYS_getpid  SOCKET SYS_socket  SENDMSG SYS_sendmsg  CLONE SYS_clone  EXECVE SYS_execve  WAIT4 SYS_wait4
        KILL SYS_kill  FCNTL SYS_fcntl  CHDIR SYS_chdir  FCHDIR SYS_fchdir  UMASK SYS_umask  GETEUID SYS_geteuid
        GETEGID SYS_getegid  CAPSET SYS_capset  PIVOT_ROOT SYS_pivot_root  PRCTL SYS_prctl
        MOUNT SYS_mount  UMOUNT2 SYS_umount2  FUTEX SYS_futex  EXIT_GROUP SYS_exit_group
        OPENAT SYS_openat  MKDIRAT SYS_mkdirat  MKNODAT SYS_mknodat  UNLINKAT SYS_unlinkat
        SYMLINKAT SYS_symlinkat  READLINKAT SYS_readlinkat  PPOLL SYS_ppoll  UNSHARE SYS_unshare  PRLIMIT64 SYS_prlimit64
        SETNS SYS_setns  SECCOMP SYS_seccomp  STATX SYS_statx  OPEN_TREE SYS_open_tree
        MOVE_MOUNT SYS_move_mount  FSOPEN SYS_fsopen  FSCONFIG SYS_fsconfig  FSMOUNT SYS_fsmount
        PIDFD_OPEN SYS_pidfd_open  CLOSE_RANGE SYS_close_range  OPENAT2 SYS_openat2
        MOUNT_SETATTR SYS_mount_setattr  LANDLOCK_CREATE_RULESET SYS_landlock_create_ruleset
        LANDLOCK_ADD_RULE SYS_landlock_add_rule  LANDLOCK_RESTRICT_SELF SYS_landlock_restrict_self
    };
    assert_eq!(numbers::ALL, expected);
}

fn rule(access: Access, path: &Path) -> Rule {
    Rule {
        access,
        path: path.to_owned(),
        kind: Kind::Directory,
        links: Vec::new(),
        written: path.to_owned(),
        origin: Origin::default(),
    }
}

/// A folder with a repository and a secret in it.
fn folder() -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(path.join(".git/hooks")).unwrap();
    std::fs::write(path.join(".env"), "").unwrap();
    (folder, path)
}

fn scene(view: &View, scratch: Option<&Scratch>) -> Scene {
    let closings = Closing::of(view);
    let there = closings.iter().filter(|closing| closing.is_there().unwrap());
    Scene::of(view, Reach::All).of_run(view, there, scratch)
}

/// The steps of a run, one a line, without what every run has.
fn steps(rules: Vec<Rule>, scratch: Option<&Scratch>, root: &Path) -> Vec<String> {
    let mut files = Filesystem { rules, scratch: true, ..Filesystem::default() };
    files.rules.sort_by(|one, other| (&one.path, one.access).cmp(&(&other.path, other.access)));
    let view = View::compile(&files, &UnixSockets::Inside);
    let scene = scene(&view, scratch);
    let text = scene.explain().replace(root.to_str().unwrap(), "ROOT");
    let lines = text.lines().filter(|line| !line.contains("  /proc") && !line.contains("  /dev"));
    lines.map(|line| line.trim_start_matches("mount").trim_start().to_owned()).collect()
}

#[test]
fn what_is_there_and_closed_keeps_its_name_and_its_way() {
    let (_guard, root) = folder();
    let rules = vec![
        rule(Write, &root),
        rule(Deny, &root.join(".env")),
        rule(Deny, &root.join("absent/.env")),
        rule(Protect, &root.join(".git/hooks")),
        rule(Protect, &root.join(".cursor")),
    ];
    assert_eq!(
        steps(rules, None, &root),
        [
            "/tmp  write, in memory",
            "ROOT  write",
            "ROOT/.env  hidden",
            "ROOT/.git  keeps its name",
            "ROOT/.git/hooks  read, keeps its name",
        ]
    );
}

#[test]
fn the_scratch_folder_is_tmp_unless_something_lies_below_that() {
    let (_guard, root) = folder();
    let scratch = |base: &Path| Scratch { tmp: base.join("t"), home: base.join("h") };
    let away = scratch(&root);
    assert_eq!(
        steps(vec![rule(Read, Path::new("/usr"))], Some(&away), &root),
        ["/tmp  write, ROOT/t", "/usr  read", "ROOT/h  write", "ROOT/t  write"]
    );
    let below = scratch(Path::new("/tmp/s"));
    assert_eq!(
        steps(Vec::new(), Some(&below), &root),
        ["/tmp  write, in memory", "/tmp/s/h  write", "/tmp/s/t  write"]
    );
}

#[test]
fn single_settings_come_first() {
    let (_guard, root) = folder();
    let rules = vec![rule(Read, Path::new("/etc/passwd")), rule(Read, &root.join(".env"))];
    assert_eq!(
        steps(rules, None, &root),
        ["/tmp  write, in memory", "/etc/passwd  read", "ROOT/.env  read"]
    );
}

#[test]
fn a_deny_of_what_is_the_runs_own_takes_its_place() {
    let view = View::compile(
        &Filesystem { rules: vec![rule(Deny, Path::new("/proc"))], ..Filesystem::default() },
        &UnixSockets::Inside,
    );
    let scene = scene(&view, None);
    let proc = scene.puts().find(|(at, _)| *at == Path::new("/proc")).unwrap();
    assert_eq!(proc.1.what, what::HIDE);
}

/// What all runs have in common and what is each run's own, as text.
fn parts(rules: Vec<Rule>, scratch: Option<&Scratch>) -> Option<[String; 2]> {
    let files = Filesystem { rules, scratch: true, ..Filesystem::default() };
    let view = View::compile(&files, &UnixSockets::Inside);
    let parts = Parts::of(&scene(&view, scratch), &Scene::of(&view, Reach::All))?;
    Some([parts.common.explain(), parts.own.explain()])
}

#[test]
fn what_a_run_can_change_unseen_is_in_no_template() {
    let (_guard, root) = folder();
    let rules = vec![
        rule(Read, Path::new("/usr")),
        rule(Write, &root),
        rule(Protect, &root.join(".git/hooks")),
        rule(Deny, &root.join(".env")),
    ];
    let scratch = Scratch { tmp: root.join("t"), home: root.join("h") };
    let [common, own] = parts(rules, Some(&scratch)).unwrap();
    let has = |text: &str, path: &Path| text.contains(&format!("      {}  ", path.display()));
    for path in [Path::new("/usr"), &root, Path::new("/tmp"), &root.join("h")] {
        assert!(has(&common, path) && !has(&own, path), "{path:?}\n{common}\n{own}");
    }
    let git = root.join(".git");
    for path in ["/dev/pts", "/dev/shm", "/dev/mqueue", "/proc", "/proc/keys"]
        .map(Path::new)
        .into_iter()
        .chain([&*git])
    {
        assert!(has(&own, path), "{path:?}\n{own}");
    }
    for path in [root.join(".git/hooks"), root.join(".env"), "/proc/keys".into()] {
        assert!(has(&own, &path) && !has(&common, &path), "{path:?}\n{common}\n{own}");
    }
}

#[test]
fn a_view_with_something_of_the_host_on_the_runs_own_has_no_template() {
    let below_tmp = vec![rule(Write, Path::new("/tmp/work"))];
    assert!(parts(below_tmp, None).is_none());
    let (_guard, root) = folder();
    let below_hidden = vec![
        rule(Write, &root),
        rule(Deny, &root.join(".git")),
        rule(Write, &root.join(".git/hooks")),
    ];
    assert!(parts(below_hidden, None).is_none());
}

fn record(tell: u32, value: u32, errno: i32) -> Vec<u8> {
    [tell, value, errno as u32, 0].iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn blame(ended: Ended, status: &[u8]) -> Option<String> {
    judge(ended, &Status::parse(status)).map(|error| error.to_string())
}

#[test]
fn a_command_that_ended_is_never_blamed() {
    let status = [record(tell::PROCESS, 12, 0), record(tell::ENDED, 1 << 8, 0)].concat();
    assert_eq!(blame(Ended::Exited(1), &status), None);
    assert_eq!(blame(Ended::Signaled(9), &status), None);
}

#[test]
fn what_failed_is_named_with_its_path_and_reason() {
    let failed = |stage, errno, path: &str| {
        let status = [record(tell::FAILED, stage, errno), path.as_bytes().to_vec()].concat();
        blame(Ended::Exited(125), &status).unwrap()
    };
    let text = failed(stage::EXEC, libc::ENOENT, "/opt/x");
    assert!(text.contains("did not run") && text.contains("`/opt/x`"), "{text}");
    assert!(text.contains("`read` rule"), "{text}");
    let text = failed(stage::STEP, libc::ELOOP, "/w/a");
    assert!(text.contains("`/w/a`") && text.contains("symbolic link"), "{text}");
    let text = failed(stage::UNSHARE, libc::ENOSPC, "");
    assert!(text.contains("private namespaces") && text.contains("No space"), "{text}");
}

#[test]
fn an_init_that_was_killed_is_no_proof_that_nothing_ran() {
    let text = blame(Ended::Signaled(9), &record(tell::PROCESS, 12, 0)).unwrap();
    assert!(text.contains("may have run in part") && !text.contains("did not run"), "{text}");
    let text = blame(Ended::Exited(70), b"").unwrap();
    assert!(text.contains("did not run") && text.contains("told nothing"), "{text}");
}
