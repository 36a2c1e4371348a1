//! Output made shorter for models, without taking the answer out of it.
//!
//! A build prints four hundred lines of progress and one of result. What is done about it:
//!
//! - **Every stream**: terminal escapes go; of a line that was overwritten by carriage returns the last
//!   frame stays; identical lines in a row become one and a count; after a success blank lines in a row
//!   become one.
//! - **Programs with a filter** (`filters/*.toml`, and the operator's own): lines of progress go, and
//!   after a success also chatter that the result repeats.
//!
//! What it promises:
//!
//! - **On failure nothing but progress is dropped**: overwritten frames, and lines that a filter calls
//!   progress. A filter knows the exit status before it does anything.
//! - **What looks like trouble stays**, whatever a filter says: lines with words like "error" or
//!   "warning", and the marker of the [capture](crate::capture). A filter can name more.
//! - **No word is put in**, but for the count of identical lines; least of all one about success.
//! - **What says something never becomes nothing.**
//! - **Never longer, and doing it twice changes nothing more.** Time is linear in the text.
//! - **What prints files is left alone** (`cat`, `git diff`, …): there the lines are the answer.
//!
//! The raw text stays where it was; who keeps it is the business of others.
//!
//! ```
//! use cofferdam::compress::Compressor;
//!
//! let recipe = Compressor::default().recipe("cargo".as_ref(), &["build".into()]);
//! let stderr = "   Compiling demo v0.1.0\n    Finished `dev` profile in 0.2s\n";
//! let short = recipe.compress(true, "", stderr).unwrap();
//! assert_eq!(short.stderr, "    Finished `dev` profile in 0.2s\n");
//! assert_eq!((short.from, short.to), (stderr.len(), short.stderr.len()));
//! ```

mod carriage;
mod choose;
mod compressor;
mod escapes;
mod filter;
mod fold;
mod load;
mod recipe;
#[cfg(test)]
mod tests;

pub use compressor::Compressor;
pub(crate) use escapes::strip as without_escapes;
pub use load::FilterError;
pub use recipe::{Compressed, Recipe};
