//! The settings of the Python package `mcp-shell-server`, as its version 1.1.14 reads them.

use std::ffi::OsStr;

use super::denied::{DENIED, is_denied};
use super::document::Document;
use super::variables::Variables;
use crate::Pattern;
use crate::cli::report::Failure;
use crate::config::defaults::MAX_OUTPUT_BYTES;

/// Where it looks for programs, and what its commands have as `PATH`.
const SAFE_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

const DEFAULT_TIMEOUT: u64 = 30;
const MAX_TIMEOUT: u64 = 300;
const OUTPUT_LIMIT: u64 = 1_048_576;

const ABOUT: &str = "The settings of mcp-shell-server, as `cofferdam import mcp-shell-server` found \
    them in its environment. A call gives the program as `command` and the rest of the array as \
    `args`; `directory` is `cwd`; `stdin` and `timeout` stay. Elements that were operators there \
    (`|`, `<`, `>`, `>>`) are ordinary arguments here, and no argument is dropped or refused for \
    what it holds. Its rules about single arguments (of find, git, tar, sort, awk) are not carried \
    over: they cannot end; a launcher confines whatever a program does.";

const LAUNCHER: &str = "As there, nothing confines commands. With \"auto\" they see the system and \
    this directory and have no network.";

/// The configuration that serves the same calls.
pub(super) fn convert(variables: &Variables) -> Result<Document, Failure> {
    let mut document = Document::new("mcp-shell-server", ABOUT);
    document.comment(
        "Leave these two out to have all tools under the names sh_run, sh_start, sh_allowed and so on.",
    );
    document.set("tools", vec!["run"]);
    document.set("names.run", "shell_execute");
    allowed(variables, &mut document)?;
    document.comment(LAUNCHER);
    document.set("launcher", "none");
    limits(variables, &mut document);
    environment(variables, &mut document);
    document.comment(
        "As there, an exit other than 0 is an error of the tool. The text also holds the exit code, \
         and both streams as they were written: white space at their ends is not cut off.",
    );
    document.set("nonzero-is-error", true);
    document.set("format", "text");
    Ok(document)
}

fn allowed(variables: &Variables, document: &mut Document) -> Result<(), Failure> {
    let mut names = variables.list("ALLOW_COMMANDS");
    names.extend(variables.list("ALLOWED_COMMANDS"));
    let denied: Vec<_> = names.iter().filter(|name| is_denied(name)).cloned().collect();
    names.retain(|name| !is_denied(name));
    if !denied.is_empty() {
        document.comment(&format!(
            "Left out of the list, since mcp-shell-server refuses them although they are on it: {}. \
             Here a list means what it says; add them where a launcher holds them.",
            denied.join(", ")
        ));
    }
    let patterns = patterns(variables, document);
    if names.is_empty() && patterns.is_empty() {
        return Err(Failure(NOTHING.to_owned()));
    }
    if !names.is_empty() {
        document.set("allow", names);
    }
    if !patterns.is_empty() {
        document.set("allow-patterns", patterns);
    }
    Ok(())
}

const NOTHING: &str = "mcp-shell-server would refuse every call: no program that it runs stands in \
    ALLOW_COMMANDS, ALLOWED_COMMANDS or ALLOW_PATTERNS of this environment; start `cofferdam import` \
    with the environment that its client gives it, such as \
    `ALLOW_COMMANDS=ls,cat cofferdam import mcp-shell-server`";

/// The patterns that can be used here. What is peculiar about one stands in a comment.
fn patterns(variables: &Variables, document: &mut Document) -> Vec<String> {
    let mut usable = Vec::new();
    for written in variables.list("ALLOW_PATTERNS") {
        if written.contains(|sign: char| sign.is_whitespace() || ";&|<>`".contains(sign)) {
            document.comment(&format!(
                "Left out: the pattern {written} holds a sign for which mcp-shell-server answers \
                 every call with an error."
            ));
            continue;
        }
        match written.parse::<Pattern>() {
            Ok(pattern) => {
                let denied = DENIED.iter().filter(|name| pattern.matches(OsStr::new(name)));
                let denied: Vec<_> = denied.copied().collect();
                if !denied.is_empty() {
                    document.comment(&format!(
                        "The pattern {written} admits {}, which mcp-shell-server refuses all the \
                         same.",
                        denied.join(", ")
                    ));
                }
                usable.push(written);
            }
            Err(error) => document
                .comment(&format!("Left out: the pattern {written} cannot be used here: {error}.")),
        }
    }
    usable
}

fn limits(variables: &Variables, document: &mut Document) {
    let most = number(variables, "MCP_SHELL_MAX_TIMEOUT_SECONDS", MAX_TIMEOUT, document);
    let default = number(variables, "MCP_SHELL_DEFAULT_TIMEOUT_SECONDS", DEFAULT_TIMEOUT, document);
    document.comment(
        "In seconds. A longer request is lowered, as there; here the answer says so. What a command \
         has written when its time is up is not lost here, and everything that it started ends with \
         it.",
    );
    document.set("timeout", signed(default.min(most)));
    document.set("max-timeout", signed(most));

    let limit = number(variables, "MCP_SHELL_OUTPUT_LIMIT_BYTES", OUTPUT_LIMIT, document);
    let (least, largest) = (MAX_OUTPUT_BYTES.least as u64, MAX_OUTPUT_BYTES.most as u64);
    let kept = limit.clamp(least, largest);
    if kept != limit {
        document.comment(&format!(
            "MCP_SHELL_OUTPUT_LIMIT_BYTES is {limit}; the range here is {least} to {largest}."
        ));
    }
    document.comment(
        "For each stream. A command that writes more is killed, as there; what it had written is not \
         lost here. With \"truncate\" it would run on.",
    );
    document.set("max-output-bytes", signed(kept));
    document.set("max-output-lines", signed(kept));
    document.set("on-output-limit", "kill");
}

/// A positive whole number; everything else means the default, as there.
fn number(variables: &Variables, name: &str, default: u64, document: &mut Document) -> u64 {
    let Some(written) = variables.get(name) else { return default };
    match written.trim().parse::<u64>() {
        Ok(number) if number > 0 => number,
        _ => {
            document.comment(&format!(
                "{name} is no whole number above 0, for which mcp-shell-server takes {default}."
            ));
            default
        }
    }
}

/// Numbers of TOML have a sign.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn environment(variables: &Variables, document: &mut Document) {
    const LIST: &str = "MCP_SHELL_CHILD_ENV_ALLOWLIST";
    let is_name =
        |name: &String| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let (pass, others): (Vec<_>, Vec<_>) = variables.list(LIST).into_iter().partition(is_name);
    if !others.is_empty() {
        document.comment(&format!(
            "Left out, since mcp-shell-server passes on no such name: {}.",
            others.join(", ")
        ));
    }
    let passes_path = pass.iter().any(|name| name == "PATH");
    if !pass.is_empty() {
        document.set("environment.pass", pass);
    }
    if passes_path {
        return;
    }
    let path = variables.get("MCP_SHELL_SAFE_PATH").unwrap_or(SAFE_PATH);
    let safe: Vec<_> = path.split(':').filter(|entry| entry.starts_with('/')).collect();
    match safe.is_empty() {
        true => {
            document.comment(&format!("MCP_SHELL_SAFE_PATH names no absolute directory: {path}."));
            document.set("environment.set.PATH", SAFE_PATH);
        }
        false => document.set("environment.set.PATH", safe.join(":")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::{AnswerFormat, Config, Format, OnOutputLimit, Settings, ToolName};

    fn converted<const N: usize>(variables: [(&str, &str); N]) -> (String, Settings) {
        let text = convert(&variables.into()).unwrap().to_string();
        let config = Config::from_text(&text, Format::Toml, Path::new("/"));
        let instance = config.unwrap_or_else(|error| panic!("{error}\n{text}")).instances.remove(0);
        assert_eq!(instance.tool_names().collect::<Vec<_>>(), ["shell_execute"]);
        (text, instance.settings)
    }

    #[test]
    fn its_defaults_are_carried_over() {
        let (_, settings) = converted([("ALLOW_COMMANDS", "ls, cat,,pwd")]);
        assert_eq!(*settings.allow(), crate::config::Allow::only(["cat", "ls", "pwd"]));
        assert_eq!(settings.timeout().as_secs(), 30);
        assert_eq!(settings.max_timeout().unwrap().as_secs(), 300);
        assert_eq!(settings.max_output_bytes(), 1_048_576);
        assert_eq!(settings.on_output_limit(), OnOutputLimit::Kill);
        let environment = settings.environment().unwrap();
        assert!(environment.pass.is_empty() && !environment.inherit);
        assert_eq!(environment.set["PATH"], SAFE_PATH);
        assert!(settings.shape().nonzero_is_error);
        assert_eq!(settings.shape().format, AnswerFormat::Text);
        assert!(settings.tools().contains(&ToolName::Run) && settings.names_launcher());
    }

    #[test]
    fn every_variable_has_its_key() {
        let (text, settings) = converted([
            ("ALLOW_COMMANDS", "ls"),
            ("ALLOWED_COMMANDS", "cat"),
            ("ALLOW_PATTERNS", "git.*,jq"),
            ("MCP_SHELL_DEFAULT_TIMEOUT_SECONDS", "600"),
            ("MCP_SHELL_MAX_TIMEOUT_SECONDS", "60"),
            ("MCP_SHELL_OUTPUT_LIMIT_BYTES", "2048"),
            ("MCP_SHELL_CHILD_ENV_ALLOWLIST", "LANG,HOME,A-B"),
            ("MCP_SHELL_SAFE_PATH", "/opt/bin:.:/usr/bin"),
        ]);
        let crate::config::Allow::Only(list) = settings.allow() else { panic!("{text}") };
        assert_eq!(list.to_string(), "cat, ls, /git.*/, /jq/");
        assert_eq!(settings.timeout().as_secs(), 60, "lowered, as there");
        assert_eq!(settings.max_timeout().unwrap().as_secs(), 60);
        assert_eq!(settings.max_output_bytes(), 2048);
        let environment = settings.environment().unwrap();
        assert_eq!(environment.pass, ["LANG", "HOME"]);
        assert_eq!(environment.set["PATH"], "/opt/bin:/usr/bin");
        assert!(text.contains("passes on no such name: A-B."), "{text}");
    }

    #[test]
    fn what_differs_is_told_in_a_comment() {
        let (text, settings) = converted([
            ("ALLOW_COMMANDS", "ls,python3.11,/bin/sh"),
            ("ALLOW_PATTERNS", "python[0-9.]*,a b,(?=x)"),
            ("MCP_SHELL_DEFAULT_TIMEOUT_SECONDS", "soon"),
            ("MCP_SHELL_OUTPUT_LIMIT_BYTES", "10"),
            ("MCP_SHELL_CHILD_ENV_ALLOWLIST", "PATH"),
        ]);
        let comments: String =
            text.lines().filter_map(|line| line.strip_prefix("# ")).collect::<Vec<_>>().join(" ");
        for words in [
            "although they are on it: python3.11, /bin/sh.",
            "pattern python[0-9.]* admits python, python3,",
            "the pattern a b holds a sign",
            "the pattern (?=x) cannot be used here: at character 1:",
            "MCP_SHELL_DEFAULT_TIMEOUT_SECONDS is no whole number above 0",
            "MCP_SHELL_OUTPUT_LIMIT_BYTES is 10; the range here is 1024 to 67108864.",
        ] {
            assert!(comments.contains(words), "`{words}` is missing:\n{text}");
        }
        assert_eq!(settings.max_output_bytes(), 1024);
        let environment = settings.environment().unwrap();
        assert_eq!(environment.pass, ["PATH"]);
        assert!(environment.set.is_empty());
    }

    #[test]
    fn what_would_refuse_every_call_is_no_configuration() {
        for variables in [[("ALLOW_COMMANDS", " , ")], [("ALLOW_COMMANDS", "bash")]] {
            assert!(convert(&variables.into()).is_err());
        }
    }
}
