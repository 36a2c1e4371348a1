//! What models and people are told about an instance: short, and true for this very instance.

use std::collections::BTreeSet;

use super::facts::Facts;
use super::words::{clipped, on_one_line, seconds};
use crate::Gate;
use crate::capture::Caps;
use crate::config::{OnOutputLimit, ToolName};
use crate::evidence::has_view;

/// The description of `poll`.
pub(super) const POLL: &str = "Tells how a job is getting on (running, exited or killed). exit is \
    null while it runs; the bytes count all it wrote, kept or not.";

/// The description of `output`.
pub(super) const OUTPUT: &str = "Reads what a job has written: all, cut in the middle where it is long, \
    or with `cursor` what is new. eof: it is over and this was the rest.";

/// The description of `kill`.
pub(super) const KILL: &str = "Kills a job and all that it started (SIGKILL), and returns at once. \
    A job that has ended stays as it is.";

/// The description of `allowed`.
pub(super) const ALLOWED: &str = "Lists the commands that may run, one a line, exactly as they must \
    be written; between slashes, as in `/node.*/`, is a pattern for a whole name.";

/// The description of `run`.
pub(super) fn run(facts: &Facts<'_>) -> String {
    let first = "Runs one program or pipeline and waits. There is no shell: no globs \
                 or `$VARS`; `args` arrive unchanged.";
    let confined = confinement(facts) + own_folders(facts);
    [first.to_owned(), may_run(facts), confined, bounds(facts)].join(" ")
}

/// The description of `start`. What holds for `run` as well is said there, where there is a `run`.
pub(super) fn start(facts: &Facts<'_>) -> String {
    let first = "Starts a program or pipeline as a job; returns its handle.";
    let terms = match facts.has(ToolName::Run) {
        Some(run) => format!("Its arguments and its sandbox are those of {run}."),
        None => format!("No shell. {} {}", may_run(facts), confinement(facts)),
    };
    [first.to_owned(), terms, followed(facts), life(facts)].join(" ")
}

/// How to go on with a job.
fn followed(facts: &Facts<'_>) -> String {
    let ways = [ToolName::Poll, ToolName::Output, ToolName::Kill];
    let ways: Vec<_> = ways.into_iter().filter_map(|tool| facts.has(tool)).collect();
    match ways.is_empty() {
        true => "It cannot be followed.".to_owned(),
        false => format!("Go on with {}.", ways.join(", ")),
    }
}

fn life(facts: &Facts<'_>) -> String {
    format!(
        "At most {} at once; one that ended is kept {} s (newest {}). All end with this server.",
        facts.limits.max_jobs,
        seconds(facts.limits.ttl),
        facts.limits.max_finished_jobs,
    )
}

/// The text of `allowed`.
pub(super) fn allowed(gate: &Gate) -> String {
    match gate {
        Gate::Any => "Any command may run (allow-any): there is no list.".to_owned(),
        Gate::Only(list) => list.entries().collect::<Vec<_>>().join("\n"),
    }
}

/// What the server tells about itself where the configuration says nothing.
pub(super) fn instructions(tools: &BTreeSet<ToolName>) -> String {
    const FIRST: &str = "Runs programs on this machine. A call names one program and gives its \
        arguments as an array, or several that are connected (`pipeline`); there is no shell. An exit code other than 0 is an ordinary result, and \
        -1 means that the program was not started: stderr says why. Long output keeps its beginning and \
        its end, with a marker between. What a tool's description says about its sandbox holds for \
        every call; a call cannot change it.";
    const JOBS: &str = " What may take longer than a run's timeout, and servers, are for start: it \
        returns a handle to poll and to read output with. Jobs end with this server.";
    match tools.contains(&ToolName::Start) {
        true => FIRST.to_owned() + JOBS,
        false => FIRST.to_owned(),
    }
}

fn may_run(facts: &Facts<'_>) -> String {
    const ROOM: usize = 55;
    let Gate::Only(list) = facts.gate else { return "Any program may run.".to_owned() };
    let list: String = list.to_string().chars().flat_map(on_one_line).collect();
    match list.len() <= ROOM {
        true => format!("Allowed: {list}."),
        false => match facts.has(ToolName::Allowed) {
            Some(allowed) => format!("{allowed} lists what may run."),
            None => format!("Allowed: {}.", clipped(&list, ROOM)),
        },
    }
}

fn confinement(facts: &Facts<'_>) -> String {
    const NAME: usize = 20;
    const RULES: usize = 52;
    let launcher = clipped(facts.launcher, NAME);
    match facts.profile.map(|profile| clipped(profile, NAME)) {
        Some(profile) if facts.missing.is_empty() => {
            format!("Sandbox: {launcher}, profile {profile}.")
        }
        Some(profile) => {
            let missing = clipped(&facts.missing.join(", "), RULES);
            format!("Sandbox: {launcher}, profile {profile}; not enforced here: {missing}.")
        }
        None if facts.launcher == "none" => {
            "No sandbox: commands have all rights of this server.".to_owned()
        }
        None => format!("Wrapped by {launcher}."),
    }
}

/// What a command finds in place of the host's folder of that name. Files that other tools have left
/// there are looked for in vain, and nothing else tells why.
fn own_folders(facts: &Facts<'_>) -> &'static str {
    match (facts.scratch, has_view(facts.missing)) {
        (false, _) => "",
        (true, true) => " /tmp and HOME are its own.",
        (true, false) => " HOME is its own.",
    }
}

fn bounds(facts: &Facts<'_>) -> String {
    let Caps { max_bytes, max_lines } = facts.caps;
    let mut text = match facts.on_output_limit {
        OnOutputLimit::Truncate => {
            format!("Keeps {max_bytes} bytes or {max_lines} lines of each stream, both ends.")
        }
        OnOutputLimit::Kill => {
            format!("Killed when a stream exceeds {max_bytes} bytes or {max_lines} lines.")
        }
    };
    if let Some(time) = facts.timeout {
        text += &format!(" Killed after {} s unless `timeout` is given", seconds(time));
        match facts.has(ToolName::Start) {
            Some(start) => text += &format!("; longer work: {start}."),
            None => text += ".",
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::LazyLock;
    use std::time::Duration;

    use crate::config::{Names, Shape};
    use crate::{AllowList, JobLimits};

    use super::*;

    static NAMES: LazyLock<Names> = LazyLock::new(Names::default);
    static SHAPE: LazyLock<Shape> = LazyLock::new(Shape::default);
    static TOOLS: LazyLock<BTreeSet<ToolName>> = LazyLock::new(|| ToolName::ALL.into());

    fn facts<'a>(gate: &'a Gate, missing: &'a [String]) -> Facts<'a> {
        Facts {
            names: &NAMES,
            shape: &SHAPE,
            host_answers: false,
            tools: &TOOLS,
            gate,
            dir: Path::new("/srv/app"),
            launcher: "landlock",
            profile: Some("workspace"),
            missing,
            scratch: true,
            caps: Caps::default(),
            on_output_limit: OnOutputLimit::Truncate,
            timeout: Some(Duration::from_secs(30)),
            max_timeout: None,
            limits: JobLimits::default(),
            compress: false,
            is_guarded: false,
        }
    }

    fn only<S: ToString>(names: impl IntoIterator<Item = S>) -> Gate {
        Gate::Only(AllowList::new(names.into_iter().map(|name| name.to_string())))
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("/opt/tools/bin/program-{number}-é")).collect()
    }

    #[test]
    fn the_description_says_what_may_run_what_confines_it_and_what_does_not() {
        let text = run(&facts(&only(["rg", "git"]), &["pty".to_owned(), "ipc".to_owned()]));
        for part in [
            "There is no shell",
            "Allowed: git, rg.",
            "Sandbox: landlock, profile workspace; not enforced here: pty, ipc. /tmp and HOME are its own.",
            "16384 bytes or 2000 lines",
            "Killed after 30 s unless `timeout` is given; longer work: sh_start.",
        ] {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
    }

    #[test]
    fn a_folder_is_called_the_runs_own_only_where_it_is() {
        let without_view = ["metadata".to_owned()];
        for (scratch, missing, own) in [
            (true, &[][..], "workspace. /tmp and HOME are its own. "),
            (true, &without_view, ": metadata. HOME is its own. "),
            (false, &[], "workspace. Keeps"),
        ] {
            let facts = facts(&Gate::Any, missing);
            let text = run(&Facts { scratch, ..facts });
            assert!(text.contains(own), "{own:?} is not in {text:?}");
        }
    }

    #[test]
    fn a_runner_without_a_sandbox_says_so() {
        let plain = Facts { launcher: "none", profile: None, ..facts(&Gate::Any, &[]) };
        let text = run(&plain);
        assert!(
            text.contains("Any program may run. No sandbox: commands have all rights"),
            "{text}"
        );
        let wrapped = Facts { launcher: "firejail", ..plain };
        assert!(run(&wrapped).contains("Wrapped by firejail."));
    }

    #[test]
    fn a_long_list_is_left_to_the_tool_that_lists_it_or_is_cut() {
        let gate = only(names(50));
        let text = run(&facts(&gate, &[]));
        assert!(text.contains("sh_allowed lists what may run."), "{text}");
        let tools = BTreeSet::from([ToolName::Run]);
        let text = run(&Facts { tools: &tools, ..facts(&gate, &[]) });
        assert!(text.contains("Allowed: /opt/tools/bin/program-0-é, "), "{text}");
        assert!(text.contains("…."), "{text}");
    }

    #[test]
    fn the_description_of_start_leads_on_to_the_tools_that_are_there() {
        let gate = only(["make"]);
        let text = start(&facts(&gate, &[]));
        for part in [
            "Its arguments and its sandbox are those of sh_run.",
            "Go on with sh_poll, sh_output, sh_kill.",
            "At most 8 at once",
            "kept 600 s (newest 32).",
        ] {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
        let tools = BTreeSet::from([ToolName::Start, ToolName::Kill]);
        let text = start(&Facts { tools: &tools, ..facts(&gate, &[]) });
        for part in ["Allowed: make.", "Sandbox: landlock", "Go on with sh_kill."] {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
        for part in ["sh_run", "sh_poll", "sh_output"] {
            assert!(!text.contains(part), "{part:?} is in {text:?}");
        }
    }

    #[test]
    fn a_tool_that_is_not_there_is_not_pointed_to() {
        let tools = BTreeSet::from([ToolName::Run]);
        assert!(!run(&Facts { tools: &tools, ..facts(&Gate::Any, &[]) }).contains("sh_start"));
        assert!(!instructions(&tools).contains("handle"));
        assert!(instructions(&TOOLS).contains("returns a handle"));
    }

    #[test]
    fn no_description_is_longer_than_500_bytes() {
        let long = "é".repeat(4000);
        let (gate, missing) = (only(names(1000)), names(50));
        let names_with_prefix = Names::new("x".repeat(32).parse().unwrap());
        let some = BTreeSet::from([ToolName::Run, ToolName::Start]);
        let alone = BTreeSet::from([ToolName::Start]);
        let jobs_only = ToolName::ALL.into_iter().filter(|tool| *tool != ToolName::Run).collect();
        for tools in [&TOOLS, &some, &alone, &jobs_only] {
            let facts = Facts {
                names: &names_with_prefix,
                tools,
                launcher: &long,
                profile: Some(&long),
                caps: Caps::new(64 << 20, 64 << 20),
                timeout: Some(crate::config::defaults::LONGEST),
                limits: JobLimits::new(1000, 1000, crate::config::defaults::LONGEST),
                ..facts(&gate, &missing)
            };
            for text in [run(&facts), start(&facts)] {
                assert!(text.len() <= 500, "{} bytes: {text}", text.len());
            }
        }
        for text in [POLL, OUTPUT, KILL, ALLOWED] {
            assert!(text.len() <= 500, "{text}");
        }
    }

    #[test]
    fn allowed_names_stand_one_on_a_line_in_their_order() {
        assert_eq!(allowed(&only(["rg", "git", "a b"])), "a b\ngit\nrg");
        assert_eq!(allowed(&Gate::Any).lines().count(), 1);
    }

    #[test]
    fn patterns_are_told_as_such() {
        let list = AllowList::new(["git"]).with_patterns([r"python3(\.\d+)?".parse().unwrap()]);
        let gate = Gate::Only(list);
        assert_eq!(allowed(&gate), "git\n/python3(\\.\\d+)?/");
        let text = run(&facts(&gate, &[]));
        assert!(text.contains(r"Allowed: git, /python3(\.\d+)?/."), "{text}");
    }

    #[test]
    fn a_limit_that_kills_is_told() {
        let kills = Facts { on_output_limit: OnOutputLimit::Kill, ..facts(&Gate::Any, &[]) };
        assert!(run(&kills).contains("Killed when a stream exceeds 16384 bytes or 2000 lines."));
    }
}
