//! Background jobs: commands that outlive the call that started them, and die with their host.
//!
//! A job is a run whose output stays readable while it goes on and for a while after. The table
//! bounds both: how many run at once, and how many finished ones are kept, for how long.
//!
//! ```
//! # async fn example(dir: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
//! use cofferdam::{Jobs, JobLimits, JobState, Request, Runner};
//!
//! let runner = Runner::builder().allow_any().workspace(dir).build()?;
//! let jobs = Jobs::new(runner, JobLimits::default());
//! let id = jobs.start(Request::new("echo").args(["hi"])).await?.id;
//!
//! let mut cursor = None;
//! let mut text = String::new();
//! loop {
//!     let output = jobs.output(&id, cursor.as_deref())?;
//!     text.push_str(&output.stdout);
//!     if output.eof {
//!         break;
//!     }
//!     cursor = Some(output.cursor);
//!     jobs.changed(&id, cursor.as_deref()).await?;
//! }
//! assert_eq!(text, "hi\n");
//! assert_eq!(jobs.poll(&id)?.state, JobState::Exited);
//! # Ok(())
//! # }
//! # let dir = std::env::temp_dir();
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
//! #     .block_on(example(&dir)).unwrap();
//! ```
//!
//! * [`Jobs`]: the table. [`JobLimits`]: its bounds.
//! * [`Started`], [`Poll`], [`Output`], [`Killed`]: what its questions are answered with.
//! * [`JobEvent`]: what happens, as it happens. [`JobRefusal`]: the caller's mistakes.

mod answers;
mod event;
mod id;
mod job;
mod refusal;
mod shortening;
#[cfg(feature = "mcp")]
mod shorter;
mod story;
mod table;

pub use answers::{JobState, Killed, Output, Poll, Started};
pub use event::{Happening, JobEvent};
pub use refusal::JobRefusal;
#[cfg(feature = "mcp")]
pub(crate) use shortening::Shortening;
#[cfg(feature = "mcp")]
pub(crate) use story::Story;
pub use table::{JobLimits, Jobs};

#[cfg(test)]
mod tests;
