//! A ruleset as text for people.

use std::fmt::Write;
use std::path::Path;

use cofferdam_launcher::Plan;
use cofferdam_view::gaps::Gap;

use crate::abi::Abi;
use crate::grants::Grant;
use crate::rights;

/// The words of the command, one a line.
pub(crate) fn command(plan: &Plan) -> String {
    let words = std::iter::once(plan.command()).chain(plan.args().iter().map(AsRef::as_ref));
    words.map(|word| format!("argument   {word:?}\n")).collect()
}

/// The kernel's version, one grant a line, and what holds for ports, signals and sockets.
pub(crate) fn ruleset(abi: Abi, grants: &[Grant], network_closed: bool) -> String {
    let mut text = format!("landlock   version {abi}, every right handled\n");
    for grant in grants {
        let rights = rights::describe(grant.rights);
        row(&mut text, &grant.path, &rights, if grant.implied { "  (every command)" } else { "" });
    }
    if network_closed && abi.has_ports() {
        text.push_str("network    no TCP port\n");
    }
    if abi.has_scopes() {
        text.push_str("scope      signals and abstract sockets stay inside\n");
    }
    text
}

fn row(text: &mut String, path: &Path, rights: &str, note: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "grant      {}  {rights}{note}", path.display());
}

/// What the policy asks for and the ruleset does not do.
pub(crate) fn gaps(gaps: &[Gap]) -> String {
    gaps.iter().map(|gap| format!("missing    {}\n", gap.rule)).collect()
}
