//! A run from request to outcome: gate, directory, program, launcher, spawn, watch, blame.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cofferdam_launcher::Launcher;
use cofferdam_profiles::{Access, Policy};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::Request;
use crate::audit::{Book, Kind};
use crate::begin::begin;
use crate::builder::RunnerBuilder;
use crate::capture::Caps;
use crate::captured::Captured;
use crate::cgroup::RunGroup;
use crate::config::OnOutputLimit;
use crate::environment::{ChildEnvironment, EnvironmentSource};
use crate::files::Diverted;
use crate::gate::{Admitted, Gate, Refusal};
use crate::guard::Guard;
use crate::live::Live;
use crate::outcome::{Outcome, Reason};
use crate::payload::SandboxPayload;
use crate::scratch::ScratchPlace;
use crate::spawn::Session;
use crate::start::{Begun, NotBegun};
use crate::streams::HostEnds;
use crate::time_limit::TimeLimit;
use crate::validator::Questions;
use crate::verdict::Verdict;
use crate::watch::{Stop, Tap, Watch};

/// Runs commands, each within the same terms: gate, directory, launcher, policy, bounds.
///
/// Cheap to clone; the clones share everything. Dropping the last one removes the scratch folders.
///
/// ```
/// # async fn example(dir: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
/// use cofferdam::{Request, Runner};
///
/// let runner = Runner::builder().allow_any().workspace(dir).build()?;
/// let outcome = runner.run(Request::new("echo").args(["a b", "$HOME"])).await?;
/// assert_eq!(outcome.exit.number(), Some(0));
/// assert_eq!(outcome.stdout_bytes(), b"a b $HOME\n");
/// # Ok(())
/// # }
/// # let dir = std::env::temp_dir();
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
/// #     .block_on(example(&dir)).unwrap();
/// ```
#[derive(Clone)]
pub struct Runner {
    terms: Arc<Terms>,
}

/// What all runs of a runner have in common. Checked when the runner was built.
#[derive(Clone)]
pub(crate) struct Terms {
    pub(crate) gate: Gate,
    /// A look at the arguments of what the gate admits: a second gate, and no boundary either.
    pub(crate) guard: Option<Guard>,
    pub(crate) validator: Option<Questions>,
    pub(crate) audit: Arc<Book>,
    pub(crate) dir: PathBuf,
    pub(crate) launcher: Arc<dyn Launcher>,
    pub(crate) policy: Option<Arc<Policy>>,
    /// How launcher and policy were made; `None` where there is no policy.
    #[cfg(feature = "mcp")]
    pub(crate) recipe: Option<Arc<crate::consent::Recipe>>,
    pub(crate) environment: EnvironmentSource,
    /// The environment of every run that has no folders of its own.
    pub(crate) shared_environment: Arc<ChildEnvironment>,
    pub(crate) scratch: Arc<ScratchPlace>,
    pub(crate) session: Session,
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_timeout: Option<Duration>,
    pub(crate) caps: Caps,
    /// How large a file may become that takes a run's output.
    pub(crate) max_file_bytes: u64,
    /// What no run may read or write in place of its streams: settings, audit, tokens.
    pub(crate) own_files: Vec<PathBuf>,
    pub(crate) on_output_limit: OnOutputLimit,
}

impl Terms {
    /// What gate and guard both let pass.
    pub(crate) fn admit(&self, request: Request) -> Result<Admitted, Refusal> {
        let admitted = self.gate.admit(request)?;
        if let Some(guard) = &self.guard {
            for (place, stage) in admitted.request().stages() {
                let verdict = guard.admit(&self.gate, stage);
                verdict.map_err(|refusal| Refusal::from(refusal).at(place))?;
            }
        }
        Ok(admitted)
    }

    /// The directories in which a run may write, for messages.
    pub(crate) fn writable_roots(&self) -> Vec<PathBuf> {
        let Some(policy) = &self.policy else { return Vec::new() };
        let roots = policy.filesystem.with_access(Access::Write);
        roots.map(|rule| rule.path.clone()).collect()
    }

    /// How long a run may take: what its request says, or else `default`; never more than the most.
    fn time_limit(&self, request: &Request, default: Option<Duration>) -> TimeLimit {
        TimeLimit::new(request.timeout.or(default), self.max_timeout)
    }
}

/// A run that has begun and is being watched, or one that ended before it began.
pub(crate) enum Run {
    Over(Box<Outcome>),
    Watched {
        task: tokio::task::JoinHandle<Outcome>,
        /// Dropping it, too, ends the run.
        stop: oneshot::Sender<()>,
        captured: Arc<Captured>,
        /// What the launcher claims, as long as the run goes on.
        claim: Option<SandboxPayload>,
        /// See [`Outcome::lowered_timeout`].
        lowered_timeout: Option<Duration>,
    },
}

impl Runner {
    /// Collects the terms of a runner.
    pub fn builder() -> RunnerBuilder {
        RunnerBuilder::new()
    }

    pub(crate) fn new(terms: Terms) -> Self {
        Runner { terms: Arc::new(terms) }
    }

    #[cfg(any(feature = "cli", feature = "mcp"))]
    pub(crate) fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Runs one command and waits for its end. Dropping the future ends the command and its tree.
    ///
    /// # Errors
    /// The caller's mistakes only. What could not be started is an [`Outcome`] with exit −1.
    pub async fn run(&self, request: Request) -> Result<Outcome, Refusal> {
        self.run_until(request, std::future::pending()).await
    }

    /// [`Runner::run`] that can be ended from outside: when `stop` resolves, the command and its tree
    /// are killed, and what became of it is still told.
    pub(crate) async fn run_until(
        &self,
        request: Request,
        stop: impl Future<Output = ()>,
    ) -> Result<Outcome, Refusal> {
        self.run_watched(request, stop, |_| ()).await
    }

    /// [`Runner::run_until`] for one who looks on: `begun` is given what the command writes, as soon
    /// as there is a command, and for one that could not be started what is said instead.
    pub(crate) async fn run_watched(
        &self,
        request: Request,
        stop: impl Future<Output = ()>,
        begun: impl FnOnce(Arc<Captured>),
    ) -> Result<Outcome, Refusal> {
        /// A command that has just begun is not to be told as one that never did.
        const MOMENT: Duration = Duration::from_millis(250);
        let mut stop = std::pin::pin!(stop);
        tokio::select! {
            biased;
            () = &mut stop => {
                let outcome = Outcome::not_started(Reason::Stopped);
                self.terms.audit.entry(&request, Kind::Run).ended(&outcome);
                return Ok(outcome);
            }
            () = std::future::ready(()) => {}
        }
        let mut start = std::pin::pin!(self.start(request, Kind::Run, Tap::closed()));
        let (run, is_stopped) = tokio::select! {
            run = &mut start => (run, false),
            () = &mut stop => match tokio::time::timeout(MOMENT, start).await {
                Ok(run) => (run, true),
                Err(_) => return Ok(Outcome::not_started(Reason::Stopped)),
            },
        };
        let run = run?;
        // Dropping `kill` tells the task that nobody waits any more, so it is held to the end.
        let (mut task, kill, captured) = match run {
            Run::Over(outcome) => {
                begun(outcome.captured.clone());
                return Ok(*outcome);
            }
            Run::Watched { task, stop, captured, .. } => (task, stop, captured),
        };
        begun(captured.clone());
        let outcome = tokio::select! {
            outcome = &mut task => outcome,
            () = async { if !is_stopped { stop.await } } => {
                let _ = kill.send(());
                task.await
            }
        };
        Ok(outcome.unwrap_or_else(|_| Outcome::lost(captured)))
    }

    /// Starts one command and returns while it runs. Its output must be read with
    /// [`Live::next_event`]: a command whose output nobody takes is held up, as by any full pipe.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub async fn spawn(&self, request: Request) -> Result<Live, Refusal> {
        /// A few reads ahead of a slow listener.
        const AHEAD: usize = 4;
        let (tap, output) = mpsc::channel(AHEAD);
        let run = self.start(request, Kind::Run, Tap::open(tap)).await?;
        Ok(Live::new(run, output))
    }

    /// [`Runner::run`] for hosts without tokio: blocks the calling thread.
    ///
    /// # Errors
    /// As [`Runner::run`].
    ///
    /// # Panics
    /// Inside an asynchronous context, where blocking would stop everything else: use `run` there.
    pub fn run_blocking(&self, request: Request) -> Result<Outcome, Refusal> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        match runtime {
            Ok(runtime) => runtime.block_on(self.run(request)),
            Err(source) => Ok(Outcome::not_started(Reason::Setup {
                stage: "make an event loop for the blocking call",
                source,
            })),
        }
    }

    /// Starts a run and a task that watches it. A job has no timeout unless its request does.
    pub(crate) async fn start(
        &self,
        request: Request,
        kind: Kind,
        tap: Tap,
    ) -> Result<Run, Refusal> {
        let limit =
            self.terms.time_limit(&request, self.terms.timeout.filter(|_| kind == Kind::Run));
        let deadline = limit.time.and_then(|time| Instant::now().checked_add(time));
        let entry = self.terms.audit.entry(&request, kind);
        let (begun, ends) = match begin(&self.terms, request, deadline, &entry).await {
            Ok(begun) => begun,
            Err(NotBegun::Refused(refusal)) => {
                entry.refused(&refusal);
                return Err(refusal);
            }
            Err(NotBegun::NotStarted(reason)) => {
                let outcome = Outcome::not_started(reason).with_lowered_timeout(limit.lowered);
                entry.ended(&outcome);
                return Ok(Run::Over(Box::new(outcome)));
            }
        };
        let claim = begun.known.claim.as_ref().map(|missing| SandboxPayload::claimed(missing));
        let (stop, asked) = oneshot::channel();
        let diverted = begun.files.output.is_some().then(|| Arc::new(Diverted::default()));
        let captured = Arc::new(Captured::new(self.terms.caps).diverted(diverted));
        let (runner, shared) = (self.clone(), captured.clone());
        let on_output_limit = self.terms.on_output_limit;
        let stopping = Stop { deadline, asked, on_output_limit };
        let task = tokio::spawn(async move {
            let outcome = runner.watch(begun, ends, stopping, shared, tap).await;
            entry.ended(&outcome);
            outcome.with_lowered_timeout(limit.lowered)
        });
        Ok(Run::Watched { task, stop, captured, claim, lowered_timeout: limit.lowered })
    }

    /// Records a job that somebody else refuses.
    pub(crate) fn record_refusal(&self, request: &Request, why: &dyn fmt::Display) {
        self.terms.audit.entry(request, Kind::Job).refused(why);
    }

    /// Watches a run that has begun, and tells what became of it.
    async fn watch(
        &self,
        begun: Begun,
        ends: HostEnds,
        stop: Stop,
        captured: Arc<Captured>,
        tap: Tap,
    ) -> Outcome {
        let launcher = self.terms.launcher.as_ref();
        let diverted = captured.diversion().unwrap_or_default();
        let watch = ends.into_pipes(begun.files, diverted).and_then(|pipes| {
            let children = std::iter::once(begun.first).chain(begun.further);
            Watch::new(children, launcher, pipes, stop, captured.clone(), tap)
        });
        match watch {
            Ok(watch) => {
                let mut end = watch.finish().await;
                // Ends whoever left the run's process groups.
                end.exceeded = begun.group.map(RunGroup::end).unwrap_or_default();
                // Nobody who was in the folder is left.
                drop(begun.scratch);
                let (drain, unread) = (end.drain.take(), end.unread.take());
                let verdict = Verdict::of(launcher, &end, &captured);
                let unwritten = match drain {
                    Some(drain) => drain.settle(verdict.has_run()).await,
                    None => None,
                };
                [unread, unwritten].into_iter().flatten().for_each(|line| captured.say(&line));
                verdict.outcome(launcher, begun.known, end, captured)
            }
            Err(source) => {
                let reason = Reason::Setup { stage: "watch the command", source };
                Outcome::not_started_in(reason, captured)
            }
        }
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner")
            .field("gate", &self.terms.gate)
            .field("dir", &self.terms.dir)
            .field("launcher", &self.terms.launcher.name())
            .field("policy", &self.terms.policy.as_ref().map(|policy| &policy.name))
            .finish_non_exhaustive()
    }
}
