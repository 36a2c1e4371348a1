//! The Rust interface, as a host in the same process sees it.

use std::time::Duration;

use cofferdam::config::{Config, Flags, LauncherChoice};
use cofferdam::{Event, Exit, Refusal, Request, Runner, SettingsError};

use crate::support::{Launcher, Place, Setup, Sleep, User, under};

/// A runner in the workspace of a place.
pub(crate) fn runner(place: &Place, launcher: Launcher) -> Runner {
    let config = Config::from_flags(Flags {
        allow_any: true,
        cwd: Some(place.path("work")),
        launcher: Some(launcher.option()),
        ..Flags::default()
    });
    Runner::from_settings(&config.unwrap().instances[0].settings, &[]).unwrap()
}

/// Runs a test under every launcher. This process has one user; others have their turn with the
/// program.
pub(crate) fn under_each(test: impl Fn(&Setup)) {
    under(&Launcher::EVERY, &[User::Own], test);
}

fn in_a_runtime<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
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
fn a_run_outlives_the_thread_that_asked_for_it() {
    under_each(|setup| {
        let runner = runner(&setup.place, setup.launcher);
        let sleep = Sleep::new(308);
        let script = format!("sleep {} & echo started; read line; echo $line", sleep.seconds());
        // The kernel's parent-death signal follows a thread, so it must not be this one.
        let asking = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.unwrap();
            let request = Request::new("sh").args(["-c", &script]).stdin("on\n");
            let live = runtime.block_on(runner.spawn(request)).unwrap();
            (runtime, live)
        });
        let (runtime, mut live) = asking.join().unwrap();
        runtime.block_on(async {
            await_output(&mut live, "started\non\n").await;
            let Some(Event::Ended(outcome)) = live.next_event().await else { panic!("no end") };
            assert_eq!(outcome.exit, Exit::Code(0), "{outcome:?}");
        });
        sleep.await_gone();
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
fn the_callers_mistakes_are_errors_and_nothing_runs() {
    let setup = Setup::plain();
    let dir = setup.place.path("work");
    let runner = Runner::builder().allow(["touch"]).workspace(&dir).build().unwrap();
    let canary = || Request::new("touch").arg("ran");
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
