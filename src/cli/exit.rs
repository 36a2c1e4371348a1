//! What the program exits with.

use crate::{Exit, Outcome};

/// A command of the program failed, as for `check`: nothing works here.
pub(super) const FAILURE: u8 = 1;
/// The command line makes no sense. The same for every command of the program.
pub(super) const USAGE: u8 = 2;
/// The run's time was up, as `timeout(1)` tells it.
pub(super) const TIMED_OUT: u8 = 124;
/// Cofferdam failed, not the command. This one and the next two as `env(1)` and `nice(1)` do.
pub(super) const COFFERDAM_FAILED: u8 = 125;
/// What shells add to the number of the signal that ended a command.
const SIGNALED: i32 = 128;
/// A command that was killed and whose status never came: it got SIGKILL.
const KILLED: u8 = 137;

/// The exit code of `cofferdam run`.
pub(super) fn code(outcome: &Outcome) -> u8 {
    if outcome.timed_out {
        return TIMED_OUT;
    }
    if let Some(reason) = &outcome.not_started {
        return reason.exit_code();
    }
    match outcome.exit {
        Exit::Code(code) => low_byte(code),
        Exit::Signal(signal) => by_signal(signal),
        Exit::NotStarted => COFFERDAM_FAILED,
        Exit::Unknown => KILLED,
    }
}

/// The exit code for something that a signal ended.
pub(super) fn by_signal(signal: i32) -> u8 {
    low_byte(SIGNALED + signal)
}

/// What the kernel keeps of an exit code (`exit(3)`).
fn low_byte(code: i32) -> u8 {
    (code & 0xff) as u8
}

#[cfg(test)]
mod tests {
    use std::io;

    use cofferdam_launcher::LaunchError;

    use super::*;
    use crate::outcome::Reason;
    use crate::resolve::Unresolved;
    use crate::spawn::SpawnError;

    fn ended(exit: Exit) -> Outcome {
        Outcome { exit, not_started: None, ..Outcome::not_started(Reason::Stopped) }
    }

    fn not_started(reason: impl Into<Reason>) -> u8 {
        code(&Outcome::not_started(reason.into()))
    }

    fn unusable(kind: io::ErrorKind) -> Unresolved {
        Unresolved::Unusable { program: "/x".into(), cause: kind.into() }
    }

    #[test]
    fn the_commands_own_code_is_passed_on() {
        for number in [0, 1, 2, 64, 124, 125, 126, 127, 128, 255] {
            assert_eq!(i32::from(code(&ended(Exit::Code(number)))), number);
        }
    }

    #[test]
    fn a_signal_is_added_to_128() {
        assert_eq!(code(&ended(Exit::Signal(2))), 130);
        assert_eq!(code(&ended(Exit::Signal(9))), 137);
        assert_eq!(code(&ended(Exit::Signal(15))), 143);
        assert_eq!(code(&ended(Exit::Unknown)), 137);
    }

    #[test]
    fn a_run_that_was_out_of_time_is_124_however_it_ended() {
        let late = |exit| code(&Outcome { timed_out: true, ..ended(exit) });
        assert_eq!(late(Exit::Signal(9)), 124);
        assert_eq!(late(Exit::Unknown), 124);
        assert_eq!(not_started(Reason::TimedOut), 124);
    }

    #[test]
    fn a_missing_program_is_127_and_one_that_cannot_be_run_126() {
        let nowhere = Unresolved::NotOnPath { command: "x".into(), path: "/usr/bin:/bin".into() };
        assert_eq!(not_started(nowhere), 127);
        assert_eq!(not_started(unusable(io::ErrorKind::NotFound)), 127);
        assert_eq!(not_started(unusable(io::ErrorKind::PermissionDenied)), 126);
        let exec = |kind: io::ErrorKind| {
            Reason::Spawn(SpawnError::Exec { program: "/x".into(), source: kind.into() })
        };
        assert_eq!(not_started(exec(io::ErrorKind::NotFound)), 127);
        assert_eq!(not_started(exec(io::ErrorKind::PermissionDenied)), 126);
    }

    #[test]
    fn what_cofferdam_could_not_do_is_125() {
        assert_eq!(not_started(Reason::Launcher(LaunchError::from("no"))), 125);
        assert_eq!(not_started(Reason::Spawn(SpawnError::Shape("no"))), 125);
        let wrapper =
            Reason::Wrapper { launcher: "bubblewrap".to_owned(), source: LaunchError::from("no") };
        assert_eq!(not_started(wrapper), 125);
    }
}
