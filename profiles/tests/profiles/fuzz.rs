//! No text and no table makes the reader panic, and no name opens more than it names.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

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

/// A name with whatever a file system takes.
fn name() -> impl Strategy<Value = Vec<u8>> {
    let sign = prop::sample::select(b"\"\\()#;%='`|\n\r\t -?*![]{}$~\xff\xc3\x80a.".to_vec());
    prop::collection::vec(sign, 1..10)
        .prop_filter("a folder's own names", |name| !matches!(&name[..], b"." | b".."))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// No variable, wildcard or `?` means anything in a path of the command line, and no byte is lost.
    #[test]
    fn a_path_given_as_an_option_opens_itself_and_nothing_beside_it(
        names in prop::collection::hash_set(name(), 4),
        denied in any::<bool>(),
    ) {
        let machine = Machine::new();
        let names: Vec<_> = names.into_iter().map(OsString::from_vec).collect();
        let folders: Vec<_> = names.iter().map(|name| machine.dir("t").join(name)).collect();
        for folder in &folders {
            fs::create_dir_all(folder.join("in")).unwrap();
        }
        let grants = Grants {
            read: vec![folders[0].clone()],
            write: vec![folders[1].clone()],
            deny: if denied { vec![folders[1].join("in")] } else { Vec::new() },
            ..Grants::default()
        };
        let files = machine.granted(&grants).unwrap().filesystem;
        let open = |path: &Path| (files.may_read(path), files.may_write(path));
        prop_assert_eq!(open(&folders[0].join("in")), (true, false));
        prop_assert_eq!(open(&folders[1]), (true, true));
        prop_assert_eq!(open(&folders[1].join("in")), (!denied, !denied));
        for closed in [&folders[2], &folders[3], &machine.top.join("t")] {
            prop_assert_eq!(open(closed), (false, false), "{:?}", closed);
        }
    }
}
