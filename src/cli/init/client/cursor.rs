//! Cursor. <https://cursor.com/docs/mcp>

use std::path::PathBuf;

use super::{Client, Format, OPEN_FOLDER};
use crate::cli::init::entry::Entry;
use crate::cli::init::places::{PlaceError, Places, Scope};
use crate::cli::init::server::Server;

/// It starts the servers of the person's own file in the home directory and has no setting for
/// another one, but fills in the open folder among the arguments.
pub(super) struct Cursor;

impl Client for Cursor {
    fn title(&self) -> &'static str {
        "Cursor"
    }

    fn format(&self) -> Format {
        Format::Json
    }

    fn servers(&self) -> &'static str {
        "mcpServers"
    }

    fn file(&self, scope: Scope, places: &Places) -> Result<PathBuf, PlaceError> {
        let folder = match scope {
            Scope::Project => &places.project,
            Scope::User => places.home()?,
        };
        Ok(folder.join(".cursor/mcp.json"))
    }

    fn entry(&self, server: &Server) -> Entry {
        let mut args = server.args();
        args.extend(["--cwd".to_owned(), OPEN_FOLDER.to_owned()]);
        Entry::new(server.program(), args)
    }

    fn workspace(&self) -> &'static str {
        "the folder that is open in Cursor, which fills in ${workspaceFolder}. Where it does not, \
         and with your home directory open, the server refuses to start"
    }

    fn next(&self, _scope: Scope) -> &'static str {
        "restart Cursor, and switch the server on in its settings, under MCP"
    }
}
