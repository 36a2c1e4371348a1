//! What is not promised without a launcher.

use cofferdam_battery::{UNCONFINED, Unpromised};

/// All that a sandbox is for.
pub(crate) const ALL: &[Unpromised] = &UNCONFINED;
