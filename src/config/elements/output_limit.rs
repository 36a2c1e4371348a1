//! `on-output-limit`: what becomes of a command that writes more than is kept.

use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::Written;

/// What becomes of a run once a stream has exceeded `max-output-bytes` or `max-output-lines`. What was
/// captured until then is never lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnOutputLimit {
    /// It goes on, and the middle of the stream is dropped.
    #[default]
    Truncate,
    /// It is killed, and the payload names the `limit`. A command that has ended by itself before
    /// that was noticed is left as it is.
    Kill,
}

impl OnOutputLimit {
    pub(crate) const NAMES: &[&str] = &["truncate", "kill"];

    /// What was written, or the default.
    pub(crate) fn check(
        written: Written<String>,
        mistakes: &mut Mistakes,
    ) -> Option<OnOutputLimit> {
        written.check(OnOutputLimit::default, mistakes, |name| match name.as_str() {
            "truncate" => Ok(OnOutputLimit::Truncate),
            "kill" => Ok(OnOutputLimit::Kill),
            _ => Err(Problem::unknown("consequence", name, OnOutputLimit::NAMES)),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::config::check::check_json;

    use super::*;

    #[test]
    fn every_name_is_a_consequence_and_other_names_are_refused() {
        let check = |name: &str| {
            let json = serde_json::json!({ "allow-any": true, "on-output-limit": name });
            check_json(&json.to_string()).map(|settings| settings.on_output_limit())
        };
        assert_eq!(check("truncate"), Ok(OnOutputLimit::Truncate));
        assert_eq!(check("kill"), Ok(OnOutputLimit::Kill));
        assert_eq!(
            check("kil").unwrap_err(),
            [
                r#"on-output-limit = "kil": there is no such consequence; did you mean `kill`? valid here: `truncate`, `kill`"#
            ]
        );
    }
}
