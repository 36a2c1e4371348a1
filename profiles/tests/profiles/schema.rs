//! The JSON Schema: it takes what the program takes.

use boon::{Compiler, SchemaIndex, Schemas};
use cofferdam_profiles::{Grants, SCHEMA, Source, resolve, shipped};
use serde_json::{Value, json};

use crate::support::Machine;

struct Checker {
    schemas: Schemas,
    profile: SchemaIndex,
}

impl Checker {
    fn new() -> Self {
        const NAME: &str = "file:///profile.schema.json";
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource(NAME, schema).unwrap();
        let profile = compiler.compile(NAME, &mut schemas).unwrap();
        Checker { schemas, profile }
    }

    fn takes(&self, profile: &Value) -> bool {
        self.schemas.validate(profile, self.profile).is_ok()
    }
}

/// TOML as the schema sees it.
fn from_toml(text: &str) -> Value {
    toml::from_str(text).unwrap()
}

#[test]
fn every_shipped_profile_and_the_one_of_the_readme_follow_the_schema() {
    let checker = Checker::new();
    for profile in shipped() {
        let value = from_toml(profile.text);
        let checked = checker.schemas.validate(&value, checker.profile);
        assert!(checked.is_ok(), "{}: {}", profile.name, checked.unwrap_err());
    }
    let readme = include_str!("../../README.md");
    let example = readme.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(checker.takes(&from_toml(example)), "{example}");
}

#[test]
fn the_schema_and_the_program_agree_about_what_is_right_and_what_is_wrong() {
    let checker = Checker::new();
    let machine = Machine::new();
    for (profile, is_right) in [
        (json!({}), true),
        (json!({ "extends": "base" }), true),
        (json!({ "extends": ["base", "net"] }), true),
        (json!({ "extends": [5] }), false),
        (json!({ "filesystem": { "read": ["/usr", "/opt?"] } }), true),
        (json!({ "filesystem": { "raed": ["/usr"] } }), false),
        (json!({ "filesystem": { "read": "/usr" } }), false),
        (json!({ "filesystem": { "read": [""] } }), false),
        (json!({ "network": { "mode": "on", "unix-sockets": "all" } }), true),
        (json!({ "network": { "mode": true } }), false),
        (json!({ "network": { "unix-sockets": "some" } }), false),
        (json!({ "environment": { "pass": ["LC_*"], "set": { "A": "b" } } }), true),
        (json!({ "environment": { "pass": ["*"] } }), false),
        (json!({ "environment": { "pass": ["A*B"] } }), false),
        (json!({ "environment": { "set": { "HOME": "/" } } }), false),
        (json!({ "environment": { "set": { "A": 1 } } }), false),
        (json!({ "syscalls": { "allow": ["debug"] } }), true),
        (json!({ "syscalls": { "allow": ["De-bug"] } }), false),
        (json!({ "limits": { "memory": "2G", "processes": 5, "file-size": 0 } }), true),
        (json!({ "limits": { "memory": "2g" } }), false),
        (json!({ "limits": { "memory": 0 } }), false),
        (json!({ "limits": { "processes": "5" } }), false),
        (json!({ "best-effort": ["pty"] }), true),
        (json!({ "best-effort": ["tty"] }), false),
        (json!({ "unknown": 1 }), false),
        (json!([]), false),
    ] {
        let source = Source::Inline(profile.clone());
        let resolved = resolve(&source, &Grants::default(), &machine.context);
        assert_eq!(resolved.is_ok(), is_right, "the program about {profile}: {resolved:?}");
        assert_eq!(checker.takes(&profile), is_right, "the schema about {profile}");
    }
}
