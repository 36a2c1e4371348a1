//! What is not promised without a sandbox.

use cofferdam_battery::Unpromised;

/// All that a sandbox is for.
pub(crate) const ALL: &[Unpromised] = &[
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
];

const fn nothing(promise: &'static str) -> Unpromised {
    Unpromised { promise, because: "nothing is confined", instead: "every launcher that confines" }
}
