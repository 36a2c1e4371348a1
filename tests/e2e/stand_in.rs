//! A bubblewrap that fails, in every way that a program can: nothing runs, and it is said.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::json;

use crate::support::{
    Client, Launcher, Setup, finish, ignored, no_mounts, refuses_to_start, touch, under, users,
};

/// Where bubblewrap is.
fn bwrap() -> PathBuf {
    let folders = ["/usr/bin", "/usr/local/bin", "/bin"].map(PathBuf::from);
    folders.into_iter().map(|folder| folder.join("bwrap")).find(|path| path.exists()).unwrap()
}

/// Runs a test under bubblewrap, as every user, with a stand-in for it. The stand-in is bubblewrap
/// until the file `broken` exists; from then on the script decides.
fn with_stand_in(script: &str, test: impl Fn(&Setup, Client)) {
    under(&[Launcher::Bubblewrap], &users(), |setup| {
        let broken = setup.place.text("broken");
        let real = bwrap();
        let text =
            format!("#!/bin/sh\n[ -e {broken} ] || exec {} \"$@\"\n{script}\n", real.display());
        let program = setup.place.script("stand-in/bwrap", &text);
        let launcher = json!({ "name": "bubblewrap", "program": program });
        let mut client = setup.serve(json!({ "launcher": launcher }));
        let answer = client.run(json!({ "command": "true" }));
        assert_eq!(answer.exited(0)["sandbox"]["active"], true, "the stand-in does not work");
        setup.place.file("broken", "");
        test(setup, client);
    });
}

#[test]
fn a_wrapper_that_fails_before_the_command_is_minus_one_with_its_words() {
    let script = "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1";
    with_stand_in(script, |setup, mut client| {
        let answer = client.run(touch());
        answer.not_started(&["setting up uid map: Permission denied", "bubblewrap"]);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_wrapper_that_claims_success_without_a_command_is_minus_one() {
    with_stand_in("exit 0", |setup, mut client| {
        client.run(touch()).not_started(&["bubblewrap"]);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_wrapper_that_is_killed_is_minus_one() {
    with_stand_in("kill -9 $$", |setup, mut client| {
        client.run(touch()).not_started(&["signal 9"]);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_wrapper_that_prints_rubbish_is_minus_one() {
    let script = "head -c 100000 /dev/zero; head -c 100000 /dev/zero >&2; exit 3";
    with_stand_in(script, |setup, mut client| {
        let answer = client.run(touch());
        assert_eq!(answer.exited(-1).get("sandbox"), None, "{answer:?}");
        assert!(!setup.place.has("work/ran"));
        client.is_alive();
    });
}

#[test]
fn a_wrapper_that_hangs_is_ended_by_the_timeout() {
    with_stand_in("exec sleep 600", |setup, mut client| {
        let mut call = touch();
        call["timeout"] = json!(0.5);
        let answer = client.run(call);
        assert_eq!(answer.ran()["timed-out"], true, "{answer:?}");
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_wrapper_that_has_gone_is_minus_one() {
    with_stand_in("", |setup, mut client| {
        fs::remove_file(setup.place.path("stand-in/bwrap")).unwrap();
        client.run(touch()).not_started(&["bwrap"]);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_wrapper_that_may_not_be_executed_is_minus_one() {
    with_stand_in("", |setup, mut client| {
        let program = setup.place.path("stand-in/bwrap");
        fs::set_permissions(program, PermissionsExt::from_mode(0o644)).unwrap();
        client.run(touch()).not_started(&["bwrap"]);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_wrapper_that_never_works_stops_the_start_with_its_words() {
    under(&[Launcher::Bubblewrap], &users(), |setup| {
        let script = "#!/bin/sh\n[ \"$1\" = --version ] && exec bwrap --version\n\
                      echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n";
        let program = setup.place.script("stand-in/bwrap", script);
        let launcher = json!({ "name": "bubblewrap", "program": program });
        let words = ["bubblewrap", "setting up uid map: Permission denied"];
        refuses_to_start(setup.serve_command(json!({ "launcher": launcher })), &words);
        let option = launcher.to_string();
        let command =
            setup.cofferdam(["run", "--launcher", &option, "--", "touch", "ran"]).spawn().unwrap();
        finish(command).exited(125).said(&words);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_wrapper_that_a_run_could_replace_is_not_trusted() {
    under(&[Launcher::Bubblewrap], &users(), |setup| {
        let copy = setup.place.path("work/bwrap");
        fs::copy(bwrap(), &copy).unwrap();
        let launcher = json!({ "name": "bubblewrap", "program": copy });
        refuses_to_start(setup.serve_command(json!({ "launcher": launcher })), &["work/bwrap"]);
    });
}

#[test]
fn bubblewrap_that_is_not_installed_is_named_with_the_way_to_get_it() {
    if let Some(why) = no_mounts() {
        return ignored(why);
    }
    under(&[Launcher::Bubblewrap], &users(), |setup| {
        let hide = format!("mount --bind /dev/null {}", bwrap().display());
        let command = setup.with_mounts(&hide, &setup.serve_command(json!({})));
        refuses_to_start(command, &["bwrap", "install"]);
        let run = setup.run_command(&[], ["touch", "ran"]);
        let ran = finish(setup.with_mounts(&hide, &run).spawn().unwrap());
        ran.exited(125).said(&["bwrap", "install"]);
        assert!(!setup.place.has("work/ran"));
    });
}
