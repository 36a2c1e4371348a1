//! Processes that do not belong to the run are not looked into, stopped, slowed down or outlived.

use std::fs;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use crate::promise::{Class, Promise, forbidden, works};
use crate::scene::Scene;
use crate::verdict::{At, Judged, Trouble, Verdict};
use crate::witness::Victim;

use super::descriptors::inherited;

pub(super) const CLASS: Class = Class {
    name: "processes",
    about: "other processes are not looked into, signalled, slowed down or outlived",
    rules: &[],
    promises: PROMISES,
};

const PROCESSES: &[&str] = &["processes"];

const PROMISES: &[Promise] = &[
    forbidden("the_environment_of_another_process_is_not_read", |scene| look(scene, "environ")),
    forbidden("the_memory_map_of_another_process_is_not_read", |scene| {
        refused(scene, "look-into", &["maps"])
    }),
    forbidden("the_memory_of_another_process_is_not_opened", |scene| {
        refused(scene, "open-memory", &[])
    }),
    forbidden("the_open_files_of_another_process_are_not_read", |scene| {
        let victim = Victim::start(scene)?;
        scene.probe("read-descriptors").arg(victim.id()).run()?.hides(scene.canary())
    }),
    forbidden("the_folder_of_another_process_is_not_told", |scene| {
        refused(scene, "look-into", &["cwd"])
    }),
    forbidden("the_root_of_another_process_is_not_told", |scene| {
        refused(scene, "look-into", &["root"])
    }),
    forbidden("the_program_of_another_process_is_not_told", |scene| {
        refused(scene, "look-into", &["exe"])
    }),
    forbidden("the_command_line_of_another_process_is_not_read", |scene| look(scene, "cmdline"))
        .by(PROCESSES),
    forbidden("the_state_of_another_process_is_not_read", |scene| {
        refused(scene, "look-into", &["status"])
    })
    .by(PROCESSES),
    forbidden("other_processes_are_not_listed", |scene| {
        let _victim = Victim::start(scene)?;
        scene.probe("list-processes").run()?.hides(scene.canary())
    })
    .by(PROCESSES),
    forbidden("the_environment_of_the_runner_is_not_read", |scene| {
        let task = scene.probe("look-into").arg("parent").arg("environ");
        let report = task.env("UNHEARD_OF_KEY", scene.canary()).run()?;
        match scene.is_control() {
            // Without a runner it is the battery itself that is the parent: what is read shows no
            // secret, but that it can be read shows that the attack works.
            true => report.refused(),
            false => report.hides(scene.canary()),
        }
    }),
    forbidden("the_environment_of_process_1_is_not_read", first),
    forbidden("the_open_files_of_the_parent_are_not_read", |scene| {
        let _file = inherited(&scene.secret())?;
        scene.probe("read-descriptors").arg("parent").run()?.hides(scene.canary())
    }),
    forbidden("the_memory_of_the_parent_is_not_opened", |scene| {
        scene.probe("open-memory").arg("parent").run()?.refused()
    }),
    forbidden("the_memory_of_process_1_is_not_opened", |scene| {
        scene.probe("open-memory").arg("1").run()?.refused()
    }),
    forbidden("the_memory_map_of_the_parent_is_not_read", |scene| {
        scene.probe("look-into").arg("parent").arg("maps").run()?.refused()
    }),
    forbidden("the_parent_is_not_traced", |scene| {
        scene.probe("trace").arg("parent").run()?.refused()
    }),
    forbidden("process_1_is_not_traced", |scene| scene.probe("trace").arg("1").run()?.refused()),
    forbidden("another_process_is_not_traced", |scene| refused(scene, "trace", &[])),
    forbidden("the_memory_of_another_process_is_not_read", |scene| {
        let victim = Victim::start(scene)?;
        let (address, length) = &victim.address;
        let task = scene.probe("read-memory").arg(victim.id()).arg(address).arg(length);
        task.run()?.hides(scene.canary())
    }),
    forbidden("no_descriptor_is_taken_from_another_process", |scene| {
        refused(scene, "take-descriptor", &[])
    }),
    forbidden("another_process_is_not_compared_with", |scene| refused(scene, "compare", &[])),
    forbidden("another_process_is_not_killed", |scene| kill(scene, "signal")),
    forbidden("a_thread_of_another_process_is_not_killed", |scene| kill(scene, "signal-thread")),
    forbidden("no_signal_is_queued_for_another_process", |scene| kill(scene, "signal-by-queue")),
    forbidden("another_process_is_not_killed_by_a_pidfd", |scene| kill(scene, "signal-by-pidfd")),
    forbidden("another_process_is_not_killed_by_the_kernel_on_behalf", |scene| {
        kill(scene, "signal-by-descriptor")
    }),
    forbidden("it_is_not_asked_whether_another_process_could_be_signalled", |scene| {
        refused(scene, "signal-everybody", &[])
    }),
    forbidden("another_process_is_not_limited", |scene| change(scene, "limit-process")),
    forbidden("another_process_is_not_slowed_down", |scene| change(scene, "renice")).by(PROCESSES),
    forbidden("another_process_is_not_pinned_to_a_processor", |scene| change(scene, "pin"))
        .by(PROCESSES),
    forbidden("another_process_is_not_made_the_first_to_be_killed", |scene| {
        change(scene, "blame-for-memory")
    }),
    forbidden("a_daemon_does_not_outlive_its_run", |scene| outlives(scene, "leave-daemon"))
        .by(PROCESSES),
    forbidden("a_background_process_does_not_outlive_its_run", |scene| {
        outlives(scene, "leave-child")
    }),
    forbidden("a_command_does_not_outlive_a_runner_that_was_killed", orphan),
    works("a_child_can_be_killed", |scene| scene.probe("kill-own-child").run()?.did()),
];

fn refused(scene: &Scene<'_>, word: &str, args: &[&str]) -> Judged {
    let victim = Victim::start(scene)?;
    let task = args.iter().fold(scene.probe(word).arg(victim.id()), |task, arg| task.arg(arg));
    task.run()?.refused()
}

fn look(scene: &Scene<'_>, file: &str) -> Judged {
    let victim = Victim::start(scene)?;
    scene.probe("look-into").arg(victim.id()).arg(file).run()?.hides(scene.canary())
}

/// Process 1 of the host, or one of a namespace that has the runner's environment.
fn first(scene: &Scene<'_>) -> Judged {
    let read = fs::read("/proc/1/environ");
    let host = read.map_err(|error| Trouble::unavailable(format!("nobody reads it: {error}")))?;
    let host = String::from_utf8_lossy(&host).replace(['\0', '\n'], " ");
    if host.trim().is_empty() {
        return Err(Trouble::unavailable("process 1 has no environment"));
    }
    let task = scene.probe("look-into").arg("1").arg("environ");
    let report = task.env("UNHEARD_OF_KEY", scene.canary()).run()?;
    let is_same = report.got().is_some_and(|told| told.trim() == host.trim());
    Ok(report.hides(scene.canary())?.unless(is_same, "what came out is that of the host"))
}

fn kill(scene: &Scene<'_>, word: &str) -> Judged {
    let victim = Victim::start(scene)?;
    let report = scene.probe(word).arg(victim.id()).run()?;
    report.without(victim.was_killed()?, "the process was killed")
}

fn change(scene: &Scene<'_>, word: &str) -> Judged {
    let victim = Victim::start(scene)?;
    let before = victim.state();
    let report = scene.probe(word).arg(victim.id()).run()?;
    report.without(victim.state() != before, "the process is another than before")
}

/// Whether what the probe left holds its lock when the runner has ended.
fn outlives(scene: &Scene<'_>, word: &str) -> Judged {
    let report = scene.probe(word).run()?;
    if report.got().is_none() {
        return report.did().and(Err(Trouble::NeverRan("it left nothing behind".to_owned())));
    }
    let lives = still_held(scene)?;
    fs::write(scene.inside("stop"), "").at("write a file")?;
    Ok(match lives {
        true => Verdict::Broken("seen from outside: it holds its lock".to_owned()),
        false => Verdict::Held("it ended with the run".to_owned()),
    })
}

/// The kernel drops a lock with the process that has it; that may take a moment.
fn still_held(scene: &Scene<'_>) -> Result<bool, Trouble> {
    const MOMENT: Duration = Duration::from_secs(2);
    let lock = fs::File::options().write(true).open(scene.inside("alive")).at("open the lock")?;
    let begun = Instant::now();
    while flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        if begun.elapsed() > MOMENT {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(false)
}

/// The runner is killed in the middle.
fn orphan(scene: &Scene<'_>) -> Judged {
    const LIMIT: Duration = Duration::from_secs(20);
    let mut running = scene.probe("hold-lock").start()?;
    let begun = Instant::now();
    while !scene.inside("holds").exists() {
        if begun.elapsed() > LIMIT {
            return Err(Trouble::NeverRan("the probe did not come up".to_owned()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    if scene.is_control() {
        // What outlives its parent where nobody cares: an ordinary child.
        drop(running);
        let lives = still_held(scene)?;
        fs::write(scene.inside("stop"), "").at("write a file")?;
        return Ok(match lives {
            true => Verdict::Broken("it goes on".to_owned()),
            false => Verdict::Held("it ended".to_owned()),
        });
    }
    running.kill()?;
    let lives = still_held(scene)?;
    fs::write(scene.inside("stop"), "").at("write a file")?;
    Ok(match lives {
        true => Verdict::Broken("seen from outside: it holds its lock".to_owned()),
        false => Verdict::Held("it ended with the runner".to_owned()),
    })
}
