//! The host of the library: what it keeps, what it gets back, and what it may do meanwhile.

use std::time::Duration;

use cofferdam::{Exit, Request};
use nix::sys::signal::Signal;

use crate::library::{runner, under_each};
use crate::support::{Launcher, Place, Setup, User, eventually};

#[test]
fn a_script_that_was_just_written_is_never_busy() {
    const THREADS: usize = 8;
    const SCRIPTS: usize = 200;
    let setup = Setup::plain();
    let runner = runner(&setup.place, Launcher::None);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (runner, place) = (&runner, &setup.place);
            scope.spawn(move || {
                for number in 0..SCRIPTS {
                    let script = place.script(&format!("work/s-{thread}-{number}"), "#!/bin/sh\n");
                    let outcome = runner.run_blocking(Request::new(script)).unwrap();
                    assert_eq!(outcome.exit, Exit::Code(0), "{}", outcome.payload().stderr);
                }
            });
        }
    });
}

#[test]
fn a_script_that_stays_open_for_writing_is_reported_as_busy() {
    let setup = Setup::plain();
    let script = setup.place.script("work/busy", "#!/bin/sh\n");
    let _held = std::fs::OpenOptions::new().append(true).open(&script).unwrap();
    let outcome = runner(&setup.place, Launcher::None).run_blocking(Request::new(script)).unwrap();
    assert_eq!(outcome.exit, Exit::NotStarted, "{outcome:?}");
    let reason = outcome.payload().stderr;
    assert!(reason.to_lowercase().contains("text file busy"), "{reason}");
}

/// What a library may not change in its host.
#[derive(Debug, PartialEq, Eq)]
struct HostState {
    /// The masks of caught, ignored and blocked signals of the asking thread.
    signals: Vec<String>,
    dumpable: bool,
    subreaper: bool,
    umask: String,
    user: u32,
    dir: std::path::PathBuf,
}

impl HostState {
    fn now() -> Self {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let lines = |start: &str| {
            status
                .lines()
                .filter(|line| line.starts_with(start))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        HostState {
            signals: ["SigCgt:", "SigIgn:", "SigBlk:"].into_iter().flat_map(lines).collect(),
            dumpable: nix::sys::prctl::get_dumpable().unwrap(),
            subreaper: nix::sys::prctl::get_child_subreaper().unwrap(),
            umask: lines("Umask:").concat(),
            user: rustix::process::geteuid().as_raw(),
            dir: std::env::current_dir().unwrap(),
        }
    }
}

#[test]
fn the_host_stays_as_it_was() {
    let before = HostState::now();
    assert!(before.dumpable);
    under_each(|setup| {
        let runner = runner(&setup.place, setup.launcher);
        runner.run_blocking(Request::new("true")).unwrap();
        runner.run_blocking(Request::new("no-such-program")).unwrap();
        let endless = Request::new("sleep").arg("309").timeout(Duration::from_millis(50));
        assert!(runner.run_blocking(endless).unwrap().timed_out);
        assert_eq!(HostState::now(), before);
    });
    let caught = before.signals.iter().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
    assert_eq!(caught & (1 << (Signal::SIGCHLD as u64 - 1)), 0, "a handler for SIGCHLD");
}

#[test]
fn a_finished_run_leaves_no_zombie() {
    let setup = Setup::plain();
    let runner = runner(&setup.place, Launcher::None);
    let outcome = runner.run_blocking(Request::new("sh").args(["-c", "echo $$"])).unwrap();
    let pid = String::from_utf8(outcome.stdout_bytes()).unwrap();
    assert!(!std::path::Path::new("/proc").join(pid.trim()).exists(), "pid {pid}");
}

#[test]
fn dropping_the_last_runner_removes_its_scratch_folders() {
    for launcher in Launcher::CONFINING {
        if launcher.hindrance(User::Own).is_some() {
            continue;
        }
        let place = Place::new(User::Own);
        let first = runner(&place, launcher);
        let second = first.clone();
        // The folder as the host sees it: inside, a launcher may show it as `/tmp`.
        let made = || {
            let bases = [std::env::temp_dir(), "/var/tmp".into()];
            let entries = bases.iter().flat_map(|base| std::fs::read_dir(base).unwrap());
            entries.map(|entry| entry.unwrap().path().join("tmp/mark")).find(|mark| {
                std::fs::read_to_string(mark).is_ok_and(|text| text == place.text("work"))
            })
        };
        let script = "printf '%s' \"$PWD\" > \"$TMPDIR/mark\"";
        first.run_blocking(Request::new("sh").args(["-c", script])).unwrap();
        drop(first);
        let mark = made().expect("the scratch folder is shared by all clones");
        drop(second);
        assert!(eventually(|| !mark.parent().unwrap().parent().unwrap().exists()), "{mark:?}");
    }
}
