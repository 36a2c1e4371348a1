//! The Rust interface, as a host in the same process sees it.

use std::time::Duration;

use cofferdam::config::{Config, Flags, LauncherChoice};
use cofferdam::{Event, Exit, Outcome, Refusal, Request, Runner, SettingsError};
use cofferdam_launcher::{Launch, LaunchError, Launcher as Wraps, Plan};
use nix::sys::signal::Signal;

use crate::support::{Launcher, Place, Setup, Sleep, User, eventually, under};

/// A runner in the workspace of a place.
fn runner(place: &Place, launcher: Launcher) -> Runner {
    let config = Config::from_flags(Flags {
        allow_any: true,
        cwd: Some(place.path("work")),
        launcher: Some(launcher.option()),
        ..Flags::default()
    });
    Runner::from_settings(&config.unwrap().instances[0].settings, &[]).unwrap()
}

/// A runner that asks a host's own launcher.
fn wrapped(place: &Place, launcher: impl Wraps + 'static) -> Runner {
    Runner::builder().allow_any().workspace(place.path("work")).launcher(launcher).build().unwrap()
}

/// Runs a test under every launcher. This process has one user; others have their turn with the
/// program.
fn under_each(test: impl Fn(&Setup)) {
    under(&Launcher::EVERY, &[User::Own], test);
}

fn in_a_runtime<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// Something that would leave a trace if it ran.
fn canary() -> Request {
    Request::new("touch").arg("ran")
}

/// Asserts that nothing ran, and gives the reason.
#[track_caller]
fn not_started(place: &Place, outcome: &Outcome) -> String {
    assert_eq!(outcome.exit, Exit::NotStarted, "{outcome:?}");
    assert!(outcome.sandbox.is_none(), "{outcome:?}");
    assert!(!place.has("work/ran"), "the command ran");
    let payload = outcome.payload();
    assert_eq!(payload.exit, Some(-1));
    payload.stderr
}

/// Reads on until standard output holds this text.
async fn await_output(live: &mut cofferdam::Live, wanted: &str) {
    let mut text = Vec::new();
    while !text.ends_with(wanted.as_bytes()) {
        match live.next_event().await {
            Some(Event::Stdout(bytes)) => text.extend_from_slice(&bytes),
            other => panic!("{other:?} after {:?}", String::from_utf8_lossy(&text)),
        }
    }
}

#[test]
fn output_is_told_while_the_command_runs() {
    under_each(|setup| {
        let runner = runner(&setup.place, setup.launcher);
        in_a_runtime(async {
            let sleep = Sleep::new(301);
            let script = format!("echo ready; exec sleep {}", sleep.seconds());
            let mut live = runner.spawn(Request::new("sh").args(["-c", &script])).await.unwrap();
            await_output(&mut live, "ready\n").await;
            sleep.await_running(1);
            live.kill();
            live.kill();
            let Some(Event::Ended(outcome)) = live.next_event().await else { panic!("no end") };
            assert_eq!(outcome.exit.number(), Some(137), "{outcome:?}");
            assert!(outcome.killed && !outcome.timed_out, "{outcome:?}");
            assert_eq!(outcome.stdout_bytes(), b"ready\n");
            assert!(live.next_event().await.is_none());
            live.kill();
            sleep.is_gone();
        });
    });
}

#[test]
fn every_byte_comes_as_an_event_in_order_and_then_the_end() {
    under_each(|setup| {
        let runner = runner(&setup.place, setup.launcher);
        let input: Vec<u8> = (0..2_000_000_u32).map(|number| (number % 251) as u8).collect();
        in_a_runtime(async {
            let mut live = runner.spawn(Request::new("cat").stdin(input.clone())).await.unwrap();
            let mut told = Vec::new();
            let mut ended = None;
            while let Some(event) = live.next_event().await {
                match event {
                    Event::Stdout(bytes) => told.extend_from_slice(&bytes),
                    Event::Ended(outcome) => ended = Some(outcome),
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!(ended.unwrap().exit, Exit::Code(0));
            assert!(told == input, "{} bytes came", told.len());
        });
    });
}

#[test]
fn dropping_a_live_run_ends_its_tree() {
    under_each(|setup| {
        let runner = runner(&setup.place, setup.launcher);
        let sleep = Sleep::new(303);
        let script = format!("sleep {0} & sleep {0}", sleep.seconds());
        in_a_runtime(async {
            let live = runner.spawn(Request::new("sh").args(["-c", &script])).await.unwrap();
            sleep.await_running(2);
            drop(live);
            // The task that owns the child needs the reactor to notice.
            while !sleep.running().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
    });
}

#[test]
fn dropping_the_future_of_a_run_ends_its_tree() {
    under_each(|setup| {
        let runner = runner(&setup.place, setup.launcher);
        let sleep = Sleep::new(305);
        let script = format!("sleep {0} & sleep {0}", sleep.seconds());
        in_a_runtime(async {
            let running = async {
                while sleep.running().len() != 2 {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            tokio::select! {
                ended = runner.run(Request::new("sh").args(["-c", &script])) => panic!("{ended:?}"),
                () = running => {}
            }
            while !sleep.running().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
    });
}

#[test]
fn dropping_the_runtime_in_the_middle_of_a_run_ends_its_tree() {
    under_each(|setup| {
        let runner = runner(&setup.place, setup.launcher);
        let sleep = Sleep::new(307);
        let script = format!("sleep {0} & sleep {0}", sleep.seconds());
        let live = in_a_runtime(async {
            let live = runner.spawn(Request::new("sh").args(["-c", &script])).await.unwrap();
            sleep.await_running(2);
            live
        });
        sleep.await_gone();
        drop(live);
    });
}

#[test]
fn a_host_without_a_runtime_can_block() {
    under_each(|setup| {
        let runner = runner(&setup.place, setup.launcher);
        let outcome = runner.run_blocking(Request::new("cat").stdin("a\0b")).unwrap();
        assert_eq!(outcome.exit, Exit::Code(0), "{outcome:?}");
        assert_eq!(outcome.stdout_bytes(), b"a\0b");
        assert_eq!(outcome.sandbox.is_some(), setup.launcher != Launcher::None);
    });
}

#[test]
fn captured_bytes_need_not_be_utf_8() {
    let setup = Setup::plain();
    let runner = runner(&setup.place, Launcher::None);
    let outcome = runner.run_blocking(Request::new("printf").arg(r"ok\n\x85\xff\n")).unwrap();
    assert_eq!(outcome.stdout_bytes(), b"ok\n\x85\xff\n");
    assert_eq!(outcome.payload().stdout, "ok\n\u{fffd}\u{fffd}\n");
}

#[test]
fn a_function_is_a_launcher_and_its_claim_is_reported() {
    let setup = Setup::plain();
    let transparent = |plan: &Plan| -> Result<Launch, LaunchError> {
        let launch = Launch::wrapper("/usr/bin/env").arg("WRAPPED=yes").arg(plan.program());
        Ok(launch.args(plan.args()).sandboxed())
    };
    let script = "printf '%s|' \"$WRAPPED\" \"$@\"";
    let request = Request::new("sh").args(["-c", script, "sh", "a b", "$x", ""]);
    let outcome = wrapped(&setup.place, transparent).run_blocking(request).unwrap();
    assert_eq!(outcome.stdout_bytes(), b"yes|a b|$x||");
    let payload = serde_json::to_value(outcome.payload()).unwrap();
    assert_eq!(payload["sandbox"], serde_json::json!({ "active": true }));

    let silent = |plan: &Plan| -> Result<Launch, LaunchError> { Ok(Launch::direct(plan)) };
    let outcome = wrapped(&setup.place, silent).run_blocking(Request::new("true")).unwrap();
    assert!(outcome.sandbox.is_none(), "{outcome:?}");
}

#[test]
fn a_launcher_that_panics_is_a_run_that_did_not_start() {
    let setup = Setup::plain();
    let panics = |_: &Plan| -> Result<Launch, LaunchError> { panic!("on the moon") };
    let runner = wrapped(&setup.place, panics);
    let outcome = runner.run_blocking(canary()).unwrap();
    assert!(not_started(&setup.place, &outcome).contains("on the moon"));
    // The thread that asked it is not lost.
    not_started(&setup.place, &runner.run_blocking(canary()).unwrap());
}

#[test]
fn a_launcher_that_returns_an_error_is_a_run_that_did_not_start() {
    let setup = Setup::plain();
    let fails = |_: &Plan| -> Result<Launch, LaunchError> {
        Err(LaunchError::unsupported("no moon tonight", "wait a week"))
    };
    let outcome = wrapped(&setup.place, fails).run_blocking(canary()).unwrap();
    let reason = not_started(&setup.place, &outcome);
    assert!(reason.contains("no moon tonight") && reason.contains("wait a week"), "{reason}");
}

#[test]
fn a_launch_that_cannot_be_spawned_is_a_run_that_did_not_start() {
    type Shape = fn() -> Launch;
    let shapes: [(&str, Shape); 6] = [
        ("an empty program", || Launch::wrapper("")),
        ("a relative program", || Launch::wrapper("bin/env")),
        ("a NUL in the program", || Launch::wrapper("/usr/bin/e\0nv")),
        ("a NUL in an argument", || Launch::wrapper("/usr/bin/env").arg("a\0b")),
        ("a program that is missing", || Launch::wrapper("/usr/bin/no-such-wrapper")),
        ("a program that is a directory", || Launch::wrapper("/usr")),
    ];
    for (name, shape) in shapes {
        let setup = Setup::plain();
        let launcher = move |plan: &Plan| -> Result<Launch, LaunchError> {
            Ok(shape().arg(plan.program()).args(plan.args()).sandboxed())
        };
        let outcome = wrapped(&setup.place, launcher).run_blocking(canary()).unwrap();
        let reason = not_started(&setup.place, &outcome);
        assert!(!reason.trim().is_empty(), "{name}: no reason");
    }
}

#[test]
fn a_launcher_that_does_not_work_here_is_refused_when_the_runner_is_built() {
    struct Broken;
    impl Wraps for Broken {
        fn check(&self) -> Result<(), LaunchError> {
            Err(LaunchError::unsupported("there is no air", "bring some"))
        }
        fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
            Ok(Launch::direct(plan))
        }
    }
    let refused = Runner::builder().allow_any().launcher(Broken).build();
    assert!(matches!(refused, Err(SettingsError::Launcher { .. })), "{refused:?}");
}

#[test]
fn the_callers_mistakes_are_errors_and_nothing_runs() {
    let setup = Setup::plain();
    let dir = setup.place.path("work");
    let runner = Runner::builder().allow(["touch"]).workspace(&dir).build().unwrap();
    let refusal = |request| runner.run_blocking(request).unwrap_err();
    assert!(matches!(refusal(Request::new("rm")), Refusal::NotAllowed { .. }));
    assert!(matches!(refusal(canary().arg("a\0b")), Refusal::Nul(_)));
    assert!(matches!(refusal(canary().cwd("no-such")), Refusal::Directory { .. }));
    assert!(matches!(refusal(canary().timeout(Duration::ZERO)), Refusal::Timeout));
    assert!(!setup.place.has("work/ran"));
}

#[test]
fn a_runner_without_a_gate_is_refused() {
    assert!(matches!(Runner::builder().build(), Err(SettingsError::NoGate)));
}

#[test]
fn a_sandboxing_launcher_insists_on_keeping_the_terminal_away() {
    let choice = LauncherChoice::named("auto").unwrap();
    let place = Place::new(User::Own);
    let builder = Runner::builder().allow_any().workspace(place.path("work")).sandbox(choice);
    let refused = builder.isolate_terminal(false).build();
    assert!(matches!(refused, Err(SettingsError::TerminalKept { .. })), "{refused:?}");
}

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
    let reason = not_started(&setup.place, &outcome);
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
