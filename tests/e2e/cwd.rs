//! The working directory of a call: it moves the run, and never a grant.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::{Launcher, confined, everywhere};

fn pwd(cwd: impl Into<Value>) -> Value {
    json!({ "command": "pwd", "cwd": cwd.into() })
}

#[test]
fn a_directory_that_cannot_be_used_is_the_callers_mistake() {
    everywhere(|setup| {
        setup.place.file("work/file", "");
        let mut client = setup.serve(json!({}));
        let missing = setup.place.text("work/nope");
        let file = setup.place.text("work/file");
        let ls = |cwd: &str| json!({ "command": "ls", "cwd": cwd });
        let answer = client.run(ls(&missing));
        answer.refused(&[&missing, "no such directory"]);
        assert!(!answer.text.contains("`ls`"), "{answer:?}");
        client.run(ls(&file)).refused(&[&file, "not a directory"]);
    });
}

#[test]
fn an_empty_directory_is_the_default_and_a_relative_one_starts_there() {
    everywhere(|setup| {
        setup.place.folder("work/sub");
        let mut client = setup.serve(json!({}));
        let work = setup.place.text("work");
        client.run(json!({ "command": "pwd" })).printed(&format!("{work}\n"));
        client.run(pwd("")).printed(&format!("{work}\n"));
        client.run(pwd("sub")).printed(&format!("{work}/sub\n"));
        client.run(pwd("sub/..")).printed(&format!("{work}\n"));
    });
}

#[test]
fn links_are_followed_before_the_run() {
    everywhere(|setup| {
        setup.place.folder("real");
        symlink(setup.place.path("real"), setup.place.path("link")).unwrap();
        let mut client = setup.serve(json!({ "cwd": setup.place.path("link") }));
        let call = json!({
            "command": "sh", "args": ["-c", "pwd -P; touch f"], "cwd": setup.place.path("link"),
        });
        client.run(call).printed(&format!("{}\n", setup.place.text("real")));
        assert!(setup.place.has("real/f"));
    });
}

#[test]
fn a_path_may_hold_every_byte_but_nul() {
    everywhere(|setup| {
        let odd = setup.place.folder("a\nb \"q\" (x) é #$% {dir} \\");
        let mut client = setup.serve(json!({ "cwd": odd }));
        client.run(json!({ "command": "touch", "args": ["f"], "cwd": odd })).printed("");
        assert!(odd.join("f").exists());
        client.run(pwd(odd.to_str())).printed(&format!("{}\n", odd.display()));
    });
}

#[test]
fn a_directory_outside_of_the_granted_roots_is_refused_with_the_roots() {
    confined(|setup| {
        let mut client = setup.serve(json!({}));
        let work = setup.place.text("work");
        for outside in ["outside", "home", ""] {
            let outside = setup.place.text(outside);
            let call = json!({ "command": "touch", "args": ["ran"], "cwd": outside });
            client.run(call).refused(&[outside.trim_end_matches('/'), &work]);
        }
        client.run(json!({ "command": "touch", "args": ["ran"], "cwd": "/" })).refused(&[&work]);
        client.run(pwd("..")).refused(&[&work]);
        assert!(!setup.place.has("outside/ran") && !setup.place.has("home/ran"));
    });
}

#[test]
fn a_link_in_the_workspace_does_not_lead_a_call_out() {
    confined(|setup| {
        symlink(setup.place.path("outside"), setup.place.path("work/link")).unwrap();
        let mut client = setup.serve(json!({}));
        let call = json!({ "command": "touch", "args": ["ran"], "cwd": "link" });
        client.run(call).refused(&[&setup.place.text("outside")]);
        assert!(!setup.place.has("outside/ran"));
    });
}

#[test]
fn a_call_elsewhere_in_the_view_widens_nothing() {
    confined(|setup| {
        let mut client = setup.serve(json!({}));
        let outside = setup.place.text("outside/x");
        let script = format!("pwd; echo x > {outside} || exit 7");
        let call = json!({ "command": "sh", "args": ["-c", script], "cwd": "/usr" });
        let answer = client.run(call);
        let payload = answer.exited(7);
        assert_eq!(payload["stdout"], "/usr\n", "{payload}");
        assert_eq!(payload["sandbox"]["active"], true, "{payload}");
        assert!(!setup.place.has("outside/x"));
    });
}

#[test]
fn a_server_may_be_started_in_the_root() {
    confined(|setup| {
        let mut command = setup.serve_command(json!({}));
        command.current_dir("/");
        let mut client = crate::support::Client::start(command, crate::support::Era::Legacy);
        let answer = client.run(json!({ "command": "true" }));
        assert_eq!(answer.exited(0)["sandbox"]["active"], true);
    });
}

#[test]
fn the_root_and_the_home_are_no_workspace_of_a_server() {
    confined(|setup| {
        for dir in ["/".to_owned(), setup.place.text("home")] {
            let command = setup.serve_command(json!({ "cwd": dir }));
            crate::support::refuses_to_start(command, &[&dir]);
        }
    });
}

#[test]
fn without_a_launcher_the_directory_of_a_call_is_unrestricted() {
    let setup = crate::support::Setup::plain();
    assert_eq!(setup.launcher, Launcher::None);
    setup.serve(json!({})).run(pwd("/")).printed("/\n");
}

#[test]
fn a_directory_that_vanishes_is_named_and_the_server_lives_on() {
    everywhere(|setup| {
        let gone = setup.place.folder("work/gone");
        let mut client = setup.serve(json!({}));
        client.run(pwd("gone")).printed(&format!("{}\n", gone.display()));
        std::fs::remove_dir(&gone).unwrap();
        client.run(pwd("gone")).refused(&["no such directory"]);
        client.run(json!({ "command": "true" })).printed("");
    });
}
