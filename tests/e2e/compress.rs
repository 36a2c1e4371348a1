//! Output made shorter for models, with the whole of it still there.

use serde_json::{Value, json};

use crate::support::{Client, Setup, confined, eventually, refuses_to_start, with_programs};

/// Prints a progress line in a hundred frames, a colour, and a result.
const PROGRESS: &str =
    "for i in $(seq 100); do printf '%d%%\\r' $i; done; printf '\\033[1mdone 7\\033[m\\n'";

fn sh(script: &str, compress: Value) -> Value {
    json!({ "command": "sh", "args": ["-c", script], "compress": compress })
}

/// Asks for the output of a job.
#[track_caller]
fn output(client: &mut Client, job: &Value, compress: Value) -> Value {
    client.call("sh_output", json!({ "job": job, "compress": compress })).ran().clone()
}

#[test]
fn a_run_that_asks_for_it_is_shorter_and_its_job_holds_every_byte() {
    confined(|setup| {
        let mut client = setup.serve(json!({}));
        let raw = client.sh(PROGRESS).exited(0)["stdout"].clone();
        let short = client.run(sh(PROGRESS, json!(true)));
        let short = short.exited(0);
        assert_eq!(short["stdout"], "done 7\n", "{short}");
        let from = raw.as_str().unwrap().len();
        let job = &short["compressed"]["job"];
        assert_eq!(short["compressed"], json!({ "from": from, "job": job, "to": 7 }), "{short}");
        assert_eq!(output(&mut client, job, Value::Null)["stdout"], raw);
        assert_eq!(output(&mut client, job, json!(true))["stdout"], "done 7\n");
        let poll = client.call("sh_poll", json!({ "job": job })).ran().clone();
        assert_eq!((&poll["state"], &poll["exit"]), (&json!("exited"), &json!(0)), "{poll}");
        assert_eq!(output(&mut client, job, Value::Null)["sandbox"]["active"], true);
    });
}

#[test]
fn keys_are_sorted_and_there_are_four_where_nothing_became_shorter() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "compress": true }));
    let short = client.sh(PROGRESS);
    assert!(short.text.starts_with("{\"compressed\":{\"from\":"), "{}", short.text);
    for call in [sh("echo plain", Value::Null), sh(PROGRESS, json!(false))] {
        let answer = client.run(call);
        let keys: Vec<_> = answer.exited(0).as_object().unwrap().keys().collect();
        assert_eq!(keys, ["exit", "stderr", "stdout", "timed-out"]);
    }
    client.run(json!({ "command": "no-such-tool-xyz" })).not_started(&["no-such-tool-xyz"]);
    client.run(sh("true", json!("yes"))).refused(&["`compress` = \"yes\"", "`true` or `false`"]);
}

#[test]
fn a_job_is_shorter_when_it_is_over_and_whole_for_those_who_ask() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let script = format!("{PROGRESS}; while ! test -e go; do sleep 0.01; done");
    let job = client.call("sh_start", sh(&script, json!(true))).ran()["job"].clone();
    assert!(eventually(|| {
        let text = output(&mut client, &job, json!(true));
        assert!(text.get("compressed").is_none(), "{text}");
        text["stdout"].as_str().unwrap().contains("done 7")
    }));
    setup.place.file("work/go", "");
    assert!(eventually(|| {
        client.call("sh_poll", json!({ "job": job })).ran()["state"] == "exited"
    }));
    let short = output(&mut client, &job, Value::Null);
    assert_eq!(short["stdout"], "done 7\n", "{short}");
    assert_eq!(short["compressed"]["to"], 7, "{short}");
    assert!(short["compressed"].get("job").is_none(), "{short}");
    let whole = output(&mut client, &job, json!(false));
    let length = whole["stdout"].as_str().unwrap().len();
    assert_eq!(short["compressed"]["from"], length, "{whole}");
    // What is read in pieces is what was written.
    let rest = json!({ "job": job, "cursor": whole["cursor"], "compress": true });
    let rest = client.call("sh_output", rest).ran().clone();
    assert_eq!((&rest["stdout"], &rest["eof"]), (&json!(""), &json!(true)), "{rest}");
}

#[test]
fn a_build_that_fails_keeps_its_target_and_the_directory_it_failed_in() {
    with_programs(&["make"], |setup| {
        setup.place.file("work/Makefile", "all:\n\t$(MAKE) -C sub\n");
        setup.place.file("work/sub/Makefile", "all: one\none:\n\t@test -e ok\n");
        let mut client = setup.serve(json!({ "compress": true }));
        let failed = client.run(json!({ "command": "/usr/bin/make" }));
        let failed = failed.exited(2);
        assert!(failed["stdout"].as_str().unwrap().contains("Entering directory"), "{failed}");
        assert!(failed["stderr"].as_str().unwrap().contains("one] Error 1"), "{failed}");
        assert!(failed.get("compressed").is_none(), "{failed}");
        setup.place.file("work/sub/ok", "");
        let call = json!({ "command": "env", "args": ["A=b", "make"] });
        let done = client.run(call);
        let done = done.exited(0);
        assert!(!done["stdout"].as_str().unwrap().contains("directory"), "{done}");
        assert!(done["stdout"].as_str().unwrap().contains(" -C sub"), "{done}");
    });
}

#[test]
fn what_git_tells_is_not_touched_and_how_it_got_there_is() {
    with_programs(&["git"], |setup| {
        let script = "git init -q -b main up && cd up && seq 200 > f && git add f && \
                      git -c user.name=a -c user.email=a@b commit -qm first";
        let mut client = setup.serve(json!({ "compress": true }));
        client.sh(script).exited(0);
        let log = client.run(json!({ "command": "git", "args": ["-C", "up", "log"] }));
        let log = log.exited(0);
        assert!(log["stdout"].as_str().unwrap().starts_with("commit "), "{log}");
        assert!(log.get("compressed").is_none(), "{log}");
        let call =
            json!({ "command": "git", "args": ["clone", "--progress", "--no-local", "up", "to"] });
        let cloned = client.run(call);
        let cloned = cloned.exited(0);
        assert_eq!(cloned["stderr"], "Cloning into 'to'...\n", "{cloned}");
        let whole = output(&mut client, &cloned["compressed"]["job"], Value::Null);
        assert!(whole["stderr"].as_str().unwrap().contains("Receiving objects"), "{whole}");
    });
}

#[test]
fn a_kept_run_counts_among_the_finished_jobs_and_is_told_to_nobody() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "compress": true, "max-finished-jobs": 1 }));
    let job = |client: &mut Client| client.sh(PROGRESS).exited(0)["compressed"]["job"].clone();
    let (older, newer) = (job(&mut client), job(&mut client));
    client.call("sh_output", json!({ "job": older })).refused(&["is gone", "only the 1 newest"]);
    output(&mut client, &newer, Value::Null);
    let told = client.heard();
    assert!(told.iter().all(|told| told["method"] != "notifications/job"), "{told:?}");

    let mut client = setup.serve(json!({ "compress": true, "job-ttl": 0.05 }));
    let gone = job(&mut client);
    assert!(eventually(|| client.call("sh_output", json!({ "job": gone })).is_error));
}

#[test]
fn filters_of_the_operator_are_used_and_none_from_the_workspace() {
    let setup = Setup::plain();
    let filter = "programs = [\"mine\"]\n[[filter]]\nprogress = ['^tick ']\n";
    setup.place.file("outside/filters/mine.toml", filter);
    setup.place.script("work/mine", "#!/bin/sh\necho tick 1; echo result; exit 3\n");
    let filters = setup.place.text("outside/filters");
    let mut client = setup.serve(json!({ "compress": true, "compress-filters": filters }));
    let answer = client.run(json!({ "command": "./mine" }));
    assert_eq!(answer.exited(3)["stdout"], "result\n", "{answer:?}");

    setup.place.file("work/mine.toml", filter);
    let inside = setup.place.text("work/mine.toml");
    let command = setup.serve_command(json!({ "compress-filters": inside }));
    refuses_to_start(command, &["compress-filters", "lies in the workspace"]);
    setup.place.file("outside/bad.toml", "programs = [\"x\"]\n[[filter]]\nkep = []\n");
    let bad = setup.place.text("outside/bad.toml");
    let command = setup.serve_command(json!({ "compress-filters": bad }));
    refuses_to_start(command, &["bad.toml", "line 3", "unknown field `kep`"]);
}

#[test]
fn no_run_may_write_the_filters_of_any_instance() {
    confined(|setup| {
        let filter = "programs = [\"mine\"]\n[[filter]]\nprogress = ['^tick ']\n";
        let file = setup.place.file("outside/filters/mine.toml", filter);
        let folder = setup.place.folder("outside/filters");
        let link = setup.place.folder("links").join("mine.toml");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        for (filters, root) in [
            (&file, &folder),
            (&file, &file),
            (&folder, &folder),
            // What a link leads to, and the link.
            (&link, &folder),
            (&link, &setup.place.path("links")),
        ] {
            let profile = json!({ "extends": ["workspace"], "filesystem": { "write": [root] } });
            let settings = json!({ "compress-filters": filters, "profile": profile });
            refuses_to_start(setup.serve_command(settings), &["Cofferdam's own"]);
            let config = json!({ "name": "x", "tools": {
                "Shell#a": { "allow-any": true, "cwd": setup.place.path("work"), "prefix": "a",
                    "launcher": setup.launcher.setting(), "compress-filters": filters },
                "Shell#b": { "allow-any": true, "cwd": setup.place.path("work"), "prefix": "b",
                    "launcher": setup.launcher.setting(), "profile": profile },
            } });
            let refused = ["Shell#b", "Cofferdam's own"];
            refuses_to_start(setup.serve_config(&config.to_string()), &refused);
        }
        setup.serve(json!({ "compress-filters": folder })).is_alive();
    });
}

#[test]
fn nobody_is_given_less_where_nobody_could_read_the_rest() {
    let setup = Setup::plain();
    let command = setup.serve_command(json!({ "compress": true, "tools": ["run"] }));
    refuses_to_start(command, &["compress: needs the tool `output`"]);
    let mut client = setup.serve(json!({ "tools": ["run"] }));
    client.run(sh(PROGRESS, json!(true))).refused(&["there is no argument `compress`"]);
}
