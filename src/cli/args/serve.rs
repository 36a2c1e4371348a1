//! What can be written after `cofferdam serve`.

#[cfg(feature = "http")]
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Args;

use super::sandbox::PolicyArgs;
use super::seconds::number_of_seconds;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cofferdam serve --config tools.json
  cofferdam serve --allow git --allow rg --launcher auto
  cofferdam serve --allow-any --launcher auto --profile build
  cofferdam serve --config tools.json --http 127.0.0.1:8000
  cofferdam serve --tool 'Shell#git={\"allow\": [\"git\"], \"launcher\": \"auto\", \"prefix\": \"git\"}'")]
pub(in crate::cli) struct ServeArgs {
    /// Read the whole configuration from a file: JSON, or TOML when its name ends in .toml
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "name", "version", "instructions", "tool", "allow", "allow_pattern", "allow_any", "launcher", "timeout", "audit",
        "audit_required", "profile", "cwd", "read", "write", "deny", "net", "env", "socket",
    ])]
    pub(in crate::cli) config: Option<PathBuf>,
    /// What the server calls itself; cofferdam without it
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) name: Option<String>,
    /// The version it tells clients; that of this program without it
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) version: Option<String>,
    /// What it tells models about its tools, in place of the text that it writes itself
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) instructions: Option<String>,
    /// One tool instance: its key and the JSON of its settings. May be repeated
    #[arg(long, value_name = "KEY={...}")]
    pub(in crate::cli) tool: Vec<String>,
    /// Allow this program, by exactly this name. May be repeated
    #[arg(long, value_name = "PROGRAM")]
    pub(in crate::cli) allow: Vec<String>,
    /// Allow every program whose whole name fits this regular expression. May be repeated
    #[arg(long, value_name = "REGEX")]
    pub(in crate::cli) allow_pattern: Vec<String>,
    /// Allow every program
    #[arg(long, conflicts_with_all = ["allow", "allow_pattern"])]
    pub(in crate::cli) allow_any: bool,
    /// What builds the sandbox: auto, landlock, bubblewrap, none, or JSON. None without it
    #[arg(long, short, value_name = "NAME")]
    pub(in crate::cli) launcher: Option<String>,
    /// How long a call may take where it says nothing, in seconds; 30 without it
    #[arg(long, value_name = "SECONDS", value_parser = number_of_seconds)]
    pub(in crate::cli) timeout: Option<f64>,
    /// Record what becomes of each call: in a file (a path with a `/`), or on stderr. Twice for both
    #[arg(long, value_name = "FILE|stderr")]
    pub(in crate::cli) audit: Vec<String>,
    /// Run nothing that cannot be recorded in that file
    #[arg(long, requires = "audit")]
    pub(in crate::cli) audit_required: bool,
    #[cfg(feature = "http")]
    #[command(flatten)]
    pub(in crate::cli) http: HttpArgs,
    #[command(flatten)]
    pub(in crate::cli) policy: PolicyArgs,
}

/// The server over HTTP.
#[cfg(feature = "http")]
#[derive(Debug, Args)]
pub(in crate::cli) struct HttpArgs {
    /// Serve over HTTP instead, at this address and the path /mcp. Port 0 takes a free port; which
    /// one it is, and the file with the token that clients must show, is told on stderr
    #[arg(long, value_name = "ADDR:PORT", value_parser = address)]
    pub(in crate::cli) http: Option<SocketAddr>,
    /// The file that holds the token, for you alone to read; without it a new one is made
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(in crate::cli) token_file: Option<PathBuf>,
    /// Let every user and every program of this machine in. Only on a loopback address
    #[arg(long, requires = "http", conflicts_with = "token_file")]
    pub(in crate::cli) no_auth: bool,
}

/// An address and a port. `localhost` is the address that it stands for on every machine.
#[cfg(feature = "http")]
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let text = text
        .strip_prefix("localhost:")
        .map_or(text.to_owned(), |port| format!("{}:{port}", Ipv4Addr::LOCALHOST));
    text.parse().map_err(|_| "give an address and a port, such as 127.0.0.1:8000")
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    #[cfg(feature = "http")]
    use super::super::Command;
    use super::super::tests::parse;
    #[cfg(feature = "http")]
    use super::HttpArgs;

    #[test]
    fn a_configuration_file_has_all_settings_of_the_tools() {
        for line in [
            vec!["serve", "--config", "f", "--name", "n"],
            vec!["serve", "--config", "f", "--version", "1"],
            vec!["serve", "--config", "f", "--instructions", "i"],
            vec!["serve", "--config", "f", "--tool", "Shell={}"],
            vec!["serve", "--config", "f", "--allow", "git"],
            vec!["serve", "--config", "f", "--allow-pattern", "g.*"],
            vec!["serve", "--config", "f", "--allow-any"],
            vec!["serve", "--config", "f", "--launcher", "auto"],
            vec!["serve", "--config", "f", "--timeout", "1"],
            vec!["serve", "--config", "f", "--profile", "build"],
            vec!["serve", "--config", "f", "--cwd", "d"],
            vec!["serve", "--config", "f", "--read", "p"],
            vec!["serve", "--config", "f", "--write", "p"],
            vec!["serve", "--config", "f", "--deny", "p"],
            vec!["serve", "--config", "f", "--net"],
            vec!["serve", "--config", "f", "--env", "X"],
            vec!["serve", "--config", "f", "--socket", "s"],
            vec!["serve", "--allow", "git", "--allow-any"],
        ] {
            assert_eq!(parse(&line).unwrap_err(), ErrorKind::ArgumentConflict, "{line:?}");
        }
    }

    #[cfg(feature = "http")]
    fn http(words: &[&str]) -> Result<HttpArgs, ErrorKind> {
        match parse(&[&["serve", "--config", "f"], words].concat())? {
            Command::Serve(args) => Ok(args.http),
            other => panic!("{other:?}"),
        }
    }

    #[cfg(feature = "http")]
    #[test]
    fn an_address_has_a_port() {
        for (text, address) in [
            ("127.0.0.1:8000", "127.0.0.1:8000"),
            ("localhost:0", "127.0.0.1:0"),
            ("[::1]:80", "[::1]:80"),
            ("0.0.0.0:1", "0.0.0.0:1"),
        ] {
            assert_eq!(http(&["--http", text]).unwrap().http, Some(address.parse().unwrap()));
        }
        for wrong in ["8000", "127.0.0.1", "localhost", "example.org:80", "::1:80", ""] {
            assert_eq!(
                http(&["--http", wrong]).unwrap_err(),
                ErrorKind::ValueValidation,
                "{wrong}"
            );
        }
    }

    #[cfg(feature = "http")]
    #[test]
    fn only_a_server_over_http_has_a_token() {
        let missing = ErrorKind::MissingRequiredArgument;
        assert_eq!(http(&["--token-file", "t"]).unwrap_err(), missing);
        assert_eq!(http(&["--no-auth"]).unwrap_err(), missing);
        let both = http(&["--http", "localhost:0", "--token-file", "t", "--no-auth"]);
        assert_eq!(both.unwrap_err(), ErrorKind::ArgumentConflict);
    }
}
