//! TOML.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

use super::{MergeError, Merged, position};
use crate::cli::init::entry::{Entry, Field};

pub(super) fn merge(
    text: &str,
    servers: &str,
    name: &str,
    entry: &Entry,
) -> Result<Merged, MergeError> {
    let mut document = parse(text)?;
    match document.get_mut(servers) {
        None => appended(text, servers, name, entry),
        Some(Item::Value(Value::InlineTable(table))) => {
            let known = table.contains_key(name);
            if table.get(name).is_some_and(|found| says(found.as_inline_table(), entry)) {
                return Ok(Merged::Same);
            }
            table.insert(name, Value::InlineTable(inline(entry)));
            Ok(written(document, text, known))
        }
        Some(Item::Table(table)) => match table.get_mut(name) {
            None => appended(text, servers, name, entry),
            Some(found) if says(found.as_table_like(), entry) => Ok(Merged::Same),
            Some(found) => {
                replace(found, entry);
                Ok(written(document, text, true))
            }
        },
        Some(_) => Err(MergeError::NoTable { place: format!("`{servers}`") }),
    }
}

fn parse(text: &str) -> Result<DocumentMut, MergeError> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let (line, column) = position(text, error.span().unwrap_or_default().start);
        MergeError::Syntax { line, column, message: error.message().replace('\n', "; ") }
    })
}

/// The text, and a table after it. Nothing of the text is touched.
fn appended(text: &str, servers: &str, name: &str, entry: &Entry) -> Result<Merged, MergeError> {
    let mut document = DocumentMut::new();
    let mut parent = Table::new();
    parent.set_implicit(true);
    parent.insert(name, Item::Table(table(entry)));
    document.insert(servers, Item::Table(parent));
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let addition = format!("{gap}{document}");
    let whole = format!("{text}{}", with_line_ends_of(text, &addition));
    // A table that the text has already closed, in a way that this does not know of.
    parse(&whole)?;
    Ok(Merged::Added(whole))
}

fn written(document: DocumentMut, text: &str, known: bool) -> Merged {
    let written = with_line_ends_of(text, &document.to_string());
    match known {
        true => Merged::Replaced(written),
        false => Merged::Added(written),
    }
}

/// The writer ends its own lines with a newline alone.
fn with_line_ends_of(text: &str, written: &str) -> String {
    match text.contains("\r\n") {
        true => written.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => written.to_owned(),
    }
}

/// Puts new fields where old ones were. A header keeps its place, and the comments above it.
fn replace(found: &mut Item, entry: &Entry) {
    match found {
        Item::Table(old) => {
            old.clear();
            // It had fields in dotted keys, or tables below it alone.
            old.set_implicit(false);
            old.set_dotted(false);
            for (name, field) in entry.fields() {
                old.insert(name, value(of(field)));
            }
        }
        other => *other = value(inline(entry)),
    }
}

/// Whether each field stands there as it should.
fn says<T: TableLike + ?Sized>(found: Option<&T>, entry: &Entry) -> bool {
    let Some(found) = found else { return false };
    entry.fields().iter().all(|(name, field)| match (found.get(name), field) {
        (Some(item), Field::Text(text)) => item.as_str() == Some(text),
        (Some(item), Field::List(list)) => item.as_array().is_some_and(|array| {
            array.iter().map(Value::as_str).eq(list.iter().map(|text| Some(text.as_str())))
        }),
        (None, _) => false,
    })
}

fn table(entry: &Entry) -> Table {
    let mut table = Table::new();
    for (name, field) in entry.fields() {
        table.insert(name, value(of(field)));
    }
    table
}

fn inline(entry: &Entry) -> InlineTable {
    entry.fields().iter().map(|(name, field)| (*name, of(field))).collect()
}

fn of(field: &Field) -> Value {
    match field {
        Field::Text(text) => text.into(),
        Field::List(list) => Value::Array(Array::from_iter(list)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Entry::new("/bin/c", vec!["serve".to_owned(), "--allow-any".to_owned()])
    }

    fn merged(text: &str) -> Merged {
        merge(text, "mcp_servers", "cofferdam", &entry()).unwrap()
    }

    const ALONE: &str =
        "[mcp_servers.cofferdam]\ncommand = \"/bin/c\"\nargs = [\"serve\", \"--allow-any\"]\n";

    #[test]
    fn an_empty_file_gets_nothing_but_the_entry() {
        assert_eq!(merged(""), Merged::Added(ALONE.to_owned()));
    }

    #[test]
    fn what_was_there_stays_byte_for_byte() {
        for before in [
            "# mine\nmodel='x'   # odd\n\n[mcp_servers.b]\ncommand = \"y\"\n[z]\na=1\n# end\n",
            "# only a comment\n",
            "mcp_servers.b.command = \"y\"\n",
            "[mcp_servers]\n",
        ] {
            assert_eq!(merged(before), Merged::Added(format!("{before}\n{ALONE}")));
        }
        let open = "a = 1";
        assert_eq!(merged(open), Merged::Added(format!("{open}\n\n{ALONE}")));
    }

    #[test]
    fn line_ends_stay() {
        let replaced = "[mcp_servers.cofferdam]\r\ncommand = \"x\"\r\n\r\n[b]\r\nc = 1\r\n";
        for before in ["a = 1\r\n", "# c\r\n[mcp_servers.b]\r\nd = 1\r\n", replaced] {
            let (Merged::Added(after) | Merged::Replaced(after)) = merged(before) else { panic!() };
            assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{after:?}");
        }
    }

    #[test]
    fn an_inline_table_stays_one() {
        let Merged::Added(after) = merged("mcp_servers = { b = { command = \"y\" } } # note\n")
        else {
            panic!()
        };
        assert!(
            after.starts_with("mcp_servers = { b = { command = \"y\" } , cofferdam = {"),
            "{after}"
        );
        assert!(after.ends_with(" } # note\n"), "{after}");
        assert_eq!(merged(&after), Merged::Same);
    }

    #[test]
    fn an_entry_that_says_it_all_stays_with_what_the_person_added() {
        assert_eq!(merged(ALONE), Merged::Same);
        assert_eq!(merged(&format!("{ALONE}tool_timeout_sec = 90\n")), Merged::Same);
        assert_eq!(
            merged(&format!("{ALONE}[mcp_servers.cofferdam.env]\nA = \"1\"\n")),
            Merged::Same
        );
    }

    #[test]
    fn an_entry_that_says_something_else_is_replaced_in_its_place() {
        let before = "a = 1\n\n# ours\n[mcp_servers.cofferdam]\ncommand = \"old\"\n\n\
            [mcp_servers.cofferdam.env]\nA = \"1\"\n\n\
            # theirs\n[mcp_servers.b]\ncommand = \"y\"\n";
        let after =
            format!("a = 1\n\n# ours\n{ALONE}\n# theirs\n[mcp_servers.b]\ncommand = \"y\"\n");
        assert_eq!(merged(before), Merged::Replaced(after));
        let nested = "[mcp_servers]\ncofferdam = { command = \"x\" }\nb = 1\n";
        let Merged::Replaced(after) = merged(nested) else { panic!() };
        assert_eq!(merged(&after), Merged::Same, "{after}");
        assert!(after.ends_with("}\nb = 1\n"), "{after}");
    }

    #[test]
    fn an_entry_in_dotted_keys_is_replaced() {
        for before in [
            "mcp_servers.cofferdam.command = \"x\"\nmodel = \"m\"\n",
            "[mcp_servers]\ncofferdam.command = \"x\"\n",
            "[mcp_servers.cofferdam.env]\nA = \"1\"\n",
        ] {
            let Merged::Replaced(after) = merged(before) else { panic!("{before}") };
            assert_eq!(merged(&after), Merged::Same, "{after}");
            assert_eq!(after.contains("model"), before.contains("model"), "{after}");
        }
    }

    #[test]
    fn what_is_no_toml_is_told_by_line_and_column() {
        for (text, line, column) in
            [("a = 1\nb 2\n", 2, 3), ("é = \n", 1, 1), ("a = 1\na = 2\n", 2, 1)]
        {
            match merge(text, "mcp_servers", "cofferdam", &entry()) {
                Err(MergeError::Syntax { line: found, column: at, message }) => {
                    assert_eq!((found, at), (line, column), "{text}: {message}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_has_no_room_for_an_entry_is_refused() {
        for text in ["mcp_servers = 1\n", "[[mcp_servers]]\n", "mcp_servers = []\n"] {
            let refused = merge(text, "mcp_servers", "cofferdam", &entry());
            assert!(matches!(refused, Err(MergeError::NoTable { .. })), "{text}: {refused:?}");
        }
    }
}
