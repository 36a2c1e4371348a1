//! What this launcher does not promise.

use cofferdam_battery::Unpromised;

/// Everywhere: nothing is left out.
pub(crate) const ALL: &[Unpromised] = &[];
