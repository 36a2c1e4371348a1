//! One line with an error of the system's, and what the policy says to it.

use std::path::Path;

use cofferdam_profiles::{Promise, Question, Verdict};

use super::host;
use super::kind::{self, Kind};
use super::names::{self, Name};
use super::variable;
use super::verb::{self, Verb};
use crate::evidence::refused::hint as hint_about_call;
use crate::evidence::{Denial, RefusedCalls, Scene, Sure, hint, modes};

/// What a host is called that nobody names.
const SOME_HOST: &str = "network";

/// A line, with what an earlier line says that it is the cause of.
#[derive(Debug)]
pub(super) struct Line<'a> {
    text: &'a str,
    kind: Option<Kind>,
    names: Vec<Name>,
    verb: Verb,
}

/// What a line comes to.
#[derive(Debug)]
pub(super) enum Meaning {
    /// The policy refuses these.
    Refused(Vec<Denial>),
    /// Something was refused, and it is not known what.
    Unexplained,
    /// The policy has no part in it.
    Nothing,
}

impl<'a> Line<'a> {
    pub(super) fn new(text: &'a str, cause_of: Option<String>) -> Self {
        let mut names = names::of(text);
        let mut verb = verb::of(text, &names);
        if let Some(earlier) = cause_of.filter(|_| !names.iter().any(|name| name.is_sure)) {
            names = names::of(&earlier);
            verb = verb::of(&earlier, &names);
        }
        Line { text, kind: kind::of(text), names, verb }
    }

    pub(super) fn kind(&self) -> Option<Kind> {
        self.kind
    }

    /// Asks the policy about everything that the line names, and looks whether the filter has refused
    /// what it does not name.
    pub(super) fn meaning(&self, scene: &Scene, refused: &RefusedCalls) -> Meaning {
        let Some(kind) = self.kind else { return Meaning::Nothing };
        match kind {
            Kind::Unset => self.variables(scene),
            Kind::Unreachable if self.is_about_family() => match self.families(refused) {
                families if families.is_empty() => self.network(scene, kind),
                families => Meaning::Refused(families),
            },
            Kind::Lookup | Kind::Unreachable | Kind::Closed => self.network(scene, kind),
            Kind::Denied | Kind::NoCall => match self.calls(scene, refused) {
                calls if calls.is_empty() => self.files(scene, kind),
                calls => Meaning::Refused(calls),
            },
            _ => self.files(scene, kind),
        }
    }

    /// A host, or a socket.
    fn network(&self, scene: &Scene, kind: Kind) -> Meaning {
        let sockets = self.names.iter().filter(|name| name.is_socket());
        let sockets: Vec<_> = sockets.filter_map(|name| socket(scene, name, Sure::Text)).collect();
        if !sockets.is_empty() {
            return Meaning::Refused(sockets);
        }
        let named = host::of(self.text);
        let host = named.as_ref().map_or(SOME_HOST, |(host, _)| host);
        let question = Question::Connect {
            host: host.to_owned(),
            port: named.as_ref().and_then(|(_, port)| *port),
        };
        let is_self = host == "localhost" || host.starts_with("127.") || host == "::1";
        match scene.refused(&question) {
            // A run may talk to itself where it has a network of its own. Then nobody listens, and it
            // is not known whether the run itself should have, or the host.
            Some(_)
                if kind == Kind::Closed
                    && (is_self || named.is_none())
                    && !scene.lacks(Promise::Loopback) =>
            {
                Meaning::Unexplained
            }
            Some(verdict) => Meaning::Refused(vec![denial(&question, &verdict, Sure::Text)]),
            None if kind == Kind::Unreachable && kind::is_stated(self.text) => Meaning::Unexplained,
            None => Meaning::Nothing,
        }
    }

    /// Variables that the host has.
    fn variables(&self, scene: &Scene) -> Meaning {
        let withheld = variable::withheld(self.text, scene);
        let told = withheld
            .iter()
            .filter_map(|question| Some(denial(question, &scene.refused(question)?, Sure::Policy)));
        let denials: Vec<_> = told.collect();
        if denials.is_empty() { Meaning::Nothing } else { Meaning::Refused(denials) }
    }

    /// System calls that the line names itself, as `unshare: unshare failed` and `ptrace(…): …` do; else
    /// those that the filter has refused, where the line names nothing and tells the same error.
    fn calls(&self, scene: &Scene, refused: &RefusedCalls) -> Vec<Denial> {
        let named = self.words().find_map(|name| {
            let known = refused.named(&name);
            if !known.is_empty() {
                return Some(known);
            }
            let call = scene.call(&name).filter(|call| !call.is_allowed)?;
            let hint = hint_about_call(&name, call.why, true);
            Some(vec![Denial::new("syscall", &name, "syscalls.allow", Sure::Text).hinted(hint)])
        });
        named.unwrap_or_else(|| match self.may_mean_any_call(scene) {
            true => refused.with(libc::EPERM),
            false => Vec::new(),
        })
    }

    /// Whether the line says of something, and does not say of what, that it is not permitted. The
    /// filter answers so, and with `Permission denied` never. `kill: …` names a call that it allows.
    fn may_mean_any_call(&self, scene: &Scene) -> bool {
        kind::is_not_permitted(self.text)
            && kind::is_stated(self.text)
            && !self.names.iter().any(|name| is_meant(scene, name))
            && !self.words().any(|name| scene.call(&name).is_some())
    }

    /// Words that may be the name of a system call: the first of each part of the line.
    fn words(&self) -> impl Iterator<Item = String> {
        let word = |part: &str| {
            let end = part.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
            part[..end.unwrap_or(part.len())].to_owned()
        };
        let words = self.text.split(": ").map(move |part| word(part.trim()));
        words.filter(|word| word.len() > 3).take(4)
    }

    /// Whether the line says that there are no sockets of a family, and no host.
    fn is_about_family(&self) -> bool {
        kind::is_no_family(self.text) && host::of(self.text).is_none()
    }

    /// The families that the filter has refused. Of the ordinary ones it does not tell.
    fn families(&self, refused: &RefusedCalls) -> Vec<Denial> {
        refused.with(libc::EAFNOSUPPORT)
    }

    /// Files, and sockets among them.
    fn files(&self, scene: &Scene, kind: Kind) -> Meaning {
        let asked: Vec<&Name> = self.names.iter().filter(|name| is_meant(scene, name)).collect();
        let denials: Vec<_> =
            asked.iter().filter_map(|name| self.file(scene, kind, name)).collect();
        if !denials.is_empty() {
            return Meaning::Refused(denials);
        }
        match kind {
            // The policy lets nothing be read-only that may be written.
            Kind::ReadOnly => Meaning::Unexplained,
            Kind::Denied | Kind::NoCall if asked.is_empty() && kind::is_stated(self.text) => {
                Meaning::Unexplained
            }
            _ => Meaning::Nothing,
        }
    }

    /// One name: whether the policy refuses what was tried with it.
    fn file(&self, scene: &Scene, kind: Kind, name: &Name) -> Option<Denial> {
        let path = scene.path(name.path());
        let read = Question::Read(path.clone());
        let write = Question::Write(path.clone());
        let refused =
            |question: &Question, sure| Some(denial(question, &scene.refused(question)?, sure));
        if self.verb == Verb::Connect
            && let Some(denial) = socket(scene, name, Sure::Text)
            && (kind != Kind::Missing || scene.refused(&read).is_some())
        {
            return Some(denial);
        }
        match (kind, self.verb) {
            (Kind::Missing, _) if !scene.hides() => None,
            (Kind::Missing, verb) => refused(&read, Sure::Policy).and_then(|denial| match verb {
                Verb::Write => refused(&write, Sure::Policy),
                Verb::Execute => refused(&Question::Execute(path.clone()), Sure::Policy),
                _ => Some(denial),
            }),
            (Kind::Busy, _) => refused(&Question::Move(path.clone()), Sure::Text),
            (Kind::ReadOnly, _) | (_, Verb::Write) => refused(&write, Sure::Text)
                .or_else(|| refused(&Question::Move(path.clone()), Sure::Text)),
            (_, Verb::Execute) => refused(&Question::Execute(path.clone()), Sure::Text),
            _ => refused(&read, Sure::Text).or_else(|| {
                // It may be read. So it was to be written, unless its mode says all.
                let is_explained = scene.is_own(&path)
                    || modes::forbid_reading(&path)
                    || (is_called(name) && modes::forbid_executing(&path));
                refused(&write, Sure::Text).filter(|_| !is_explained)
            }),
        }
    }
}

/// Whether a name is one of a file. A bare word is, if there is such a file.
fn is_meant(scene: &Scene, name: &Name) -> bool {
    name.is_sure || {
        let path = scene.path(name.path());
        scene.refused(&Question::Read(path.clone())).is_none() && path.symlink_metadata().is_ok()
    }
}

/// Whether a name is written as one writes a program.
fn is_called(name: &Name) -> bool {
    name.text.starts_with("./")
        || Path::new(&name.text).parent().is_some_and(|dir| dir.ends_with("bin"))
}

fn socket(scene: &Scene, name: &Name, sure: Sure) -> Option<Denial> {
    let path = scene.path(name.path());
    if !name.is_sure {
        return None;
    }
    let question = Question::Socket(path);
    Some(denial(&question, &scene.refused(&question)?, sure))
}

/// The denial that a verdict comes to. Its target is where the path leads.
fn denial(question: &Question, verdict: &Verdict, sure: Sure) -> Denial {
    let target = match &verdict.path {
        Some(path) => path.to_string_lossy().into_owned(),
        None => question.target(),
    };
    Denial::new(question.word(), &target, verdict.key, sure).hinted(hint(verdict)).asked(question)
}
