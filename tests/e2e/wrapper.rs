//! Wrapping programs that the configuration names.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::{Launcher, Setup, refuses_to_start, touch, under, users};

#[test]
fn a_wrapper_is_a_vector_in_and_a_vector_out() {
    let setup = Setup::plain();
    setup.place.script("my wrapper", "#!/bin/sh\nshift\nexec \"$@\"\n");
    let with_blank = setup.place.text("my wrapper");
    let wrappers: [&[&str]; 5] = [
        &["env"],
        &["nice", "-n", "5"],
        &["env", "--", "{command}", "{args}"],
        &[&with_blank, "a  b"],
        &["sh", "-c", "exec \"$@\"", "sh"],
    ];
    for wrapper in wrappers {
        let mut client = setup.serve(json!({ "launcher": { "command": wrapper } }));
        let call = json!({ "command": "printf", "args": ["%s|", "a b", "$x", ""] });
        let answer = client.run(call);
        answer.printed("a b|$x||");
        assert_eq!(answer.payload.get("sandbox"), None, "it made no claim");
    }
    let claims = json!({ "launcher": { "command": ["env"], "sandboxed": true } });
    let answer = setup.serve(claims).run(json!({ "command": "true" }));
    assert_eq!(answer.exited(0)["sandbox"], json!({ "active": true }));
}

#[test]
fn a_wrapper_that_is_missing_or_wrong_stops_the_start() {
    let setup = Setup::plain();
    let missing = setup.place.text("no-wrapper");
    let wrong: [(&[&str], &[&str]); 4] = [
        (&[&missing], &[&missing]),
        (&["no-such-wrapper"], &["no-such-wrapper"]),
        (&["env", "{comand}"], &["{comand}"]),
        (&["env", "{command}"], &["{command}", "args"]),
    ];
    for (wrapper, words) in wrong {
        let launcher = json!({ "command": wrapper });
        refuses_to_start(setup.serve_command(json!({ "launcher": launcher })), words);
    }
}

#[test]
fn a_wrapper_that_goes_away_is_minus_one() {
    let setup = Setup::plain();
    let wrapper = setup.place.script("wrapper", "#!/bin/sh\nexec \"$@\"\n");
    let launcher = json!({ "command": [wrapper], "sandboxed": true });
    let mut client = setup.serve(json!({ "launcher": launcher }));
    client.run(json!({ "command": "true" })).printed("");
    fs::set_permissions(&wrapper, PermissionsExt::from_mode(0o644)).unwrap();
    client.run(touch()).not_started(&["wrapper"]);
    fs::remove_file(&wrapper).unwrap();
    client.run(touch()).not_started(&["wrapper"]);
    assert!(!setup.place.has("work/ran"));
}

#[test]
fn a_wrapper_may_stand_outside_of_bubblewrap_and_not_of_landlock() {
    under(&[Launcher::Bubblewrap], &users(), |setup| {
        let list = json!([{ "command": ["env", "OUTER=yes"] }, "bubblewrap"]);
        let mut client = setup.serve(json!({ "launcher": list }));
        let answer = client.sh("echo x > /usr/x || exit 7");
        assert_eq!(answer.exited(7)["sandbox"]["active"], true);
        client.run(json!({ "command": "nosuchtool" })).not_started(&["nosuchtool"]);
        let list = json!([{ "command": ["env"] }, "landlock"]);
        refuses_to_start(
            setup.serve_command(json!({ "launcher": list })),
            &["landlock", "confine the wrapper"],
        );
    });
}
