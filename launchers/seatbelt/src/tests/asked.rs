//! Asks a profile, as it was read back, what it decides: the last rule that fits.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::reader::{Read, read};
use crate::profile::Profile;

/// A profile that can be asked.
#[derive(Debug)]
pub(crate) struct Asked {
    rules: Vec<Read>,
    parameters: BTreeMap<String, PathBuf>,
}

impl Asked {
    pub(crate) fn of(profile: &Profile) -> Asked {
        let parameters = profile.definitions().map(|definition| {
            let bytes = definition.as_bytes();
            let end = bytes.iter().position(|byte| *byte == b'=').unwrap();
            let name = String::from_utf8(bytes[..end].to_vec()).unwrap();
            (name, PathBuf::from(OsString::from_vec(bytes[end + 1..].to_vec())))
        });
        Asked { parameters: parameters.collect(), rules: read(profile.text()) }
    }

    /// Whether an operation on this path is allowed.
    pub(crate) fn allows(&self, operation: &str, path: &Path) -> bool {
        self.decides(operation, &|filter| self.fits(filter, path))
    }

    /// Whether a connection to (`remote`), or a listener on (`local`) a socket file is allowed.
    pub(crate) fn allows_socket(&self, operation: &str, side: &str, path: &Path) -> bool {
        self.decides(operation, &|filter| match filter {
            [name, kind, inner] if name.word() == side && kind.word() == "unix-socket" => {
                self.fits(inner.list(), path)
            }
            _ => self.fits(filter, path),
        })
    }

    /// Whether something that is named (a Mach service, a fact) is allowed.
    pub(crate) fn allows_name(&self, operation: &str, name: &str) -> bool {
        self.decides(operation, &|filter| match filter {
            [kind, Read::Text(text)] => match kind.word() {
                "global-name" | "sysctl-name" => text == name,
                "sysctl-name-prefix" => name.starts_with(text.as_str()),
                _ => false,
            },
            _ => false,
        })
    }

    /// Whether any rule allows this operation, on anything.
    pub(crate) fn mentions_as_allowed(&self, operation: &str) -> bool {
        self.decides(operation, &|_| true)
    }

    fn decides(&self, operation: &str, fits: &dyn Fn(&[Read]) -> bool) -> bool {
        let mut decision = false;
        for rule in &self.rules {
            let [verb, rest @ ..] = rule.list() else { panic!("an empty rule") };
            let (operations, filters): (Vec<_>, Vec<_>) =
                rest.iter().partition(|part| matches!(part, Read::Word(_)));
            let named = operations.iter().any(|name| covers(name.word(), operation));
            if named && (filters.is_empty() || filters.iter().any(|filter| fits(filter.list()))) {
                decision = verb.word() == "allow";
            }
        }
        decision
    }

    fn fits(&self, filter: &[Read], path: &Path) -> bool {
        match filter {
            [kind, operand] if kind.word() == "literal" => path == self.path(operand),
            [kind, operand] if kind.word() == "subpath" => path.starts_with(self.path(operand)),
            _ => false,
        }
    }

    fn path(&self, operand: &Read) -> PathBuf {
        match operand {
            Read::Text(text) => text.into(),
            parameter => {
                let [word, Read::Text(name)] = parameter.list() else { panic!("{parameter:?}") };
                assert_eq!(word.word(), "param");
                self.parameters[name].clone()
            }
        }
    }
}

/// Whether the name of a rule stands for this operation: `file-write*` for `file-write-data`.
fn covers(name: &str, operation: &str) -> bool {
    name == "default"
        || name.strip_suffix('*').map_or(name == operation, |start| operation.starts_with(start))
}
