//! What this launcher does not promise.

use cofferdam_battery::Unpromised;

/// Where the system permits namespaces.
pub(crate) const WITH_NAMESPACES: &[Unpromised] = &[];

/// In place, where there are none.
pub(crate) const WITHOUT_NAMESPACES: &[Unpromised] = &[];
