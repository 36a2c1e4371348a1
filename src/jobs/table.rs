//! The table of an instance's jobs.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::broadcast;

use super::answers::{JobState, Killed, Output, Poll, Started};
use super::event::JobEvent;
use super::id::{Handle, Life};
use super::job::Job;
use super::refusal::JobRefusal;
use super::shortening::Shortening;
use super::story::Story;
use crate::audit::Kind;
use crate::runner::Run;
use crate::watch::Tap;
use crate::{Outcome, Request, Runner};

/// The bounds of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobLimits {
    /// How many jobs may run at once; at least 1.
    pub max_jobs: usize,
    /// How many finished jobs are kept; at least 1. The oldest goes first. A foreground run that is kept
    /// for its whole text, since its answer was made shorter, is one of them.
    pub max_finished_jobs: usize,
    /// How long a finished job is kept.
    pub ttl: Duration,
}

impl JobLimits {
    /// These bounds.
    pub fn new(max_jobs: usize, max_finished_jobs: usize, ttl: Duration) -> Self {
        JobLimits { max_jobs, max_finished_jobs, ttl }
    }
}

impl Default for JobLimits {
    /// 8 at once, 32 finished ones for 600 s, as in the settings.
    fn default() -> Self {
        JobLimits::new(8, 32, Duration::from_secs(600))
    }
}

/// The jobs of one instance. Cheap to clone; when the last clone is dropped, every job is killed.
#[derive(Debug, Clone)]
pub struct Jobs {
    pub(super) table: Arc<Table>,
}

#[derive(Debug)]
pub(super) struct Table {
    runner: Runner,
    limits: JobLimits,
    life: Life,
    rows: Mutex<Rows>,
    events: broadcast::Sender<JobEvent>,
}

#[derive(Debug, Default)]
struct Rows {
    /// The number of the job that was started last; the first is 1.
    last: u64,
    /// Starts that were let in and have no row yet.
    starting: usize,
    jobs: BTreeMap<u64, Arc<Job>>,
    /// Oldest end first.
    finished: VecDeque<u64>,
}

/// Enough for a listener that is busy for a moment; one that is slower loses the oldest.
const EVENTS_AHEAD: usize = 256;

impl Jobs {
    /// An empty table. Its jobs run on the terms of `runner`, but for the timeout: a job has none
    /// unless its request does.
    pub fn new(runner: Runner, limits: JobLimits) -> Self {
        let table = Table {
            runner,
            limits,
            life: Life::new(),
            rows: Mutex::default(),
            events: broadcast::Sender::new(EVENTS_AHEAD),
        };
        Jobs { table: Arc::new(table) }
    }

    /// Starts a command and returns its handle. A command that cannot be started has a handle too:
    /// of a job that exited with −1.
    ///
    /// # Errors
    /// What the gate or the directory check refuse, and [`JobRefusal::TooMany`].
    pub async fn start(&self, request: Request) -> Result<Started, JobRefusal> {
        Ok(self.start_told(request, None).await?.0)
    }

    /// [`Jobs::start`] for one who tells somebody what becomes of this very job. Unlike
    /// [`Jobs::events`] it loses nothing, however slow the listener.
    pub(crate) async fn start_told(
        &self,
        request: Request,
        shortening: Option<Shortening>,
    ) -> Result<(Started, Story), JobRefusal> {
        let place = Place::take(&self.table)
            .inspect_err(|refusal| self.table.runner.record_refusal(&request, refusal))?;
        let command = request.label();
        let run = self.table.runner.start(request, Kind::Job, Tap::closed()).await?;
        let weak = Arc::downgrade(&self.table);
        match run {
            Run::Over(outcome) => {
                let make = |id| Job::over(id, &command, &outcome).shortened_by(shortening);
                let (number, job) = place.fill(make);
                self.table.finish(number, &job);
                tokio::spawn(expire(weak, number, job.dropped()));
                let (id, state) = (job.id().to_owned(), job.poll().state);
                Ok((Started { id, state, timeout: outcome.lowered_timeout }, job.story()))
            }
            Run::Watched { task, stop, captured, claim, lowered_timeout: timeout } => {
                let make =
                    |id| Job::running(id, &command, captured, stop, claim).shortened_by(shortening);
                let (number, job) = place.fill(make);
                self.table.tell(job.event());
                let (id, story) = (job.id().to_owned(), job.story());
                tokio::spawn(follow(weak, number, Arc::downgrade(&job), task));
                Ok((Started { id, state: JobState::Running, timeout }, story))
            }
        }
    }

    /// How a job is getting on.
    ///
    /// # Errors
    /// Why there is no such job.
    pub fn poll(&self, id: &str) -> Result<Poll, JobRefusal> {
        Ok(self.table.find(id)?.poll())
    }

    /// What a job has written since `cursor`, or the capped whole without one. Joined, the
    /// instalments are the output; a marker stands where a reader fell behind.
    ///
    /// # Errors
    /// Why there is no such job; a cursor that this job did not give out.
    pub fn output(&self, id: &str, cursor: Option<&str>) -> Result<Output, JobRefusal> {
        self.table.find(id)?.output(cursor)
    }

    /// Kills a job and its tree, and returns at once: poll for the end. Killing one that has ended
    /// changes nothing.
    ///
    /// # Errors
    /// Why there is no such job.
    pub fn kill(&self, id: &str) -> Result<Killed, JobRefusal> {
        Ok(self.table.find(id)?.kill())
    }

    /// Resolves when a job has written something since `cursor` (ever, without one), or is over.
    ///
    /// # Errors
    /// As [`Jobs::output`].
    pub async fn changed(&self, id: &str, cursor: Option<&str>) -> Result<(), JobRefusal> {
        let job = self.table.find(id)?;
        loop {
            // Asked for before the look, so that no write is missed in between.
            let news = job.captured().news();
            if !job.is_running() || job.has_news(cursor)? {
                return Ok(());
            }
            tokio::select! {
                () = news => {}
                () = job.ended() => {}
            }
        }
    }

    /// What happens from now on. A listener that is too slow loses the oldest events, and never
    /// holds up a job.
    pub fn events(&self) -> broadcast::Receiver<JobEvent> {
        self.table.events.subscribe()
    }

    /// Kills every job and waits until all are over.
    pub async fn kill_all(&self) {
        let running: Vec<_> = self.table.rows().running().cloned().collect();
        for job in &running {
            job.kill();
        }
        for job in running {
            job.ended().await;
        }
    }
}

/// Waits for the end of a job's run, records it, and forgets the job when its time is over. It holds
/// the job only weakly: the job ends its run when the table drops it.
async fn follow(
    table: Weak<Table>,
    number: u64,
    job: Weak<Job>,
    task: tokio::task::JoinHandle<Outcome>,
) {
    let outcome = task.await;
    let dropped = {
        let (Some(table), Some(job)) = (table.upgrade(), job.upgrade()) else { return };
        job.end(&outcome.unwrap_or_else(|_| Outcome::lost(job.captured().clone())));
        table.finish(number, &job);
        job.dropped()
    };
    expire(table, number, dropped).await;
}

/// Forgets a finished job when its time is over, unless it is dropped before that.
pub(super) async fn expire(table: Weak<Table>, number: u64, dropped: impl Future<Output = ()>) {
    let Some(ttl) = table.upgrade().map(|table| table.limits.ttl) else { return };
    tokio::select! {
        () = dropped => return,
        () = tokio::time::sleep(ttl) => {}
    }
    if let Some(table) = table.upgrade() {
        table.rows().forget(number);
    }
}

impl Table {
    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn find(&self, id: &str) -> Result<Arc<Job>, JobRefusal> {
        let handle = id.to_owned();
        let number = match self.life.read(id) {
            Handle::Ours(number) => number,
            Handle::Foreign => return Err(JobRefusal::Foreign { handle }),
            Handle::Malformed => return Err(JobRefusal::malformed(id)),
        };
        let rows = self.rows();
        match rows.jobs.get(&number) {
            Some(job) => Ok(job.clone()),
            None if (1..=rows.last).contains(&number) => Err(JobRefusal::Gone {
                handle,
                ttl: self.limits.ttl,
                most: self.limits.max_finished_jobs,
            }),
            None => Err(JobRefusal::Unknown { handle }),
        }
    }

    /// Gives a job a number and a row.
    pub(super) fn add(&self, make: impl FnOnce(String) -> Job) -> (u64, Arc<Job>) {
        let mut rows = self.rows();
        rows.last += 1;
        let number = rows.last;
        let job = Arc::new(make(self.life.handle(number)));
        rows.jobs.insert(number, job.clone());
        (number, job)
    }

    /// A job is over: the oldest finished ones make room, and the end is told.
    fn finish(&self, number: u64, job: &Job) {
        self.retire(number);
        self.tell(job.event());
    }

    /// A job is over: the oldest finished ones make room.
    pub(super) fn retire(&self, number: u64) {
        let mut rows = self.rows();
        rows.finished.push_back(number);
        while rows.finished.len() > self.limits.max_finished_jobs {
            if let Some(oldest) = rows.finished.front().copied() {
                rows.forget(oldest);
            }
        }
    }

    /// Nobody needs to listen.
    fn tell(&self, event: JobEvent) {
        let _ = self.events.send(event);
    }
}

impl Rows {
    fn running(&self) -> impl Iterator<Item = &Arc<Job>> {
        self.jobs.values().filter(|job| job.is_running())
    }

    fn forget(&mut self, number: u64) {
        self.jobs.remove(&number);
        self.finished.retain(|finished| *finished != number);
    }
}

/// A place among the running jobs, held while a job is being started.
struct Place<'a>(&'a Table);

impl<'a> Place<'a> {
    fn take(table: &'a Table) -> Result<Self, JobRefusal> {
        let mut rows = table.rows();
        let most = table.limits.max_jobs;
        if rows.running().count() + rows.starting >= most {
            let running =
                rows.running().map(|job| format!("{} ({})", job.id(), job.command())).collect();
            return Err(JobRefusal::TooMany { most, running });
        }
        rows.starting += 1;
        Ok(Place(table))
    }

    /// Gives the job a number and a row.
    fn fill(self, make: impl FnOnce(String) -> Job) -> (u64, Arc<Job>) {
        self.0.add(make)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.rows().starting -= 1;
    }
}
