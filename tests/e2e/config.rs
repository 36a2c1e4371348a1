//! Configurations that are wrong: the server does not start, and says where and why.

use serde_json::{Value, json};

use crate::support::{Client, Era, Setup, confined, finish, refuses_to_start};

#[test]
fn a_misspelt_key_stops_the_start_at_every_level() {
    let setup = Setup::plain();
    let wrong: [(Value, &[&str]); 6] = [
        (json!({ "timeut": 5 }), &["timeut", "timeout"]),
        (json!({ "profile": { "filesystem": { "wrte": ["/x"] } } }), &["wrte", "write"]),
        (json!({ "profile": { "network": { "mod": "on" } } }), &["mod", "mode"]),
        (json!({ "profile": { "filesystem": { "write": "x" } } }), &["write", "list"]),
        (json!({ "launcher": { "name": "landlock", "namespace": "off" } }), &["namespaces"]),
        (json!({ "environment": { "pas": ["A"] } }), &["pas", "pass"]),
    ];
    for (mut settings, words) in wrong {
        if settings.get("launcher").is_none() {
            settings["launcher"] = json!("auto");
        }
        refuses_to_start(setup.serve_command(settings), words);
    }
}

#[test]
fn a_configuration_as_people_write_it_is_refused_with_its_place() {
    let setup = Setup::plain();
    let good = r#"{"name": "x", "tools": {"Shell": {"allow": ["git"], "launcher": "none"}}}"#;
    let wrong = [
        (good.replace("\"none\"}", "\"none\",}"), "line 1"),
        (format!("// mine\n{good}"), "line 1"),
        (String::new(), "line 1"),
        (good.replace("\"launcher\"", "\"allow\": [\"rm\"], \"launcher\""), "allow"),
        (good.replace("\"tools\"", "\"name\": \"y\", \"tools\""), "name"),
    ];
    for (text, place) in wrong {
        refuses_to_start(setup.serve_config(&text), &["config.json", place]);
    }
    let mark = format!("\u{feff}{good}");
    let ran = finish(setup.serve_config(&mark).spawn().unwrap());
    match ran.code {
        Some(0) => {}
        _ => drop(ran.said(&["config.json"])),
    }
    assert_eq!(ran.stdout, "");
    let mut client = Client::start(setup.serve_config(good), Era::Legacy);
    client.run(json!({ "command": "git", "args": ["--version"] })).exited(0);
}

#[test]
fn every_mistake_of_a_configuration_stands_in_one_message() {
    let setup = Setup::plain();
    let settings = json!({
        "timeut": 5, "max-jobs": 0, "max-output-bytes": 100, "launcher": "bwrap", "allow": [""],
    });
    let words = ["timeut", "max-jobs", "max-output-bytes", "1024", "bubblewrap", "allow"];
    refuses_to_start(setup.serve_command(settings), &words);
}

#[test]
fn the_configuration_may_not_lie_in_the_workspace() {
    confined(|setup| {
        let instance = json!({ "allow": ["true"], "launcher": setup.launcher.setting() });
        let config = json!({ "name": "x", "tools": { "Shell": instance } });
        let file = setup.place.file("work/config.json", config.to_string());
        let mut command = setup.cofferdam(["serve", "--config"]);
        command.arg(file);
        refuses_to_start(command, &["work/config.json", "cwd"]);
    });
}

#[test]
fn a_launcher_and_a_profile_that_do_not_go_together_stop_the_start() {
    let setup = Setup::plain();
    let profile = json!({ "launcher": "none", "profile": "workspace" });
    refuses_to_start(setup.serve_command(profile), &["profile", "without a launcher"]);
    let wrapper = json!({ "launcher": { "command": ["env"] }, "profile": "workspace" });
    refuses_to_start(setup.serve_command(wrapper), &["profile"]);
    let terminal = json!({ "launcher": "auto", "isolate-terminal": false });
    refuses_to_start(setup.serve_command(terminal), &["isolate-terminal"]);
}
