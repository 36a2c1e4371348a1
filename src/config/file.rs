//! What a person writes: the configuration file, key by key, with every value in its type and none
//! of them judged. What the values mean is the business of [`Settings`](super::Settings).

use std::path::PathBuf;

use cofferdam_profiles::Grants;

use super::elements::{WrittenAllow, WrittenShape};
use super::keys;
use super::mistake::{Mistakes, Problem};
use super::place::{Place, Placed, Written};
use super::table::Table;
use super::tree::Tree;

/// A whole configuration.
#[derive(Debug, Default)]
pub(crate) struct WrittenConfig {
    pub(crate) name: Written<String>,
    pub(crate) version: Written<String>,
    pub(crate) instructions: Written<String>,
    pub(crate) tools: Written<Vec<WrittenInstance>>,
}

/// An entry of `tools`: its key, its prefix, the names of its tools, and the settings beside it.
#[derive(Debug)]
pub(crate) struct WrittenInstance {
    pub(crate) key: Placed<String>,
    pub(crate) prefix: Written<String>,
    pub(crate) names: Written<Tree>,
    pub(crate) settings: WrittenSettings,
}

/// The settings of one tool instance.
#[derive(Debug)]
pub(crate) struct WrittenSettings {
    pub(crate) place: Place,
    pub(crate) allow: WrittenAllow,
    pub(crate) cwd: Written<PathBuf>,
    pub(crate) isolate_terminal: Written<bool>,
    pub(crate) timeout: Written<f64>,
    pub(crate) max_timeout: Written<f64>,
    pub(crate) max_output_bytes: Written<i128>,
    pub(crate) max_output_lines: Written<i128>,
    pub(crate) max_file_bytes: Written<i128>,
    pub(crate) on_output_limit: Written<String>,
    pub(crate) max_jobs: Written<i128>,
    pub(crate) max_finished_jobs: Written<i128>,
    pub(crate) job_ttl: Written<f64>,
    pub(crate) launcher: Written<Tree>,
    pub(crate) profile: Written<Tree>,
    pub(crate) environment: Written<Tree>,
    pub(crate) tools: Written<Vec<Placed<String>>>,
    pub(crate) scratch: Written<String>,
    pub(crate) shape: WrittenShape,
    pub(crate) compress: Written<bool>,
    pub(crate) compress_filters: Written<PathBuf>,
    pub(crate) guard: Written<String>,
    pub(crate) guard_except: Written<Tree>,
    pub(crate) audit: Written<Tree>,
    pub(crate) audit_required: Written<bool>,
    pub(crate) validator: Written<Tree>,
    pub(crate) escalate: Written<String>,
    /// Grants beside the profile. Only the command line and programs can give them; in a file they
    /// stand in an inline profile.
    pub(crate) grants: Grants,
}

impl WrittenConfig {
    /// Reads the top of a configuration file.
    pub(crate) fn read(tree: Tree, mistakes: &mut Mistakes) -> WrittenConfig {
        let root = Placed::tree(Place::root(), tree);
        let Some(mut table) = Table::open(root, keys::TOP, mistakes) else {
            return WrittenConfig {
                name: Written::Unreadable,
                tools: Written::Unreadable,
                ..WrittenConfig::default()
            };
        };
        // Editors use it to find the schema; here it is only checked for its type.
        let _: Written<String> = table.take("$schema", mistakes);
        WrittenConfig {
            name: table.take("name", mistakes),
            version: table.take("version", mistakes),
            instructions: table.take("instructions", mistakes),
            tools: match table.take("tools", mistakes) {
                Written::Given(tools) => read_tools(tools, mistakes),
                Written::Absent => Written::Absent,
                Written::Unreadable => Written::Unreadable,
            },
        }
    }
}

fn read_tools(tools: Placed<Tree>, mistakes: &mut Mistakes) -> Written<Vec<WrittenInstance>> {
    let Placed { place, shown, value } = tools;
    let Tree::Table(entries) = value else {
        let must = Problem::must("a table of tools, such as {\"Shell\": {…}}");
        mistakes.add(place, shown, must);
        return Written::Unreadable;
    };
    let nothing_written = entries.is_empty();
    let value: Vec<_> = entries
        .into_iter()
        .filter_map(|(key, tree)| WrittenInstance::read(place.key(&key), key, tree, mistakes))
        .collect();
    match value.is_empty() && !nothing_written {
        true => Written::Unreadable,
        false => Written::Given(Placed { place, shown, value }),
    }
}

impl WrittenInstance {
    /// Reads one entry of `tools`.
    pub(crate) fn read(
        place: Place,
        key: String,
        tree: Tree,
        mistakes: &mut Mistakes,
    ) -> Option<WrittenInstance> {
        let entry = Placed::tree(place.clone(), tree);
        let mut table = Table::open(entry, keys::ENTRY, mistakes)?;
        Some(WrittenInstance {
            key: Placed { place, shown: None, value: key },
            prefix: table.take("prefix", mistakes),
            names: table.take("names", mistakes),
            settings: WrittenSettings::read(&mut table, mistakes),
        })
    }
}

impl WrittenSettings {
    /// Settings of which nothing was written.
    pub(crate) fn nothing(place: Place) -> WrittenSettings {
        WrittenSettings {
            place,
            allow: WrittenAllow::default(),
            cwd: Written::Absent,
            isolate_terminal: Written::Absent,
            timeout: Written::Absent,
            max_timeout: Written::Absent,
            max_output_bytes: Written::Absent,
            max_output_lines: Written::Absent,
            max_file_bytes: Written::Absent,
            on_output_limit: Written::Absent,
            max_jobs: Written::Absent,
            max_finished_jobs: Written::Absent,
            job_ttl: Written::Absent,
            launcher: Written::Absent,
            profile: Written::Absent,
            environment: Written::Absent,
            tools: Written::Absent,
            scratch: Written::Absent,
            shape: WrittenShape::default(),
            compress: Written::Absent,
            compress_filters: Written::Absent,
            guard: Written::Absent,
            guard_except: Written::Absent,
            audit: Written::Absent,
            audit_required: Written::Absent,
            validator: Written::Absent,
            escalate: Written::Absent,
            grants: Grants::default(),
        }
    }

    fn read(table: &mut Table, mistakes: &mut Mistakes) -> WrittenSettings {
        WrittenSettings {
            place: table.place.clone(),
            allow: WrittenAllow::read(table, mistakes),
            cwd: table.take("cwd", mistakes),
            isolate_terminal: table.take("isolate-terminal", mistakes),
            timeout: table.take("timeout", mistakes),
            max_timeout: table.take("max-timeout", mistakes),
            max_output_bytes: table.take("max-output-bytes", mistakes),
            max_output_lines: table.take("max-output-lines", mistakes),
            max_file_bytes: table.take("max-file-bytes", mistakes),
            on_output_limit: table.take("on-output-limit", mistakes),
            max_jobs: table.take("max-jobs", mistakes),
            max_finished_jobs: table.take("max-finished-jobs", mistakes),
            job_ttl: table.take("job-ttl", mistakes),
            launcher: table.take("launcher", mistakes),
            profile: table.take("profile", mistakes),
            environment: table.take("environment", mistakes),
            tools: table.take("tools", mistakes),
            scratch: table.take("scratch", mistakes),
            shape: WrittenShape::read(table, mistakes),
            compress: table.take("compress", mistakes),
            compress_filters: table.take("compress-filters", mistakes),
            guard: table.take("guard", mistakes),
            guard_except: table.take("guard-except", mistakes),
            audit: table.take("audit", mistakes),
            audit_required: table.take("audit-required", mistakes),
            validator: table.take("validator", mistakes),
            escalate: table.take("escalate", mistakes),
            grants: Grants::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> (WrittenConfig, Vec<String>) {
        let mut mistakes = Mistakes::default();
        let tree = serde_json::from_str(json).unwrap();
        let config = WrittenConfig::read(tree, &mut mistakes);
        (config, mistakes.lines())
    }

    #[test]
    fn every_level_refuses_keys_that_it_does_not_know() {
        let (_, lines) = read(
            r#"{"nmae": "x", "tools": {"Shell": {"timeut": 5, "http": 80}}, "$schema": "https://x"}"#,
        );
        assert_eq!(lines.len(), 3, "{lines:#?}");
        assert!(lines[0].starts_with("nmae = \"x\": unknown key; did you mean `name`? valid"));
        assert!(
            lines[1].starts_with("tools.Shell.timeut = 5: unknown key; did you mean `timeout`")
        );
        assert!(lines[2].starts_with("tools.Shell.http = 80: unknown key; valid here: `allow`, "));
    }

    #[test]
    fn a_value_of_the_wrong_type_is_noted_and_does_not_count_as_missing() {
        let (config, lines) = read(r#"{"name": 5, "tools": []}"#);
        assert_eq!(config.name, Written::Unreadable);
        assert!(matches!(config.tools, Written::Unreadable));
        assert_eq!(
            lines,
            [
                "name = 5: must be text",
                "tools = []: must be a table of tools, such as {\"Shell\": {…}}"
            ]
        );
    }

    #[test]
    fn no_known_key_is_overlooked() {
        // A list that holds a table is right for no key but these, which are read later.
        const LATER: [&str; 8] = [
            "audit",
            "descriptions",
            "environment",
            "guard-except",
            "launcher",
            "names",
            "profile",
            "validator",
        ];
        for key in keys::ENTRY {
            let (_, lines) = read(&format!(r#"{{"tools": {{"Shell": {{"{key}": [{{}}]}}}}}}"#));
            let later = LATER.contains(key);
            assert_eq!(lines.len(), usize::from(!later), "{key}: {lines:?}");
        }
    }

    #[test]
    fn what_is_not_written_is_absent() {
        let (config, lines) = read(r#"{"tools": {"Shell": {}}}"#);
        assert_eq!(lines, [""; 0]);
        assert_eq!(config.version, Written::Absent);
        let tools = config.tools.given().unwrap();
        assert_eq!(tools.value[0].settings.allow.list, Written::Absent);
    }
}
