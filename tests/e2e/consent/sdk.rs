//! A real client that asks its person: the Python SDK, in both eras.

use std::process::Stdio;

use serde_json::{Value, json};

use super::writes;
use crate::sdk::{payload, python, words_of};
use crate::support::{Launcher, Setup, confined, finish};

#[test]
fn the_python_sdk_asks_its_person_in_both_modes() {
    let Some(python) = python() else { return };
    confined(|setup| {
        let server = setup.serve_command(json!({ "escalate": "ask" }));
        let call = writes(setup, "MODE");
        let mut command = std::process::Command::new(&python);
        command.args(["-c", include_str!("sdk.py"), &call.to_string()]);
        command.args(words_of(setup, &server)).current_dir(setup.place.path("work"));
        command.env("HOME", setup.place.path("home"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let came = finish(command.spawn().unwrap()).exited(0).payload();
        check(setup, &came);
    });
}

fn check(setup: &Setup, came: &Value) {
    for (mode, version) in [("auto", "2026-07-28"), ("legacy", "2025-11-25")] {
        let came = &came[mode];
        assert_eq!(came["version"], version, "{came}");
        let asked = came["asked"].as_array().unwrap();
        assert_eq!(asked.len(), 2, "{came}");
        let outside = setup.place.text("outside");
        assert!(asked[0].as_str().unwrap().contains(&format!("remove `{outside}`")), "{came}");
        let denied = payload(&came["results"][0]);
        assert_eq!((&denied["exit"], &denied["sandbox"]["verdict"]), (&json!(9), &json!("denied")));
        let granted = payload(&came["results"][1]);
        assert_eq!(granted["exit"], 0, "{granted}");
        assert_eq!(granted["sandbox"]["granted"], json!([format!("write {outside}")]));
    }
    for mode in ["auto", "legacy"] {
        assert_eq!(setup.place.read(&format!("outside/{mode}")), "text\n");
    }
    assert_ne!(setup.launcher, Launcher::None);
}
