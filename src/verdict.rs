//! What became of a run whose processes have ended: was it the command, or its wrapper?

use std::sync::Arc;

use cofferdam_launcher::{Ended, LaunchError, Launcher, WrapperEnd};

use crate::captured::Captured;
use crate::evidence::{Evidence, RefusedCalls};
use crate::limit::Limit;
use crate::outcome::{Exit, NotStarted, Outcome, Reason, Sandbox, explain};
use crate::pipeline::StagePlace;
use crate::start::Known;
use crate::watch::{End, StageEnd};

/// Who has ended: the command, or the wrapper of one of its stages.
#[derive(Debug)]
pub(crate) struct Verdict {
    blamed: Option<(usize, LaunchError)>,
}

impl Verdict {
    pub(crate) fn of(launcher: &dyn Launcher, end: &End, captured: &Captured) -> Self {
        Verdict { blamed: blamed(launcher, end, captured) }
    }

    /// Whether a command ran.
    pub(crate) fn has_run(&self) -> bool {
        self.blamed.is_none()
    }

    /// What became of the run.
    pub(crate) fn outcome(
        self,
        launcher: &dyn Launcher,
        known: Known,
        mut end: End,
        captured: Arc<Captured>,
    ) -> Outcome {
        let mut refused = RefusedCalls::default();
        let told = end.stages.iter_mut().map(|stage| std::mem::take(&mut stage.refused));
        told.for_each(|told| refused.extend(told));
        let exits: Vec<_> = end.stages.iter().map(ended).collect();
        let (exit, stages) = match (&self.blamed, known.is_pipeline) {
            (Some(_), _) => (Exit::NotStarted, Vec::new()),
            (None, true) => (exits.last().copied().unwrap_or(Exit::Unknown), exits.clone()),
            (None, false) => (exits.last().copied().unwrap_or(Exit::Unknown), Vec::new()),
        };
        let limit = match end.limit {
            Some(cap) => Some(Limit::Output(cap)),
            None if end.killed || self.blamed.is_some() => None,
            None => Limit::reached(&known.limits, &exits, end.exceeded),
        };
        let sandbox = known.claim.filter(|_| self.blamed.is_none()).map(|missing| {
            let failed = failure(&exits).unwrap_or(exit);
            let mut evidence = Evidence::of(&known.scene, failed, &captured, &refused);
            if limit.is_some_and(|limit| !matches!(limit, Limit::Output(_))) {
                // By a limit of the profile: that the sandbox had no part in it would not be true.
                evidence.verdict = None;
            }
            Sandbox { missing, created: known.watched.changed(), evidence }
        });
        let not_started = self.blamed.map(|(number, source)| {
            let place = StagePlace::new(number + 1, end.stages.len());
            let reason = Reason::Wrapper { launcher: launcher.name().to_owned(), source };
            NotStarted::from(reason.at(known.is_pipeline.then_some(place)))
        });
        if let Some(reason) = &not_started {
            explain(&captured, reason);
        }
        captured.finish();
        Outcome {
            exit,
            stages,
            timed_out: end.timed_out,
            killed: end.killed,
            limit,
            lowered_timeout: None,
            sandbox,
            not_started,
            captured,
        }
    }
}

/// The stage whose wrapper has failed, and how. Of a run that somebody has killed nobody is to blame, nor
/// where the kernel has killed it for its memory; and where the stages were killed for the sake of one, it is that one.
fn blamed(launcher: &dyn Launcher, end: &End, captured: &Captured) -> Option<(usize, LaunchError)> {
    if end.killed || end.exceeded.memory {
        return None;
    }
    let stderr = captured.lock().stderr.bytes();
    let suspects = end.stages.iter().enumerate();
    let mut suspects = suspects.filter(|(number, _)| end.failed.is_none_or(|it| it == *number));
    suspects.find_map(|(number, stage)| {
        let wrapper = WrapperEnd { ended: stage.ended?, status: &stage.status, stderr: &stderr };
        Some((number, launcher.blame(&wrapper)?))
    })
}

fn ended(stage: &StageEnd) -> Exit {
    match stage.ended {
        Some(Ended::Exited(code)) => Exit::Code(code),
        Some(Ended::Signaled(signal)) => Exit::Signal(signal),
        None => Exit::Unknown,
    }
}

/// The stage that failed, for those who look for the reason: the last one that did by itself, and was
/// not ended because nobody read what it wrote.
fn failure(exits: &[Exit]) -> Option<Exit> {
    let unread = Exit::Signal(rustix::process::Signal::PIPE.as_raw());
    exits.iter().rev().find(|exit| **exit != Exit::Code(0) && **exit != unread).copied()
}
