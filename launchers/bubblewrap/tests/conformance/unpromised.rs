//! What this launcher does not promise.

use cofferdam_battery::Unpromised;

/// Everywhere.
pub(crate) const ALL: &[Unpromised] = &[];
