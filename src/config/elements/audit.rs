//! `audit` and `audit-required`: where the outcome of every call is recorded.

use std::path::{Path, PathBuf};

use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::{Placed, Written};
use crate::config::tree::Tree;

/// Where outcomes are recorded. Nowhere by default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct AuditSettings {
    /// A file that lines of JSON are appended to; its folder must exist. `None` for none.
    pub file: Option<PathBuf>,
    /// Whether they are told as events of the target `cofferdam::audit` (`tracing`), which the program
    /// writes to standard error.
    pub stderr: bool,
    /// Whether nothing runs that cannot be recorded in the file.
    pub required: bool,
}

const MUST: &str = "\"stderr\", the path of a file with a `/` in it, or a list of both";

impl AuditSettings {
    /// What was written; paths start at `base`.
    pub(crate) fn check(
        written: Written<Tree>,
        required: Written<bool>,
        base: &Path,
        mistakes: &mut Mistakes,
    ) -> Option<AuditSettings> {
        let is_unreadable = written == Written::Unreadable;
        let settings = written.check(AuditSettings::default, mistakes, |tree| places(tree, base));
        let needs_file = !is_unreadable && settings.as_ref().is_some_and(|all| all.file.is_none());
        let required = required.check(
            || false,
            mistakes,
            |required| match *required && needs_file {
                true => Err(Problem::conflict(
                    "needs a file in `audit`: what is told and not kept proves nothing",
                )),
                false => Ok(*required),
            },
        );
        Some(AuditSettings { required: required?, ..settings? })
    }

    /// What an option says that may be repeated.
    pub(crate) fn written(
        place: crate::config::place::Place,
        places: Vec<String>,
    ) -> Written<Tree> {
        match places.is_empty() {
            true => Written::Absent,
            false => {
                let list = places.into_iter().map(Tree::String).collect();
                Written::Given(Placed::tree(place, Tree::List(list)))
            }
        }
    }
}

fn places(tree: &Tree, base: &Path) -> Result<AuditSettings, Problem> {
    let one = std::slice::from_ref(tree);
    let items = match tree {
        Tree::List(items) if !items.is_empty() => items,
        _ => one,
    };
    let mut settings = AuditSettings::default();
    for item in items {
        match item {
            Tree::String(word) if word == "stderr" && !settings.stderr => settings.stderr = true,
            Tree::String(path) if is_path(path) && settings.file.is_none() => {
                settings.file = Some(base.join(path));
            }
            _ => return Err(Problem::must(MUST)),
        }
    }
    Ok(settings)
}

fn is_path(text: &str) -> bool {
    text.contains('/') && !text.ends_with('/') && !text.contains('\0') && !text.starts_with('~')
}

#[cfg(test)]
mod tests {
    use crate::config::check::check_json;

    use super::*;

    fn check(keys: &str) -> Result<AuditSettings, Vec<String>> {
        let settings = check_json(&format!(r#"{{"allow-any": true, {keys}}}"#));
        settings.map(|settings| settings.audit().clone())
    }

    #[test]
    fn outcomes_go_to_a_file_to_standard_error_or_to_both() {
        let file = Some(PathBuf::from("/./audit.jsonl"));
        let audit = |file, stderr, required| Ok(AuditSettings { file, stderr, required });
        assert_eq!(check(r#""max-jobs": 1"#), audit(None, false, false));
        assert_eq!(check(r#""audit": "stderr""#), audit(None, true, false));
        assert_eq!(check(r#""audit": "./audit.jsonl""#), audit(file.clone(), false, false));
        assert_eq!(
            check(r#""audit": ["stderr", "./audit.jsonl"], "audit-required": true"#),
            audit(file, true, true)
        );
    }

    #[test]
    fn what_is_neither_is_refused() {
        for audit in [
            "5",
            "\"\"",
            "[]",
            "\"audit.jsonl\"",
            "\"~/audit\"",
            "\"/var/log/\"",
            "[\"/a\", \"/b\"]",
            "[\"stderr\", \"stderr\"]",
            "{}",
        ] {
            let lines = check(&format!(r#""audit": {audit}, "audit-required": true"#)).unwrap_err();
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(lines[0].contains("must be \"stderr\", the path of a file"), "{lines:?}");
        }
    }

    #[test]
    fn a_required_audit_needs_a_file() {
        for keys in [r#""audit-required": true"#, r#""audit": "stderr", "audit-required": true"#] {
            let lines = check(keys).unwrap_err();
            assert!(lines[0].starts_with("audit-required = true: needs a file in `audit`"));
        }
    }
}
