//! The order of the rules says what the policy says: the deepest path decides.

use std::path::{Path, PathBuf};

use cofferdam_profiles::{Access, Filesystem, Kind, Rule};
use proptest::prelude::*;

use super::sample::{asked, rule, with_rules};

const PLACES: [&str; 9] = ["", "/a", "/a/b", "/a/b/c", "/a/bc", "/ab", "/a/c", "/a/c/b", "/d"];

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let access =
        prop::sample::select(vec![Access::Read, Access::Write, Access::Protect, Access::Deny]);
    prop::collection::vec((access, prop::sample::select(PLACES.to_vec())), 0..8).prop_map(|pairs| {
        let mut rules: Vec<_> = pairs
            .into_iter()
            .map(|(access, place)| rule(access, format!("/Users{place}")))
            .collect();
        rules.sort_by(|one, other| (&one.path, one.access).cmp(&(&other.path, other.access)));
        rules.dedup();
        rules
    })
}

/// As a policy in hand has it: what is protected stands in something writable.
fn without_idle_protection(mut rules: Vec<Rule>) -> Vec<Rule> {
    let grants: Vec<_> =
        rules.iter().filter(|rule| rule.access != Access::Protect).cloned().collect();
    let files = Filesystem { rules: grants, ..Filesystem::default() };
    rules.retain(|rule| rule.access != Access::Protect || files.may_write(&rule.path));
    rules
}

fn paths() -> impl Iterator<Item = PathBuf> {
    PLACES.iter().flat_map(|place| {
        ["", "/new", "/new/er"].map(|below| format!("/Users{place}{below}").into())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_profile_decides_as_its_policy_does(rules in rules()) {
        let policy = with_rules(without_idle_protection(rules));
        let (files, asked) = (&policy.filesystem, asked(&policy));
        for path in paths() {
            let read = files.may_read(&path);
            for operation in ["file-read-data", "file-read-xattr", "file-map-executable", "process-exec"] {
                prop_assert_eq!(asked.allows(operation, &path), read, "{} {:?}", operation, path);
            }
            let write = files.may_write(&path);
            for operation in ["file-write-data", "file-write-mode", "file-link"] {
                prop_assert_eq!(asked.allows(operation, &path), write, "{} {:?}", operation, path);
            }
            prop_assert_eq!(asked.allows_socket("network-outbound", "remote", &path), write);
            prop_assert_eq!(asked.allows_socket("network-bind", "local", &path), write);
        }
    }

    #[test]
    fn nothing_that_a_rule_names_can_be_moved_away(rules in rules()) {
        let policy = with_rules(without_idle_protection(rules));
        let asked = asked(&policy);
        for rule in &policy.filesystem.rules {
            for above in rule.path.ancestors() {
                prop_assert!(!asked.allows("file-write-unlink", above), "{:?}", above);
            }
        }
    }
}

#[test]
fn a_rule_for_a_file_covers_that_file_only() {
    let file = Rule { kind: Kind::File, ..rule(Access::Write, "/Users/ann/notes") };
    let asked = asked(&with_rules(vec![file]));
    assert!(asked.allows("file-write-data", Path::new("/Users/ann/notes")));
    assert!(!asked.allows("file-write-data", Path::new("/Users/ann/notes/x")));
}
