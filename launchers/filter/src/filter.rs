//! The compiled filter.

use crate::numbers::Machine;
use crate::table::{self, Line};
use crate::{FilterError, Instruction, Refusal, Terms, dispatch, explain, telling};

/// A compiled seccomp filter, with the table that it was made of.
///
/// It can only be made by compiling [`Terms`], and cannot be changed. Installing it is the
/// launcher's work: no_new_privs first, and the filter as the last of all confinements
/// (`seccomp(2)`).
#[derive(Debug, Clone)]
pub struct Filter {
    program: Vec<Instruction>,
    lines: Vec<Line>,
    machine: Machine,
}

impl Filter {
    /// Compiles the filter for the architecture of this program.
    ///
    /// # Errors
    /// [`FilterError::Machine`] where there is no table for it; [`FilterError::UnknownName`] and
    /// [`FilterError::DecidedElsewhere`] for a wrong entry in [`Terms::allow`].
    pub fn compile(terms: &Terms) -> Result<Filter, FilterError> {
        Filter::compile_for(terms, Machine::host()?)
    }

    /// Compiles the filter for another architecture, to look at it or to test it.
    ///
    /// # Errors
    /// As [`Filter::compile`].
    pub fn compile_for(terms: &Terms, machine: Machine) -> Result<Filter, FilterError> {
        let lines = table::lines(terms)?;
        let program = dispatch::compile(&lines, machine)?;
        Ok(Filter { program, lines, machine })
    }

    /// The same filter, which tells of what it refuses with `EPERM`, and of sockets of unusual families:
    /// see [`Action::Tell`](crate::Action::Tell). It must be installed with a listener
    /// (`SECCOMP_FILTER_FLAG_NEW_LISTENER`), or those calls answer `ENOSYS`; and whoever listens must
    /// never answer with `SECCOMP_USER_NOTIF_FLAG_CONTINUE`.
    ///
    /// Of two filters that both pass a call on to a listener, the kernel asks the one installed last. So
    /// this one refuses to install any filter with a listener on top of it (`EBUSY`, which the kernel
    /// itself answers while there is a listener), whatever the terms allow.
    ///
    /// # Errors
    /// [`FilterError::TooManyRuns`].
    pub fn telling(&self) -> Result<Filter, FilterError> {
        let lines = telling::lines(&self.lines);
        let program = dispatch::compile(&lines, self.machine)?;
        Ok(Filter { program, lines, machine: self.machine })
    }

    /// What the filter says to a call that it has told of, by number (of this filter's architecture) and
    /// arguments. `None` for a call that it does not tell of.
    pub fn refusal(&self, number: u32, args: &[u64; 6]) -> Option<Refusal> {
        let (name, _) = self.machine.numbers().iter().find(|known| known.1 == number)?;
        let line = self.lines.iter().find(|line| line.name == *name)?;
        Refusal::of(line, args)
    }

    /// The program, for `seccomp(SECCOMP_SET_MODE_FILTER)`.
    pub fn program(&self) -> &[Instruction] {
        &self.program
    }

    /// The program as the bytes of its `struct sock_filter`s in this machine's byte order, which is
    /// what `bwrap --seccomp FD` reads.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.program.len() * size_of::<Instruction>());
        for instruction in &self.program {
            bytes.extend(instruction.code.to_ne_bytes());
            bytes.extend([instruction.jt, instruction.jf]);
            bytes.extend(instruction.k.to_ne_bytes());
        }
        bytes
    }

    /// The table: every call with its verdict and the reason, refused ones first.
    pub fn explain(&self) -> String {
        explain::table(&self.lines, self.machine)
    }

    /// Counts of the table in one line.
    pub fn summary(&self) -> String {
        explain::summary(&self.lines, self.machine, self.program.len())
    }

    /// The lines of the table, in no particular order.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }
}
