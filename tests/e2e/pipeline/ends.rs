//! How a pipeline ends, and that nothing of it is left.

use std::fs;

use serde_json::{Value, json};

use super::{run, stages};
use crate::support::{Client, Sleep, eventually, everywhere};

#[test]
fn one_deadline_ends_all_stages() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let sleep = Sleep::new(3600);
        let script = format!("echo said >&2; sleep {0} & sleep {0}", sleep.seconds());
        let of: &[&[&str]] = &[&["sh", "-c", &script], &["cat"], &["sh", "-c", &script]];
        let answer = client.run(json!({ "pipeline": stages(of), "timeout": 2 }));
        let payload = answer.exited(137);
        assert_eq!(payload["timed-out"], true, "{payload}");
        assert_eq!(payload["stages"], json!([137, 137, 137]), "{payload}");
        assert_eq!(payload["stderr"], "said\nsaid\n", "{payload}");
        sleep.await_gone();
    });
}

#[test]
fn a_kill_and_a_cancellation_end_all_stages() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let sleep = Sleep::new(3600);
        let of = stages(&[&["sleep", sleep.seconds()], &["cat"], &["sleep", sleep.seconds()]]);
        let started = client.call("sh_start", json!({ "pipeline": of }));
        sleep.await_running(2);
        let handle = started.ran()["job"].clone();
        assert_eq!(client.call("sh_kill", json!({ "job": handle })).ran()["killed"], true);
        sleep.await_gone();
        let mut last = Value::Null;
        assert!(eventually(|| {
            last = client.call("sh_poll", json!({ "job": handle })).ran().clone();
            last["state"] == "killed"
        }));
        assert_eq!(last["stages"], json!([137, 137, 137]), "{last}");

        let id = client.begin("sh_run", json!({ "pipeline": of }));
        sleep.await_running(2);
        client.notify("notifications/cancelled", json!({ "requestId": id, "reason": "enough" }));
        sleep.await_gone();
        client.is_alive();
    });
}

#[test]
fn all_stages_die_with_the_server() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let sleep = Sleep::new(3600);
        let of = stages(&[&["sleep", sleep.seconds()], &["cat"], &["sleep", sleep.seconds()]]);
        client.call("sh_start", json!({ "pipeline": of })).ran();
        sleep.await_running(2);
        client.signal(rustix::process::Signal::KILL);
        sleep.await_gone();
    });
}

#[test]
fn no_stage_gets_a_pipe_that_is_not_its_own() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let list: &[&str] = &["sh", "-c", "cat > /dev/null; ls /proc/self/fd >&2"];
        let answer = run(&mut client, &[list, list, list]);
        let stderr = answer.exited(0)["stderr"].as_str().unwrap();
        let mut numbers: Vec<_> = stderr.lines().collect();
        numbers.sort_unstable();
        assert_eq!(numbers, ["0", "0", "0", "1", "1", "1", "2", "2", "2", "3", "3", "3"]);
    });
}

#[test]
fn a_server_that_ran_pipelines_holds_no_pipe_of_them() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let count = |client: &Client| {
            let fds = format!("/proc/{}/fd", client.pid().as_raw_nonzero());
            let names = fs::read_dir(fds).unwrap().map(|fd| fs::read_link(fd.unwrap().path()));
            names.flatten().filter(|name| name.to_string_lossy().starts_with("pipe:")).count()
        };
        // The first run opens what a launcher keeps.
        run(&mut client, &[&["true"], &["cat"], &["true"]]).exited(0);
        let before = count(&client);
        for _ in 0..5 {
            run(&mut client, &[&["yes"], &["cat"], &["head", "-n", "1"]]).printed("y\n");
            run(&mut client, &[&["cat"], &["no-such-tool"]]).not_started(&[]);
        }
        assert!(eventually(|| count(&client) <= before), "{} after {before}", count(&client));
    });
}
