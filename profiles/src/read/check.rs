//! What single values must look like. Whether they fit the machine is found out later.

use crate::Promise;
use crate::draft::List;
use crate::mistake::Cause;
use crate::nearest::nearest;
use crate::template::{Part, Template, Variable};

/// Checks an entry of a list.
pub(super) fn check_entry(list: List, entry: &str) -> Result<(), Cause> {
    // What an entry removes was checked where it was written.
    let checked = match entry.strip_prefix('!') {
        Some("") => "",
        Some(_) => return Ok(()),
        None => entry,
    };
    if checked.is_empty() {
        return Err(Cause::Invalid { what: "an empty entry", remedy: "remove it" });
    }
    match list {
        List::BestEffort => check_promise(entry),
        List::Syscalls => check_syscall(entry),
        List::Pass => check_pass(entry),
        _ => check_path(list, entry),
    }
}

fn check_promise(entry: &str) -> Result<(), Cause> {
    match entry.parse::<Promise>() {
        Ok(_) => Ok(()),
        Err(()) => Err(unknown_word(entry, Promise::ALL.iter().map(|promise| promise.as_str()))),
    }
}

/// Which names exist is known to the filter, and differs between machines.
fn check_syscall(entry: &str) -> Result<(), Cause> {
    match entry.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_')) {
        true => Ok(()),
        false => Err(Cause::Invalid {
            what: "not the name of a system call",
            remedy: "valid: names like `keyctl`, and the groups `debug`, `perf` and `userns`",
        }),
    }
}

/// Checks a name of `environment.pass`, or of `--env`.
pub(crate) fn check_pass(entry: &str) -> Result<(), Cause> {
    if entry == "*" {
        return Err(Cause::Invalid {
            what: "`*` alone would pass everything, secrets among it",
            remedy: "name what is needed: `LC_*`",
        });
    }
    let name = entry.strip_suffix('*').unwrap_or(entry);
    if name.contains('*') {
        return Err(Cause::Invalid {
            what: "`*` can stand only at the end, once",
            remedy: "valid: `LANG`, `LC_*`",
        });
    }
    check_set_name(name)
}

/// Checks a name of `environment.set`, or of `--env NAME=VALUE`.
pub(crate) fn check_set_name(name: &str) -> Result<(), Cause> {
    if name.is_empty() || name.contains(['=', '\0', '*']) {
        return Err(Cause::Invalid {
            what: "not the name of an environment variable",
            remedy: "a name is not empty and holds no `=`, `*` or NUL",
        });
    }
    if matches!(name, "HOME" | "TMPDIR") {
        return Err(Cause::Invalid {
            what: "`HOME` and `TMPDIR` are the run's own scratch folders",
            remedy: "remove it, and point the programs that need a file there with their own \
                     variable",
        });
    }
    Ok(())
}

/// Checks a value of `environment.set`.
pub(super) fn check_set_value(value: &str) -> Result<(), Cause> {
    if value.contains('\0') {
        return Err(NUL);
    }
    Template::parse(value).map(drop)
}

fn check_path(list: List, entry: &str) -> Result<(), Cause> {
    if entry.contains('\0') {
        return Err(NUL);
    }
    if entry == "~" || entry.starts_with("~/") {
        return Err(Cause::Invalid { what: "`~` is not expanded", remedy: "write `${home}`" });
    }
    let template = Template::parse(entry)?;
    if template.variables().any(|variable| *variable == Variable::Tmp) {
        return match list == List::Write && template.is_tmp() && !template.optional {
            true => Ok(()),
            false => Err(Cause::Invalid {
                what: "`${tmp}` is known only to the run",
                remedy: "it stands alone in `filesystem.write`, and within values of \
                         `environment.set`",
            }),
        };
    }
    if matches!(template.pieces.first(), Some(Part::Text(text)) if !text.starts_with('/')) {
        return Err(NOT_ABSOLUTE);
    }
    if entry.split('/').any(|component| component.trim_end_matches('?') == "..") {
        return Err(PARENT);
    }
    if template.text_contains('*') && !list.has_wildcards() {
        return Err(Cause::Invalid {
            what: "`*` would not cover what comes later",
            remedy: "name the directory that holds them; wildcards are valid in \
                     `filesystem.read`, `filesystem.devices` and `environment.path`",
        });
    }
    Ok(())
}

pub(crate) const NUL: Cause =
    Cause::Invalid { what: "it holds a NUL character", remedy: "remove it" };

pub(crate) const NOT_ABSOLUTE: Cause = Cause::Invalid {
    what: "not an absolute path",
    remedy: "a path begins with `/`, `${workspace}` or `${home}`",
};

pub(crate) const PARENT: Cause =
    Cause::Invalid { what: "`..` in a path", remedy: "write where it leads" };

/// The mistake of a word that is not one of a few.
pub(super) fn unknown_word(word: &str, valid: impl Iterator<Item = &'static str> + Clone) -> Cause {
    Cause::UnknownWord {
        nearest: nearest(word, valid.clone()).map(str::to_owned),
        valid: valid.collect(),
    }
}
