//! The init of a run with private namespaces: a program of some 20 KiB without any library, which the
//! launcher carries and starts from memory. It makes the namespaces, builds the view, starts the
//! command, and passes its end on.
//!
//! `init PLAN PROGRAM NAME [ARGUMENT…]`: PLAN is the number of the descriptor with the plan, NAME
//! what the command gets as `argv[0]`.
//!
//! `init shield STATUS PROGRAM NAME [ARGUMENT…]`: before another launcher's wrapper, see [`threshold`].
//!
//! Three processes: [`outer`] stays outside of the pid namespace, [`inner`] is its first process, and
//! [`command`] becomes the command. Where the host has a [`template`] of the view, the run takes a
//! copy of that. They share this program's memory until the exec, and nothing of
//! the host's is in it.

#![no_std]
#![no_main]
#![no_builtins]
#![deny(unsafe_op_in_unsafe_fn)]

mod command;
mod confine;
mod entry;
mod ids;
mod inner;
mod network;
mod numbers;
mod outer;
mod plan;
#[allow(dead_code, reason = "the launcher uses all of it")]
mod protocol;
mod report;
mod stack;
mod system;
mod template;
mod threshold;
mod view;

use core::ffi::CStr;
use core::sync::atomic::AtomicU32;

use outer::Run;
use plan::Plan;

/// The exit code of an init that was not started by the launcher.
const MISUSED: i32 = 64;

/// The program, entered with what the kernel leaves on the stack: the number of arguments, the
/// arguments, a null pointer, the environment, a null pointer.
extern "C" fn begin(stack: *const usize) -> ! {
    // SAFETY: the layout of a new process's stack, as above.
    let (count, arguments) = unsafe { (*stack, stack.add(1).cast::<*const u8>()) };
    if count < 4 {
        system::exit(MISUSED)
    }
    // SAFETY: there are four arguments at least.
    let [first, second] = unsafe { [1, 2].map(|at| CStr::from_ptr((*arguments.add(at)).cast())) };
    let run = |plan: Plan, status: u32, first: usize| Run {
        plan,
        status: status as i32,
        // SAFETY: within the arguments, or one past them.
        words: unsafe { arguments.add(first) },
        // SAFETY: one past the null pointer that ends the arguments.
        environment: unsafe { arguments.add(count + 1) },
        ids: ids::Ids::own(),
        template: None,
        folder: protocol::Identity::default(),
        signals: 0,
        mask: 0,
        outer: None,
        network: AtomicU32::new(0),
        end: AtomicU32::new(0),
    };
    if first == threshold::SHIELD {
        match parse(second) {
            Some(status) if count > 4 => threshold::shield(&run(Plan::blank(), status as u32, 3)),
            _ => system::exit(MISUSED),
        }
    }
    let Some(fd) = parse(first) else { system::exit(MISUSED) };
    let Ok(plan) = Plan::read(fd) else { system::exit(MISUSED) };
    let status = plan.header().status;
    close_all_but([status, plan.header().template, plan.header().refusals]);
    let run = run(plan, status, 2);
    match plan.has(protocol::header::THRESHOLD) {
        true => threshold::cross(&run),
        false => outer::run(run),
    }
}

/// Closes every descriptor but the streams and these.
fn close_all_but<const COUNT: usize>(numbers: [u32; COUNT]) {
    let mut first = 3;
    loop {
        // There are too few of them to be worth sorting.
        let next = numbers.iter().copied().filter(|number| *number >= first).min();
        let Some(next) = next else { return system::close_range(first, u32::MAX) };
        system::close_range(first, next - 1);
        first = next + 1;
    }
}

/// A number of a descriptor.
fn parse(text: &CStr) -> Option<i32> {
    let mut number = 0_i32;
    for byte in text.to_bytes() {
        let digit = i32::from(byte.checked_sub(b'0').filter(|digit| *digit < 10)?);
        number = number.checked_mul(10)?.checked_add(digit)?;
    }
    Some(number)
}
