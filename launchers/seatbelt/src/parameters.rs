//! The paths of a profile, outside of its text.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::expression::{Expression, form};

/// Paths, each once, in the order in which the profile mentions them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Parameters(Vec<PathBuf>);

/// Folders that macOS keeps in `/private`, with links from the top. The kernel compares paths after
/// it has followed links.
const IN_PRIVATE: [&str; 3] = ["/etc", "/tmp", "/var"];

/// The path by which the kernel knows what is at `path`. Policies are resolved when they are read; this
/// is for what is named without a look at the disk.
pub(crate) fn real(path: &Path) -> PathBuf {
    match IN_PRIVATE.iter().any(|folder| path.starts_with(folder)) {
        true => Path::new("/private").join(path.strip_prefix("/").unwrap_or(path)),
        false => path.to_owned(),
    }
}

impl Parameters {
    /// The parameter of this path.
    pub(crate) fn of(&mut self, path: &Path) -> Expression {
        let known = self.0.iter().position(|held| held.as_os_str() == path.as_os_str());
        Expression::Parameter(known.unwrap_or_else(|| {
            self.0.push(path.to_owned());
            self.0.len() - 1
        }))
    }

    /// This path alone.
    pub(crate) fn literal(&mut self, path: &Path) -> Expression {
        form("literal", [self.of(path)])
    }

    /// This path and all below it.
    pub(crate) fn subpath(&mut self, path: &Path) -> Expression {
        form("subpath", [self.of(path)])
    }

    /// `P0=/path`, one for each option `-D`. The name ends at the first `=`, whatever the path holds.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = OsString> {
        self.0.iter().enumerate().map(|(number, path)| {
            let mut definition = OsString::from(format!("P{number}="));
            definition.push(path);
            definition
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_links_at_the_top_of_macos_are_followed() {
        for (path, expected) in [
            ("/tmp", "/private/tmp"),
            ("/var/folders/x", "/private/var/folders/x"),
            ("/etc/hosts", "/private/etc/hosts"),
            ("/tmpfiles", "/tmpfiles"),
            ("/private/tmp", "/private/tmp"),
            ("/Users/ann/tmp", "/Users/ann/tmp"),
        ] {
            assert_eq!(real(Path::new(path)), Path::new(expected));
        }
    }

    #[test]
    fn a_path_is_defined_once_and_as_it_is() {
        let mut parameters = Parameters::default();
        let one = parameters.of(Path::new("/a=b\"c"));
        assert_eq!(parameters.of(Path::new("/d")), Expression::Parameter(1));
        assert_eq!(parameters.of(Path::new("/a=b\"c")), one);
        let definitions: Vec<_> = parameters.definitions().collect();
        assert_eq!(definitions, ["P0=/a=b\"c", "P1=/d"]);
    }
}
