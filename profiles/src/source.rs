//! Where a profile comes from, as a setting or an option says it.

use std::path::PathBuf;

use serde_json::Value as Json;

use crate::error::ProfileError;
use crate::mistake::{Cause, Mistake};
use crate::policy::Origin;
use crate::tree::Node;

/// The name of an inline table, as a policy's name and as an origin.
pub(crate) const INLINE: &str = "inline";

/// Where a profile comes from.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Source {
    /// A shipped profile, or one of the user's own.
    Name(String),
    /// A file. A relative path is taken from [`Context::dir`](crate::Context::dir).
    Path(PathBuf),
    /// Several, merged in this order.
    Many(Vec<Source>),
    /// A table with the keys of a profile file.
    Inline(Json),
}

impl Source {
    /// A name, or a path if it contains a `/`.
    pub fn parse(text: &str) -> Self {
        match text.contains('/') {
            true => Source::Path(text.into()),
            false => Source::Name(text.to_owned()),
        }
    }

    /// The setting `profile`: a name or a path, a list of them, or an inline table.
    ///
    /// # Errors
    /// [`ProfileError::Invalid`] for any other type of value.
    pub fn from_value(value: Json) -> Result<Self, ProfileError> {
        match value {
            Json::String(text) => Ok(Source::parse(&text)),
            Json::Object(_) => Ok(Source::Inline(value)),
            Json::Array(items) => {
                let sources: Result<Vec<Source>, ProfileError> = items
                    .into_iter()
                    .map(|item| match item {
                        Json::Array(_) => Err(wrong_type(&item, "a name, a path or a table")),
                        item => Source::from_value(item),
                    })
                    .collect();
                sources.map(Source::Many)
            }
            _ => Err(wrong_type(&value, "a name, a path, a list of them, or a table")),
        }
    }
}

fn wrong_type(value: &Json, expected: &'static str) -> ProfileError {
    let node = Node::from_json(value);
    ProfileError::Invalid(vec![Mistake {
        origin: Origin { source: "settings".into(), ..Origin::default() },
        key: "profile".to_owned(),
        value: Some(node.to_string()),
        cause: Cause::WrongType { found: node.kind(), expected },
    }])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_slash_makes_a_path() {
        assert_eq!(Source::parse("workspace"), Source::Name("workspace".into()));
        assert_eq!(Source::parse("./workspace"), Source::Path("./workspace".into()));
    }

    #[test]
    fn a_setting_is_a_string_a_list_or_a_table() {
        let source = Source::from_value(json!(["workspace", {"network": {"mode": "on"}}])).unwrap();
        assert!(matches!(source, Source::Many(sources) if sources.len() == 2));
        for bad in [json!(1), json!(null), json!([["workspace"]]), json!([true])] {
            let error = Source::from_value(bad).unwrap_err().to_string();
            assert!(error.contains("`profile` = "), "{error}");
        }
    }
}
