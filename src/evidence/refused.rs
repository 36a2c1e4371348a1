//! The system calls that the filter has refused, as the kernel told of them while the run went on.
//!
//! Programs try calls in silence and go on without them. So what stands here is no reason for a
//! failure by itself: only together with what the program says (`text`), or with an end that it did
//! not choose.

use std::collections::HashSet;

use cofferdam_launcher::RefusedCall;

use super::escape::is_plain;
use super::{Denial, Sure};
use crate::Exit;

/// Each kind of call once, in the order of the first of each. Whoever adds them bounds their number.
#[derive(Debug, Default)]
pub(crate) struct RefusedCalls {
    calls: Vec<RefusedCall>,
    known: HashSet<RefusedCall>,
}

impl RefusedCalls {
    pub(crate) fn add(&mut self, call: RefusedCall) {
        if !self.known.contains(&call) {
            self.known.insert(call.clone());
            self.calls.push(call);
        }
    }

    /// Those of another stage as well.
    pub(crate) fn extend(&mut self, others: RefusedCalls) {
        others.calls.into_iter().for_each(|call| self.add(call));
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<Denial> {
        self.calls.iter().map(denial).collect()
    }

    /// Those of a name.
    pub(super) fn named(&self, name: &str) -> Vec<Denial> {
        self.calls.iter().filter(|call| call.name == name).map(denial).collect()
    }

    /// Those that failed with an error number.
    pub(super) fn with(&self, errno: i32) -> Vec<Denial> {
        self.calls.iter().filter(|call| call.errno == errno).map(denial).collect()
    }

    /// Whether the command was refused something and then ended by a fault or gave up by `abort(3)`.
    /// Nobody can tell whether the one came of the other.
    pub(super) fn may_explain(&self, exit: Exit) -> bool {
        const FAULTS: [i32; 5] =
            [libc::SIGILL, libc::SIGTRAP, libc::SIGABRT, libc::SIGBUS, libc::SIGSEGV];
        let ended = |signal: &i32| exit.number() == Some(128 + signal);
        !self.calls.is_empty() && FAULTS.iter().any(ended)
    }
}

/// A call as a denial. The `[network]` table decides about sockets, and no entry can take one out of
/// the filter.
fn denial(call: &RefusedCall) -> Denial {
    let is_socket = call.name.starts_with("socket");
    let target = match call.arguments.as_str() {
        "" => call.name.clone(),
        arguments => format!("{} {arguments}", call.name),
    };
    let rule = if is_socket { "network" } else { "syscalls.allow" };
    let denial = Denial::new("syscall", &target, rule, Sure::Syscall);
    denial.hinted(hint(&call.name, &call.why, !is_socket && is_plain(&call.name)))
}

/// The line for a model about a system call that the filter refuses.
pub(super) fn hint(name: &str, why: &str, can_be_allowed: bool) -> String {
    let way = match can_be_allowed {
        true => format!(
            "; whoever starts cofferdam can allow it: `syscalls.allow = [{name:?}]` in a profile"
        ),
        false => String::new(),
    };
    format!("the sandbox refuses this system call ({why}); trying again does not help{way}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str, errno: i32) -> RefusedCall {
        let why = "it would undo the view".to_owned();
        RefusedCall { name: name.to_owned(), arguments: arguments.to_owned(), errno, why }
    }

    fn calls(all: &[RefusedCall]) -> RefusedCalls {
        let mut calls = RefusedCalls::default();
        all.iter().for_each(|call| calls.add(call.clone()));
        calls
    }

    #[test]
    fn each_kind_is_told_once_with_what_decided_and_what_would_allow_it() {
        let mount = call("mount", "", libc::EPERM);
        let vsock = call("socket", "AF_VSOCK", libc::EAFNOSUPPORT);
        let all = calls(&[mount.clone(), vsock.clone(), mount, vsock]).all();
        let told: Vec<_> = all.iter().map(|it| (&*it.target, it.rule, it.sure)).collect();
        let expected = [
            ("mount", "syscalls.allow", Sure::Syscall),
            ("socket AF_VSOCK", "network", Sure::Syscall),
        ];
        assert_eq!(told, expected);
        let hints: Vec<_> = all.iter().map(|denial| denial.hint.as_deref().unwrap()).collect();
        assert!(hints[0].contains("`syscalls.allow = [\"mount\"]`"), "{hints:?}");
        assert!(!hints[1].contains("syscalls.allow"), "{hints:?}");
    }

    #[test]
    fn what_a_launcher_calls_it_is_escaped() {
        let all = calls(&[call("a\u{1b}[2J`", "\u{202e}", 1)]).all();
        assert!(!all[0].target.contains(['\u{1b}', '\u{202e}']), "{all:?}");
        assert!(!all[0].hint.as_ref().unwrap().contains('\u{1b}'), "{all:?}");
    }

    #[test]
    fn only_a_fault_or_an_abort_may_come_of_a_refused_call() {
        let some = calls(&[call("mount", "", libc::EPERM)]);
        for exit in [Exit::Signal(libc::SIGABRT), Exit::Code(128 + libc::SIGSEGV)] {
            assert!(some.may_explain(exit));
            assert!(!calls(&[]).may_explain(exit));
        }
        for exit in [Exit::Code(1), Exit::Signal(libc::SIGKILL), Exit::Unknown] {
            assert!(!some.may_explain(exit));
        }
    }
}
