//! The message for whole files, word for word: what a person sees who made many mistakes at once.

use std::fs;
use std::path::Path;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::{Config, Format, SettingsError};

fn message(name: &str, text: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, text).unwrap();
    let error = Config::from_file(&path).unwrap_err();
    if let SettingsError::Mistakes { mistakes, .. } = &error {
        assert_eq!(mistakes.len(), 10);
    }
    error.to_string().replace(&path.display().to_string(), name)
}

#[test]
fn one_message_names_all_ten_mistakes_of_a_file() {
    assert_eq!(
        message("mcp.json", include_str!("testdata/ten-mistakes.json")),
        include_str!("testdata/ten-mistakes.txt").trim_end()
    );
}

#[test]
fn the_same_mistakes_in_toml_have_the_same_message() {
    let expected = include_str!("testdata/ten-mistakes.txt").trim_end();
    let mut expected: Vec<_> = expected.lines().collect();
    let message = message("mcp.toml", include_str!("testdata/ten-mistakes.toml"));
    let message = message.replace("mcp.toml", "mcp.json");
    let mut lines: Vec<_> = message.lines().collect();
    // The order is that of the file in JSON, and that of the keys in TOML.
    expected.sort_unstable();
    lines.sort_unstable();
    assert_eq!(lines, expected);
}

/// Anything that a file can hold, mostly made of the words that mean something here.
fn any_value() -> impl Strategy<Value = Value> {
    const WORDS: &[&str] = &[
        "",
        "$schema",
        "Shell",
        "Shell#a",
        "allow",
        "allow-any",
        "allow-patterns",
        "ask",
        "auto",
        "bubblewrap",
        "command",
        "compress",
        "compress-filters",
        "cwd",
        "descriptions",
        "environment",
        "escalate",
        "format",
        "git",
        "guard",
        "guard-except",
        "inherit",
        "instance",
        "instructions",
        "isolate-terminal",
        "job-ttl",
        "landlock",
        "leaf-tools",
        "launcher",
        "max-jobs",
        "max-output-bytes",
        "max-timeout",
        "kill",
        "name",
        "names",
        "namespaces",
        "none",
        "nonzero-is-error",
        "off",
        "on-output-limit",
        "pass",
        "prefix",
        "profile",
        "program",
        "run",
        "sandboxed",
        "scratch",
        "set",
        "timeout",
        "tools",
        "version",
        "/",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        select(WORDS).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        let key = select(WORDS).prop_map(str::to_owned);
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(key, inner, 0..6).prop_map(|table| table.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_is_written_there_is_a_configuration_or_at_least_one_mistake(
        settings in any_value(),
        top in any_value(),
    ) {
        let whole = json!({"name": "x", "tools": {"Shell": settings}});
        for value in [whole, top] {
            match Config::from_text(&value.to_string(), Format::Json, Path::new("/")) {
                Ok(config) => prop_assert!(!config.instances.is_empty()),
                Err(SettingsError::Mistakes { mistakes, .. }) => {
                    prop_assert!(!mistakes.is_empty());
                    for mistake in mistakes {
                        prop_assert_eq!(mistake.to_string().lines().count(), 1);
                    }
                }
                Err(error) => prop_assert!(false, "{error}"),
            }
        }
    }
}
