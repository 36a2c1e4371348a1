//! `profile`: what commands may do, for launchers that enforce it.

use std::path::Path;

use cofferdam_profiles::Source;

use crate::config::defaults::PROFILE;
use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::Written;
use crate::config::tree::Tree;

/// The profile that was written, its paths relative to `base`, or the default. Whether it exists and
/// what it says is seen when it becomes a policy.
pub(crate) fn profile(
    written: Written<Tree>,
    base: &Path,
    mistakes: &mut Mistakes,
) -> Option<Source> {
    written.check(
        || Source::Name(PROFILE.to_owned()),
        mistakes,
        |tree| {
            let must = "the name of a profile, a path with a `/`, a table, or a list of these";
            match Source::from_value(tree.clone().into_json()) {
                Ok(source) if names_something(&source) => Ok(rebased(source, base)),
                _ => Err(Problem::must(must)),
            }
        },
    )
}

/// An empty list would be a policy that grants nothing, by accident.
fn names_something(source: &Source) -> bool {
    match source {
        Source::Name(name) => !name.is_empty(),
        Source::Many(sources) => !sources.is_empty() && sources.iter().all(names_something),
        _ => true,
    }
}

/// The same source, wherever the current directory will be.
fn rebased(source: Source, base: &Path) -> Source {
    match source {
        Source::Path(path) => Source::Path(base.join(path)),
        Source::Many(sources) => {
            Source::Many(sources.into_iter().map(|source| rebased(source, base)).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::config::place::{Place, Placed};

    use super::*;

    fn check(json: &str) -> Result<Source, Vec<String>> {
        let mut mistakes = Mistakes::default();
        let tree = serde_json::from_str(json).unwrap();
        let written = Written::Given(Placed::tree(Place::root().key("profile"), tree));
        profile(written, Path::new("/srv/app"), &mut mistakes).ok_or_else(|| mistakes.lines())
    }

    #[test]
    fn nothing_written_is_the_workspace_profile() {
        let mut mistakes = Mistakes::default();
        assert_eq!(
            profile(Written::Absent, Path::new("/"), &mut mistakes),
            Some(Source::Name("workspace".to_owned()))
        );
    }

    #[test]
    fn paths_are_relative_to_the_file_that_names_them() {
        assert_eq!(
            check(r#"["build", "./site.toml", "/etc/site.toml"]"#),
            Ok(Source::Many(vec![
                Source::Name("build".to_owned()),
                Source::Path("/srv/app/./site.toml".into()),
                Source::Path("/etc/site.toml".into()),
            ]))
        );
    }

    #[test]
    fn a_table_is_kept_as_it_is() {
        let table = serde_json::json!({"extends": ["build"], "network": {"mode": "on"}});
        assert_eq!(check(&table.to_string()), Ok(Source::Inline(table)));
    }

    #[test]
    fn what_names_no_profile_is_refused() {
        for json in ["5", "\"\"", "[]", r#"["build", ""]"#, r#"[["build"], 1]"#, "null", "true"] {
            let lines = check(json).unwrap_err();
            assert!(lines[0].starts_with("profile = "), "{lines:?}");
            assert!(lines[0].contains("must be the name of a profile"), "{lines:?}");
        }
    }
}
