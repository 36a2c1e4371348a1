//! Profiles from their files to the resolved policy, in one test program.

mod asking;
mod fuzz;
mod merging;
mod paths;
mod property;
mod readme;
mod schema;
mod shipped;
mod support;
mod variables;
mod widening;
