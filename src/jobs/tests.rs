//! The table of jobs with real commands, and no launcher.

use std::time::Duration;

use super::{Happening, JobLimits, JobRefusal, JobState, Jobs};
use crate::{Request, Runner};

fn on_a_loop<T>(test: impl AsyncFnOnce() -> T) -> T {
    let events = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    events.block_on(test())
}

fn jobs(limits: JobLimits) -> Jobs {
    let runner = Runner::builder().allow_any().workspace("/").build().unwrap();
    Jobs::new(runner, limits)
}

fn shell(script: &str) -> Request {
    Request::new("sh").args(["-c", script])
}

async fn until_over(jobs: &Jobs, id: &str) {
    while jobs.poll(id).unwrap().state == JobState::Running {
        let cursor = jobs.output(id, None).unwrap().cursor;
        jobs.changed(id, Some(&cursor)).await.unwrap();
    }
}

/// All that a job writes, by instalments.
async fn follow(jobs: &Jobs, id: &str) -> String {
    let (mut text, mut cursor) = (String::new(), None);
    loop {
        let output = jobs.output(id, cursor.as_deref()).unwrap();
        text.push_str(&output.stdout);
        if output.eof {
            return text;
        }
        cursor = Some(output.cursor);
        jobs.changed(id, cursor.as_deref()).await.unwrap();
    }
}

#[test]
fn a_finished_job_stays_readable() {
    on_a_loop(async || {
        let jobs = jobs(JobLimits::default());
        let started = jobs.start(Request::new("echo").arg("hi")).await.unwrap();
        assert!(started.id.starts_with("j1-"), "{}", started.id);
        until_over(&jobs, &started.id).await;
        let poll = jobs.poll(&started.id).unwrap();
        assert_eq!((poll.exit, poll.state, poll.stdout_bytes), (Some(0), JobState::Exited, 3));
        let output = jobs.output(&started.id, None).unwrap();
        assert_eq!((output.stdout.as_str(), output.eof), ("hi\n", true));
        let rest = jobs.output(&started.id, Some(&output.cursor)).unwrap();
        assert_eq!((rest.stdout.as_str(), rest.eof), ("", true));
    });
}

#[test]
fn a_poll_has_its_nine_keys_in_order() {
    on_a_loop(async || {
        let jobs = jobs(JobLimits::default());
        let id = jobs.start(Request::new("true")).await.unwrap().id;
        until_over(&jobs, &id).await;
        let text = serde_json::to_string(&jobs.poll(&id).unwrap()).unwrap();
        let keys = [
            "exit",
            "job",
            "killed",
            "runtime",
            "started-at",
            "state",
            "stderr-bytes",
            "stdout-bytes",
            "timed-out",
        ];
        let places: Vec<_> = keys.map(|key| text.find(&format!("\"{key}\":")).unwrap()).to_vec();
        assert!(places.is_sorted(), "{text}");
        assert_eq!(text.matches("\":").count(), keys.len(), "{text}");
    });
}

#[test]
fn instalments_join_to_the_exact_output_across_split_characters() {
    on_a_loop(async || {
        let jobs = jobs(JobLimits::default());
        let script =
            r"printf 'h\303'; sleep 0.05; printf '\251\360\237'; sleep 0.05; printf '\230\200\n'";
        let id = jobs.start(shell(script)).await.unwrap().id;
        assert_eq!(follow(&jobs, &id).await, "hé😀\n");
    });
}

#[test]
fn a_kill_takes_the_tree_and_a_second_one_changes_nothing() {
    on_a_loop(async || {
        let jobs = jobs(JobLimits::default());
        let id =
            jobs.start(shell("trap '' TERM; echo up; sleep 3170 & sleep 3170")).await.unwrap().id;
        jobs.changed(&id, None).await.unwrap();
        assert!(jobs.kill(&id).unwrap().killed);
        assert!(jobs.kill(&id).unwrap().killed);
        until_over(&jobs, &id).await;
        let poll = jobs.poll(&id).unwrap();
        assert_eq!((poll.state, poll.exit, poll.killed), (JobState::Killed, Some(137), true));
        assert_eq!(jobs.kill(&id).unwrap().state, JobState::Killed);
    });
}

#[test]
fn killing_a_job_that_ended_by_itself_is_no_error_and_kills_nothing() {
    on_a_loop(async || {
        let jobs = jobs(JobLimits::default());
        let id = jobs.start(Request::new("true")).await.unwrap().id;
        until_over(&jobs, &id).await;
        let killed = jobs.kill(&id).unwrap();
        assert_eq!((killed.state, killed.killed), (JobState::Exited, false));
        assert_eq!(jobs.poll(&id).unwrap().exit, Some(0));
    });
}

#[test]
fn a_job_whose_time_is_over_is_killed_and_timed_out() {
    on_a_loop(async || {
        let jobs = jobs(JobLimits::default());
        let request = Request::new("sleep").arg("3171").timeout(Duration::from_millis(50));
        let id = jobs.start(request).await.unwrap().id;
        until_over(&jobs, &id).await;
        let poll = jobs.poll(&id).unwrap();
        assert_eq!((poll.state, poll.exit), (JobState::Killed, Some(137)));
        assert!(poll.killed && poll.timed_out);
    });
}

#[test]
fn a_job_has_no_timeout_of_the_runner() {
    on_a_loop(async || {
        let runner = Runner::builder().allow_any().workspace("/");
        let runner = runner.timeout(Duration::from_millis(1)).build().unwrap();
        let jobs = Jobs::new(runner, JobLimits::default());
        let id = jobs.start(shell("sleep 0.1; echo done")).await.unwrap().id;
        assert_eq!(follow(&jobs, &id).await, "done\n");
        assert!(!jobs.poll(&id).unwrap().timed_out);
    });
}

#[test]
fn one_job_too_many_is_refused_with_the_names_of_those_in_the_way() {
    on_a_loop(async || {
        let jobs = jobs(JobLimits::new(1, 1, Duration::from_secs(60)));
        let id = jobs.start(Request::new("sleep").arg("3172")).await.unwrap().id;
        let refusal = jobs.start(Request::new("true")).await.unwrap_err();
        assert!(matches!(refusal, JobRefusal::TooMany { most: 1, .. }));
        assert!(refusal.to_string().contains(&format!("{id} (sleep)")), "{refusal}");
        jobs.kill_all().await;
        assert!(jobs.start(Request::new("true")).await.is_ok());
    });
}

#[test]
fn a_refused_command_takes_no_place() {
    on_a_loop(async || {
        let jobs = jobs(JobLimits::new(1, 1, Duration::from_secs(60)));
        for _ in 0..3 {
            let refusal = jobs.start(Request::new("")).await.unwrap_err();
            assert!(matches!(refusal, JobRefusal::Command(_)), "{refusal}");
        }
        assert!(jobs.start(Request::new("true")).await.is_ok());
    });
}

#[test]
fn a_handle_that_is_gone_foreign_or_none_is_refused_with_the_reason() {
    on_a_loop(async || {
        let jobs = jobs(JobLimits::new(8, 1, Duration::from_secs(60)));
        let first = jobs.start(Request::new("true")).await.unwrap().id;
        until_over(&jobs, &first).await;
        let second = jobs.start(Request::new("true")).await.unwrap().id;
        until_over(&jobs, &second).await;
        assert!(matches!(jobs.poll(&first), Err(JobRefusal::Gone { .. })));
        let other = self::jobs(JobLimits::default());
        assert!(matches!(other.poll(&second), Err(JobRefusal::Foreign { .. })));
        assert!(matches!(jobs.poll("j9"), Err(JobRefusal::Malformed { .. })));
        let later = second.replace("j2-", "j3-");
        assert!(matches!(jobs.poll(&later), Err(JobRefusal::Unknown { .. })));
    });
}

#[test]
fn a_finished_job_expires_by_itself() {
    on_a_loop(async || {
        let jobs = jobs(JobLimits::new(8, 8, Duration::from_millis(30)));
        let id = jobs.start(Request::new("true")).await.unwrap().id;
        let wait = async {
            while jobs.poll(&id).is_ok() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), wait).await.expect("the job stays for ever");
        assert!(matches!(jobs.poll(&id), Err(JobRefusal::Gone { .. })));
    });
}

#[test]
fn a_cursor_of_another_job_is_refused() {
    on_a_loop(async || {
        let jobs = jobs(JobLimits::default());
        let one = jobs.start(Request::new("true")).await.unwrap().id;
        let two = jobs.start(Request::new("true")).await.unwrap().id;
        let cursor = jobs.output(&one, None).unwrap().cursor;
        assert!(matches!(jobs.output(&two, Some(&cursor)), Err(JobRefusal::Cursor(_))));
        assert!(matches!(jobs.output(&two, Some("nonsense")), Err(JobRefusal::Cursor(_))));
    });
}

#[test]
fn each_job_has_one_start_and_one_end_and_one_that_cannot_start_has_only_its_end() {
    on_a_loop(async || {
        let jobs = jobs(JobLimits::default());
        let mut events = jobs.events();
        let ran = jobs.start(shell("exit 3")).await.unwrap().id;
        until_over(&jobs, &ran).await;
        let failed = jobs.start(Request::new("no-such-tool-xyz")).await.unwrap();
        assert_eq!(failed.state, JobState::Exited);
        let output = jobs.output(&failed.id, None).unwrap();
        assert!(output.stderr.contains("no-such-tool-xyz") && output.eof, "{output:?}");
        let mut told = Vec::new();
        while let Ok(event) = events.try_recv() {
            told.push((event.job.to_string(), event.what));
        }
        let end = |exit| Happening::Ended { killed: false, exit: Some(exit) };
        let expected = [(ran.clone(), Happening::Started), (ran, end(3)), (failed.id, end(-1))];
        assert_eq!(told, expected);
    });
}

#[test]
fn dropping_the_table_ends_its_jobs() {
    on_a_loop(async || {
        let jobs = jobs(JobLimits::default());
        let script = "echo $$; exec sleep 3173";
        let id = jobs.start(shell(script)).await.unwrap().id;
        jobs.changed(&id, None).await.unwrap();
        let pid = jobs.output(&id, None).unwrap().stdout.trim().to_owned();
        drop(jobs);
        let wait = async {
            while std::path::Path::new("/proc").join(&pid).exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), wait).await.expect("the job lives on");
    });
}
