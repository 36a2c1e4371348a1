//! No text and no table makes the reader panic.

use cofferdam_profiles::{Grants, Source, resolve, shipped};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::support::Machine;

/// Keys of profiles, and some that are none.
const KEYS: &[&str] = &[
    "description",
    "extends",
    "best-effort",
    "filesystem",
    "network",
    "environment",
    "syscalls",
    "limits",
    "read",
    "write",
    "deny",
    "protect",
    "devices",
    "mode",
    "unix-sockets",
    "path",
    "pass",
    "set",
    "allow",
    "memory",
    "cpu-seconds",
    "wrte",
    "",
];

/// Values that mean something in some list, and the pieces that they are made of.
const WORDS: &[&str] = &[
    "/usr",
    "/usr?",
    "${home}/x",
    "${tmp}",
    "${cache}",
    "${git-dir}?",
    "${env:A}",
    "${",
    "}",
    "!",
    "!/usr",
    "*",
    "LC_*",
    "..",
    "/a/../b",
    "~",
    "~/x",
    "?",
    "",
    "base",
    "./x.toml",
    "on",
    "inside",
    "512M",
    "\0",
    "é",
    "//",
    "/",
    "/dev/nul*",
];

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(WORDS).prop_map(str::to_owned),
        prop::collection::vec(prop::sample::select(WORDS), 0..4).prop_map(|words| words.concat()),
        any::<String>(),
    ]
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word().prop_map(Value::from),
        prop::collection::vec(word(), 0..4).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop::sample::select(KEYS), inner, 0..6).prop_map(|map| {
                map.into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect::<Map<_, _>>()
                    .into()
            }),
        ]
    })
}

/// A shipped profile with a piece cut out and another put in.
fn damaged() -> impl Strategy<Value = String> {
    let texts: Vec<&'static str> = shipped().map(|profile| profile.text).collect();
    let piece = prop_oneof![
        word(),
        prop::sample::select(vec!["\"", "[", "]", "\n", "=", "{", "#"]).prop_map(str::to_owned)
    ];
    (prop::sample::select(texts), any::<prop::sample::Index>(), 0usize..40, piece).prop_map(
        |(text, at, cut, piece)| {
            let mut characters: Vec<char> = text.chars().collect();
            let start = at.index(characters.len());
            let end = (start + cut).min(characters.len());
            characters.splice(start..end, piece.chars());
            characters.into_iter().collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_never_panics(text in prop_oneof![any::<String>(), damaged()]) {
        let machine = Machine::new();
        machine.profile("x", &text);
        if let Err(error) = machine.resolve("x") {
            prop_assert!(!error.mistakes().is_empty());
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn an_arbitrary_table_never_panics(value in json()) {
        let machine = Machine::new();
        let outcome = Source::from_value(value)
            .and_then(|source| resolve(&source, &Grants::default(), &machine.context));
        match outcome {
            Ok(policy) => drop((policy.render(), policy.to_json())),
            Err(error) => prop_assert!(!error.mistakes().is_empty()),
        }
    }
}
