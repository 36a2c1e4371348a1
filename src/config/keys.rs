//! The keys of a configuration, table by table. `config.schema.json` knows the same ones.

/// The keys at the top of a configuration file.
pub(crate) const TOP: &[&str] = &["$schema", "instructions", "name", "tools", "version"];

/// The keys of one entry of `tools`.
pub(crate) const ENTRY: &[&str] = &[
    "allow",
    "allow-any",
    "allow-patterns",
    "audit",
    "audit-required",
    "compress",
    "compress-filters",
    "cwd",
    "descriptions",
    "environment",
    "escalate",
    "format",
    "guard",
    "guard-except",
    "isolate-terminal",
    "job-ttl",
    "launcher",
    "max-file-bytes",
    "max-finished-jobs",
    "max-jobs",
    "max-output-bytes",
    "max-output-lines",
    "max-timeout",
    "names",
    "nonzero-is-error",
    "on-output-limit",
    "prefix",
    "profile",
    "scratch",
    "timeout",
    "tools",
    "validator",
];

/// The keys of `environment`.
pub(crate) const ENVIRONMENT: &[&str] = &["inherit", "pass", "set"];

/// The keys of a launcher that is named in a table.
pub(crate) fn launcher(name: &str) -> &'static [&'static str] {
    match name {
        "landlock" => &["name", "namespaces"],
        "bubblewrap" => &["name", "program"],
        _ => &["name"],
    }
}

/// The keys of a validator in a table.
pub(crate) const VALIDATOR: &[&str] = &["command", "timeout"];

/// The keys of a wrapping program.
pub(crate) const COMMAND: &[&str] = &["command", "sandboxed"];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::config::defaults;
    use crate::config::elements::GUARDS;
    use crate::config::{
        AnswerFormat, Escalate, LauncherChoice, Limit, OnOutputLimit, ScratchMode, ToolName,
    };

    fn schema() -> Value {
        serde_json::from_str(crate::config::SCHEMA).unwrap()
    }

    fn keys(table: &Value) -> Vec<&str> {
        assert_eq!(table["additionalProperties"], false);
        let mut keys: Vec<_> =
            table["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn the_schema_knows_the_same_keys() {
        let schema = schema();
        let instance = &schema["$defs"]["instance"];
        assert_eq!(keys(&schema), TOP);
        assert_eq!(keys(instance), ENTRY);
        assert_eq!(keys(&instance["properties"]["environment"]), ENVIRONMENT);
        let launchers = schema["$defs"]["launcher"]["anyOf"].as_array().unwrap();
        let tables: Vec<_> =
            launchers.iter().filter(|way| way["type"] == "object").map(keys).collect();
        let expected = [launcher("auto"), launcher("landlock"), launcher("bubblewrap"), COMMAND];
        assert_eq!(tables, expected);
        let validator = &instance["properties"]["validator"]["anyOf"][1];
        assert_eq!(keys(validator), VALIDATOR);
    }

    #[test]
    fn the_schema_knows_the_same_words() {
        let schema = schema();
        let instance = &schema["$defs"]["instance"]["properties"];
        assert_eq!(schema["$defs"]["tool"]["enum"], json!(ToolName::NAMES));
        assert_eq!(schema["$defs"]["launcher-name"]["enum"], json!(LauncherChoice::NAMES));
        assert_eq!(instance["scratch"]["enum"], json!(ScratchMode::NAMES));
        assert_eq!(instance["format"]["enum"], json!(AnswerFormat::NAMES));
        assert_eq!(instance["on-output-limit"]["enum"], json!(OnOutputLimit::NAMES));
        assert_eq!(instance["guard"]["enum"], json!(GUARDS));
        assert_eq!(instance["escalate"]["enum"], json!(Escalate::NAMES));
    }

    #[test]
    fn the_schema_knows_the_same_numbers() {
        let schema = schema();
        let instance = &schema["$defs"]["instance"]["properties"];
        let range = |key: &str, limit: Limit| {
            let written = &instance[key];
            assert_eq!(written["default"], limit.default, "{key}");
            assert_eq!(written["minimum"], limit.least, "{key}");
            assert_eq!(written["maximum"], limit.most, "{key}");
        };
        range("max-output-bytes", defaults::MAX_OUTPUT_BYTES);
        range("max-output-lines", defaults::MAX_OUTPUT_LINES);
        range("max-file-bytes", defaults::MAX_FILE_BYTES);
        range("max-jobs", defaults::MAX_JOBS);
        range("max-finished-jobs", defaults::MAX_FINISHED_JOBS);
        assert_eq!(instance["timeout"]["default"], defaults::TIMEOUT.as_secs());
        let validator = &instance["validator"]["anyOf"][1]["properties"];
        assert_eq!(validator["timeout"]["default"], defaults::VALIDATOR_TIMEOUT.as_secs());
        assert_eq!(instance["job-ttl"]["default"], defaults::JOB_TTL.as_secs());
        let lengths = &instance["allow-patterns"]["items"]["maxLength"];
        assert_eq!(*lengths, crate::LONGEST_PATTERN);
    }
}
