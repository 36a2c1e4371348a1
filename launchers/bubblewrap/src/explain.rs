//! A launch as text for a person.

use std::fmt::Write;
use std::os::fd::AsRawFd;

use cofferdam_landlock::ScopeStep;
use cofferdam_launcher::{ChildStep, Plan};

use crate::bubblewrap::{Bubblewrap, Prepared};

/// The whole argument vector, one option a line as a shell would take it, what the descriptors
/// stand for, and the filter in one line.
pub(crate) fn text(
    launcher: &Bubblewrap,
    prepared: &Prepared,
    plan: &Plan,
    scope: Option<&ScopeStep>,
) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{} \\", quoted(launcher.program()));
    for option in &prepared.options {
        let words: Vec<_> = option.iter().map(quoted).collect();
        let _ = writeln!(text, "  {} \\", words.join(" "));
    }
    let command = std::iter::once(plan.program().as_os_str());
    let command = command.chain(plan.args().iter().map(AsRef::as_ref));
    let words: Vec<_> = command.map(quoted).collect();
    let _ = writeln!(text, "  -- {}", words.join(" "));
    let _ = writeln!(text, "\nThe options go through `--args`, a file in memory. Descriptors:");
    for (fd, what) in prepared.mounts.iter().filter_map(|mount| mount.descriptor()) {
        let _ = writeln!(text, "  {fd:3}  {what}");
    }
    let _ = writeln!(text, "  {:3}  the system call filter", prepared.filter.as_raw_fd());
    let _ = writeln!(text, "  {:3}  the status pipe", prepared.status_end.as_raw_fd());
    let _ = writeln!(text, "\nSystem calls: {}", launcher.filter().summary());
    if let Some(folder) = launcher.refuses_sockets_for() {
        let _ = writeln!(
            text,
            "No Unix sockets but pairs: `{}` can be read, and the host may have sockets in it.",
            folder.display()
        );
    }
    let _ = write!(
        text,
        "\nBubblewrap starts with every signal blocked. Inside, before the command:\n\
         unblock    every signal\n{}",
        launcher.threshold().explain()
    );
    if let Some(scope) = scope {
        let _ = write!(text, "\nBefore bubblewrap starts:\n{}", scope.explain());
    }
    text
}

/// A word in single quotes where a shell would need them.
fn quoted(word: impl AsRef<std::ffi::OsStr>) -> String {
    let text = word.as_ref().to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.into_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_as_a_shell_reads_them() {
        assert_eq!(quoted("/usr/bin"), "/usr/bin");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
