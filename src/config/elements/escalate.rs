//! `escalate`: what becomes of a run that its sandbox refused something.

use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::Written;

/// What becomes of a run that its sandbox refused something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Escalate {
    /// It failed, and that is told.
    #[default]
    Off,
    /// The person at the client is asked whether it may run once more with what it lacked, where the
    /// client can ask (elicitation).
    Ask,
}

impl Escalate {
    pub(crate) const NAMES: &[&str] = &["off", "ask"];

    /// The word that was written, or the default.
    pub(crate) fn check(written: Written<String>, mistakes: &mut Mistakes) -> Option<Escalate> {
        written.check(Escalate::default, mistakes, |name| match name.as_str() {
            "off" => Ok(Escalate::Off),
            "ask" => Ok(Escalate::Ask),
            _ => Err(Problem::unknown("way to escalate", name, Escalate::NAMES)),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::config::check::check_json;

    use super::*;

    fn check(keys: &str) -> Result<Escalate, Vec<String>> {
        let settings = check_json(&format!(r#"{{"allow-any": true{keys}}}"#))?;
        Ok(settings.escalate())
    }

    #[test]
    fn nobody_is_asked_unless_the_settings_say_so() {
        assert_eq!(check(""), Ok(Escalate::Off));
        assert_eq!(check(r#", "escalate": "off""#), Ok(Escalate::Off));
        assert_eq!(check(r#", "escalate": "ask", "launcher": "auto""#), Ok(Escalate::Ask));
        assert_eq!(
            check(r#", "escalate": "asks", "launcher": "auto""#).unwrap_err(),
            [
                r#"escalate = "asks": there is no such way to escalate; did you mean `ask`? valid here: `off`, `ask`"#
            ]
        );
    }

    #[test]
    fn without_a_profile_nothing_could_be_granted() {
        for launcher in ["", r#", "launcher": {"command": ["firejail"], "sandboxed": true}"#] {
            let lines = check(&format!(r#", "escalate": "ask"{launcher}"#)).unwrap_err();
            assert!(
                lines[0].starts_with(r#"escalate = "ask": without a launcher nothing"#)
                    || lines[0].contains("takes no profile and no grants"),
                "{lines:?}"
            );
        }
    }
}
