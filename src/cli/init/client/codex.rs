//! Codex. <https://developers.openai.com/codex/mcp>

use std::path::PathBuf;

use super::{Client, Format, Variables};
use crate::cli::init::entry::Entry;
use crate::cli::init::places::{PlaceError, Places, Scope};
use crate::cli::init::server::Server;

/// It starts servers in the directory of the session unless the entry has a `cwd`, which would hold
/// for every project, and for every other checkout of this one.
pub(super) struct Codex;

/// What a server gets of the environment; everything else would have to be named in the entry.
const PASSED: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "__CF_USER_TEXT_ENCODING",
];

impl Client for Codex {
    fn title(&self) -> &'static str {
        "Codex"
    }

    fn format(&self) -> Format {
        Format::Toml
    }

    fn servers(&self) -> &'static str {
        "mcp_servers"
    }

    fn file(&self, scope: Scope, places: &Places) -> Result<PathBuf, PlaceError> {
        let folder = match (scope, &places.codex) {
            (Scope::Project, _) => places.project.join(".codex"),
            (Scope::User, Some(folder)) => folder.clone(),
            (Scope::User, None) => places.home()?.join(".codex"),
        };
        Ok(folder.join("config.toml"))
    }

    fn entry(&self, server: &Server) -> Entry {
        Entry::new(server.program(), server.args())
    }

    fn variables(&self) -> Variables {
        Variables::Only(PASSED)
    }

    fn workspace(&self) -> &'static str {
        "the folder of the Codex session. In your home directory and in / the server refuses to \
         start; where an app starts it there, add `cwd = \"/the/project\"` to the entry"
    }

    fn next(&self, scope: Scope) -> &'static str {
        match scope {
            Scope::Project => {
                "start Codex anew in this folder; it reads this file only in a project that you \
                 trust. /mcp shows the server"
            }
            Scope::User => "start Codex anew in a project; /mcp shows the server",
        }
    }
}
