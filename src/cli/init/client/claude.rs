//! Claude Code. <https://code.claude.com/docs/en/mcp>

use std::path::PathBuf;

use super::{Client, Format};
use crate::cli::init::entry::Entry;
use crate::cli::init::places::{PlaceError, Places, Scope};
use crate::cli::init::server::Server;

/// It starts servers where it was started itself, and takes no other directory for them (`cwd` is
/// ignored), so the entry says nothing about one.
pub(super) struct Claude;

impl Client for Claude {
    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn format(&self) -> Format {
        Format::Json
    }

    fn servers(&self) -> &'static str {
        "mcpServers"
    }

    fn file(&self, scope: Scope, places: &Places) -> Result<PathBuf, PlaceError> {
        match (scope, &places.claude) {
            (Scope::Project, _) => Ok(places.project.join(".mcp.json")),
            (Scope::User, Some(folder)) => Ok(folder.join(".claude.json")),
            (Scope::User, None) => Ok(places.home()?.join(".claude.json")),
        }
    }

    fn entry(&self, server: &Server) -> Entry {
        Entry::new(server.program(), server.args())
    }

    fn project_variable(&self) -> Option<&'static str> {
        Some("CLAUDE_PROJECT_DIR")
    }

    fn workspace(&self) -> &'static str {
        "the folder in which Claude Code is started. In your home directory (where its desktop app \
         starts servers) and in / the server refuses to start"
    }

    fn next(&self, scope: Scope) -> &'static str {
        match scope {
            Scope::Project => {
                "start Claude Code in this folder, and approve the server when it asks; /mcp shows it"
            }
            Scope::User => "start Claude Code anew in a project; /mcp shows the server",
        }
    }
}
