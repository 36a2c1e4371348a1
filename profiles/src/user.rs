//! The user's own profiles: `profiles/NAME.toml` in the configuration folder.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::context::Context;
use crate::error::ProfileError;
use crate::mistake::{Cause, Mistake};
use crate::policy::Origin;
use crate::read::read;
use crate::shipped;
use crate::tree::Node;

/// No profile is longer: the longest shipped one has 10 KiB. It keeps a mistaken path, to a disk
/// image or to `/dev/zero`, from filling the memory.
const MAX_FILE: u64 = 1 << 20;

/// A profile of the user's own.
#[derive(Debug)]
pub struct UserProfile {
    /// Its name: the file's, without `.toml`.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Its description (empty where it has none), or why it cannot be used. What it extends is not
    /// looked at.
    pub description: Result<String, ProfileError>,
}

/// The user's own profiles, by name. None where there is no such folder.
pub fn user_profiles(context: &Context) -> Vec<UserProfile> {
    let Some(folder) = folder(context) else { return Vec::new() };
    let Ok(files) = fs::read_dir(folder) else { return Vec::new() };
    let mut profiles: Vec<UserProfile> =
        files.filter_map(|file| user_profile(file.ok()?.path())).collect();
    profiles.sort_by(|one, other| one.name.cmp(&other.name));
    profiles
}

fn user_profile(path: PathBuf) -> Option<UserProfile> {
    let name = path.file_name()?.to_str()?.strip_suffix(".toml")?.to_owned();
    if !is_name(&name) {
        return None;
    }
    let description = describe(&name, &path).map_err(ProfileError::Invalid);
    Some(UserProfile { name, path, description })
}

fn describe(name: &str, path: &Path) -> Result<String, Vec<Mistake>> {
    let source = path.display().to_string();
    let whole_file = |cause| {
        let origin = Origin { source: source.as_str().into(), ..Origin::default() };
        vec![Mistake { origin, key: String::new(), value: None, cause }]
    };
    if shipped::is_shipped(name) {
        return Err(whole_file(Cause::ShippedName { path: path.to_owned() }));
    }
    let text = read_file(path).map_err(|error| whole_file(Cause::Unreadable(error)))?;
    match read(&Node::from_toml(&text, &source)?, &source) {
        (draft, mistakes) if mistakes.is_empty() => {
            Ok(draft.description.map(|entry| entry.value).unwrap_or_default())
        }
        (_, mistakes) => Err(mistakes),
    }
}

/// The folder of the user's own profiles.
pub(crate) fn folder(context: &Context) -> Option<PathBuf> {
    context.config_dir.as_ref().map(|dir| dir.join("profiles"))
}

/// Whether a text can be a profile's name. It becomes a file name, a part of a policy's name, which
/// is joined by `+`, and the name of a cache folder.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// Reads a profile's file.
pub(crate) fn read_file(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = fs::File::open(path)?.take(MAX_FILE + 1).read_to_string(&mut text)?;
    match read as u64 > MAX_FILE {
        false => Ok(text),
        true => Err(io::Error::other("a profile has at most 1 MiB")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_safe_component() {
        for name in ["site", "site-2.x", "9_a"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".", "..", ".hidden", "a/b", "a+b", "a b", "-x", "é", "a\0"] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn an_endless_file_is_refused() {
        assert!(read_file(Path::new("/dev/zero")).is_err());
    }
}
