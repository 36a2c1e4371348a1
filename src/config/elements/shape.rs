//! What the tools of an instance look like to clients, beside their names.

use std::collections::BTreeMap;

use super::descriptions::descriptions;
use super::{AnswerFormat, ToolName};
use crate::config::mistake::Mistakes;
use crate::config::place::Written;
use crate::config::table::Table;
use crate::config::tree::Tree;

/// How tools are described, and how they answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Shape {
    /// How they answer.
    pub format: AnswerFormat,
    /// Whether a run that ended with something else than 0 is an error of its tool, for clients that
    /// know no other sign. Off by default: `grep` exits with 1 where it finds nothing, which is an
    /// answer.
    pub nonzero_is_error: bool,
    /// Descriptions of single tools, in place of what Cofferdam says about them. What it would have
    /// said about the sandbox then stands nowhere else. At most 1000 bytes each in settings.
    pub descriptions: BTreeMap<ToolName, String>,
}

/// The keys of a shape, as they were written.
#[derive(Debug, Default)]
pub(crate) struct WrittenShape {
    format: Written<String>,
    nonzero_is_error: Written<bool>,
    descriptions: Written<Tree>,
}

impl WrittenShape {
    /// Reads the keys of a table of settings.
    pub(crate) fn read(table: &mut Table, mistakes: &mut Mistakes) -> WrittenShape {
        WrittenShape {
            format: table.take("format", mistakes),
            nonzero_is_error: table.take("nonzero-is-error", mistakes),
            descriptions: table.take("descriptions", mistakes),
        }
    }

    /// Checks them.
    pub(crate) fn check(self, mistakes: &mut Mistakes) -> Option<Shape> {
        let format = AnswerFormat::check(self.format, mistakes);
        let nonzero_is_error =
            self.nonzero_is_error.check(|| false, mistakes, |is_error| Ok(*is_error));
        let descriptions = descriptions(self.descriptions, mistakes);
        Some(Shape {
            format: format?,
            nonzero_is_error: nonzero_is_error?,
            descriptions: descriptions?,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::config::check::check_json;

    use super::*;

    #[test]
    fn the_default_is_json_in_which_no_exit_is_an_error() {
        let settings = check_json(r#"{"allow-any": true}"#).unwrap();
        assert_eq!(*settings.shape(), Shape::default());
        assert_eq!(settings.shape().format, AnswerFormat::Json);
    }

    #[test]
    fn every_key_of_a_shape_is_read_and_checked() {
        let settings =
            check_json(r#"{"allow-any": true, "format": "text", "nonzero-is-error": true}"#)
                .unwrap();
        assert_eq!(settings.shape().format, AnswerFormat::Text);
        assert!(settings.shape().nonzero_is_error);
        let lines = check_json(r#"{"allow-any": true, "format": "txt", "nonzero-is-error": 1}"#);
        assert_eq!(
            lines.unwrap_err(),
            [
                "nonzero-is-error = 1: must be `true` or `false`",
                "format = \"txt\": there is no such format; did you mean `text`? valid here: `json`, `text`",
            ]
        );
    }
}
