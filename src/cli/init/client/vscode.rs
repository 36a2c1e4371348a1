//! Visual Studio Code. <https://code.visualstudio.com/docs/copilot/reference/mcp-configuration>

use std::path::PathBuf;

use super::{Client, Format, OPEN_FOLDER};
use crate::cli::init::entry::Entry;
use crate::cli::init::places::{PlaceError, Places, Scope};
use crate::cli::init::server::Server;

/// Without a `cwd` it starts the servers of the person's own file in the home directory.
pub(super) struct VsCode;

impl Client for VsCode {
    fn title(&self) -> &'static str {
        "VS Code"
    }

    fn format(&self) -> Format {
        Format::Json
    }

    fn servers(&self) -> &'static str {
        "servers"
    }

    fn file(&self, scope: Scope, places: &Places) -> Result<PathBuf, PlaceError> {
        match scope {
            Scope::Project => Ok(places.project.join(".vscode/mcp.json")),
            Scope::User => Ok(places.applications()?.join("Code/User/mcp.json")),
        }
    }

    fn entry(&self, server: &Server) -> Entry {
        Entry::new(server.program(), server.args()).of_type("stdio").in_folder(OPEN_FOLDER)
    }

    fn workspace(&self) -> &'static str {
        "the folder that is open in VS Code, which fills in ${workspaceFolder}. With no folder or \
         several, and where a version cannot fill it in outside of .vscode/mcp.json, VS Code says so \
         and does not start the server"
    }

    fn next(&self, scope: Scope) -> &'static str {
        match scope {
            Scope::Project => {
                "open this folder in VS Code, then the file: `Start` stands above the entry. It asks \
                 whether you trust the server"
            }
            Scope::User => {
                "open a folder in VS Code, and start the server with `MCP: List Servers`"
            }
        }
    }
}
