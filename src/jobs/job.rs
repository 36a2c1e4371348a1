//! One job: a run that is watched by a task, and the record of how it stands.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::{oneshot, watch};

use super::answers::{JobState, Killed, Output, Poll};
use super::event::{Happening, JobEvent};
use super::refusal::JobRefusal;
use super::shortening::Shortening;
use super::story::Story;
use crate::capture::{Cursor, CursorIssuer};
use crate::captured::Captured;
use crate::limit::Limit;
use crate::outcome::Outcome;
use crate::payload::{SandboxPayload, truncated};

/// A job, running or over.
#[derive(Debug)]
pub(super) struct Job {
    id: Arc<str>,
    command: Arc<str>,
    started_at: SystemTime,
    begun: Instant,
    captured: Arc<Captured>,
    cursors: CursorIssuer,
    record: Mutex<Record>,
    shortening: Option<Shortening>,
    /// Holds what is told of the end, as soon as there is one.
    over: watch::Sender<Option<JobEvent>>,
}

/// How a job stands. There is one transition, made by the one task that watches the run.
#[derive(Debug)]
enum Record {
    Running {
        /// Taken by the first kill. Dropped with the job, it ends the run as well.
        stop: Option<oneshot::Sender<()>>,
        /// What the launcher claims, where it does.
        sandbox: Option<SandboxPayload>,
    },
    Over {
        exit: Option<i32>,
        stages: Vec<Option<i32>>,
        killed: bool,
        limit: Option<Limit>,
        timed_out: bool,
        runtime: Duration,
        sandbox: Option<SandboxPayload>,
    },
}

impl Job {
    /// A job whose command runs.
    pub(super) fn running(
        id: String,
        command: &str,
        captured: Arc<Captured>,
        stop: oneshot::Sender<()>,
        sandbox: Option<SandboxPayload>,
    ) -> Self {
        Job::new(id, command, captured, Record::Running { stop: Some(stop), sandbox })
    }

    /// A job that ended before it began.
    pub(super) fn over(id: String, command: &str, outcome: &Outcome) -> Self {
        let record = Record::of(outcome, Duration::ZERO);
        Job::new(id, command, outcome.captured.clone(), record)
    }

    fn new(id: String, command: &str, captured: Arc<Captured>, record: Record) -> Self {
        /// Long enough for a path, short enough for a line of a log.
        const MOST_CHARACTERS: usize = 120;
        let job = Job {
            cursors: CursorIssuer::new(id.clone()),
            id: id.into(),
            command: command.chars().take(MOST_CHARACTERS).collect::<String>().into(),
            started_at: SystemTime::now(),
            begun: Instant::now(),
            captured,
            record: Mutex::new(record),
            shortening: None,
            over: watch::Sender::new(None),
        };
        if !job.is_running() {
            job.over.send_replace(Some(job.event()));
        }
        job
    }

    /// A foreground run that is over, kept for its text.
    #[cfg(feature = "mcp")]
    pub(super) fn kept(id: String, command: &str, outcome: &Outcome, runtime: Duration) -> Self {
        let record = Record::of(outcome, runtime);
        let mut job = Job::new(id, command, outcome.captured.clone(), record);
        job.started_at = job.started_at.checked_sub(runtime).unwrap_or(job.started_at);
        job
    }

    /// The same job, whose text can be made shorter.
    pub(super) fn shortened_by(mut self, shortening: Option<Shortening>) -> Self {
        self.shortening = shortening;
        self
    }

    #[cfg(feature = "mcp")]
    pub(super) fn shortening(&self) -> Option<&Shortening> {
        self.shortening.as_ref()
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn command(&self) -> &str {
        &self.command
    }

    pub(super) fn captured(&self) -> &Arc<Captured> {
        &self.captured
    }

    pub(super) fn is_running(&self) -> bool {
        !self.record().is_over()
    }

    /// The run is over. Called once, by the task that watches it.
    pub(super) fn end(&self, outcome: &Outcome) {
        *self.record() = Record::of(outcome, self.begun.elapsed());
        self.over.send_replace(Some(self.event()));
    }

    /// Resolves when the job is over.
    pub(super) async fn ended(&self) {
        let mut over = self.over.subscribe();
        // The sender lives as long as this job.
        let _ = over.wait_for(Option::is_some).await;
    }

    /// Resolves when nobody has this job any more.
    pub(super) fn dropped(&self) -> impl Future<Output = ()> + use<> {
        let mut over = self.over.subscribe();
        async move { while over.changed().await.is_ok() {} }
    }

    /// What there is to tell of this job, from here on.
    pub(super) fn story(&self) -> Story {
        Story { first: self.event(), captured: self.captured.clone(), over: self.over.subscribe() }
    }

    /// Asks for the end, once; a job that is over stays as it is.
    pub(super) fn kill(&self) -> Killed {
        let mut record = self.record();
        let (state, killed) = (record.state(), record.killed());
        let asked = match &mut *record {
            Record::Running { stop, .. } => {
                if let Some(stop) = stop.take() {
                    let _ = stop.send(());
                }
                true
            }
            Record::Over { .. } => killed,
        };
        Killed { job: self.id.to_string(), killed: asked, state }
    }

    pub(super) fn poll(&self) -> Poll {
        let record = self.record();
        let (exit, timed_out, runtime) = match &*record {
            Record::Running { .. } => (None, false, self.begun.elapsed()),
            Record::Over { exit, timed_out, runtime, .. } => (*exit, *timed_out, *runtime),
        };
        let stdout_bytes = self.captured.stdout_written();
        let buffers = self.captured.lock();
        Poll {
            exit,
            job: self.id.to_string(),
            killed: record.killed(),
            limit: record.limit().map(Limit::name),
            runtime: runtime.as_millis() as f64 / 1000.0,
            sandbox: record.sandbox().and_then(SandboxPayload::with_denials).cloned(),
            stages: record.stages().to_vec(),
            started_at: humantime::format_rfc3339_seconds(self.started_at).to_string(),
            state: record.state(),
            stderr_bytes: buffers.stderr.written().bytes,
            stdout_bytes,
            timed_out,
        }
    }

    /// Whether anything was written since the cursor.
    pub(super) fn has_news(&self, cursor: Option<&str>) -> Result<bool, JobRefusal> {
        let from = self.position(cursor)?;
        Ok(self.captured.since(from)?.next() != from)
    }

    fn position(&self, cursor: Option<&str>) -> Result<Cursor, JobRefusal> {
        match cursor {
            Some(text) => Ok(self.cursors.decode(text)?),
            None => Ok(Cursor::START),
        }
    }

    /// What was written since the cursor; without one, the capped whole.
    pub(super) fn output(&self, cursor: Option<&str>) -> Result<Output, JobRefusal> {
        let from = self.position(cursor)?;
        let record = self.record();
        let window = self.captured.since(from)?;
        let next = window.next();
        Ok(Output {
            compressed: None,
            cursor: self.cursors.encode(next),
            eof: record.is_over() && window.stdout.eof && window.stderr.eof,
            job: self.id.to_string(),
            sandbox: record.sandbox().cloned(),
            state: record.state(),
            truncated: truncated(window.stdout.dropped, window.stderr.dropped),
            stderr: window.stderr.text,
            stdout: window.stdout.text,
        })
    }

    /// What has just happened, as an event.
    pub(super) fn event(&self) -> JobEvent {
        let (runtime, what) = match &*self.record() {
            Record::Running { .. } => (Duration::ZERO, Happening::Started),
            Record::Over { exit, killed, runtime, .. } => {
                (*runtime, Happening::Ended { killed: *killed, exit: *exit })
            }
        };
        JobEvent { job: self.id.clone(), command: self.command.clone(), runtime, what }
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Record {
    fn of(outcome: &Outcome, runtime: Duration) -> Self {
        Record::Over {
            exit: outcome.exit.number(),
            stages: outcome.stages.iter().map(|exit| exit.number()).collect(),
            killed: outcome.killed,
            limit: outcome.limit,
            timed_out: outcome.timed_out,
            runtime,
            sandbox: outcome.sandbox.as_ref().map(SandboxPayload::from),
        }
    }

    fn is_over(&self) -> bool {
        matches!(self, Record::Over { .. })
    }

    fn state(&self) -> JobState {
        match self {
            Record::Running { .. } => JobState::Running,
            Record::Over { killed: true, .. } => JobState::Killed,
            Record::Over { .. } => JobState::Exited,
        }
    }

    /// A kill that was asked for counts when it has taken effect.
    fn killed(&self) -> bool {
        matches!(self, Record::Over { killed: true, .. })
    }

    fn limit(&self) -> Option<Limit> {
        match self {
            Record::Running { .. } => None,
            Record::Over { limit, .. } => *limit,
        }
    }

    fn stages(&self) -> &[Option<i32>] {
        match self {
            Record::Running { .. } => &[],
            Record::Over { stages, .. } => stages,
        }
    }

    fn sandbox(&self) -> Option<&SandboxPayload> {
        match self {
            Record::Running { sandbox, .. } | Record::Over { sandbox, .. } => sandbox.as_ref(),
        }
    }
}
