//! How a run begins: it is admitted, prepared, judged, and started, within its time.

use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use crate::Request;
use crate::audit::Entry;
use crate::gate::{Admitted, Refusal};
use crate::outcome::Reason;
use crate::runner::Terms;
use crate::spawn::{self, Pending, SpawnError, Spawner};
use crate::start::{Begun, NotBegun, Streams, prepare};
use crate::streams::{self, HostEnds, Source};
use crate::validator::Veto;

/// Begins a run. Dropping the future ends it, however far it has come.
pub(crate) async fn begin(
    terms: &Arc<Terms>,
    request: Request,
    deadline: Option<Instant>,
    entry: &Arc<Entry>,
) -> Result<(Begun, HostEnds), NotBegun> {
    let mut admitted = terms.admit(request).map_err(NotBegun::Refused)?;
    let stdin = match admitted.take_stdin() {
        Some(bytes) => Some(Source::Bytes(bytes)),
        None => admitted.request().files.stdin.is_some().then_some(Source::File),
    };
    let (streams, ends) = streams::captured(stdin, terms.session)?;
    let pending = Arc::new(Pending::new());
    let _guard = StopUnlessBegun(pending.clone());
    let begun = start(terms.clone(), admitted, streams, pending, entry.clone());
    let begun = match deadline {
        Some(deadline) => timeout_at(deadline, begun).await,
        None => Ok(begun.await),
    };
    match begun {
        Ok(begun) => Ok((begun?, ends)),
        Err(_) => Err(NotBegun::NotStarted(Reason::TimedOut)),
    }
}

/// The blocking part, each piece where it may block.
async fn start(
    terms: Arc<Terms>,
    admitted: Admitted,
    streams: Streams,
    pending: Arc<Pending>,
    entry: Arc<Entry>,
) -> Result<Begun, NotBegun> {
    let held = terms.clone();
    let Some(validator) = &terms.validator else {
        let begin = move |spawner: Result<&mut Spawner, SpawnError>| {
            prepare(&held, admitted)?.begin(&held, streams, spawner, &pending, &entry)
        };
        return on_spawner(begin).await;
    };
    let prepared = on_spawner(move |_| prepare(&held, admitted)).await?;
    let subject = (prepared, terms.clone(), pending.clone());
    let asked =
        validator.ask(subject, |(prepared, terms, pending)| prepared.proposals(terms, pending));
    let (prepared, held, _) = asked.await.map_err(|Veto { stage, reason }| {
        NotBegun::Refused(Refusal::Vetoed { reason }.at(stage))
    })?;
    on_spawner(move |spawner| prepared.begin(&held, streams, spawner, &pending, &entry)).await
}

/// Does something on a spawning thread. When nobody waits any more, what comes of it is dropped, and a
/// child with it killed.
async fn on_spawner<T: Send + 'static>(
    job: impl FnOnce(Result<&mut Spawner, SpawnError>) -> Result<T, NotBegun> + Send + 'static,
) -> Result<T, NotBegun> {
    let (told, done) = oneshot::channel();
    spawn::submit(move |spawner| {
        let _ = told.send(job(spawner));
    });
    done.await.unwrap_or(Err(NotBegun::NotStarted(Reason::Stopped)))
}

/// Ends a child that has not begun when the caller is gone.
struct StopUnlessBegun(Arc<Pending>);

impl Drop for StopUnlessBegun {
    fn drop(&mut self) {
        self.0.kill();
    }
}
