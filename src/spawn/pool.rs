//! The threads that spawn.
//!
//! A child's parent-death signal follows the *thread* that made it, so children are made on threads
//! that never end. And such a thread is blocked until the child's exec, which hangs when the program
//! lies on a dead network mount; so there are as many as are needed.

use std::collections::VecDeque;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use super::SpawnError;
use super::unix::{CloneError, Maker, Pending, Process, Recipe, SignalsBlocked};

/// What a thread needs to make children.
#[derive(Debug)]
pub(crate) struct Spawner(Maker);

impl Spawner {
    fn new() -> io::Result<Self> {
        Ok(Spawner(Maker::new()?))
    }

    pub(super) fn start(
        &mut self,
        recipe: &Recipe<'_>,
        pending: &Pending,
    ) -> Result<Process, CloneError> {
        self.0.start(recipe, pending)
    }
}

/// Something to do on a spawning thread. `None` is given where the thread could not be prepared.
type Job = Box<dyn FnOnce(Result<&mut Spawner, SpawnError>) + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    idle: usize,
    threads: usize,
}

#[derive(Default)]
struct Pool {
    queue: Mutex<Queue>,
    work: Condvar,
}

/// Enough for any number of hanging mounts that a host survives otherwise; beyond it jobs queue.
const MOST_THREADS: usize = 256;

static POOL: OnceLock<Pool> = OnceLock::new();

/// Runs `job` on a spawning thread, soon.
pub(crate) fn submit(job: impl FnOnce(Result<&mut Spawner, SpawnError>) + Send + 'static) {
    let pool = POOL.get_or_init(Pool::default);
    let mut queue = pool.lock();
    queue.jobs.push_back(Box::new(job));
    let short = queue.idle < queue.jobs.len() && queue.threads < MOST_THREADS;
    if short {
        queue.threads += 1;
        drop(queue);
        pool.grow();
    } else {
        drop(queue);
        pool.work.notify_one();
    }
}

/// Blocks all signals in the calling thread, for as long as it lives.
pub(crate) fn block_signals() {
    std::mem::forget(SignalsBlocked::new());
}

/// Runs `job` on the calling thread, with all signals blocked meanwhile. For a program whose main
/// thread lives as long as its child.
#[cfg(feature = "cli")]
pub(crate) fn here<T>(job: impl FnOnce(Result<&mut Spawner, SpawnError>) -> T) -> T {
    let _blocked = SignalsBlocked::new();
    match Spawner::new() {
        Ok(mut spawner) => job(Ok(&mut spawner)),
        Err(error) => job(Err(SpawnError::Clone(error))),
    }
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn grow(&'static self) {
        // Of the usual size, since a host's own launcher is called here too.
        let thread = std::thread::Builder::new()
            .name("cofferdam-spawn".to_owned())
            .spawn(move || self.serve());
        if let Err(error) = thread {
            let mut queue = self.lock();
            queue.threads -= 1;
            // With another thread alive the job waits for it; else nobody would ever take it.
            if queue.threads == 0 {
                let orphans = std::mem::take(&mut queue.jobs);
                drop(queue);
                for job in orphans {
                    let kind = error.kind();
                    job(Err(SpawnError::Clone(io::Error::new(kind, error.to_string()))));
                }
            }
        }
    }

    /// The life of a spawning thread. Its signals are blocked for good: see [`Maker::start`].
    fn serve(&self) {
        block_signals();
        let mut spawner = Spawner::new();
        loop {
            let job = self.next();
            let given = match &mut spawner {
                Ok(spawner) => Ok(spawner),
                Err(error) => {
                    Err(SpawnError::Clone(io::Error::new(error.kind(), error.to_string())))
                }
            };
            // A launcher that panics is a run that failed; the job's own guard has told so.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(given)));
            if spawner.is_err() {
                spawner = Spawner::new();
            }
        }
    }

    fn next(&self) -> Job {
        let mut queue = self.lock();
        queue.idle += 1;
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                queue.idle -= 1;
                return job;
            }
            queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
