//! Writes the shipped profiles as Rust values, so that nobody who starts the program parses them again.

use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

#[expect(dead_code, reason = "columns are for the messages of the crate itself")]
#[path = "src/lines.rs"]
mod lines;

use lines::Lines;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=shipped");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/lines.rs");
    let mut files: Vec<PathBuf> = fs::read_dir("shipped")?
        .map(|file| Ok(file?.path()))
        .collect::<Result<_, Box<dyn Error>>>()?;
    files.sort();
    let mut trees = format!("pub(super) static TREES: [(&str, Node); {}] = [\n", files.len());
    for file in &files {
        let name =
            file.file_stem().and_then(|stem| stem.to_str()).ok_or("a name that is no text")?;
        let text = fs::read_to_string(file)?;
        let table =
            DeTable::parse(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        let lines = Lines::new(&text);
        let line = lines.line(table.span().start);
        let tree = table_in_rust(table.into_inner(), &lines)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        writeln!(trees, "({name:?}, Node {{ line: Some({line}), value: {tree} }}),")?;
    }
    trees.push_str("];\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("trees.rs"), trees)?;
    Ok(())
}

/// As `crate::tree` makes it of the same table.
fn table_in_rust(table: DeTable<'_>, lines: &Lines<'_>) -> Result<String, Box<dyn Error>> {
    let mut fields: Vec<_> = table.into_iter().collect();
    fields.sort_by_key(|(key, _)| lines.line(key.span().start));
    let mut written = String::from("Tree::Table(Cow::Borrowed(&[");
    for (key, value) in fields {
        let (line, node) = (lines.line(key.span().start), node_in_rust(value, lines)?);
        let key = key.get_ref();
        write!(
            written,
            "Field {{ key: Cow::Borrowed({key:?}), line: Some({line}), node: {node} }},"
        )?;
    }
    Ok(written + "]))")
}

fn node_in_rust(value: Spanned<DeValue<'_>>, lines: &Lines<'_>) -> Result<String, Box<dyn Error>> {
    let line = lines.line(value.span().start);
    let value = match value.into_inner() {
        DeValue::String(text) => format!("Tree::Text(Cow::Borrowed({text:?}))"),
        DeValue::Integer(number) => {
            let number = i128::from_str_radix(number.as_str(), number.radix())?;
            format!("Tree::Integer({number})")
        }
        DeValue::Array(items) => {
            let items = items.into_iter().map(|item| node_in_rust(item, lines));
            let items = items.collect::<Result<Vec<_>, _>>()?.join(", ");
            format!("Tree::List(Cow::Borrowed(&[{items}]))")
        }
        DeValue::Table(table) => table_in_rust(table, lines)?,
        other => return Err(format!("line {line}: no profile holds {other:?}").into()),
    };
    Ok(format!("Node {{ line: Some({line}), value: {value} }}"))
}
