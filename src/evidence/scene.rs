//! Where a run takes place: what is asked whether something was refused.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use cofferdam_launcher::Scratch;
use cofferdam_profiles::{Answer, Inside, Policy, Promise, Question, Verdict};

use super::syscalls::{Call, Calls};

/// The policy of a run, and what the launcher makes of it.
#[derive(Debug)]
pub(crate) struct Scene {
    /// `None` for a launcher that brings rules of its own, which nobody here knows.
    policy: Option<Arc<Policy>>,
    /// The directory that the command started in.
    dir: PathBuf,
    inside: Inside,
    /// The rules that are not enforced.
    missing: Arc<[String]>,
    /// Made when somebody asks.
    calls: OnceLock<Calls>,
    /// How many more questions are answered: the names in them are the command's, and each costs a
    /// walk through its files.
    left: AtomicUsize,
}

/// Enough for every line that is looked at.
const MOST_QUESTIONS: usize = 256;

impl Scene {
    pub(crate) fn new(
        policy: Option<Arc<Policy>>,
        dir: PathBuf,
        scratch: Option<&Scratch>,
        missing: Arc<[String]>,
    ) -> Self {
        let mut inside = Inside::new(has_view(&missing));
        inside.scratch =
            scratch.map(|own| vec![own.tmp.clone(), own.home.clone()]).unwrap_or_default();
        let left = AtomicUsize::new(MOST_QUESTIONS);
        Scene { policy, dir, inside, missing, calls: OnceLock::new(), left }
    }

    /// What is said to a system call of this name, where that is known.
    pub(super) fn call(&self, name: &str) -> Option<Call> {
        let policy = self.policy.as_deref()?;
        self.calls.get_or_init(|| Calls::of(policy)).call(name)
    }

    /// What a name in the command's words stands for.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Whether what is hidden is not there at all. Without a view the kernel tells a missing file from
    /// one that is refused.
    pub(super) fn hides(&self) -> bool {
        self.inside.private_view
    }

    /// What a verdict is, where the policy refuses this and the launcher enforces that.
    pub(super) fn refused(&self, question: &Question) -> Option<Verdict> {
        let take = |left: usize| left.checked_sub(1);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        let verdict = self.policy.as_deref()?.ask(question, &self.inside);
        verdict.is_enforced_without(&self.missing).then_some(verdict)
    }

    /// Whether no more questions are answered.
    pub(super) fn is_spent(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    /// Whether something is the run's own.
    pub(super) fn is_own(&self, path: &Path) -> bool {
        let question = Question::Read(path.to_owned());
        self.policy
            .as_deref()
            .is_some_and(|policy| policy.ask(&question, &self.inside).answer == Answer::Own)
    }

    /// Whether a launcher lacks something.
    pub(super) fn lacks(&self, promise: Promise) -> bool {
        self.missing.iter().any(|name| name == promise.as_str())
    }
}

/// Whether a launcher that lacks these shows a view of its own. What files outside are like can be
/// kept only by a view without them, so one that has none always lacks `metadata`.
pub(crate) fn has_view(missing: &[String]) -> bool {
    cfg!(target_os = "linux") && missing.iter().all(|name| name != Promise::Metadata.as_str())
}
