//! No path can change what a profile says.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use cofferdam_profiles::{Access, Kind, Rule, UnixSockets};
use proptest::prelude::*;

use super::reader::read;
use super::sample::{policy, rule};
use crate::places::Places;
use crate::profile::Profile;

/// Names with everything in them that means something to Scheme, to a command line, or to nobody.
fn name() -> impl Strategy<Value = Vec<u8>> {
    let sign = prop::sample::select(b"\"\\()#;%='`|\n\r\t -DP0*?[]{}$\xff\xc3\x80a".to_vec());
    let any = any::<u8>().prop_filter("no name holds these", |byte| !b"/\0".contains(byte));
    prop::collection::vec(prop_oneof![3 => sign, 1 => any], 1..12)
        .prop_filter("a folder's own names", |name| !matches!(&name[..], b"." | b".."))
}

/// Rules below `/Users`, each path by the names in it.
type Shape = Vec<(Access, Kind, Vec<usize>)>;

fn shapes() -> impl Strategy<Value = Shape> {
    let access =
        prop::sample::select(vec![Access::Read, Access::Write, Access::Protect, Access::Deny]);
    let kind = prop::sample::select(vec![Kind::Directory, Kind::File, Kind::Absent]);
    prop::collection::vec((access, kind, prop::collection::vec(0..4_usize, 1..4)), 1..8)
}

fn rules(shape: &Shape, names: &[Vec<u8>]) -> Vec<Rule> {
    let rule = |(access, kind, path): &(Access, Kind, Vec<usize>)| {
        let names = path.iter().map(|name| OsString::from_vec(names[*name].clone()));
        let path: PathBuf = std::iter::once("/Users".into()).chain(names).collect();
        Rule { kind: *kind, ..rule(*access, path) }
    };
    shape.iter().map(rule).collect()
}

fn profile(rules: Vec<Rule>) -> Profile {
    let mut policy = policy(serde_json::json!({}));
    policy.network.unix_sockets = match rules.len() % 2 {
        0 => UnixSockets::Inside,
        _ => UnixSockets::Paths(vec![rules[0].clone()]),
    };
    policy.filesystem.devices = rules.clone();
    policy.filesystem.rules = rules;
    Profile::of(&policy, &Places::of(&policy.filesystem, &policy.network, None, &|_| true))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_profile_says_the_same_whatever_its_paths_are_called(
        shape in shapes(),
        names in prop::collection::hash_set(name(), 4),
    ) {
        let hostile: Vec<_> = names.into_iter().collect();
        let plain: Vec<_> = (0..4).map(|number| format!("name{number}").into_bytes()).collect();
        let (hostile_rules, plain_rules) = (rules(&shape, &hostile), rules(&shape, &plain));
        let paths: Vec<_> = hostile_rules.iter().map(|rule| rule.path.clone()).collect();
        let (hostile, plain) = (profile(hostile_rules), profile(plain_rules));
        prop_assert_eq!(hostile.text(), plain.text());
        prop_assert_eq!(read(hostile.text()), read(plain.text()));

        // Every path is there, byte for byte, and every definition has a name that the text uses.
        let definitions: Vec<_> = hostile.definitions().collect();
        for (number, definition) in definitions.iter().enumerate() {
            let (start, use_of_it) = (format!("P{number}=/"), format!("(param \"P{number}\")"));
            prop_assert!(definition.as_encoded_bytes().starts_with(start.as_bytes()));
            prop_assert!(hostile.text().contains(&use_of_it));
        }
        for path in paths {
            let held = definitions.iter().any(|definition| {
                definition.as_encoded_bytes().splitn(2, |byte| *byte == b'=').nth(1)
                    == Some(path.as_os_str().as_encoded_bytes())
            });
            prop_assert!(held, "{:?} is missing", path);
        }
    }
}
