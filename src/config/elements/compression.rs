//! `compress` and `compress-filters`: output made shorter for models.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::ToolName;
use crate::compress::Compressor;
use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::Written;
use crate::outcome::chain;

/// How output is made shorter, and whether it is where a call says nothing.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Compression {
    /// Whether it is made shorter where a call says nothing. Off unless turned on.
    pub by_default: bool,
    /// The filters: the operator's own, and the shipped ones.
    pub compressor: Compressor,
}

impl Compression {
    /// Checks the two keys. The filters, relative to `base`, must lie outside of the workspace `cwd`.
    pub(crate) fn check(
        compress: Written<bool>,
        filters: Written<PathBuf>,
        (base, cwd): (&Path, Option<&Path>),
        tools: Option<&BTreeSet<ToolName>>,
        mistakes: &mut Mistakes,
    ) -> Option<Compression> {
        let is_on = compress.given().is_some_and(|compress| compress.value);
        if is_on && tools.is_some_and(|tools| !tools.contains(&ToolName::Output)) {
            let why = "needs the tool `output`, or nobody could read the whole text; add it to \
                       `tools`, or leave this out";
            mistakes.add_at(compress.given()?.place.clone(), Problem::conflict(why));
        }
        let by_default = compress.check(|| false, mistakes, |compress| Ok(*compress));
        // Where there is no workspace that is noted already.
        let workspace = cwd?;
        let compressor = filters.check(Compressor::default, mistakes, |path| {
            Compressor::with_filters(&base.join(path), workspace)
                .map_err(|error| Problem::conflict(chain(&error)))
        });
        Some(Compression { by_default: by_default?, compressor: compressor? })
    }
}

#[cfg(test)]
mod tests {
    use crate::config::check::check_json;

    #[test]
    fn it_is_off_unless_turned_on() {
        assert!(!check_json(r#"{"allow-any": true}"#).unwrap().compression().by_default);
        let on = check_json(r#"{"allow-any": true, "compress": true}"#).unwrap();
        assert!(on.compression().by_default);
    }

    #[test]
    fn it_needs_the_tool_that_reads_the_whole_text() {
        let json = r#"{"allow-any": true, "compress": true, "tools": ["run"]}"#;
        let lines = check_json(json).unwrap_err();
        assert!(lines[0].starts_with("compress: needs the tool `output`"), "{lines:?}");
    }

    #[test]
    fn a_directory_that_is_a_mistake_is_one_mistake() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("good.toml"), "programs = [\"x\"]\n[[filter]]\n").unwrap();
        let json = serde_json::json!({
            "allow-any": true, "cwd": dir.path().join("none"),
            "compress-filters": dir.path().join("good.toml"),
        });
        let lines = check_json(&json.to_string()).unwrap_err();
        assert!(lines.len() == 1 && lines[0].starts_with("cwd = "), "{lines:?}");
    }

    #[test]
    fn filters_are_read_at_once_and_mistakes_in_them_are_told_on_one_line() {
        let dir = tempfile::tempdir().unwrap();
        let work = dir.path().join("work");
        std::fs::create_dir(&work).unwrap();
        let check = |name: &str, text: &str| {
            std::fs::write(dir.path().join(name), text).unwrap();
            let json = serde_json::json!({
                "allow-any": true, "cwd": work, "compress-filters": dir.path().join(name),
            });
            check_json(&json.to_string()).map(drop)
        };
        assert_eq!(check("good.toml", "programs = [\"x\"]\n[[filter]]\n"), Ok(()));
        for (name, text, words) in [
            (
                "typo.toml",
                "programs = [\"x\"]\n[[filter]]\nkep = []\n",
                "line 3: unknown field `kep`",
            ),
            (
                "pattern.toml",
                "programs = [\"x\"]\n[[filter]]\nkeep = [\"(\"]\n",
                "`(`: unclosed group",
            ),
            ("work/mine.toml", "programs = [\"x\"]\n[[filter]]\n", "lies in the workspace"),
        ] {
            let lines = check(name, text).unwrap_err();
            assert!(lines[0].starts_with("compress-filters = "), "{lines:?}");
            assert!(lines[0].contains(words), "{lines:?}");
            assert_eq!(lines[0].lines().count(), 1, "{lines:?}");
        }
    }
}
