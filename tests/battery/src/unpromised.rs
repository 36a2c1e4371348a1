//! What a launcher does not promise.

use crate::{Class, Kind, Promise};

/// A promise that a launcher does not make, or a whole class of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unpromised {
    /// The promise's name; or a class's, for everything that it forbids.
    pub promise: &'static str,
    /// Why it is not made.
    pub because: &'static str,
    /// Who makes it.
    pub instead: &'static str,
}

impl Unpromised {
    /// Whether this promise is meant.
    pub fn covers(&self, class: &Class, promise: &Promise) -> bool {
        self.promise == promise.name
            || self.promise == class.name && promise.kind == Kind::Forbidden
    }
}
