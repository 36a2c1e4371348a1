//! A run in the foreground, told while it goes on.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ProgressToken, ServerNotification};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::batches::{Batch, Batches};
use super::call::{Call, PATIENCE};
use super::last_line::LastLine;
use super::level::Level;
use super::message;
use super::sink::Sink;
use crate::captured::Captured;

/// So often a client hears that a run still goes on. Clients give up after a minute of silence.
const HEARTBEAT: Duration = Duration::from_secs(1);

impl Call {
    /// Whether a run of this call is to be told while it goes on.
    pub(in crate::server) fn watches(&self) -> bool {
        self.wants(Level::Info) || self.token().is_some()
    }

    /// Tells what a run writes until it is `over`, and then the rest of it; not after the call was
    /// cancelled, and not for longer than a client needs that reads. `begun` gives the run's output.
    pub(in crate::server) async fn watch(
        &self,
        begun: oneshot::Receiver<Arc<Captured>>,
        over: CancellationToken,
        logger: &str,
    ) {
        let told = async {
            let Ok(captured) = begun.await else { return };
            let progress = over.run_until_cancelled(self.progress(captured.clone()));
            tokio::join!(self.stream(captured, logger), progress);
        };
        let too_late = async {
            over.cancelled().await;
            sleep(PATIENCE).await;
        };
        tokio::select! {
            biased;
            () = self.stop().cancelled() => {}
            () = told => {}
            () = too_late => {}
        }
    }

    /// Waits, and tells meanwhile what for, where this call wants progress.
    pub(in crate::server) async fn meanwhile<T>(
        &self,
        message: &'static str,
        wait: impl Future<Output = T>,
    ) -> T {
        let mut wait = std::pin::pin!(wait);
        while let Some(token) = self.token() {
            tokio::select! {
                biased;
                came = &mut wait => return came,
                () = sleep(HEARTBEAT) => {}
            }
            let elapsed = self.begun().elapsed();
            let progress = message::progress(token.clone(), elapsed, message.to_owned());
            tokio::select! {
                biased;
                came = &mut wait => return came,
                sent = self.peer().send(progress) => if sent.is_err() { break },
            }
        }
        wait.await
    }

    /// Sends the output, where this call wants it.
    async fn stream(&self, captured: Arc<Captured>, logger: &str) {
        if self.wants(Level::Info) {
            let meta = message::within(self.id());
            let make = |batch: &Batch| {
                message::log(Level::Info, logger, message::run_output(batch), meta.clone())
            };
            stream(self.peer(), Batches::new(captured), make).await;
        }
    }

    /// Sends progress until the client is gone, where this call wants it.
    async fn progress(&self, captured: Arc<Captured>) {
        if let Some(token) = self.token() {
            progress(self.peer(), token, LastLine::new(captured), self.begun()).await;
        }
    }
}

/// Sends all that a run writes.
async fn stream(
    to: &impl Sink,
    mut batches: Batches,
    make: impl Fn(&Batch) -> ServerNotification + Send,
) {
    while !batches.is_over() {
        batches.ready().await;
        for batch in batches.take() {
            if to.send(make(&batch)).await.is_err() {
                return;
            }
        }
    }
}

/// Sends, each second, how long a call has taken and the last line that it wrote since.
async fn progress(to: &impl Sink, token: &ProgressToken, mut lines: LastLine, begun: Instant) {
    loop {
        sleep(HEARTBEAT).await;
        let elapsed = begun.elapsed();
        let message =
            lines.take().unwrap_or_else(|| format!("running for {} s", elapsed.as_secs()));
        if to.send(message::progress(token.clone(), elapsed, message)).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{NotificationMetaObject, NumberOrString};
    use serde_json::Value;
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::capture::Caps;
    use crate::captured::Channel;

    fn on_a_loop<T>(test: impl AsyncFnOnce() -> T) -> T {
        let event_loop = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        event_loop.block_on(test())
    }

    fn make(batch: &Batch) -> ServerNotification {
        let meta = NotificationMetaObject::new();
        message::log(Level::Info, "sh_run", message::run_output(batch), meta)
    }

    #[test]
    fn a_stream_ends_with_the_run_and_has_all_of_it_in_order() {
        on_a_loop(async || {
            let captured = Arc::new(Captured::new(Caps::default()));
            let (to, mut got) = unbounded_channel::<Value>();
            let batches = Batches::new(captured.clone());
            let streaming = tokio::spawn(async move { stream(&to, batches, make).await });
            for text in ["one\n", "two\n", "three"] {
                captured.push(Channel::Stdout, text.as_bytes());
                tokio::time::sleep(Duration::from_millis(150)).await;
            }
            captured.finish();
            streaming.await.unwrap();
            let mut texts = Vec::new();
            while let Some(message) = got.recv().await {
                assert_eq!(message["method"], "notifications/message");
                assert_eq!(message["params"]["logger"], "sh_run");
                texts.push(message["params"]["data"]["text"].as_str().unwrap().to_owned());
            }
            assert_eq!(texts, ["one\n", "two\n", "three"]);
        });
    }

    #[test]
    fn progress_comes_each_second_grows_and_says_the_last_line_or_the_time() {
        on_a_loop(async || {
            let captured = Arc::new(Captured::new(Caps::default()));
            captured.push(Channel::Stderr, b"Compiling a\nCompiling b\n");
            let (to, mut got) = unbounded_channel::<Value>();
            let token = ProgressToken(NumberOrString::Number(7));
            let telling = progress(&to, &token, LastLine::new(captured), Instant::now());
            let _ = tokio::time::timeout(Duration::from_millis(3500), telling).await;
            let mut last = 0.0;
            for wanted in ["Compiling b", "running for 2 s", "running for 3 s"] {
                let message = got.try_recv().unwrap();
                assert_eq!(message["method"], "notifications/progress");
                assert_eq!(message["params"]["progressToken"], 7);
                assert_eq!(message["params"]["message"], wanted);
                let progress = message["params"]["progress"].as_f64().unwrap();
                assert!(progress > last, "{progress} after {last}");
                last = progress;
            }
            assert!(got.try_recv().is_err());
        });
    }
}
