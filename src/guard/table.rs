//! The table of forms, as `leaf-tools.toml` writes it.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// Every form that the guard knows, by the name of the program that it is about.
#[derive(Debug)]
pub(super) struct Table {
    by_name: HashMap<&'static str, &'static ByName>,
    programs: HashMap<&'static str, &'static Program>,
}

/// The table as it is written.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Written {
    by_name: Vec<ByName>,
    program: Vec<Program>,
}

/// Programs that are refused as a whole.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ByName {
    pub(super) rule: String,
    pub(super) why: String,
    names: Vec<String>,
}

/// A program whose arguments are looked at.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Program {
    names: Vec<String>,
    #[serde(default)]
    pub(super) flags: String,
    #[serde(default)]
    pub(super) values: String,
    #[serde(default)]
    pub(super) long_flags: Vec<String>,
    #[serde(default)]
    pub(super) long_values: Vec<String>,
    #[serde(default)]
    pub(super) old_style: bool,
    pub(super) globals: Option<Globals>,
    #[serde(rename = "rule")]
    pub(super) rules: Vec<Rule>,
}

/// What may stand before a subcommand, and which there are.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Globals {
    pub(super) flags: Vec<String>,
    pub(super) values: Vec<String>,
    pub(super) subcommands: Vec<String>,
}

/// One form, and why it is refused.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) why: String,
    #[serde(default)]
    pub(super) subcommands: Vec<String>,
    #[serde(default)]
    pub(super) refused_subcommands: Vec<String>,
    #[serde(default)]
    pub(super) short: String,
    #[serde(default)]
    pub(super) long: Vec<String>,
    pub(super) values: Option<String>,
    #[serde(default)]
    pub(super) words: Vec<String>,
    #[serde(default)]
    pub(super) prefixes: Vec<String>,
    #[serde(default)]
    pub(super) contains: Vec<String>,
    #[serde(default)]
    pub(super) globals: Vec<String>,
    pub(super) operands: Option<usize>,
    pub(super) check: Option<Check>,
}

/// A look at what is written in another language.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Check {
    AwkText,
    SedScript,
    RemoteName,
}

/// The rule about options before a subcommand that nobody knows.
pub(super) const UNKNOWN_OPTION: &str = "unknown-option";
/// The rule about subcommands that nobody knows.
pub(super) const UNKNOWN_SUBCOMMAND: &str = "subcommand";

static WRITTEN: LazyLock<Written> = LazyLock::new(|| {
    toml::from_str(include_str!("leaf-tools.toml")).expect("the embedded table is read by a test")
});

static TABLE: LazyLock<Table> = LazyLock::new(|| Table {
    by_name: each_name(&WRITTEN.by_name, |class| &class.names),
    programs: each_name(&WRITTEN.program, |program| &program.names),
});

fn each_name<T>(
    entries: &'static [T],
    names: impl Fn(&'static T) -> &'static [String],
) -> HashMap<&'static str, &'static T> {
    let of_one = |entry| names(entry).iter().map(move |name| (name.as_str(), entry));
    entries.iter().flat_map(of_one).collect()
}

impl Table {
    pub(super) fn get() -> &'static Table {
        &TABLE
    }

    /// The reason to refuse a program as a whole.
    pub(super) fn by_name(&self, name: &str) -> Option<&'static ByName> {
        self.by_name.get(name).copied()
    }

    /// What is known about the arguments of a program.
    pub(super) fn program(&self, name: &str) -> Option<&'static Program> {
        self.programs.get(name).copied()
    }

    /// The names of the rules about a program; empty where there are none.
    pub(super) fn rules(&self, name: &str) -> Vec<&str> {
        let mut rules = Vec::new();
        rules.extend(self.by_name(name).map(|class| class.rule.as_str()));
        if crate::wrapped::wrapper(name).is_some() {
            rules.extend(super::wrapped::RULES);
        }
        if let Some(program) = self.program(name) {
            rules.extend(program.rules.iter().map(|rule| rule.name.as_str()));
            if program.globals.is_some() {
                rules.extend([UNKNOWN_OPTION, UNKNOWN_SUBCOMMAND]);
            }
        }
        rules.sort_unstable();
        rules.dedup();
        rules
    }
}
