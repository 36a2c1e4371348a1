//! The folders in which clients keep their files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// For which projects a client gets the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// For the one in the current directory.
    Project,
    /// For all projects of this person.
    User,
}

/// Nothing says where the person's own files are.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`HOME` is not set to an absolute path, so nothing says where your own files are; set it, or \
     leave out `--user`"
)]
pub(super) struct PlaceError;

/// Where to look. Every path is absolute.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The project: the current directory, without links.
    pub(super) project: PathBuf,
    home: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`; `None` means that the file lies in the home directory.
    pub(super) claude: Option<PathBuf>,
    /// `CODEX_HOME`; `None` means `.codex` in the home directory.
    pub(super) codex: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`; `None` means `.config` in the home directory.
    config: Option<PathBuf>,
}

impl Places {
    /// As the environment has them. A relative path there counts for nothing, as in the XDG
    /// specification.
    pub(super) fn of(project: PathBuf, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        Places {
            project,
            home: absolute("HOME"),
            claude: absolute("CLAUDE_CONFIG_DIR"),
            codex: absolute("CODEX_HOME"),
            config: absolute("XDG_CONFIG_HOME"),
        }
    }

    /// The home directory.
    pub(super) fn home(&self) -> Result<&Path, PlaceError> {
        self.home.as_deref().ok_or(PlaceError)
    }

    /// Where programs with windows keep their settings.
    pub(super) fn applications(&self) -> Result<PathBuf, PlaceError> {
        match &self.config {
            _ if cfg!(target_os = "macos") => Ok(self.home()?.join("Library/Application Support")),
            Some(folder) => Ok(folder.clone()),
            None => Ok(self.home()?.join(".config")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::ClientName;
    use crate::cli::init::client;

    fn places(variables: &[(&str, &str)]) -> Places {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        };
        Places::of("/project".into(), variable)
    }

    fn file(
        name: ClientName,
        scope: Scope,
        variables: &[(&str, &str)],
    ) -> Result<PathBuf, PlaceError> {
        client::named(name).file(scope, &places(variables))
    }

    #[test]
    fn the_file_of_a_project_lies_in_it() {
        for (name, expected) in [
            (ClientName::Claude, "/project/.mcp.json"),
            (ClientName::Codex, "/project/.codex/config.toml"),
            (ClientName::Cursor, "/project/.cursor/mcp.json"),
            (ClientName::VsCode, "/project/.vscode/mcp.json"),
        ] {
            assert_eq!(file(name, Scope::Project, &[]), Ok(expected.into()));
        }
    }

    #[test]
    #[cfg(not(target_os = "macos"))]
    fn the_persons_own_file_lies_where_the_client_looks_for_it() {
        let home = [("HOME", "/home/me")];
        let moved = [
            ("HOME", "/home/me"),
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("CODEX_HOME", "/x"),
            ("XDG_CONFIG_HOME", "/g"),
        ];
        for (name, expected, elsewhere) in [
            (ClientName::Claude, "/home/me/.claude.json", "/c/.claude.json"),
            (ClientName::Codex, "/home/me/.codex/config.toml", "/x/config.toml"),
            (ClientName::Cursor, "/home/me/.cursor/mcp.json", "/home/me/.cursor/mcp.json"),
            (ClientName::VsCode, "/home/me/.config/Code/User/mcp.json", "/g/Code/User/mcp.json"),
        ] {
            assert_eq!(file(name, Scope::User, &home), Ok(expected.into()));
            assert_eq!(file(name, Scope::User, &moved), Ok(elsewhere.into()));
        }
    }

    #[test]
    fn a_home_that_nothing_names_is_not_guessed() {
        for variables in [vec![], vec![("HOME", "relative")], vec![("HOME", "")]] {
            let found = file(ClientName::Cursor, Scope::User, &variables);
            assert_eq!(found, Err(PlaceError), "{variables:?}");
        }
    }
}
