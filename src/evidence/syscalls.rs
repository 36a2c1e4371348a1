//! What the filter of system calls says to a call, by its name.

use cofferdam_profiles::Policy;

/// What is known of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) is_allowed: bool,
    /// Whether it depends on the arguments; `is_allowed` then holds for those that no rule names.
    pub(crate) depends: bool,
    /// The reason, for people.
    pub(crate) why: &'static str,
}

/// The filter's table under a policy. Namespaces only open more: this is what holds without them.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    #[cfg(all(target_os = "linux", any(feature = "landlock", feature = "bubblewrap")))]
    filter: Option<cofferdam_filter::Filter>,
}

#[cfg(all(target_os = "linux", any(feature = "landlock", feature = "bubblewrap")))]
impl Calls {
    pub(crate) fn of(policy: &Policy) -> Self {
        let terms = cofferdam_filter::Terms::of(policy);
        Calls { filter: cofferdam_filter::Filter::compile(&terms).ok() }
    }

    /// What is said to a call; `None` for a name that the table does not have.
    pub(crate) fn call(&self, name: &str) -> Option<Call> {
        use cofferdam_filter::{Action, Verdict};
        let line = self.filter.as_ref()?.lines().iter().find(|line| line.name == name)?;
        let (action, depends) = match &line.verdict {
            Verdict::Always(action) => (action, false),
            Verdict::ByArguments { otherwise, .. } => (otherwise, true),
        };
        Some(Call { is_allowed: *action == Action::Allow, depends, why: line.why })
    }
}

#[cfg(not(all(target_os = "linux", any(feature = "landlock", feature = "bubblewrap"))))]
impl Calls {
    /// Nothing here has a filter.
    pub(crate) fn of(_: &Policy) -> Self {
        Calls::default()
    }

    pub(crate) fn call(&self, _: &str) -> Option<Call> {
        None
    }
}
