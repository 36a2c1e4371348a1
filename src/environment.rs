//! The environment of the child: built once for an instance, or for each run that has folders of its
//! own.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::Arc;

use cofferdam_launcher::Scratch;
use cofferdam_profiles::{Policy, passes};

use crate::config::Environment as Table;

/// Where the variables of a child come from. A caller cannot add any.
#[derive(Debug, Clone)]
pub(crate) struct EnvironmentSource {
    /// The host's own, as it was when the runner was built.
    host: Vec<(OsString, OsString)>,
    policy: Option<Arc<Policy>>,
    table: Option<Table>,
}

/// The environment of a child in the two shapes that are needed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ChildEnvironment {
    /// `NAME=value`, each once.
    pub(crate) block: Arc<[CString]>,
    /// The directories in which a bare name is looked up.
    pub(crate) search_path: OsString,
}

impl EnvironmentSource {
    pub(crate) fn new(policy: Option<Arc<Policy>>, table: Option<Table>) -> Self {
        EnvironmentSource { host: std::env::vars_os().collect(), policy, table }
    }

    /// With a policy, what it says, and the table adds to it. Without one, what the table says; and
    /// where there is neither, everything that the host has.
    pub(crate) fn child(&self, scratch: Option<&Scratch>) -> ChildEnvironment {
        let mut variables: BTreeMap<OsString, OsString> = match (&self.policy, &self.table) {
            (Some(policy), _) => {
                let folders =
                    scratch.map(|scratch| (scratch.tmp.as_path(), scratch.home.as_path()));
                policy.environment.build(self.host.iter().cloned(), folders).into_iter().collect()
            }
            (None, Some(table)) if !table.inherit => BTreeMap::new(),
            (None, _) => self.host.iter().cloned().collect(),
        };
        if let Some(table) = &self.table {
            self.apply(table, &mut variables);
        }
        ChildEnvironment::of(&variables.into_iter().collect::<Vec<_>>())
    }

    fn apply(&self, table: &Table, variables: &mut BTreeMap<OsString, OsString>) {
        for (name, value) in &self.host {
            if !table.pass.iter().any(|entry| passes(entry, name)) {
                continue;
            }
            match name == "PATH" {
                // A policy has made one already, of the host's and of what it puts in front.
                true if self.policy.is_some() => {}
                true => drop(variables.insert(name.clone(), absolute_entries(value))),
                false => drop(variables.insert(name.clone(), value.clone())),
            }
        }
        for (name, value) in &table.set {
            variables.insert(name.into(), value.into());
        }
        variables.entry("PATH".into()).or_insert_with(|| FALLBACK.into());
    }
}

/// What `execvp(3)` and the shells fall back to, with the administrator's own in front.
const FALLBACK: &str = "/usr/local/bin:/usr/bin:/bin";

impl ChildEnvironment {
    fn of(variables: &[(OsString, OsString)]) -> Self {
        ChildEnvironment { block: block(variables), search_path: search_path(variables) }
    }
}

/// `NAME=value`, as `execve(2)` takes it.
fn block(variables: &[(OsString, OsString)]) -> Arc<[CString]> {
    variables
        .iter()
        .filter_map(|(name, value)| {
            let mut line = name.clone();
            line.push("=");
            line.push(value);
            CString::new(line.into_vec()).ok()
        })
        .collect()
}

/// The directories of `PATH` in which a bare name is looked up.
fn search_path(variables: &[(OsString, OsString)]) -> OsString {
    let path =
        variables.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    absolute_entries(path.unwrap_or(OsStr::new(FALLBACK)))
}

/// The value of `PATH` without the entries that would mean the current directory, which a repository
/// fills.
fn absolute_entries(path: &OsStr) -> OsString {
    let entries = path.as_bytes().split(|byte| *byte == b':');
    let absolute: Vec<&[u8]> = entries.filter(|entry| entry.starts_with(b"/")).collect();
    OsString::from_vec(absolute.join(&b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(table: Option<Table>) -> EnvironmentSource {
        let host = [("PATH", "/usr/bin"), ("SECRET_TOKEN", "s3"), ("LANG", "C"), ("LC_ALL", "C")];
        let host = host.map(|(name, value)| (name.into(), value.into())).to_vec();
        EnvironmentSource { host, policy: None, table }
    }

    fn lines(source: &EnvironmentSource) -> Vec<String> {
        let child = source.child(None);
        child.block.iter().map(|line| line.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn without_policy_and_table_everything_is_inherited() {
        assert!(lines(&source(None)).contains(&"SECRET_TOKEN=s3".to_owned()));
    }

    #[test]
    fn a_table_starts_from_nothing() {
        let table = Table {
            pass: vec!["LC_*".to_owned()],
            set: BTreeMap::from([("HOME".to_owned(), "/srv".to_owned())]),
            ..Table::default()
        };
        let expected = ["HOME=/srv", "LC_ALL=C", "PATH=/usr/local/bin:/usr/bin:/bin"];
        assert_eq!(lines(&source(Some(table))), expected);
    }

    #[test]
    fn a_path_that_is_passed_on_has_no_entry_that_means_the_current_directory() {
        let table = Table { pass: vec!["PATH".to_owned()], ..Table::default() };
        let mut source = source(Some(table));
        source.host[0].1 = ":/usr/bin:.:bin:/bin".into();
        assert_eq!(lines(&source), ["PATH=/usr/bin:/bin"]);
    }

    #[test]
    fn a_wildcard_never_carries_what_decides_which_code_runs() {
        let pass = ["L*", "D*", "B*", "P*", "S*", "G*"].map(str::to_owned).to_vec();
        let mut source = source(Some(Table { pass, ..Table::default() }));
        for name in ["LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PYTHONPATH", "GIT_DIR"] {
            source.host.push((name.into(), "s3".into()));
        }
        let expected = ["LANG=C", "LC_ALL=C", "PATH=/usr/local/bin:/usr/bin:/bin"];
        assert_eq!(lines(&source), expected);
    }

    #[test]
    fn empty_and_relative_entries_of_the_path_are_not_searched() {
        let path = |value: &str| search_path(&[("PATH".into(), value.into())]);
        assert_eq!(path(":/usr/bin:.:bin::/bin:"), "/usr/bin:/bin");
        assert_eq!(path(""), "");
        assert_eq!(search_path(&[]), "/usr/local/bin:/usr/bin:/bin");
    }
}
