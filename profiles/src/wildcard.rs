//! `*` in a path: the names that exist when the policy is resolved.

use std::cmp::Ordering;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use crate::look::Looks;

/// All existing paths that a pattern stands for, the highest version first: `node/v20` comes before
/// `node/v9`. In a component, `*` stands for any characters, and not for a dot at its beginning.
pub(crate) fn expand(pattern: &Path, looks: &Looks) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::from("/")];
    for component in pattern.components() {
        let Component::Normal(name) = component else { continue };
        let name = name.as_encoded_bytes();
        paths = match name.contains(&b'*') {
            true => paths.iter().flat_map(|path| children(path, name, looks)).collect(),
            false => paths.iter().map(|path| path.join(component)).collect(),
        };
    }
    paths.retain(|path| path.exists());
    paths
}

/// The matching entries of a directory; none where it cannot be read.
fn children(dir: &Path, pattern: &[u8], looks: &Looks) -> Vec<PathBuf> {
    let names = looks.names(dir);
    let fitting = names.iter().filter(|name| matches(pattern, name.as_encoded_bytes()));
    let mut names: Vec<&OsString> = fitting.collect();
    names.sort_by(|one, other| by_version(other.as_encoded_bytes(), one.as_encoded_bytes()));
    names.into_iter().map(|name| dir.join(name)).collect()
}

/// Whether a name fits a pattern. The last part must end the name, the others are taken where they
/// first fit.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    if name.starts_with(b".") && !pattern.starts_with(b".") {
        return false;
    }
    let mut parts = pattern.split(|byte| *byte == b'*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&[u8]> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty(); // no `*`
    };
    for part in middle.iter().filter(|part| !part.is_empty()) {
        match rest.windows(part.len()).position(|window| window == *part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Compares names, runs of digits by their value.
fn by_version(one: &[u8], other: &[u8]) -> Ordering {
    let (mut one, mut other) = (one, other);
    loop {
        let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (left, right) = (digits(one), digits(other));
        if left > 0 && right > 0 {
            let (number, rest) = one.split_at(left);
            let (against, other_rest) = other.split_at(right);
            let value =
                |text: &[u8]| text.iter().position(|byte| *byte != b'0').unwrap_or(text.len());
            let (number, against) = (&number[value(number)..], &against[value(against)..]);
            let order = number.len().cmp(&against.len()).then_with(|| number.cmp(against));
            if order.is_ne() {
                return order;
            }
            (one, other) = (rest, other_rest);
            continue;
        }
        match (one.split_first(), other.split_first()) {
            (Some((left, one_rest)), Some((right, other_rest))) if left == right => {
                (one, other) = (one_rest, other_rest);
            }
            (left, right) => return left.map(|(byte, _)| byte).cmp(&right.map(|(byte, _)| byte)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_pattern_covers_the_whole_name() {
        for (pattern, name) in [
            ("nvidia*", "nvidia0"),
            ("*", "x"),
            ("a*b*c", "aXbbc"),
            ("java-*-jdk", "java-17-jdk"),
            (".*", ".x"),
        ] {
            assert!(matches(pattern.as_bytes(), name.as_bytes()), "{pattern} {name}");
        }
        for (pattern, name) in
            [("nvidia*", "xnvidia0"), ("*", ".x"), ("a*b", "abc"), ("ab*ba", "aba"), ("a*", "b")]
        {
            assert!(!matches(pattern.as_bytes(), name.as_bytes()), "{pattern} {name}");
        }
    }

    #[test]
    fn higher_versions_come_first() {
        let folder = tempfile::tempdir().unwrap();
        for version in ["v9.1.0", "v20.3.0", "v20.10.0"] {
            fs::create_dir_all(folder.path().join(version).join("bin")).unwrap();
        }
        fs::create_dir(folder.path().join("v99")).unwrap();
        let found = expand(&folder.path().join("v*/bin"), &Looks::default());
        let expected =
            ["v20.10.0/bin", "v20.3.0/bin", "v9.1.0/bin"].map(|dir| folder.path().join(dir));
        assert_eq!(found, expected);
    }
}
