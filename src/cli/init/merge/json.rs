//! JSON as people write it: comments and trailing commas are theirs, and stay.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

use super::{MergeError, Merged, position};
use crate::cli::init::entry::{Entry, Field};

/// What editors take. The rest of the parser's indulgence is refused: a client would refuse the file.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) fn merge(
    text: &str,
    servers: &str,
    name: &str,
    entry: &Entry,
) -> Result<Merged, MergeError> {
    let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| {
        let (line, column) = position(text, error.range().start);
        MergeError::Syntax { line, column, message: error.kind().to_string() }
    })?;
    let no_table = |place: &str| MergeError::NoTable { place: place.to_owned() };
    let top = root.object_value_or_create().ok_or_else(|| no_table("the whole"))?;
    let table = match sole(&top, servers)? {
        Some(found) => found.object_value().ok_or_else(|| no_table(&format!("`{servers}`")))?,
        None => top.object_value_or_set(servers),
    };
    match sole(&table, name)? {
        Some(found) if says(&found, entry) => Ok(Merged::Same),
        Some(found) => {
            found.set_value(value(entry));
            Ok(Merged::Replaced(root.to_string()))
        }
        None => {
            table.append(name, value(entry));
            Ok(Merged::Added(root.to_string()))
        }
    }
}

/// The property of this name, however its letters are escaped.
fn sole(object: &CstObject, name: &str) -> Result<Option<CstObjectProp>, MergeError> {
    let is_named = |found: &CstObjectProp| found.decoded_name().as_deref() == Some(name);
    let mut found = object.properties().into_iter().filter(is_named);
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(_) => Err(MergeError::Twice { key: name.to_owned() }),
    }
}

/// Whether each field stands there as it should.
fn says(found: &CstObjectProp, entry: &Entry) -> bool {
    let found = found.value().and_then(|value| value.to_serde_value()).unwrap_or_default();
    entry.fields().iter().all(|(name, field)| match field {
        Field::Text(text) => found[*name] == text.as_str(),
        Field::List(list) => found[*name] == Value::from(list.clone()),
    })
}

fn value(entry: &Entry) -> CstInputValue {
    let fields = entry.fields().iter().map(|(name, field)| {
        let value = match field {
            Field::Text(text) => CstInputValue::String(text.clone()),
            Field::List(list) => {
                CstInputValue::Array(list.iter().cloned().map(CstInputValue::String).collect())
            }
        };
        ((*name).to_owned(), value)
    });
    CstInputValue::Object(fields.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Entry::new("/bin/c", vec!["serve".to_owned(), "--allow-any".to_owned()])
    }

    fn merged(text: &str) -> Merged {
        merge(text, "mcpServers", "cofferdam", &entry()).unwrap()
    }

    fn added(text: &str) -> String {
        match merged(text) {
            Merged::Added(text) => text,
            other => panic!("{other:?}"),
        }
    }

    const ALONE: &str = r#"{
  "mcpServers": {
    "cofferdam": {
      "command": "/bin/c",
      "args": ["serve", "--allow-any"]
    }
  }
}
"#;

    #[test]
    fn an_empty_file_gets_nothing_but_the_entry() {
        assert_eq!(added(""), ALONE);
        assert_eq!(added("{}\n"), ALONE);
        assert_eq!(
            added(r#"{"mcpServers": {}}"#).replace([' ', '\n'], ""),
            ALONE.replace([' ', '\n'], "")
        );
    }

    #[test]
    fn comments_order_and_indentation_stay() {
        let before = "// mine\n{\n\t\"z\": 1, // last first\n\t\"mcpServers\": {\n\
            \t\t/* the other */\n\t\t\"b\": { \"url\": \"x\" }, // beside\n\
            \t},\n\t\"a\": [1,2 ],\n}\n// end\n";
        let after = added(before);
        let inserted = "\t\t\"cofferdam\": {\n\t\t\t\"command\": \"/bin/c\",\n\
            \t\t\t\"args\": [\"serve\", \"--allow-any\"],\n\t\t},\n";
        assert!(after.contains(inserted), "{after}");
        assert_eq!(after.replace(inserted, ""), before);
    }

    #[test]
    fn a_strict_file_stays_strict_and_keeps_its_line_ends() {
        let after = added("{\r\n  \"mcpServers\": {\r\n    \"b\": {}\r\n  }\r\n}");
        assert!(serde_json::from_str::<Value>(&after).is_ok(), "{after}");
        assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{after:?}");
    }

    #[test]
    fn comments_alone_are_no_value_and_stay() {
        let after = added("// nothing yet\n");
        assert!(after.starts_with("// nothing yet\n{"), "{after}");
    }

    #[test]
    fn an_entry_that_says_it_all_stays_with_what_the_person_added() {
        assert_eq!(merged(ALONE), Merged::Same);
        let more = ALONE.replace("\"args\"", "\"env\": { \"A\": \"1\" },\n      \"args\"");
        assert_eq!(merged(&more), Merged::Same);
    }

    #[test]
    fn an_entry_that_says_something_else_is_replaced_alone() {
        for other in ["{ \"command\": \"/bin/d\" }", "null", "[1]", "{}", "\"x\""] {
            let before = format!(
                "{{\n  \"mcpServers\": {{\n    \"cofferdam\": {other}, // note\n\
                 \x20   \"b\": {{}}\n  }}\n}}\n"
            );
            let Merged::Replaced(after) = merged(&before) else { panic!("{other}") };
            assert!(after.contains("\"command\": \"/bin/c\""), "{after}");
            assert!(after.contains("}, // note\n    \"b\": {}\n  }\n}\n"), "{after}");
        }
    }

    #[test]
    fn what_is_no_json_is_told_by_line_and_column() {
        for (text, line, column) in [
            ("{\n  \"a\": 1,\n  b: 2\n}", 3, 3),
            ("{\n  \"a\": 1\n  \"b\": 2\n}", 2, 9),
            ("{\n  \"é\": 'x'\n}", 2, 8),
            ("{\"a\": ", 1, 7),
            ("{} {}", 1, 4),
        ] {
            match merge(text, "mcpServers", "cofferdam", &entry()) {
                Err(MergeError::Syntax { line: found, column: at, message }) => {
                    assert_eq!((found, at), (line, column), "{text}: {message}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_has_no_room_for_an_entry_is_refused() {
        let refused = |text| merge(text, "mcpServers", "cofferdam", &entry()).unwrap_err();
        for text in ["[]", "1", "null", "{\"mcpServers\": []}", "{\"mcpServers\": null}"] {
            assert!(matches!(refused(text), MergeError::NoTable { .. }), "{text}");
        }
        let twice = "{\"mcpServers\": {\"cofferdam\": {}, \"coffer\\u0064am\": {}}}";
        for text in ["{\"mcpServers\": {}, \"mcpServers\": {}}", twice] {
            assert!(matches!(refused(text), MergeError::Twice { .. }), "{text}");
        }
    }
}
