//! The ordinary user of a test that root runs.

use std::ffi::OsString;
use std::os::unix::fs::chown;
use std::path::Path;

use crate::support::User;

/// The user's number.
const NOBODY: u32 = 65534;

impl User {
    /// A command of this user's.
    pub(crate) fn argv<A: Into<OsString>>(
        self,
        argv: impl IntoIterator<Item = A>,
    ) -> Vec<OsString> {
        let id = NOBODY.to_string();
        let ids = [format!("--reuid={id}"), format!("--regid={id}")];
        let mut all: Vec<OsString> = match self {
            User::Nobody => {
                ["setpriv", &ids[0], &ids[1], "--clear-groups", "--"].map(Into::into).to_vec()
            }
            _ => Vec::new(),
        };
        all.extend(argv.into_iter().map(Into::into));
        all
    }

    /// Gives the user a file.
    pub(crate) fn own(self, path: &Path) {
        if self == User::Nobody {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
}
