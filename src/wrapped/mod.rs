//! Programs that run another program, and which of their arguments that is: `timeout 5 git status`
//! is about `git`. The table stands in `wrappers.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// What a wrapper runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inner {
    /// The argument at this place; those behind it are the command's own.
    At(usize),
    /// Nothing, as `env` without a command.
    Nothing,
    /// Whatever an option that the table does not know makes of it.
    Unclear,
}

/// How the command line of a wrapper is read.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Wrapper {
    flags: String,
    values: String,
    long_flags: Vec<String>,
    long_values: Vec<String>,
    operands: usize,
    assignments: bool,
    number: bool,
    /// Whether the command gets arguments that stand nowhere, such as those that `xargs` reads.
    pub(crate) unseen: bool,
}

static WRAPPERS: LazyLock<BTreeMap<String, Wrapper>> = LazyLock::new(|| {
    toml::from_str(include_str!("wrappers.toml")).expect("the embedded table is read by a test")
});

/// The wrapper of this base name. Where a system has tools of its own, those of GNU begin with a `g`.
pub(crate) fn wrapper(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.get(name).or_else(|| WRAPPERS.get(name.strip_prefix('g')?))
}

/// The last part of a path: what a program goes by, wherever it lies.
pub(crate) fn base_name(command: &str) -> &str {
    command.rsplit('/').next().unwrap_or(command)
}

/// The same name without the version behind it: `python3.11` is `python`.
pub(crate) fn without_version(name: &str) -> &str {
    let bare = name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    match bare.trim_end_matches('-') {
        "" => name,
        bare => bare,
    }
}

/// Whether this is one of the names of a table.
pub(crate) fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}

impl Wrapper {
    /// Finds the command among the arguments.
    pub(crate) fn inner<S: AsRef<str>>(&self, args: &[S]) -> Inner {
        let mut at = 0;
        let mut operands = self.operands;
        let mut options = true;
        while let Some(arg) = args.get(at).map(AsRef::as_ref) {
            match arg {
                "--" if options => options = false,
                // `env -` is `env -i`.
                "-" if options && self.assignments => {}
                _ if options && arg.len() > 1 && arg.starts_with('-') => match self.option(arg) {
                    Some(words) => at += words - 1,
                    None => return Inner::Unclear,
                },
                _ if operands > 0 => {
                    operands -= 1;
                    options = false;
                }
                _ if self.assignments && arg.contains('=') => options = false,
                // No program is called so: it is an option behind an operand, as in `flock file -c`.
                _ if arg.starts_with('-') => return Inner::Unclear,
                _ => return Inner::At(at),
            }
            at += 1;
        }
        Inner::Nothing
    }

    /// Whether this argument before the command sets a variable for it.
    pub(crate) fn sets_variable(&self, arg: &str) -> bool {
        self.assignments && !arg.starts_with('-') && arg.contains('=')
    }

    /// How many words an option is; `None` for one that is not known.
    fn option(&self, arg: &str) -> Option<usize> {
        if let Some(long) = arg.strip_prefix("--") {
            let (name, has_value) = match long.split_once('=') {
                Some((name, _)) => (name, true),
                None => (long, false),
            };
            return match has(&self.long_values, name) {
                true => Some(if has_value { 1 } else { 2 }),
                false => has(&self.long_flags, name).then_some(1),
            };
        }
        let letters = &arg[1..];
        if self.number && letters.bytes().all(|digit| digit.is_ascii_digit()) {
            return Some(1);
        }
        for (place, letter) in letters.char_indices() {
            if self.values.contains(letter) {
                let is_last = place + letter.len_utf8() == letters.len();
                return Some(if is_last { 2 } else { 1 });
            }
            if !self.flags.contains(letter) {
                return None;
            }
        }
        Some(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inner(line: &str) -> Inner {
        let words: Vec<_> = line.split(' ').collect();
        wrapper(words[0]).unwrap().inner(&words[1..])
    }

    #[test]
    fn the_command_stands_behind_options_operands_and_assignments() {
        for (line, at) in [
            ("timeout 5 git status", 1),
            ("timeout -k 5 --signal=KILL -v 10 git", 5),
            ("timeout --signal KILL 10 git", 3),
            ("env git", 0),
            ("env -u HOME -C /srv -- A=b git", 6),
            ("env - git", 1),
            ("nice -5 git", 1),
            ("nice -n 5 git", 2),
            ("stdbuf -o0 -eL git", 2),
            ("xargs -0n1 git", 1),
            ("sudo -u root A=b git", 3),
            ("flock -n lock git", 2),
        ] {
            assert_eq!(inner(line), Inner::At(at), "{line}");
        }
    }

    #[test]
    fn an_option_that_is_not_known_makes_it_unclear() {
        for line in [
            "env -S git",
            "sudo -s",
            "timeout -x 5 git",
            "xargs --frob git",
            "nice -5x a",
            "flock lock -c git",
            "gtimeout 5 -k git",
            "env -- -S git",
        ] {
            assert_eq!(inner(line), Inner::Unclear, "{line}");
        }
        assert_eq!(inner("env A=b"), Inner::Nothing);
        assert_eq!(inner("timeout 5"), Inner::Nothing);
    }

    #[test]
    fn a_version_is_no_part_of_a_name() {
        for (name, bare) in
            [("python3.11", "python"), ("perl5.36.0", "perl"), ("pypy3", "pypy"), ("7", "7")]
        {
            assert_eq!(without_version(name), bare);
        }
        assert_eq!(base_name("/usr/bin/git"), "git");
        assert_eq!(base_name("git"), "git");
    }
}
