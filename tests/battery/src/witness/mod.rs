//! Something real to reach for, on the outside: each tells afterwards whether it was reached.

mod listener;
mod snapshot;
mod terminal;
mod victim;

pub(crate) use listener::{Datagrams, FileGiver, Internet, Listener, Packets};
pub(crate) use snapshot::Snapshot;
pub(crate) use terminal::Terminal;
pub(crate) use victim::Victim;
