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

/// What is not promised where nothing is confined: all that a sandbox is for.
pub const UNCONFINED: [Unpromised; 16] = [
    nothing("reading"),
    nothing("writing"),
    nothing("metadata"),
    nothing("persistence"),
    nothing("mounts"),
    nothing("processes"),
    nothing("privileges"),
    nothing("sockets"),
    nothing("ipc"),
    nothing("network"),
    nothing("kernel"),
    nothing("environment"),
    nothing("limits"),
    nothing("another_terminal_of_the_host_is_not_written_to"),
    nothing("nothing_is_typed_into_the_persons_terminal"),
    nothing("nothing_is_typed_with_high_bits_in_the_request"),
];

const fn nothing(promise: &'static str) -> Unpromised {
    Unpromised { promise, because: "nothing is confined", instead: "every launcher that confines" }
}
