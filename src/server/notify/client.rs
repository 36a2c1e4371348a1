//! A client as far as it outlives its calls: a session of the era that has sessions.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::{Peer, RoleServer};
use tokio_util::task::TaskTracker;

use super::jobs;
use super::level::Level;
use super::outbox::Outbox;
use crate::jobs::Story;

/// What a client is told outside of its calls. When the last clone is dropped nothing is told any
/// more.
#[derive(Debug, Clone)]
pub(in crate::server) struct Client(Arc<State>);

#[derive(Debug)]
struct State {
    /// The least level that it wants to hear.
    level: Mutex<Level>,
    is_open: AtomicBool,
    outbox: Arc<Outbox>,
    /// Those who tell of jobs.
    tellers: TaskTracker,
}

impl Client {
    /// A client that is told everything from this level on, until it says otherwise. Whatever
    /// happens before it is [opened](Client::open) waits.
    pub(in crate::server) fn new(level: Level) -> Self {
        Client(Arc::new(State {
            level: Mutex::new(level),
            is_open: AtomicBool::new(false),
            outbox: Arc::default(),
            tellers: TaskTracker::new(),
        }))
    }

    /// The client has said that its session is open: from here on it may be told things.
    pub(in crate::server) fn open(&self, peer: Peer<RoleServer>, name: &str) {
        if self.0.is_open.swap(true, Ordering::Relaxed) {
            return;
        }
        let (outbox, name) = (self.0.outbox.clone(), name.to_owned());
        tokio::spawn(async move { outbox.deliver(&peer, &name).await });
    }

    /// From now on it wants this level and those above.
    pub(in crate::server) fn set_level(&self, level: Level) {
        *self.0.level.lock().unwrap_or_else(PoisonError::into_inner) = level;
    }

    /// Tells what becomes of a job, on a task of its own, until the job ends or the client goes.
    pub(in crate::server) fn follow(&self, story: Story, logger: String) {
        jobs::tell(self, &story.first, &logger);
        let state = Arc::downgrade(&self.0);
        let outbox = self.0.outbox.clone();
        self.0.tellers.spawn(async move {
            tokio::select! {
                () = outbox.closed() => {}
                () = jobs::tell_rest(|| Some(Client(state.upgrade()?)), story, &logger) => {}
            }
        });
    }

    /// Waits, for a moment, until the end of every job has been told. To be called when all jobs have
    /// ended.
    pub(in crate::server) async fn told(&self) {
        const MOMENT: Duration = Duration::from_millis(250);
        if !self.0.is_open.load(Ordering::Relaxed) {
            return;
        }
        self.0.tellers.close();
        let all = async {
            self.0.tellers.wait().await;
            self.0.outbox.emptied().await;
        };
        let _ = tokio::time::timeout(MOMENT, all).await;
    }

    pub(super) fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    /// Whether it wants messages of this level.
    pub(super) fn wants(&self, level: Level) -> bool {
        level >= *self.0.level.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.outbox.close();
    }
}
