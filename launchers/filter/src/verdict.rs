//! What the filter says to a system call.

/// The answer to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The kernel does it.
    Allow,
    /// The call fails with this error number (`errno(3)`) and has no effect.
    Refuse(i32),
    /// The same, told on the filter's listener (`seccomp_unotify(2)`), where this error number is to be
    /// the answer. Where nobody listens any more, the kernel answers `ENOSYS`. Only in what
    /// [`Filter::telling`](crate::Filter::telling) makes.
    Tell(i32),
}

/// What is decided about one system call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The same answer always.
    Always(Action),
    /// The first rule that matches answers.
    ByArguments {
        /// Tried in order.
        rules: Vec<Rule>,
        /// The answer when no rule matches.
        otherwise: Action,
    },
}

/// An answer for some arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// All of these must hold.
    pub when: Vec<Condition>,
    /// The answer.
    pub then: Action,
    /// Why, for people.
    pub why: &'static str,
}

/// A test of one argument.
///
/// Only the low 32 bits are looked at, because that is what the kernel takes for every argument that
/// the table tests. A comparison of all 64 bits would be walked round by setting a high bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    /// Which argument, 0 to 5.
    pub arg: u8,
    /// The bits that count.
    pub mask: u32,
    /// What those bits must be.
    pub value: u32,
}

impl Verdict {
    /// The answer to a call with these arguments, and the rule that gives it, if it is one.
    pub(crate) fn on(&self, args: &[u64; 6]) -> (Action, Option<&Rule>) {
        match self {
            Verdict::Always(action) => (*action, None),
            Verdict::ByArguments { rules, otherwise } => {
                let rule = rules.iter().find(|rule| rule.when.iter().all(|it| it.holds(args)));
                (rule.map_or(*otherwise, |rule| rule.then), rule)
            }
        }
    }
}

impl Condition {
    /// Whether it holds for these arguments.
    fn holds(&self, args: &[u64; 6]) -> bool {
        let argument = args.get(usize::from(self.arg)).copied().unwrap_or_default();
        argument as u32 & self.mask == self.value
    }

    /// Argument `arg` is `value`.
    pub(crate) const fn equal(arg: u8, value: u32) -> Self {
        Condition { arg, mask: u32::MAX, value }
    }

    /// The bits `mask` of argument `arg` are `value`.
    pub(crate) const fn masked(arg: u8, mask: u32, value: u32) -> Self {
        Condition { arg, mask, value }
    }
}

impl Action {
    /// The word and the error's name, for people.
    pub(crate) fn describe(self) -> String {
        match self {
            Action::Allow => "allow".to_owned(),
            Action::Refuse(errno) => format!("refuse {}", errno_name(errno)),
            Action::Tell(errno) => format!("tell {}", errno_name(errno)),
        }
    }
}

fn errno_name(errno: i32) -> &'static str {
    match errno {
        libc::EPERM => "EPERM",
        libc::EBUSY => "EBUSY",
        libc::ENOSYS => "ENOSYS",
        libc::EAFNOSUPPORT => "EAFNOSUPPORT",
        libc::EPROTONOSUPPORT => "EPROTONOSUPPORT",
        libc::EOPNOTSUPP => "EOPNOTSUPP",
        libc::ENOPROTOOPT => "ENOPROTOOPT",
        _ => "with another error",
    }
}
