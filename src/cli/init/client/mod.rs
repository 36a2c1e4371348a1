//! The clients: where each of them reads about servers, and how it starts one.

mod claude;
mod codex;
mod cursor;
mod vscode;

use std::path::PathBuf;

use super::entry::Entry;
use super::places::{PlaceError, Places, Scope};
use super::server::Server;
use crate::cli::args::ClientName;

/// What a client fills in for the folder that is open in it, where it fills in anything.
pub(super) const OPEN_FOLDER: &str = "${workspaceFolder}";

/// The language of a client's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// JSON, with comments and trailing commas if the person wrote some.
    Json,
    /// TOML.
    Toml,
}

/// Which variables of its own a client passes on to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variables {
    /// All of them.
    All,
    /// These, as far as they are set.
    Only(&'static [&'static str]),
}

/// A program that starts MCP servers.
pub(super) trait Client {
    /// What people call it.
    fn title(&self) -> &'static str;

    /// The language of its file.
    fn format(&self) -> Format;

    /// The key below which its file holds the servers.
    fn servers(&self) -> &'static str;

    /// The file, an absolute path. It may not exist.
    ///
    /// # Errors
    /// [`PlaceError`]: nothing says where the person's own files are.
    fn file(&self, scope: Scope, places: &Places) -> Result<PathBuf, PlaceError>;

    /// What to write about the server.
    fn entry(&self, server: &Server) -> Entry;

    /// What a server sees of the client's environment.
    fn variables(&self) -> Variables {
        Variables::All
    }

    /// The variable in which a server finds the project's folder, if the client sets one.
    fn project_variable(&self) -> Option<&'static str> {
        None
    }

    /// Which folder becomes the workspace, and when the server does not start.
    fn workspace(&self) -> &'static str;

    /// What the person has to do in the client.
    fn next(&self, scope: Scope) -> &'static str;
}

/// The client of this name.
pub(super) fn named(name: ClientName) -> &'static dyn Client {
    match name {
        ClientName::Claude => &claude::Claude,
        ClientName::Codex => &codex::Codex,
        ClientName::Cursor => &cursor::Cursor,
        ClientName::VsCode => &vscode::VsCode,
    }
}
