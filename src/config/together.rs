//! Settings that are fine by themselves and not together with the launcher.

use cofferdam_profiles::Grants;

use super::elements::{Environment, LauncherChoice};
use super::mistake::{Mistakes, Problem};
use super::place::{Place, Written};
use super::tree::Tree;

/// A command that reaches the host's terminal can type into it: no sandbox holds then.
pub(crate) fn terminal(
    launcher: &LauncherChoice,
    isolate: &Written<bool>,
    mistakes: &mut Mistakes,
) {
    let Some(isolate) = isolate.given() else {
        return;
    };
    if !isolate.value && launcher.sandboxes() {
        let why = "cannot be off with a launcher that sandboxes: what reaches the terminal can type \
                   commands into it; leave it out";
        isolate.wrong(Problem::conflict(why), mistakes);
    }
}

/// A profile that nobody enforces would be a false promise.
pub(crate) fn profile(launcher: &LauncherChoice, profile: &Written<Tree>, mistakes: &mut Mistakes) {
    if let (false, Some(profile)) = (launcher.takes_profile(), profile.given()) {
        profile.wrong(nobody_enforces(launcher), mistakes);
    }
}

/// Grants go on top of a profile.
pub(crate) fn grants(
    launcher: &LauncherChoice,
    place: &Place,
    grants: &Grants,
    mistakes: &mut Mistakes,
) {
    if !launcher.takes_profile() && *grants != Grants::default() {
        mistakes.add_at(place.clone(), nobody_enforces(launcher));
    }
}

/// Where there is no policy there is nothing to grant.
pub(crate) fn escalate(
    launcher: &LauncherChoice,
    escalate: &Written<String>,
    mistakes: &mut Mistakes,
) {
    if let (false, Some(escalate)) = (launcher.takes_profile(), escalate.given())
        && escalate.value != "off"
    {
        escalate.wrong(nobody_enforces(launcher), mistakes);
    }
}

fn nobody_enforces(launcher: &LauncherChoice) -> Problem {
    Problem::conflict(match launcher {
        LauncherChoice::None => {
            "without a launcher nothing enforces a profile or a grant; name one, such as \
             `launcher` = \"auto\""
        }
        _ => {
            "a wrapping program takes no profile and no grants, it has rules of its own; leave them \
             out, or use another launcher"
        }
    })
}

/// The table can add to what the profile lets cross. It cannot take the profile's place, and the
/// run's own folders are not to be moved out of the sandbox.
pub(crate) fn environment(
    launcher: &LauncherChoice,
    place: &Place,
    environment: &Environment,
    mistakes: &mut Mistakes,
) {
    if !launcher.takes_profile() {
        return;
    }
    if environment.inherit {
        let why = "with this launcher the profile decides what crosses, and `pass` and `set` add to \
                   it; leave it out";
        mistakes.add_at(place.key("inherit"), Problem::conflict(why));
    }
    for name in ["HOME", "TMPDIR"] {
        if environment.set.contains_key(name) {
            let why = "with this launcher the run has a private folder of its own for it; leave it \
                       out";
            mistakes.add_at(place.key("set").key(name), Problem::conflict(why));
        }
        if environment.pass.iter().any(|pass| pass == name) {
            let why = format!("with this launcher the run has a private `{name}`; take it out");
            mistakes.add_at(place.key("pass"), Problem::conflict(why));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Settings;
    use crate::config::check::check_json as check;
    use crate::config::file::WrittenSettings;
    use crate::config::place::Placed;

    use super::*;

    #[test]
    fn a_profile_that_nobody_enforces_is_refused() {
        let lines = check(r#"{"allow-any": true, "profile": "strict"}"#).unwrap_err();
        assert_eq!(
            lines,
            [
                "profile = \"strict\": without a launcher nothing enforces a profile or a grant; name \
                 one, such as `launcher` = \"auto\""
            ]
        );
        let lines = check(
            r#"{"allow-any": true, "profile": "strict",
                "launcher": {"command": ["firejail"], "sandboxed": true}}"#,
        )
        .unwrap_err();
        assert!(lines[0].contains("takes no profile"), "{lines:?}");
    }

    #[test]
    fn a_launcher_that_cannot_be_read_raises_no_second_complaint() {
        let lines = check(
            r#"{"allow-any": true, "profile": "strict", "isolate-terminal": false,
                "launcher": "landlok"}"#,
        )
        .unwrap_err();
        assert_eq!(lines.len(), 1, "{lines:?}");
    }

    #[test]
    fn terminals_stay_isolated_where_something_sandboxes() {
        for (launcher, is_fine) in [
            ("\"auto\"", false),
            ("\"seatbelt\"", false),
            (r#"{"command": ["x"], "sandboxed": true}"#, false),
            (r#"[{"command": ["x"], "sandboxed": true}, "none"]"#, false),
            (r#"{"command": ["x"]}"#, true),
            ("\"none\"", true),
        ] {
            let json = format!(
                r#"{{"allow-any": true, "isolate-terminal": false, "launcher": {launcher}}}"#
            );
            match check(&json) {
                Ok(_) => assert!(is_fine, "{launcher}"),
                Err(lines) => {
                    assert!(!is_fine, "{launcher}");
                    assert!(lines[0].starts_with("isolate-terminal = false: cannot be off"));
                }
            }
        }
    }

    #[test]
    fn an_environment_adds_to_the_profile_and_does_not_replace_it() {
        let with_launcher = |environment: &str| {
            check(&format!(
                r#"{{"allow-any": true, "launcher": "auto", "environment": {environment}}}"#
            ))
        };
        assert!(with_launcher(r#"{"pass": ["LC_*"], "set": {"A": "1"}}"#).is_ok());
        let lines = with_launcher(r#"{"inherit": true, "set": {"HOME": "/root"}}"#).unwrap_err();
        assert!(
            lines[0].starts_with("environment.inherit: with this launcher the profile decides")
        );
        assert!(lines[1].starts_with("environment.set.HOME: with this launcher the run has a"));
        let lines = with_launcher(r#"{"pass": ["TMPDIR"]}"#).unwrap_err();
        assert!(lines[0].starts_with("environment.pass: with this launcher the run has a private"));
    }

    #[test]
    fn grants_without_a_launcher_are_refused() {
        let mut written = WrittenSettings::nothing(Place::options());
        written.allow.any = Written::Given(Placed::value(Place::options(), true));
        written.grants.net = true;
        let error = Settings::from_program(written).unwrap_err().to_string();
        assert!(error.contains("nothing enforces a profile or a grant"), "{error}");
    }
}
