//! Opens one more thing than a policy does, for a single run that somebody has agreed to.
//!
//! What a run is refused is known from words of its own, and a person who is asked sees a path. So
//! more is checked here than for an option that an operator types: [`Grant::offer`] follows the path
//! itself and offers nothing that lies within `deny` or `protect`, is Cofferdam's own, or is reached
//! by a link that a run may have made; and [`widen`] checks all of it again when the policy is made.

mod grant;
mod offer;

pub use grant::Grant;

use crate::context::Context;
use crate::error::ProfileError;
use crate::grants::Grants;
use crate::policy::Policy;
use crate::resolve::resolve_more;
use crate::source::Source;

/// [`resolve`](crate::resolve()), with `more` beside the grants. A path of `more` must be one that no
/// rule of the profile closes, at whatever depth, and must lead nowhere else.
///
/// # Errors
/// As for `resolve`; and [`Cause::Overruled`](crate::Cause::Overruled) and
/// [`Cause::Moved`](crate::Cause::Moved) for what is not granted in this way.
pub fn widen(
    source: &Source,
    grants: &Grants,
    more: &[Grant],
    context: &Context,
) -> Result<Policy, ProfileError> {
    let mut all = grants.clone();
    for grant in more {
        match grant {
            Grant::Read(path) => all.read.push(path.clone()),
            Grant::Write(path) => all.write.push(path.clone()),
            Grant::Network => all.net = true,
        }
    }
    resolve_more(source, &all, more, context)
}
