//! What a wrapper runs: `timeout 5 git status` is about `git`.

use std::ffi::OsStr;

use super::command::{Call, Guard, Verdict};
use super::refusal::GuardRefusal;
use super::table::Table;
use crate::gate::Gate;
use crate::wrapped::{Inner, Wrapper, base_name, without_version};

/// A rule about wrappers, and why it is one.
pub(super) type Rule = (&'static str, &'static str);

pub(super) const WRAPPER: Rule = ("wrapper", "it runs another program");
const WRAPPED: Rule = ("wrapped", "it runs a program that is not allowed");
const UNCLEAR: Rule = ("unclear", "which program it runs cannot be told");
const UNSEEN: Rule = ("unseen", "it adds arguments that cannot be seen here");
const VARIABLES: Rule = ("variables", "variables make programs run others");

/// The names of the rules about wrappers.
pub(super) const RULES: [&str; 5] = [WRAPPER.0, WRAPPED.0, UNCLEAR.0, UNSEEN.0, VARIABLES.0];

/// A call of a wrapper, its arguments beginning at `first` in the call.
pub(super) struct Wrapped<'a> {
    pub(super) name: &'a str,
    pub(super) wrapper: &'a Wrapper,
    pub(super) args: &'a [&'a str],
    pub(super) first: usize,
}

impl Guard {
    /// What a wrapper runs, to be looked at as if it was run alone; none where it runs nothing.
    pub(super) fn wrapped<'a>(
        &self,
        gate: &Gate,
        call: Wrapped<'a>,
    ) -> Result<Option<Call<'a>>, GuardRefusal> {
        let Wrapped { name, wrapper, args, first } = call;
        let place = match wrapper.inner(args) {
            Inner::At(place) => place,
            Inner::Nothing => return Ok(None),
            Inner::Unclear => return self.refuse(name, UNCLEAR, None).map(|()| None),
        };
        let at = |place: usize| Some((first + place, args[place]));
        if let Some(set) = args[..place].iter().position(|arg| wrapper.sets_variable(arg)) {
            self.refuse(name, VARIABLES, at(set))?;
        }
        let inner = args[place];
        if !gate.admits(OsStr::new(inner)) {
            self.refuse(name, WRAPPED, at(place))?;
        }
        if wrapper.unseen && !Table::get().rules(without_version(base_name(inner))).is_empty() {
            self.refuse(name, UNSEEN, at(place))?;
        }
        Ok(Some(Call { command: inner, args: &args[place + 1..], first: first + place + 1 }))
    }

    /// Refuses, unless there is an exception.
    pub(super) fn refuse(
        &self,
        name: &str,
        (rule, why): Rule,
        argument: Option<(usize, &str)>,
    ) -> Verdict {
        match self.excepts(name, rule) {
            true => Ok(()),
            false => Err(GuardRefusal::new(name, rule, why, argument)),
        }
    }
}
