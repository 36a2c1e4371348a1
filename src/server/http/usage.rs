//! Whether something is in use.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Counts the uses of something, and remembers when the last one ended.
#[derive(Debug)]
pub(super) struct Usage(Mutex<State>);

#[derive(Debug)]
struct State {
    uses: usize,
    idle_since: Instant,
}

impl Usage {
    /// Nothing is in use when it is new.
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Usage(Mutex::new(State { uses: 0, idle_since: Instant::now() })))
    }

    /// Begins a use, which lasts as long as the value.
    pub(super) fn begin(self: &Arc<Self>) -> InUse {
        self.state().uses += 1;
        InUse(self.clone())
    }

    /// Since when there is no use; `None` while there is one.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let state = self.state();
        (state.uses == 0).then_some(state.idle_since)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One use of something.
#[derive(Debug)]
pub(super) struct InUse(Arc<Usage>);

impl Clone for InUse {
    fn clone(&self) -> Self {
        self.0.begin()
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.uses -= 1;
        state.idle_since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_idle_when_the_last_use_has_ended() {
        let usage = Usage::new();
        let new = usage.idle_since().unwrap();
        let one = usage.begin();
        let other = one.clone();
        drop(one);
        assert_eq!(usage.idle_since(), None);
        drop(other);
        assert!(usage.idle_since().unwrap() >= new);
    }
}
