//! The part of the view that the runs of a tool have in common, built once.
//!
//! It stands in a mount namespace that a descriptor keeps alive; no process is in it. A run takes a
//! copy of it in place of making some eighty mounts (`init/template.rs`).
//!
//! A template is made for a run that finds everything as the run before it did, so a tool that runs
//! once does not pay for one. It is given up when the mounts of the host change, and when a run finds
//! that the host has something else at one of its paths.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cofferdam_launcher::Scratch;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::layout::Draft;

/// A template, and the plan of the runs that take it.
#[derive(Debug)]
pub(crate) struct Template {
    /// Its mount namespace.
    pub(crate) namespace: OwnedFd,
    /// The plan of a run for which everything is as it was.
    pub(crate) draft: Draft,
}

/// What the view of a run depends on beside the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Situation {
    pub(crate) scratch: Option<Scratch>,
    /// Which of the policy's closed paths are there.
    pub(crate) present: Vec<bool>,
}

/// The template of a tool, if it has one now.
#[derive(Debug)]
pub(crate) struct Templates {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    mounts: Option<MountTable>,
    last: Option<Situation>,
    /// How many runs in a row have found everything as the one before.
    alike: u32,
    /// How many it takes. Doubled when a template is given up.
    wanted: u32,
    template: Option<Arc<Template>>,
    /// A run is making one.
    is_made: bool,
}

impl Templates {
    /// None yet. Where the mounts of the host cannot be watched, there never is one.
    pub(crate) fn new() -> Templates {
        let state = State {
            mounts: MountTable::open(),
            last: None,
            alike: 0,
            wanted: 1,
            template: None,
            is_made: false,
        };
        Templates { state: Mutex::new(state) }
    }

    /// The template for a run in this situation, made by `make` if it is time for that. Other runs do
    /// without one meanwhile: a path that hangs is to hold up nobody else.
    pub(crate) fn take(
        &self,
        situation: &Situation,
        make: impl FnOnce() -> Option<Template>,
    ) -> Option<Arc<Template>> {
        {
            let mut state = self.lock();
            if state.has_changed(situation) {
                return None;
            }
            state.alike = state.alike.saturating_add(1);
            if state.template.is_some() || state.is_made || state.alike < state.wanted {
                return state.template.clone();
            }
            state.is_made = true;
        }
        let made = make().map(Arc::new);
        let mut state = self.lock();
        state.is_made = false;
        match made {
            None => state.give_up(),
            Some(_) if state.has_changed(situation) => {}
            made => state.template = made,
        }
        state.template.clone()
    }

    /// A run has found the host to be another one than the template shows. Of several that took the
    /// same one, the first is heard.
    pub(crate) fn outdated(&self) {
        let mut state = self.lock();
        if state.template.is_some() {
            state.give_up();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether this run finds another host than the one before. Then all begins anew.
    fn has_changed(&mut self, situation: &Situation) -> bool {
        // Where nobody can tell, it may have.
        let mounts = self.mounts.as_mut().is_none_or(MountTable::have_changed);
        let changed = mounts || self.last.as_ref() != Some(situation);
        if changed {
            self.last = Some(situation.clone());
            self.alike = 0;
            self.template = None;
        }
        changed
    }

    fn give_up(&mut self) {
        self.template = None;
        self.alike = 0;
        self.wanted = self.wanted.saturating_mul(2);
    }
}

/// The host's mounts, as far as one can be told of a change (`proc_pid_mounts(5)`).
#[derive(Debug)]
struct MountTable(File);

impl MountTable {
    fn open() -> Option<MountTable> {
        File::open("/proc/self/mounts").ok().map(MountTable)
    }

    /// Whether something was mounted or unmounted since the last question.
    fn have_changed(&mut self) -> bool {
        let mut table = [PollFd::new(self.0.as_fd(), PollFlags::POLLPRI)];
        !matches!(poll(&mut table, PollTimeout::ZERO), Ok(0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Layout;
    use super::super::protocol::Header;
    use super::*;

    fn situation(present: bool) -> Situation {
        Situation { scratch: None, present: vec![present] }
    }

    fn made() -> Option<Template> {
        let namespace = File::open("/dev/null").unwrap().into();
        Some(Template { namespace, draft: Layout::new(Header::default()).draft() })
    }

    /// Which of some runs get a template.
    fn taken(templates: &Templates, runs: &[bool]) -> Vec<bool> {
        runs.iter().map(|run| templates.take(&situation(*run), made).is_some()).collect()
    }

    /// Templates of a host whose mounts do not change, whatever other programs do.
    fn templates() -> Templates {
        let templates = Templates::new();
        templates.lock().mounts = Some(MountTable(File::open("/dev/null").unwrap()));
        templates
    }

    #[test]
    fn the_second_run_alike_gets_a_template() {
        let of = |runs: &[bool]| taken(&templates(), runs);
        assert_eq!(of(&[true, true, true]), [false, true, true]);
        assert_eq!(of(&[true, false, true, true]), [false, false, false, true]);
        assert_eq!(of(&[true, true, false, false]), [false, true, false, true]);
    }

    #[test]
    fn what_does_not_last_is_made_more_and_more_rarely() {
        let templates = templates();
        assert_eq!(taken(&templates, &[true; 2]), [false, true]);
        templates.outdated();
        assert_eq!(taken(&templates, &[true; 3]), [false, true, true]);
        templates.outdated();
        assert_eq!(taken(&templates, &[true; 4]), [false, false, false, true]);
    }

    #[test]
    fn runs_that_find_the_same_template_outdated_count_once() {
        let templates = templates();
        assert_eq!(taken(&templates, &[true; 2]), [false, true]);
        (0..40).for_each(|_| templates.outdated());
        assert_eq!(taken(&templates, &[true; 3]), [false, true, true]);
    }

    #[test]
    fn while_one_run_makes_a_template_others_do_without() {
        let templates = templates();
        assert_eq!(taken(&templates, &[true]), [false]);
        let own = templates.take(&situation(true), || {
            assert_eq!(taken(&templates, &[true]), [false]);
            made()
        });
        assert!(own.is_some());
        assert_eq!(taken(&templates, &[true]), [true]);
    }

    #[test]
    fn a_template_of_a_host_that_changes_meanwhile_is_not_kept() {
        let templates = templates();
        assert_eq!(taken(&templates, &[true]), [false]);
        let own = templates.take(&situation(true), || {
            assert_eq!(taken(&templates, &[false]), [false]);
            made()
        });
        assert!(own.is_none());
    }

    #[test]
    fn a_template_that_cannot_be_made_is_not_tried_at_every_run() {
        let templates = templates();
        let mut tries = 0;
        for _ in 0..20 {
            let none = templates.take(&situation(true), || {
                tries += 1;
                None
            });
            assert!(none.is_none());
        }
        assert_eq!(tries, 4);
    }
}
