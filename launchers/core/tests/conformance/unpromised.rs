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
    nothing("nothing_is_typed_into_the_persons_terminal"),
    nothing("nothing_is_typed_with_high_bits_in_the_request"),
];

const fn nothing(promise: &'static str) -> Unpromised {
    Unpromised { promise, because: "nothing is confined", instead: "every launcher that confines" }
}
