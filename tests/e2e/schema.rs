//! The JSON Schema of a configuration: it takes what the program takes.

use std::fs;
use std::path::Path;

use boon::{Compiler, SchemaIndex, Schemas};
use cofferdam::config::{Config, Format};
use serde_json::{Value, json};

use crate::support::{Setup, finish};

struct Checker {
    schemas: Schemas,
    config: SchemaIndex,
}

impl Checker {
    /// With the schema that the program prints.
    fn new() -> Self {
        const NAME: &str = "file:///config.schema.json";
        let schema = serde_json::from_str(&printed("config")).unwrap();
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource(NAME, schema).unwrap();
        let config = compiler.compile(NAME, &mut schemas).unwrap();
        Checker { schemas, config }
    }

    #[track_caller]
    fn check(&self, config: &Value) {
        if let Err(error) = self.schemas.validate(config, self.config) {
            panic!("{error}\n{config}");
        }
    }

    fn takes(&self, config: &Value) -> bool {
        self.schemas.validate(config, self.config).is_ok()
    }
}

fn printed(what: &str) -> String {
    let ran = finish(Setup::plain().cofferdam(["schema", what]).spawn().unwrap());
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran:?}");
    ran.stdout
}

fn from_toml(text: &str) -> Value {
    toml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn in_repository(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn every_example_follows_the_schema_and_starts() {
    let checker = Checker::new();
    let json = in_repository("examples/mcp.json");
    let toml = in_repository("examples/mcp.toml");
    assert!(toml.starts_with("#:schema ../src/config/config.schema.json\n"));
    checker.check(&serde_json::from_str(&json).unwrap());
    checker.check(&from_toml(&toml));
    for (text, format) in [(json, Format::Json), (toml, Format::Toml)] {
        Config::from_text(&text, format, Path::new("/")).unwrap();
    }
    assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/config/config.schema.json").exists());
}

#[test]
fn every_configuration_of_the_readme_follows_the_schema() {
    let checker = Checker::new();
    let readme = in_repository("README.md");
    let blocks = readme.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next());
    let configs: Vec<Value> = blocks
        .filter_map(|block| serde_json::from_str(block).ok())
        .filter(|value: &Value| value.get("tools").is_some())
        .collect();
    assert!(!configs.is_empty());
    for config in configs {
        checker.check(&config);
    }
}

#[test]
fn what_import_prints_follows_the_schema() {
    let checker = Checker::new();
    let setup = Setup::plain();
    for (whose, variable) in
        [("mcp-shell-server", ("ALLOW_COMMANDS", "ls,cat")), ("mcp-run", ("MCP_RUN_TIMEOUT", "5"))]
    {
        let mut command = setup.cofferdam(["import", whose]);
        command.env(variable.0, variable.1);
        let ran = finish(command.spawn().unwrap());
        checker.check(&from_toml(&ran.exited(0).stdout));
    }
}

#[test]
fn the_profile_schema_is_printed_whole() {
    assert_eq!(printed("profile"), cofferdam::profiles::SCHEMA);
}

#[test]
fn the_schema_and_the_program_agree_about_settings() {
    let checker = Checker::new();
    for (settings, is_right) in [
        (json!({ "allow": ["git"] }), true),
        (json!({ "allow": [] }), false),
        (json!({ "allow": "git" }), false),
        (json!({ "allow": [""] }), false),
        (json!({ "allow-patterns": ["git.*"] }), true),
        (json!({ "allow-patterns": [""] }), false),
        (json!({ "allow-any": true, "alow": [] }), false),
        (json!({ "allow-any": true, "timeout": 0.5, "max-timeout": 600 }), true),
        (json!({ "allow-any": true, "timeout": 0 }), false),
        (json!({ "allow-any": true, "max-output-bytes": 1023 }), false),
        (json!({ "allow-any": true, "max-output-lines": 10, "on-output-limit": "kill" }), true),
        (json!({ "allow-any": true, "on-output-limit": "stop" }), false),
        (json!({ "allow-any": true, "max-jobs": 1.5 }), false),
        (json!({ "allow-any": true, "launcher": "auto", "profile": ["build", "net"] }), true),
        (json!({ "allow-any": true, "launcher": "bwrap" }), false),
        (
            json!({ "allow-any": true, "launcher": { "name": "landlock", "namespaces": "off" } }),
            true,
        ),
        (json!({ "allow-any": true, "launcher": { "name": "auto", "namespaces": "off" } }), false),
        (
            json!({ "allow-any": true, "launcher": { "command": ["nice"], "sandboxed": false } }),
            true,
        ),
        (json!({ "allow-any": true, "launcher": { "command": "nice" } }), false),
        (json!({ "allow-any": true, "launcher": ["nice", "bubblewrap"] }), true),
        (
            json!({ "allow-any": true, "environment": { "pass": ["LC_*"], "set": { "A": "" } } }),
            true,
        ),
        (json!({ "allow-any": true, "environment": { "pass": ["*"] } }), false),
        (json!({ "allow-any": true, "environment": { "set": { "A=": "" } } }), false),
        (json!({ "allow-any": true, "environment": { "set": { "PATH": "/bin:." } } }), false),
        (json!({ "allow-any": true, "environment": { "unset": [] } }), false),
        (json!({ "allow-any": true, "tools": ["run", "poll"], "names": { "run": "x" } }), true),
        (json!({ "allow-any": true, "tools": ["run", "run"] }), false),
        (json!({ "allow-any": true, "names": { "run": "a b" } }), false),
        (json!({ "allow-any": true, "names": { "rn": "ab" } }), false),
        (json!({ "allow-any": true, "descriptions": { "run": "" } }), false),
        (json!({ "allow-any": true, "format": "text", "nonzero-is-error": true }), true),
        (json!({ "allow-any": true, "format": "yaml" }), false),
        (json!({ "allow-any": true, "prefix": "a.b" }), false),
        (json!({ "allow-any": true, "scratch": "run", "isolate-terminal": true }), true),
        (json!({ "allow-any": true, "launcher": "auto", "escalate": "ask" }), true),
        (json!({ "allow-any": true, "launcher": "auto", "escalate": "yes" }), false),
        (json!([]), false),
    ] {
        let config = json!({ "name": "x", "tools": { "Shell": settings } });
        let read = Config::from_text(&config.to_string(), Format::Json, Path::new("/"));
        assert_eq!(read.is_ok(), is_right, "the program about {config}: {:?}", read.err());
        assert_eq!(checker.takes(&config), is_right, "the schema about {config}");
    }
    for config in [
        json!({}),
        json!({ "name": "", "tools": { "Shell": { "allow-any": true } } }),
        json!({ "name": "x", "tools": {} }),
        json!({ "name": "x", "tools": { "Python": { "allow-any": true } } }),
        json!({ "name": "x", "tools": { "Shell": { "allow-any": true } }, "http": {} }),
    ] {
        assert!(Config::from_text(&config.to_string(), Format::Json, Path::new("/")).is_err());
        assert!(!checker.takes(&config), "{config}");
    }
}
