//! What can be written after `cofferdam init`.

use clap::{Args, ValueEnum};

/// The clients whose files are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ClientName {
    /// Claude Code: .mcp.json, or ~/.claude.json
    Claude,
    /// Codex: .codex/config.toml, here or in your home directory
    Codex,
    /// Cursor: .cursor/mcp.json, here or in your home directory
    Cursor,
    /// VS Code: .vscode/mcp.json, or mcp.json among your own settings
    #[value(name = "vscode")]
    VsCode,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Starts the server first, as that client would, and has it run `true`. Where that does not run
confined, nothing is shown or written but the reason. Run it yourself, in the folder of a project.

Examples:
  cofferdam init claude                    shows what to put where
  cofferdam init claude --write            puts it there, for this project
  cofferdam init cursor --user --write     for all projects of yours
  cofferdam init vscode --profile online --name online-shell --write"
)]
pub(in crate::cli) struct InitArgs {
    /// The client to set up
    #[arg(value_enum, value_name = "CLIENT")]
    pub(in crate::cli) client: ClientName,
    /// Write it into the client's file, beside everything that stands there; what was is kept as
    /// NAME.bak-1, NAME.bak-2, …
    #[arg(long)]
    pub(in crate::cli) write: bool,
    /// For this project: the file lies in the current directory. This is the default
    #[arg(long, conflicts_with = "user")]
    pub(in crate::cli) project: bool,
    /// For all of your projects: the file lies in your home directory
    #[arg(long)]
    pub(in crate::cli) user: bool,
    /// What the sandbox opens: a profile's name, or the path of a file (with a `/`). Several are
    /// merged. `workspace` without it
    #[arg(long, short, value_name = "PROFILE")]
    pub(in crate::cli) profile: Vec<String>,
    /// What the client calls the server: letters, digits, `-` and `_`
    #[arg(long, value_name = "NAME", default_value = "cofferdam", value_parser = server_name)]
    pub(in crate::cli) name: String,
    /// Replace an entry of that name that says something else
    #[arg(long, requires = "write")]
    pub(in crate::cli) force: bool,
}

/// Clients make the names of tools of it (`mcp__NAME__sh_run`), which models take up to 64 characters
/// long.
const LONGEST_NAME: usize = 32;

fn server_name(text: &str) -> Result<String, String> {
    let fits = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_');
    match !text.is_empty() && text.len() <= LONGEST_NAME && text.chars().all(fits) {
        true => Ok(text.to_owned()),
        false => Err(format!("give 1 to {LONGEST_NAME} letters, digits, `-` and `_`")),
    }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::super::Command;
    use super::super::tests::parse;
    use super::*;

    fn init(words: &[&str]) -> InitArgs {
        match parse(&[&["init"], words].concat()) {
            Ok(Command::Init(args)) => args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_client_is_named_as_people_call_it() {
        assert_eq!(init(&["vscode"]).client, ClientName::VsCode);
        assert_eq!(parse(&["init", "emacs"]).unwrap_err(), ErrorKind::InvalidValue);
        assert_eq!(parse(&["init"]).unwrap_err(), ErrorKind::MissingRequiredArgument);
    }

    #[test]
    fn a_name_is_one_that_every_client_takes() {
        assert_eq!(init(&["claude"]).name, "cofferdam");
        assert_eq!(init(&["claude", "--name", "A-1_b"]).name, "A-1_b");
        for wrong in ["", "a b", "a.b", "a\"b", "é", &"a".repeat(33)] {
            let line = ["init", "claude", "--name", wrong];
            assert_eq!(parse(&line).unwrap_err(), ErrorKind::ValueValidation, "{wrong}");
        }
    }

    #[test]
    fn a_file_is_the_projects_or_the_persons_and_force_is_for_writing() {
        let both = ["init", "claude", "--user", "--project"];
        assert_eq!(parse(&both).unwrap_err(), ErrorKind::ArgumentConflict);
        let idle = ["init", "claude", "--force"];
        assert_eq!(parse(&idle).unwrap_err(), ErrorKind::MissingRequiredArgument);
    }
}
