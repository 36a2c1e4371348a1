//! What can be written after `cofferdam import` and `cofferdam schema`.

use clap::Subcommand;

/// Whose settings to import.
#[derive(Debug, Subcommand)]
#[command(
    after_help = "The settings are read from the environment variables that the other server reads; the
configuration is printed as TOML, with a comment for each thing that differs.

Examples:
  ALLOW_COMMANDS=ls,cat cofferdam import mcp-shell-server > tools.toml
  MCP_RUN_TIMEOUT=60 cofferdam import mcp-run > tools.toml"
)]
pub(in crate::cli) enum ImportCommand {
    /// The Python package mcp-shell-server (ALLOW_COMMANDS, ALLOW_PATTERNS, MCP_SHELL_…)
    McpShellServer,
    /// The Perl program mcp-run-bash of MCP::Run (MCP_RUN_…)
    McpRun,
}

/// Which schema to print.
#[derive(Debug, Subcommand)]
#[command(
    after_help = "An editor that has the schema completes and checks a file: in JSON by its key \"$schema\", in
TOML by a first line `#:schema PATH`.

Examples:
  cofferdam schema config > config.schema.json
  cofferdam schema profile > profile.schema.json"
)]
pub(in crate::cli) enum SchemaCommand {
    /// The file for `serve --config`
    Config,
    /// The file of a profile
    Profile,
}
