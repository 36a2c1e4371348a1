//! What a configuration text holds, before anyone asks what it means: the same for JSON and TOML,
//! in the order in which it was written, and never with a key twice.

use std::collections::HashSet;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A value as it was written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tree {
    /// JSON's `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number written without fraction and exponent.
    Integer(i128),
    /// Any other number; TOML has `nan` and `inf` as well.
    Float(f64),
    /// Text.
    String(String),
    /// A JSON or TOML array.
    List(Vec<Tree>),
    /// A JSON object or a TOML table. No key stands there twice.
    Table(Vec<(String, Tree)>),
}

/// How many characters of a value are shown in a message. Enough to recognise it, and a line of the
/// message still fits a screen.
const SHOWN: usize = 60;

impl Tree {
    /// The value of one key of a table.
    pub(crate) fn get(&self, key: &str) -> Option<&Tree> {
        match self {
            Tree::Table(entries) => {
                entries.iter().find_map(|(name, value)| (name == key).then_some(value))
            }
            _ => None,
        }
    }

    /// The value for a message: on one line, not too long, without control characters. What stands
    /// in tables is left out: it is long, and it may hold secrets.
    pub(crate) fn shown(&self) -> String {
        let text = self.text();
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    fn text(&self) -> String {
        match self {
            Tree::Null => "null".to_owned(),
            Tree::Bool(value) => value.to_string(),
            Tree::Integer(value) => value.to_string(),
            Tree::Float(value) => format!("{value:?}"),
            Tree::String(value) => format!("{value:?}"),
            Tree::List(items) => {
                let items: Vec<_> = items.iter().map(Tree::text).collect();
                format!("[{}]", items.join(", "))
            }
            Tree::Table(entries) if entries.is_empty() => "{}".to_owned(),
            Tree::Table(_) => "{…}".to_owned(),
        }
    }

    /// The same value for readers of `serde_json`. A number that JSON cannot write becomes `null`.
    pub(crate) fn into_json(self) -> serde_json::Value {
        use serde_json::Value;
        match self {
            Tree::Null => Value::Null,
            Tree::Bool(value) => value.into(),
            Tree::Integer(value) => match (i64::try_from(value), u64::try_from(value)) {
                (Ok(value), _) => value.into(),
                (_, Ok(value)) => value.into(),
                _ => Value::Null,
            },
            Tree::Float(value) => value.into(),
            Tree::String(value) => value.into(),
            Tree::List(items) => items.into_iter().map(Tree::into_json).collect(),
            Tree::Table(entries) => {
                entries.into_iter().map(|(key, value)| (key, value.into_json())).collect()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Integer(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Tree, E> {
        Ok(Tree::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Tree::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                BIG_NUMBER => return big_number(&map.next_value::<String>()?),
                DATE => return Err(de::Error::custom("a date has no meaning here")),
                _ => {}
            }
            if !keys.insert(key.clone()) {
                return Err(de::Error::custom(format_args!("duplicate key {key:?}")));
            }
            entries.push((key, map.next_value()?));
        }
        Ok(Tree::Table(entries))
    }
}

/// The key under which `toml` hands over a date.
const DATE: &str = "$__toml_private_datetime";

/// The key under which `serde_json` hands over every number when any crate of the program turns on
/// its feature `arbitrary_precision`. Features are shared, so a host can do that to us.
const BIG_NUMBER: &str = "$serde_json::private::Number";

fn big_number<E: de::Error>(text: &str) -> Result<Tree, E> {
    match text.parse() {
        Ok(value) => Ok(Tree::Integer(value)),
        Err(_) => text.parse().map(Tree::Float).map_err(E::custom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Tree {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn keys_keep_the_order_in_which_they_were_written() {
        let Tree::Table(entries) = json(r#"{"z": 1, "a": {}, "m": []}"#) else {
            panic!("not a table");
        };
        let keys: Vec<_> = entries.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["z", "a", "m"]);
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_at_every_level() {
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"{"t": {"a": 1, "b": 2, "a": 3}}"#,
            r#"[{"t": [{"a": 1, "a": null}]}]"#,
            r#"{"a": 1, "\u0061": 2}"#,
        ] {
            let error = serde_json::from_str::<Tree>(text).unwrap_err().to_string();
            assert!(error.starts_with("duplicate key \"a\""), "{text}: {error}");
        }
        assert!(serde_json::from_str::<Tree>(r#"{"a": {"a": 1}, "b": {"a": 1}}"#).is_ok());
    }

    #[test]
    fn whole_numbers_and_fractions_are_told_apart() {
        assert_eq!(json("5"), Tree::Integer(5));
        assert_eq!(json("-5"), Tree::Integer(-5));
        assert_eq!(json("18446744073709551615"), Tree::Integer(u64::MAX.into()));
        assert_eq!(json("5.0"), Tree::Float(5.0));
        assert_eq!(json("1e300"), Tree::Float(1e300));
    }

    #[test]
    fn numbers_are_read_as_well_where_serde_json_keeps_all_digits() {
        let number = |text: &str| json(&format!(r#"{{"{BIG_NUMBER}": "{text}"}}"#));
        assert_eq!(number("12"), Tree::Integer(12));
        assert_eq!(number("0.5"), Tree::Float(0.5));
    }

    #[test]
    fn both_languages_give_the_same_tree() {
        let toml = "a = [1, 2.5, true]\n[b]\nc = \"x\"";
        assert_eq!(
            toml::from_str::<Tree>(toml).unwrap(),
            json(r#"{"a": [1, 2.5, true], "b": {"c": "x"}}"#)
        );
    }

    #[test]
    fn a_date_is_refused() {
        let error = toml::from_str::<Tree>("when = 2026-01-01").unwrap_err();
        assert_eq!(error.message(), "a date has no meaning here");
    }

    #[test]
    fn values_are_shown_on_one_short_line_and_tables_not_at_all() {
        for (text, shown) in [
            (r#""a\nb\u001b[31m""#, r#""a\nb\u{1b}[31m""#),
            (r#"[1, "two", {"token": "s3"}]"#, r#"[1, "two", {…}]"#),
            ("{}", "{}"),
            ("30.0", "30.0"),
            ("1e300", "1e300"),
        ] {
            assert_eq!(json(text).shown(), shown);
        }
        let long = Tree::String("é".repeat(500)).shown();
        assert_eq!(long.chars().count(), SHOWN + 1);
    }

    #[test]
    fn a_tree_becomes_the_json_that_it_was() {
        let text = r#"{"a":[null,true,-1,18446744073709551615,0.5,"x"],"b":{"c":{}}}"#;
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(json(text).into_json(), value);
    }
}
