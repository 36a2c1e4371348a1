//! Which filter a command line is for: by its program and subcommand, whatever path it was called by
//! and whatever stands in front of it.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use super::filter::{Filter, Programs};
use crate::wrapped::{Inner, base_name, without_version, wrapper};

/// The filter for a command line; the first that fits.
pub(super) fn choose<'a>(
    programs: impl Iterator<Item = &'a Programs>,
    command: &OsStr,
    args: &[OsString],
) -> Option<Arc<Filter>> {
    let words: Vec<Cow<'_, str>> = std::iter::once(command)
        .chain(args.iter().map(OsString::as_os_str))
        .map(OsStr::to_string_lossy)
        .collect();
    let (name, args) = program(&words)?;
    for group in programs.filter(|group| group.programs.iter().any(|program| program == name)) {
        let subcommand = subcommand(args, &group.options_with_value);
        let fits = |filter: &&Arc<Filter>| match &filter.subcommands {
            None => true,
            Some(all) => subcommand.is_some_and(|word| all.iter().any(|known| known == word)),
        };
        if let Some(filter) = group.filters.iter().find(fits) {
            return Some(filter.clone());
        }
    }
    None
}

/// The program that is at work in the end, and its arguments.
fn program<'a>(mut words: &'a [Cow<'a, str>]) -> Option<(&'a str, &'a [Cow<'a, str>])> {
    loop {
        let (command, args) = words.split_first()?;
        let name = base_name(command);
        if let Some(wrapper) = wrapper(name) {
            let Inner::At(place) = wrapper.inner(args) else { return None };
            words = &args[place..];
            continue;
        }
        let name = without_version(name);
        return match name {
            "python" | "pypy" => module(args),
            _ => Some((name, args)),
        };
    }
}

/// The module that an interpreter runs: `python -m pytest`.
fn module<'a>(args: &'a [Cow<'a, str>]) -> Option<(&'a str, &'a [Cow<'a, str>])> {
    let mut at = 0;
    loop {
        match args.get(at)?.as_ref() {
            "-m" => return Some((args.get(at + 1)?, &args[at + 2..])),
            "-X" | "-W" => at += 2,
            option if option.starts_with('-') && option.len() > 1 => at += 1,
            _ => return None,
        }
    }
}

/// The first word that is no option, nor the value of one, nor the choice of a toolchain.
fn subcommand<'a>(args: &'a [Cow<'a, str>], options_with_value: &[String]) -> Option<&'a str> {
    let mut args = args.iter().map(AsRef::as_ref);
    while let Some(arg) = args.next() {
        if options_with_value.iter().any(|option| option == arg) {
            args.next();
        } else if !arg.starts_with(['-', '+']) {
            return Some(arg);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(line: &str) -> Option<(String, Option<String>)> {
        let words: Vec<_> = line.split(' ').map(Cow::from).collect();
        let (name, args) = program(&words)?;
        let values = ["-C".to_owned(), "-c".to_owned()];
        Some((name.to_owned(), subcommand(args, &values).map(str::to_owned)))
    }

    #[test]
    fn program_and_subcommand_are_found_behind_paths_wrappers_and_options() {
        for (line, program, subcommand) in [
            ("git log", "git", Some("log")),
            ("/usr/bin/git -C x log", "git", Some("log")),
            ("env -i A=b /usr/bin/git -c a=b --no-pager log", "git", Some("log")),
            ("timeout 5 nice -n 5 cargo +nightly build", "cargo", Some("build")),
            ("python3.11 -u -m pip install x", "pip", Some("install")),
            ("pip3 install x", "pip", Some("install")),
            ("make", "make", None),
        ] {
            let expected = (program.to_owned(), subcommand.map(str::to_owned));
            assert_eq!(chosen(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn what_is_unclear_has_no_program() {
        for line in ["env -S git", "timeout 5", "python3 x.py", "python3 -m"] {
            assert_eq!(chosen(line), None, "{line}");
        }
    }
}
