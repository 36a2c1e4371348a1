//! Runs a compiled program the way the kernel does, so that tests see verdicts and not code.

use crate::Instruction;

/// `struct seccomp_data`: number, architecture, instruction pointer, six arguments.
pub(crate) struct Call {
    pub(crate) number: u32,
    pub(crate) architecture: u32,
    pub(crate) args: [u64; 6],
}

/// What a program returned, and after how many instructions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Returned {
    pub(crate) value: u32,
    pub(crate) steps: usize,
}

impl Call {
    fn word(&self, offset: u32) -> u32 {
        match offset {
            0 => self.number,
            4 => self.architecture,
            16..64 if offset.is_multiple_of(4) => {
                let arg = self.args[((offset - 16) / 8) as usize];
                // Little endian: the low half comes first.
                if offset.is_multiple_of(8) { arg as u32 } else { (arg >> 32) as u32 }
            }
            _ => panic!("a load from offset {offset}"),
        }
    }
}

/// Panics on whatever the kernel would not accept: a jump past the end, an unknown instruction.
pub(crate) fn run(program: &[Instruction], call: &Call) -> Returned {
    let (mut at, mut accumulator, mut steps) = (0, 0, 0);
    loop {
        let instruction = &program[at];
        let k = instruction.k;
        steps += 1;
        at += 1;
        let test = match u32::from(instruction.code) {
            code if code == libc::BPF_LD | libc::BPF_W | libc::BPF_ABS => {
                accumulator = call.word(k);
                continue;
            }
            code if code == libc::BPF_ALU | libc::BPF_AND | libc::BPF_K => {
                accumulator &= k;
                continue;
            }
            code if code == libc::BPF_RET | libc::BPF_K => return Returned { value: k, steps },
            code if code == libc::BPF_JMP | libc::BPF_JA => {
                at += k as usize;
                continue;
            }
            code if code == libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K => accumulator == k,
            code if code == libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K => accumulator >= k,
            code => panic!("instruction {code:#x}"),
        };
        at += usize::from(if test { instruction.jt } else { instruction.jf });
    }
}
