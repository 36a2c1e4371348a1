//! Numbers of system calls. A filter sees numbers only, and each architecture has its own.

mod aarch64;
mod x86_64;

use crate::{FilterError, nearest};

/// An architecture for which a filter can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// 64-bit ARM, little endian.
    Aarch64,
    /// 64-bit x86. The x32 numbers are refused.
    X86_64,
}

impl Machine {
    /// Every architecture for which a filter can be made.
    pub const ALL: [Machine; 2] = [Machine::Aarch64, Machine::X86_64];

    /// The architecture that this program was built for.
    ///
    /// # Errors
    /// [`FilterError::Machine`] where there is no table for it.
    pub fn host() -> Result<Machine, FilterError> {
        match std::env::consts::ARCH {
            "x86_64" => Ok(Machine::X86_64),
            "aarch64" => Ok(Machine::Aarch64),
            other => Err(FilterError::Machine(other)),
        }
    }

    /// The value that the kernel puts into `seccomp_data.arch` (`linux/audit.h`): the ELF machine
    /// number with the marks for 64 bits and little endian.
    pub(crate) fn audit_value(self) -> u32 {
        let elf_machine = match self {
            Machine::Aarch64 => 183,
            Machine::X86_64 => 62,
        };
        elf_machine | 0x8000_0000 | 0x4000_0000
    }

    /// All known calls, sorted by number.
    pub(crate) fn numbers(self) -> &'static [(&'static str, u32)] {
        match self {
            Machine::Aarch64 => aarch64::NUMBERS,
            Machine::X86_64 => x86_64::NUMBERS,
        }
    }
}

/// The table's own spelling of a call's name, if any architecture has it.
pub(crate) fn known(name: &str) -> Option<&'static str> {
    names().find(|known| *known == name)
}

/// The known name that is most like `name`.
pub(crate) fn nearest_known(name: &str, also: &[&'static str]) -> &'static str {
    nearest(name, names().chain(also.iter().copied()))
}

fn names() -> impl Iterator<Item = &'static str> {
    Machine::ALL.into_iter().flat_map(|machine| machine.numbers()).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_sorted_and_each_stands_once() {
        for machine in Machine::ALL {
            let numbers = machine.numbers();
            assert!(numbers.is_sorted_by(|a, b| a.1 < b.1), "{machine:?}");
        }
    }

    #[test]
    fn the_host_s_numbers_are_those_of_its_c_library() {
        let numbers = Machine::host().unwrap().numbers();
        let number = |name| numbers.iter().find(|known| known.0 == name).unwrap().1;
        for (name, expected) in [
            ("read", libc::SYS_read),
            ("clone3", libc::SYS_clone3),
            ("ptrace", libc::SYS_ptrace),
            ("socket", libc::SYS_socket),
            ("fchmodat2", libc::SYS_fchmodat2),
            ("mseal", libc::SYS_mseal),
        ] {
            assert_eq!(i64::from(number(name)), expected, "{name}");
        }
    }
}
