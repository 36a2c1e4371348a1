//! Why a command line was refused, with everything an operator needs to decide about it.

use crate::gate::Gate;

/// The guard refused a command line: nothing was run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{}: {why} (rule `{rule}` of `{program}`). The setting `guard` = \"leaf-tools\" refuses it, a gate of \
     intent and no boundary; {}\"guard-except\": {{\"{program}\": [\"{rule}\"]}} would let it pass",
    argument.as_ref().map_or_else(|| format!("`{program}`"), |(place, text)| {
        format!("`args[{place}]` = `{}`", text.escape_debug())
    }),
    if *is_about_name { "the exact name in `allow`, or " } else { "" }
)]
#[non_exhaustive]
pub struct GuardRefusal {
    /// The base name of the program that the rule is about.
    pub program: String,
    /// The rule's name, as an exception would give it.
    pub rule: String,
    /// What is wrong with it.
    pub why: String,
    /// The argument's place in the call and its text, cut to 100 characters; `None` where it is about
    /// the program as a whole.
    pub argument: Option<(usize, String)>,
    /// Whether the exact name of the program in the allow list would let it pass as well. Where
    /// everything is allowed there is no list that could hold it.
    pub is_about_name: bool,
}

impl GuardRefusal {
    /// About the program as a whole, whatever its arguments are.
    pub(super) fn of_program(program: &str, rule: &str, why: &str, gate: &Gate) -> Self {
        let is_about_name = matches!(gate, Gate::Only(_));
        GuardRefusal { is_about_name, ..GuardRefusal::new(program, rule, why, None) }
    }

    pub(super) fn new(
        program: &str,
        rule: &str,
        why: &str,
        argument: Option<(usize, &str)>,
    ) -> Self {
        const ENOUGH: usize = 100;
        let cut = |(place, text): (usize, &str)| (place, text.chars().take(ENOUGH).collect());
        GuardRefusal {
            program: program.to_owned(),
            rule: rule.to_owned(),
            why: why.to_owned(),
            argument: argument.map(cut),
            is_about_name: false,
        }
    }
}
