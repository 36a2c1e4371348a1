//! What is not promised by a wrapper that confines nothing.

use cofferdam_battery::{UNCONFINED, Unpromised};

/// All that a sandbox is for, and what this very wrapper cannot do.
pub(crate) const ALL: &[Unpromised] = &{
    let mut all = [NAME; UNCONFINED.len() + 1];
    let mut at = 0;
    while at < UNCONFINED.len() {
        all[at] = UNCONFINED[at];
        at += 1;
    }
    all
};

const NAME: Unpromised = Unpromised {
    promise: "a_command_knows_the_name_by_which_it_was_called",
    because: "the wrapper of this test, `env`, calls a program by its path",
    instead: "a launcher that is no wrapper",
};
