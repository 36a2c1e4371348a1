//! The limit that ended a run, where one did.

use cofferdam_profiles::Limits;
use rustix::process::Signal;

use crate::capture::Cap;
use crate::cgroup::Exceeded;
use crate::outcome::Exit;

/// What a run was not given more of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// It wrote more than is kept, and was killed for it.
    Output(Cap),
    /// `limits.memory` of the profile: the kernel killed the whole run. Known only where a run has a cgroup
    /// of its own; elsewhere a program that asks for too much is refused, and tells so itself.
    Memory,
    /// `limits.processes` of the profile: a process was refused, and the run failed. Known as above.
    Processes,
    /// `limits.file-size` of the profile: a signal ended the command for it.
    FileSize,
    /// `limits.cpu-seconds` of the profile: a signal ended the command for it.
    CpuSeconds,
}

impl Limit {
    /// The setting, or the key of the profile's `[limits]`, that holds it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Limit::Output(cap) => cap.setting(),
            Limit::Memory => "memory",
            Limit::Processes => "processes",
            Limit::FileSize => "file-size",
            Limit::CpuSeconds => "cpu-seconds",
        }
    }

    /// Which of the profile's limits ended a run that nobody has killed. `exits` are those of its stages.
    pub(crate) fn reached(limits: &Limits, exits: &[Exit], exceeded: Exceeded) -> Option<Limit> {
        // A wrapper passes the signal on as a number, and so does a shell.
        let by = |signal: Signal| {
            let number = Some(128 + signal.as_raw());
            exits.iter().any(|exit| exit.number() == number)
        };
        let has_failed = exits.iter().any(|exit| *exit != Exit::Code(0));
        let found = [
            (Limit::Memory, has_failed && exceeded.memory),
            (Limit::CpuSeconds, limits.cpu_seconds.is_some() && by(Signal::XCPU)),
            (Limit::FileSize, limits.file_size.is_some() && by(Signal::XFSZ)),
            (Limit::Processes, has_failed && exceeded.processes),
        ];
        found.into_iter().find_map(|(limit, is_reached)| is_reached.then_some(limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        let mut limits = Limits::default();
        (limits.cpu_seconds, limits.file_size) = (Some(1), Some(1024));
        limits
    }

    fn reached(exits: &[Exit]) -> Option<&'static str> {
        Limit::reached(&limits(), exits, Exceeded::default()).map(Limit::name)
    }

    #[test]
    fn a_signal_of_the_kernel_s_names_its_limit() {
        let (time, size) = (Signal::XCPU.as_raw(), Signal::XFSZ.as_raw());
        assert_eq!(reached(&[Exit::Signal(time)]), Some("cpu-seconds"));
        assert_eq!(reached(&[Exit::Code(128 + time)]), Some("cpu-seconds"));
        assert_eq!(reached(&[Exit::Signal(size), Exit::Code(0)]), Some("file-size"));
        for exit in [Exit::Code(0), Exit::Code(1), Exit::Signal(9), Exit::Unknown] {
            assert_eq!(reached(&[exit]), None);
        }
    }

    #[test]
    fn a_limit_that_nobody_has_set_is_not_named() {
        let exits = [Exit::Signal(Signal::XCPU.as_raw()), Exit::Signal(Signal::XFSZ.as_raw())];
        assert_eq!(Limit::reached(&Limits::default(), &exits, Exceeded::default()), None);
    }

    #[test]
    fn what_the_cgroup_counted_is_named_for_a_run_that_failed() {
        let both = Exceeded { memory: true, processes: true };
        let named =
            |exceeded, exit| Limit::reached(&Limits::default(), &[exit], exceeded).map(Limit::name);
        assert_eq!(named(both, Exit::Signal(9)), Some("memory"));
        let processes = Exceeded { memory: false, ..both };
        assert_eq!(named(processes, Exit::Code(2)), Some("processes"));
        assert_eq!(named(both, Exit::Code(0)), None);
    }
}
