//! The whole profile of one run: its text and its paths.

use std::ffi::OsString;
use std::path::PathBuf;

use cofferdam_profiles::{NetworkMode, Policy, Promise};

use crate::expression::Expression;
use crate::parameters::Parameters;
use crate::places::Places;
use crate::{devices, facts, files, network, services, system};

/// What `sandbox-exec` is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Profile {
    text: String,
    parameters: Parameters,
}

impl Profile {
    /// The profile of a policy, for the places that one run has.
    pub(crate) fn of(policy: &Policy, places: &Places) -> Profile {
        let on = policy.network.mode == NetworkMode::On;
        let mut parameters = Parameters::default();
        let listed = policy.filesystem.devices.iter().map(|rule| rule.path.clone());
        let listed: Vec<PathBuf> = listed.collect();
        let mut machine = facts::readable(on);
        machine.push(services::lookups(on));
        let shared = shares_memory(policy).then(system::shared_memory);
        let sections = [
            ("nothing by default", system::head()),
            ("processes", system::processes(debugs(policy))),
            ("the machine and its services", machine),
            ("shared memory", shared.into_iter().collect()),
            ("the loader", system::loader()),
            ("files", files::rules(places, &policy.network.unix_sockets, &mut parameters)),
            ("what stays in its place", files::pins(places, &mut parameters).into_iter().collect()),
            ("the way there", files::ways(places, &mut parameters).into_iter().collect()),
            ("devices", devices::rules(&listed, &mut parameters)),
            ("network", network::rules(on)),
            ("never", system::tail()),
        ];
        let text = sections.iter().filter(|(_, rules)| !rules.is_empty());
        Profile { text: text.map(|(heading, rules)| section(heading, rules)).collect(), parameters }
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The paths, as `sandbox-exec` takes them: `P0=/path`.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = OsString> {
        self.parameters.definitions()
    }

    /// The options before the command, and the mark that ends them.
    pub(crate) fn options(&self) -> Vec<OsString> {
        let mut options = vec!["-p".into(), self.text.clone().into()];
        for definition in self.definitions() {
            options.extend(["-D".into(), definition]);
        }
        options.push("--".into());
        options
    }
}

/// Whether a run shares the names of semaphores and memory with the user's other programs. Language
/// runtimes need them, so they are closed only where a profile insists.
pub(crate) fn shares_memory(policy: &Policy) -> bool {
    policy.best_effort.contains(&Promise::Ipc)
}

/// Whether a run may look into its own processes, as debuggers do.
fn debugs(policy: &Policy) -> bool {
    policy.syscalls.iter().any(|entry| entry.value == "debug")
}

fn section(heading: &str, rules: &[Expression]) -> String {
    let rules: String = rules.iter().map(|rule| format!("{rule}\n")).collect();
    format!("; {heading}\n{rules}\n")
}
