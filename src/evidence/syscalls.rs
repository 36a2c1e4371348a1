//! What the filter of system calls says to a call, by its name.

#[cfg(feature = "cli")]
use cofferdam_profiles::Entry;
#[cfg(all(
    feature = "cli",
    target_os = "linux",
    any(feature = "landlock", feature = "bubblewrap")
))]
use cofferdam_profiles::Origin;
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

/// What people ask about.
#[cfg(all(
    feature = "cli",
    target_os = "linux",
    any(feature = "landlock", feature = "bubblewrap")
))]
impl Calls {
    /// The known name that is most like this one.
    pub(crate) fn nearest(&self, name: &str) -> Option<&'static str> {
        let names = self.filter.iter().flat_map(|filter| filter.lines()).map(|line| line.name);
        names.min_by_key(|known| strsim::damerau_levenshtein(name, known))
    }

    /// The entry of the profile that takes a call out of the filter: its name, or a group's.
    pub(crate) fn entry<'a>(policy: &'a Policy, name: &str) -> Option<&'a Entry<String>> {
        let has =
            |group: &(&str, &[&str]), value: &str| group.0 == value && group.1.contains(&name);
        policy.syscalls.iter().find(|entry| {
            entry.value == name
                || cofferdam_filter::GROUPS.iter().any(|group| has(group, &entry.value))
        })
    }

    /// The group of calls that this one belongs to.
    pub(crate) fn group(name: &str) -> Option<&'static str> {
        let mut groups = cofferdam_filter::GROUPS.iter();
        groups.find(|(_, calls)| calls.contains(&name)).map(|(group, _)| *group)
    }

    /// Why no profile can take a call out of the filter; `None` where one can.
    pub(crate) fn hindrance(policy: &Policy, name: &str) -> Option<String> {
        let origin = || Origin { source: "syscalls.allow".into(), ..Origin::default() };
        let mut terms = cofferdam_filter::Terms::of(policy);
        terms.allow = vec![Entry { value: name.to_owned(), origin: origin() }];
        cofferdam_filter::Filter::compile(&terms).err().map(|error| error.to_string())
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

#[cfg(all(
    feature = "cli",
    not(all(target_os = "linux", any(feature = "landlock", feature = "bubblewrap")))
))]
impl Calls {
    pub(crate) fn nearest(&self, _: &str) -> Option<&'static str> {
        None
    }

    pub(crate) fn entry<'a>(_: &'a Policy, _: &str) -> Option<&'a Entry<String>> {
        None
    }

    pub(crate) fn group(_: &str) -> Option<&'static str> {
        None
    }

    pub(crate) fn hindrance(_: &Policy, _: &str) -> Option<String> {
        None
    }
}
