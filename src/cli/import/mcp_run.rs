//! The settings of the Perl program `mcp-run-bash` of MCP::Run.

use super::document::Document;
use super::variables::Variables;
use crate::cli::report::Failure;
use crate::config::Names;
use crate::config::ToolName;

/// What it takes where nothing is set, in seconds.
const TIMEOUT: i64 = 30;

/// The longest timeout that it takes, in seconds.
const LONGEST: i64 = i32::MAX as i64;

const ABOUT: &str = "The settings of mcp-run-bash (MCP::Run), as `cofferdam import mcp-run` found \
    them in its environment. It takes one line for bash; here a call gives one program as `command` \
    and its arguments as `args`, and there is no shell. `working_directory` is `cwd`, and `timeout` \
    may have fractions. A line for bash is {\"command\": \"bash\", \"args\": [\"-c\", LINE]}, where \
    bash is allowed. Its compression is `compress` here; it is off, and needs the tool `output`.";

const LAUNCHER: &str = "As there, nothing confines commands and they inherit the whole environment of \
    the server. With \"auto\" they see the system and this directory, have no network, and none of \
    the server's secrets.";

/// The configuration that serves the same programs.
pub(super) fn convert(variables: &Variables) -> Result<Document, Failure> {
    let mut document = Document::new("mcp-run", ABOUT);
    document.comment(
        "Leave these two out to have all tools under the names sh_run, sh_start, sh_allowed and so on.",
    );
    document.set("tools", vec!["run"]);
    document.set("names.run", tool_name(variables)?);
    allowed(variables, &mut document);
    document.comment(LAUNCHER);
    document.set("launcher", "none");
    if let Some(dir) = variables.get("MCP_RUN_WORKING_DIRECTORY") {
        document.comment("It must exist when the server starts.");
        document.set("cwd", dir);
    }
    document.comment(
        "In seconds. A command whose time is up exits with 137 here, and not with 124; `timed-out` \
         says so. All that it started ends with it.",
    );
    document.set("timeout", timeout(variables)?);
    document.comment(
        "For each stream; there was no bound there. The beginning and the end of a longer output are \
         kept, at most 67108864 bytes.",
    );
    document.set("max-output-bytes", 1_048_576);
    document.set("max-output-lines", 1_048_576);
    document.comment("As there, an exit other than 0 is an error of the tool.");
    document.set("nonzero-is-error", true);
    document.set("format", "text");
    Ok(document)
}

fn tool_name(variables: &Variables) -> Result<&str, Failure> {
    let name = variables.get("MCP_RUN_TOOL_NAME").unwrap_or("run");
    match Names::default().renamed(ToolName::Run, name) {
        Ok(_) => Ok(name),
        Err(problem) => Err(Failure(format!("MCP_RUN_TOOL_NAME = {name:?}: {problem}"))),
    }
}

fn allowed(variables: &Variables, document: &mut Document) {
    let names = variables.list("MCP_RUN_ALLOWED_COMMANDS");
    if names.is_empty() {
        document.comment("As there, where no list is set.");
        document.set("allow-any", true);
        return;
    }
    document.comment(
        "There the list holds for the first word of a line, so that `ls; anything` passes when ls is \
         on it. Here it holds for every call.",
    );
    document.set("allow", names);
}

fn timeout(variables: &Variables) -> Result<i64, Failure> {
    let Some(written) = variables.get("MCP_RUN_TIMEOUT") else { return Ok(TIMEOUT) };
    match written.trim().parse::<i64>() {
        Ok(seconds) if (1..=LONGEST).contains(&seconds) => Ok(seconds),
        _ => Err(Failure(format!(
            "MCP_RUN_TIMEOUT = {written:?}: must be a whole number of seconds from 1 to {LONGEST}; \
             mcp-run-bash does not start with it either"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Allow, Config, Format, Instance};

    fn converted<const N: usize>(variables: [(&str, &str); N]) -> Instance {
        let text = convert(&variables.into()).unwrap().to_string();
        let config = Config::from_text(&text, Format::Toml, "/".as_ref());
        config.unwrap_or_else(|error| panic!("{error}\n{text}")).instances.remove(0)
    }

    #[test]
    fn without_a_variable_everything_is_allowed_as_there() {
        let instance = converted([]);
        assert_eq!(*instance.settings.allow(), Allow::Any);
        assert_eq!(instance.tool_names().collect::<Vec<_>>(), ["run"]);
        assert_eq!(instance.settings.timeout().as_secs(), 30);
        assert_eq!(instance.settings.max_timeout(), None);
        assert_eq!(instance.settings.environment(), None, "inherited");
        assert!(instance.settings.shape().nonzero_is_error);
    }

    #[test]
    fn every_variable_has_its_key() {
        let instance = converted([
            ("MCP_RUN_ALLOWED_COMMANDS", "ls, git"),
            ("MCP_RUN_WORKING_DIRECTORY", "/usr"),
            ("MCP_RUN_TIMEOUT", "7"),
            ("MCP_RUN_TOOL_NAME", "bash"),
            ("MCP_RUN_COMPRESS", "1"),
        ]);
        assert_eq!(*instance.settings.allow(), Allow::only(["ls", "git"]));
        assert_eq!(instance.settings.cwd(), std::path::Path::new("/usr"));
        assert_eq!(instance.settings.timeout().as_secs(), 7);
        assert_eq!(instance.tool_names().collect::<Vec<_>>(), ["bash"]);
    }

    #[test]
    fn what_it_would_not_start_with_is_refused() {
        for timeout in ["0", "-1", "1.5", "soon", "2147483648"] {
            let Err(Failure(why)) = convert(&[("MCP_RUN_TIMEOUT", timeout)].into()) else {
                panic!("{timeout}");
            };
            assert!(why.contains("MCP_RUN_TIMEOUT"), "{why}");
        }
        assert!(convert(&[("MCP_RUN_TOOL_NAME", "a b")].into()).is_err());
    }
}
