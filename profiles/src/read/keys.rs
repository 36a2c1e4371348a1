//! The keys of a profile, table by table.

use crate::mistake::Cause;
use crate::nearest::nearest;

pub(super) const PROFILE: &[&str] = &[
    "best-effort",
    "description",
    "environment",
    "extends",
    "filesystem",
    "limits",
    "network",
    "syscalls",
];
pub(super) const FILESYSTEM: &[&str] = &["deny", "devices", "protect", "read", "write"];
pub(super) const NETWORK: &[&str] = &["mode", "unix-sockets"];
pub(super) const ENVIRONMENT: &[&str] = &["pass", "path", "set"];
pub(super) const SYSCALLS: &[&str] = &["allow"];
pub(super) const LIMITS: &[&str] =
    &["cpu-seconds", "file-size", "memory", "open-files", "processes"];

const TABLES: &[(&str, &[&str])] = &[
    ("filesystem", FILESYSTEM),
    ("network", NETWORK),
    ("environment", ENVIRONMENT),
    ("syscalls", SYSCALLS),
    ("limits", LIMITS),
];

/// The mistake of a key that is not valid where it stands. A key that is right in another table is
/// named with that table.
pub(super) fn unknown(key: &str, valid: &[&'static str]) -> Cause {
    let elsewhere = || {
        let table = TABLES.iter().find(|(_, keys)| keys.contains(&key))?;
        Some(format!("{}.{key}", table.0))
    };
    let near = nearest(key, valid.iter().copied()).map(str::to_owned);
    Cause::UnknownKey { nearest: elsewhere().or(near), valid: valid.to_vec() }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::Promise;

    fn schema() -> Value {
        serde_json::from_str(crate::SCHEMA).unwrap()
    }

    fn keys(table: &Value) -> Vec<&str> {
        let mut keys: Vec<_> =
            table["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(table["additionalProperties"], false);
        keys
    }

    #[test]
    fn the_schema_knows_the_same_keys() {
        let schema = schema();
        assert_eq!(keys(&schema), PROFILE);
        for (table, valid) in TABLES {
            assert_eq!(keys(&schema["properties"][table]), *valid, "{table}");
        }
    }

    #[test]
    fn the_schema_knows_the_same_promises() {
        let promises = &schema()["properties"]["best-effort"]["items"]["anyOf"][0]["enum"];
        let names: Vec<_> = Promise::ALL.iter().map(|promise| promise.as_str()).collect();
        assert_eq!(*promises, serde_json::json!(names));
    }
}
