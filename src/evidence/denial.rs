//! One thing that was refused.

use cofferdam_profiles::Question;
use serde::Serialize;

use super::escape::{TARGET, shown};

/// Something that a run wanted and did not get. Keys of the JSON are sorted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Denial {
    /// What would allow it, in one line; absent where an earlier denial of the run says the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The key of the profile that decides: `filesystem.write`.
    pub rule: &'static str,
    /// How sure it is.
    pub sure: Sure,
    /// What it was about: a path, a host, a system call. At most 256 bytes, control characters
    /// escaped.
    pub target: String,
    /// `read`, `write`, `exec`, `connect`, `socket`, `env` or `syscall`.
    pub what: &'static str,
    /// What the policy was asked, with the whole path; nothing for a system call.
    #[serde(skip)]
    pub(crate) question: Option<Question>,
}

/// How sure a denial is. The surest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Sure {
    /// The kernel has recorded it.
    Kernel,
    /// The filter of system calls has refused it.
    Syscall,
    /// The program missed something that the policy hides.
    Policy,
    /// The program said that it was refused, and the policy does refuse it.
    Text,
}

impl Denial {
    /// A denial; the target is escaped and clipped here, wherever it comes from.
    pub(crate) fn new(what: &'static str, target: &str, rule: &'static str, sure: Sure) -> Self {
        let target = shown(target, TARGET);
        Denial { hint: None, rule, sure, target, what, question: None }
    }

    pub(crate) fn asked(mut self, question: &Question) -> Self {
        self.question = Some(question.clone());
        self
    }

    pub(crate) fn hinted(mut self, hint: String) -> Self {
        self.hint = Some(hint);
        self
    }
}
