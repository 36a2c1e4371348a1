//! `cofferdam import`: the settings of another server as a configuration, with a comment for each
//! thing that differs.

mod denied;
mod document;
mod mcp_run;
mod mcp_shell_server;
mod variables;

use super::args::ImportCommand;
use super::report::{Failure, print};
use variables::Variables;

/// Prints the configuration that the environment of this process comes to.
pub(super) fn import(command: ImportCommand) -> Result<u8, Failure> {
    let variables = Variables::of_this_process();
    let document = match command {
        ImportCommand::McpShellServer => mcp_shell_server::convert(&variables)?,
        ImportCommand::McpRun => mcp_run::convert(&variables)?,
    };
    print(&document.to_string())?;
    Ok(0)
}
