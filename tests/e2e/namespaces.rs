//! A place where no user namespace can be made, as most containers are.

use serde_json::json;

use crate::support::{Client, Era, Launcher, Setup, User, finish, ignored, touch, under, users};

/// Whether the tests can make a place without user namespaces.
fn can_take_namespaces_away(setup: &Setup) -> bool {
    let hindrance = Launcher::Bubblewrap.hindrance(setup.user);
    if let Some(why) = &hindrance {
        ignored(why);
    }
    hindrance.is_none()
}

#[test]
fn without_user_namespaces_the_default_starts_and_says_what_is_missing() {
    under(&[Launcher::Auto], &users(), |setup| {
        if !can_take_namespaces_away(setup) {
            return;
        }
        let script = "echo hi > in.txt && cat in.txt; echo x > /usr/x || exit 7";
        let run = setup.run_command(&["--json"], ["sh", "-c", script]);
        let payload = finish(setup.without_user_namespaces(&run).spawn().unwrap()).payload();
        assert_eq!(payload["exit"], 7, "{payload}");
        assert_eq!(payload["stdout"], "hi\n", "{payload}");
        let missing = payload["sandbox"]["missing"].as_array().expect("something is missing");
        for promise in ["processes", "metadata", "protect"] {
            assert!(missing.contains(&json!(promise)), "{payload}");
        }
        let serve = setup.without_user_namespaces(&setup.serve_command(json!({})));
        let mut client = Client::start(serve, Era::Legacy);
        assert_eq!(client.run(touch()).exited(0)["sandbox"]["missing"], json!(missing));
    });
}

#[test]
fn without_user_namespaces_strict_refuses_with_the_remedy() {
    under(&[Launcher::Auto, Launcher::Landlock, Launcher::Bubblewrap], &users(), |setup| {
        if !can_take_namespaces_away(setup) {
            return;
        }
        let run = setup.run_command(&["--profile", "strict"], ["touch", "ran"]);
        let ran = finish(setup.without_user_namespaces(&run).spawn().unwrap());
        ran.exited(125);
        let remedies = ["max_user_namespaces", "bubblewrap"];
        assert!(remedies.iter().any(|remedy| ran.stderr.contains(remedy)), "{ran:?}");
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn bubblewrap_without_user_namespaces_refuses_with_the_remedy() {
    under(&[Launcher::Bubblewrap], &users(), |setup| {
        let run = setup.run_command(&[], ["touch", "ran"]);
        let ran = finish(setup.without_user_namespaces(&run).spawn().unwrap());
        // For an ordinary user root's files belong to nobody known in there, and so does bwrap.
        let reason = match setup.user {
            User::Own => "sysctl user.max_user_namespaces",
            User::Ordinary => "a user who is not known in this user namespace",
        };
        ran.exited(125).said(&[reason, "landlock"]);
        assert!(!setup.place.has("work/ran"));
    });
}
