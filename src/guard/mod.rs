//! The argument guard: `"guard": "leaf-tools"`.
//!
//! An allow list of names says that `sort` may run; this says that `sort --compress-program=x` is not
//! what was meant. It knows the commonest forms of arguments (`leaf-tools.toml`) that make a tool which
//! reads and prints run another program or write a file, it refuses shells, interpreters and wrappers
//! that the allow list does not have by their exact name, and it looks at what a wrapper runs.
//!
//! **A gate of intent, and no boundary.** Such a list never ends: every program has options of its own
//! and grows new ones, files in the workspace (`.git/config`, `Makefile`) make programs run others with
//! no argument at all, and a link or a copy gives a program another name. What holds a command is the
//! launcher, with or without this.
//!
//! Where the guard cannot tell it refuses: an option before `git`'s subcommand that it does not know,
//! a `--` that may be the value of the option before it, a wrapper's option that may change what is
//! run. Exceptions are explicit, for one rule of one program.
//!
//! ```
//! use cofferdam::{Guard, Request, Runner};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let guard = Guard::leaf_tools().except("git", "config")?;
//! let runner = Runner::builder().allow(["git", "sort"]).guard(guard).build()?;
//! let refusal = runner.run_blocking(Request::new("sort").args(["-o", "out", "in"])).unwrap_err();
//! assert!(refusal.to_string().contains("`write` of `sort`"));
//! # Ok(())
//! # }
//! ```

mod awk;
mod command;
mod except;
mod offence;
mod refusal;
mod remote;
mod sed;
mod table;
#[cfg(test)]
mod tests;
mod words;
mod wrapped;

pub use command::Guard;
pub use except::UnknownException;
pub use refusal::GuardRefusal;
