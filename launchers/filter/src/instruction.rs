//! The few instructions of classic BPF that a filter needs (`linux/filter.h`).

use crate::Instruction;
use crate::verdict::Action;

/// Ends the process: the answer to a foreign architecture.
pub(crate) const KILL: Instruction =
    statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_KILL_PROCESS);

/// Where the kernel lays out a call for the filter: `struct seccomp_data`.
pub(crate) mod offset {
    pub(crate) const NUMBER: u32 = 0;
    pub(crate) const ARCHITECTURE: u32 = 4;

    /// The low half of an argument, 0 to 5: it comes first on both architectures.
    pub(crate) const fn argument(index: u8) -> u32 {
        16 + 8 * index as u32
    }
}

/// Takes a 32-bit word of the call.
pub(crate) const fn load(offset: u32) -> Instruction {
    statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset)
}

/// Keeps these bits of what was taken.
pub(crate) const fn mask(bits: u32) -> Instruction {
    statement(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, bits)
}

/// Passes over `yes` instructions when what was taken is `value`, else over `no`.
pub(crate) const fn if_equal(value: u32, yes: u8, no: u8) -> Instruction {
    jump(libc::BPF_JEQ, value, yes, no)
}

/// Passes over `yes` instructions when what was taken is `value` or more, else over `no`.
pub(crate) const fn if_at_least(value: u32, yes: u8, no: u8) -> Instruction {
    jump(libc::BPF_JGE, value, yes, no)
}

/// Passes over any number of instructions.
pub(crate) const fn skip(count: u32) -> Instruction {
    statement(libc::BPF_JMP | libc::BPF_JA, count)
}

/// Ends the filter.
pub(crate) const fn answer(action: Action) -> Instruction {
    let value = match action {
        Action::Allow => libc::SECCOMP_RET_ALLOW,
        Action::Refuse(errno) => {
            libc::SECCOMP_RET_ERRNO | (errno.cast_unsigned() & libc::SECCOMP_RET_DATA)
        }
        // The listener answers: it gets the call, not this value.
        Action::Tell(_) => libc::SECCOMP_RET_USER_NOTIF,
    };
    statement(libc::BPF_RET | libc::BPF_K, value)
}

const fn statement(code: u32, k: u32) -> Instruction {
    Instruction { code: code as u16, jt: 0, jf: 0, k }
}

const fn jump(test: u32, k: u32, jt: u8, jf: u8) -> Instruction {
    Instruction { code: (libc::BPF_JMP | test | libc::BPF_K) as u16, jt, jf, k }
}
