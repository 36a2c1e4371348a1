//! Tests of the compiled program, by running it on every call.

mod every_call;
mod exceptions;
mod sockets;
mod telling;

use cofferdam_profiles::{Entry, NetworkMode, Origin, UnixSockets};

use crate::evaluate::{Call, Returned, run};
use crate::{Action, Filter, Machine, Terms};

fn strict() -> Terms {
    Terms {
        network: NetworkMode::Off,
        unix_sockets: UnixSockets::Inside,
        private_network: false,
        private_view: false,
        private_processes: false,
        allow: Vec::new(),
    }
}

fn open() -> Terms {
    Terms { network: NetworkMode::On, unix_sockets: UnixSockets::All, ..strict() }
}

fn allowing(terms: Terms, names: &[&str]) -> Terms {
    let entry = |name: &&str| Entry {
        value: (*name).to_owned(),
        origin: Origin { source: "test.toml".into(), line: Some(3), ..Origin::default() },
    };
    Terms { allow: names.iter().map(entry).collect(), ..terms }
}

fn number(machine: Machine, name: &str) -> Option<u32> {
    machine.numbers().iter().find(|known| known.0 == name).map(|known| known.1)
}

/// What the program compiled for `machine` answers.
fn returned(filter: &Filter, machine: Machine, number: u32, args: [u64; 6]) -> Returned {
    let architecture = machine.audit_value();
    run(filter.program(), &Call { number, architecture, args })
}

/// The answer on every architecture that has the call; they must agree.
fn answer(terms: &Terms, name: &str, args: &[u64]) -> Action {
    let mut all = [0; 6];
    all[..args.len()].copy_from_slice(args);
    let answers: Vec<_> = Machine::ALL
        .into_iter()
        .filter_map(|machine| {
            let filter = Filter::compile_for(terms, machine).unwrap();
            let number = number(machine, name)?;
            Some(action(returned(&filter, machine, number, all).value))
        })
        .collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{name}: {answers:?}");
    answers[0]
}

fn action(value: u32) -> Action {
    match value & libc::SECCOMP_RET_ACTION_FULL {
        libc::SECCOMP_RET_ALLOW => Action::Allow,
        libc::SECCOMP_RET_ERRNO => Action::Refuse((value & libc::SECCOMP_RET_DATA) as i32),
        other => panic!("returned {other:#x}"),
    }
}

const EPERM: Action = Action::Refuse(libc::EPERM);
const ENOSYS: Action = Action::Refuse(libc::ENOSYS);
