//! A command line, held against the table.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;

use super::except::{UnknownException, check};
use super::offence::offence;
use super::refusal::GuardRefusal;
use super::table::{Program, Table, UNKNOWN_OPTION, UNKNOWN_SUBCOMMAND};
use super::words::Words;
use super::wrapped::{WRAPPER, Wrapped};
use crate::gate::Gate;
use crate::pipeline::Stage;
use crate::wrapped::{base_name, has, without_version, wrapper};

/// The argument guard of a runner. See the setting `guard`: a gate of intent, and no boundary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Guard {
    /// The rules of each program that are let be.
    except: BTreeMap<String, BTreeSet<String>>,
}

/// What the guard says.
pub(super) type Verdict = Result<(), GuardRefusal>;

/// One command, its arguments beginning at `first` in what the caller has sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) command: &'a str,
    pub(super) args: &'a [&'a str],
    pub(super) first: usize,
}

impl Guard {
    /// The shipped table, without exceptions.
    #[must_use]
    pub fn leaf_tools() -> Self {
        Guard::default()
    }

    /// Lets one rule of one program be. The program is a base name as it is called, with its version or
    /// without.
    ///
    /// # Errors
    /// [`UnknownException`] where the table has no such rule, so that it would have no effect.
    pub fn except(mut self, program: &str, rule: &str) -> Result<Self, UnknownException> {
        check(program, rule)?;
        self.except.entry(program.to_owned()).or_default().insert(rule.to_owned());
        Ok(self)
    }

    /// Whether a command that the gate admits is one that was meant.
    pub(crate) fn admit(&self, gate: &Gate, stage: &Stage) -> Verdict {
        let command = stage.command.to_string_lossy();
        let args: Vec<_> = stage.args.iter().map(|arg| arg.to_string_lossy()).collect();
        let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
        let mut call = Some(Call { command: &command, args: &args, first: 0 });
        // A loop and no recursion: how many wrappers stand in front of each other is up to the caller.
        while let Some(one) = call {
            call = self.command(gate, one)?;
        }
        Ok(())
    }

    /// Looks at one command, and tells what it runs where it is a wrapper.
    fn command<'a>(&self, gate: &Gate, call: Call<'a>) -> Result<Option<Call<'a>>, GuardRefusal> {
        let Call { command, args, first } = call;
        let name = base_name(command);
        let is_named = gate.names(OsStr::new(command));
        let bare = without_version(name);
        let table = Table::get();
        let by_name = table.by_name(name).or_else(|| table.by_name(bare));
        if let Some(class) = by_name.filter(|class| !is_named && !self.excepts(name, &class.rule)) {
            return Err(GuardRefusal::of_program(name, &class.rule, &class.why, gate));
        }
        if let Some(wrapper) = wrapper(name) {
            if !is_named && !self.excepts(name, WRAPPER.0) {
                return Err(GuardRefusal::of_program(name, WRAPPER.0, WRAPPER.1, gate));
            }
            return self.wrapped(gate, Wrapped { name, wrapper, args, first });
        }
        if let Some(program) = table.program(name).or_else(|| table.program(bare)) {
            self.program(name, program, args, first)?;
        }
        Ok(None)
    }

    fn program(&self, name: &str, program: &Program, args: &[&str], first: usize) -> Verdict {
        let mut rest = args;
        let mut subcommand = None;
        if program.globals.is_some() {
            let place = self.subcommand(name, program, args, first)?;
            subcommand = place.map(|place| args[place]);
            rest = place.map_or(&[][..], |place| &args[place + 1..]);
        }
        let first = first + args.len() - rest.len();
        let words = Words::sort(rest, first, program);
        let rules = program.rules.iter().filter(|rule| !self.excepts(name, &rule.name));
        let rules = rules.filter(|rule| {
            rule.subcommands.is_empty()
                || subcommand.is_some_and(|word| has(&rule.subcommands, word))
        });
        for rule in rules {
            if let Some(word) = offence(program, rule, &words, rest, first) {
                return Err(GuardRefusal::new(name, &rule.name, &rule.why, Some(word)));
            }
        }
        Ok(())
    }

    /// The place of the subcommand, once everything before it is known to be harmless.
    fn subcommand(
        &self,
        name: &str,
        program: &Program,
        args: &[&str],
        first: usize,
    ) -> Result<Option<usize>, GuardRefusal> {
        let Some(globals) = &program.globals else { return Ok(None) };
        let refuse = |rule: &str, why: &str, place: usize| match self.excepts(name, rule) {
            true => Ok(()),
            false => {
                let argument = Some((first + place, args[place]));
                Err(GuardRefusal::new(name, rule, why, argument))
            }
        };
        let mut place = 0;
        while let Some(arg) = args.get(place).copied() {
            let option = arg.split_once('=').map_or(arg, |(option, _)| option);
            if !arg.starts_with('-') {
                let rule = program.rules.iter().find(|rule| has(&rule.refused_subcommands, arg));
                match rule {
                    Some(rule) => refuse(&rule.name, &rule.why, place)?,
                    None if has(&globals.subcommands, arg) => {}
                    None => refuse(UNKNOWN_SUBCOMMAND, "nothing is known about it", place)?,
                }
                return Ok(Some(place));
            }
            if let Some(rule) = program.rules.iter().find(|rule| has(&rule.globals, option)) {
                refuse(&rule.name, &rule.why, place)?;
                // Those of them that have a value of their own in the next word.
                place += usize::from(arg == option && TAKES_WORD.contains(&arg));
            } else if has(&globals.values, option) {
                place += usize::from(arg == option);
            } else if !has(&globals.flags, option) {
                refuse(UNKNOWN_OPTION, "nothing is known about it", place)?;
            }
            place += 1;
        }
        Ok(None)
    }

    pub(super) fn excepts(&self, program: &str, rule: &str) -> bool {
        let excepts = |name: &str| self.except.get(name).is_some_and(|rules| rules.contains(rule));
        excepts(program) || excepts(without_version(program))
    }
}

/// Options before a subcommand that a rule refuses, and that, once excepted, take the next word.
const TAKES_WORD: &[&str] =
    &["--config-env", "--exec-path", "--git-dir", "--super-prefix", "--work-tree", "-c"];
