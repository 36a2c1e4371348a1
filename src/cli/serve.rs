//! `cofferdam serve`: the MCP server, with the settings of a file or of options.

use std::path::{Path, PathBuf};

#[cfg(feature = "http")]
use super::args::HttpArgs;
use super::args::ServeArgs;
use super::report::Failure;
use crate::config::{Config, Flags};
use crate::server::run_stdio_blocking;
#[cfg(feature = "http")]
use crate::{HttpAccess, HttpOptions, server::run_http_blocking};

/// Serves until the client goes away, or over HTTP until a signal comes.
pub(super) fn serve(args: ServeArgs) -> Result<u8, Failure> {
    super::log::listen();
    let reserved = args.config.as_deref().map(own_files).unwrap_or_default();
    #[cfg(feature = "http")]
    if let Some(options) = http_options(&args.http) {
        run_http_blocking(&config(args)?, &options, &reserved)?;
        return Ok(0);
    }
    run_stdio_blocking(&config(args)?, &reserved)?;
    Ok(0)
}

/// Where to listen, and whom to answer; `None` for the standard streams.
#[cfg(feature = "http")]
fn http_options(args: &HttpArgs) -> Option<HttpOptions> {
    let access = match (&args.token_file, args.no_auth) {
        (Some(path), _) => HttpAccess::TokenFile(path.clone()),
        (None, true) => HttpAccess::Open,
        (None, false) => HttpAccess::Generated,
    };
    Some(HttpOptions::new(args.http?).access(access))
}

fn config(args: ServeArgs) -> Result<Config, Failure> {
    if let Some(path) = &args.config {
        return Ok(Config::from_file(path)?);
    }
    if args.tool.is_empty()
        && args.allow.is_empty()
        && args.allow_pattern.is_empty()
        && !args.allow_any
    {
        return Err(Failure(NOTHING_ALLOWED.to_owned()));
    }
    Ok(Config::from_flags(Flags {
        name: args.name,
        version: args.version,
        instructions: args.instructions,
        tools: args.tool,
        allow: args.allow,
        allow_patterns: args.allow_pattern,
        allow_any: args.allow_any,
        launcher: args.launcher,
        profile: args.policy.profile,
        cwd: args.policy.cwd,
        timeout: args.timeout,
        audit: args.audit,
        audit_required: args.audit_required,
        grants: args.policy.grants.grants(),
    })?)
}

const NOTHING_ALLOWED: &str = "nothing says which commands may run; the shortest ways to say it:
  cofferdam serve --allow git --launcher auto
  cofferdam serve --allow-any --launcher auto
  cofferdam serve --config tools.json";

/// The configuration file, as it is named and where it really lies: a run that can write either would
/// decide over the next one.
fn own_files(config: &Path) -> Vec<PathBuf> {
    let named = std::path::absolute(config);
    let real = config.canonicalize();
    [named, real].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_kept_under_both_of_its_names() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        let (real, link) = (dir.join("real.json"), dir.join("link.json"));
        std::fs::write(&real, "{}").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(own_files(&link), [link.clone(), real]);
    }
}
