//! Messages that wait for a client. Whoever puts one in goes on at once; when the client reads too
//! slowly the oldest are dropped, and counted.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::{NotificationMetaObject, ServerNotification};
use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::level::Level;
use super::message;
use super::sink::Sink;

/// More messages than this do not wait. A client that is that far behind reads them too late.
const MOST_MESSAGES: usize = 256;
/// Nor more text than this.
const MOST_BYTES: usize = 1 << 20;

/// The queue before one client.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    queue: Mutex<Queue>,
    changed: Notify,
    closed: CancellationToken,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    is_sending: bool,
    dropped: u64,
}

#[derive(Debug)]
struct Waiting {
    message: ServerNotification,
    /// Bytes of output in it. What has none tells of an event, and goes last.
    output: usize,
}

impl Outbox {
    /// Puts a message in, with so many bytes of output.
    pub(super) fn put(&self, message: ServerNotification, output: usize) {
        if self.closed.is_cancelled() {
            return;
        }
        let mut queue = self.queue();
        queue.bytes += output;
        queue.waiting.push_back(Waiting { message, output });
        while queue.waiting.len() > MOST_MESSAGES || queue.bytes > MOST_BYTES {
            queue.drop_one();
        }
        drop(queue);
        self.changed.notify_waiters();
    }

    /// Sends what is put in, one message after the other, until the client is gone or the outbox is
    /// closed.
    pub(super) async fn deliver(&self, to: &impl Sink, name: &str) {
        let all = async {
            loop {
                let (dropped, message) = self.next().await;
                if dropped > 0 && to.send(lost(dropped, name)).await.is_err() {
                    return;
                }
                if to.send(message).await.is_err() {
                    return;
                }
                self.queue().is_sending = false;
                self.changed.notify_waiters();
            }
        };
        tokio::select! {
            () = self.closed.cancelled() => {}
            () = all => self.close(),
        }
    }

    /// Takes the oldest message, and how many were dropped before it.
    async fn next(&self) -> (u64, ServerNotification) {
        loop {
            // Asked for before the look, so that no message is missed in between.
            let changed = self.changed.notified();
            if let Some(next) = self.queue().take() {
                return next;
            }
            changed.await;
        }
    }

    /// Resolves when nothing waits any more.
    pub(super) async fn emptied(&self) {
        loop {
            let changed = self.changed.notified();
            let is_empty = {
                let queue = self.queue();
                queue.waiting.is_empty() && !queue.is_sending
            };
            if is_empty || self.closed.is_cancelled() {
                return;
            }
            changed.await;
        }
    }

    /// Resolves when nothing will be sent any more.
    pub(super) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Drops what waits, and all that comes.
    pub(super) fn close(&self) {
        self.closed.cancel();
        *self.queue() = Queue::default();
        self.changed.notify_waiters();
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn take(&mut self) -> Option<(u64, ServerNotification)> {
        let next = self.waiting.pop_front()?;
        self.bytes -= next.output;
        self.is_sending = true;
        Some((std::mem::take(&mut self.dropped), next.message))
    }

    /// Drops the oldest output, which can be read elsewhere, or else the oldest event.
    fn drop_one(&mut self) {
        let oldest = self.waiting.iter().position(|waiting| waiting.output > 0).unwrap_or(0);
        if let Some(dropped) = self.waiting.remove(oldest) {
            self.bytes -= dropped.output;
            self.dropped += 1;
        }
    }
}

/// Tells a client that it missed something.
fn lost(count: u64, name: &str) -> ServerNotification {
    let text =
        format!("{count} messages about jobs were dropped, because they were read too slowly");
    message::log(Level::Warning, name, json!(text), NotificationMetaObject::new())
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;

    use serde_json::Value;
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    use super::super::sink::Gone;
    use super::*;

    fn on_a_loop<T>(test: impl AsyncFnOnce() -> T) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(test())
    }

    fn text(text: &str) -> ServerNotification {
        message::log(Level::Info, "sh_start", json!(text), NotificationMetaObject::new())
    }

    /// What a client gets that begins to read now.
    async fn delivered(outbox: &Outbox) -> Vec<Value> {
        let (to, mut got): (_, UnboundedReceiver<Value>) = unbounded_channel();
        tokio::select! {
            () = outbox.deliver(&to, "sh_start") => {}
            () = outbox.emptied() => {}
        }
        let mut all = Vec::new();
        while let Ok(message) = got.try_recv() {
            all.push(message["params"]["data"].clone());
        }
        all
    }

    #[test]
    fn messages_arrive_in_the_order_in_which_they_were_put_in() {
        on_a_loop(async || {
            let outbox = Outbox::default();
            for number in 0..10 {
                outbox.put(text(&number.to_string()), 0);
            }
            let got: Vec<_> = delivered(&outbox).await;
            assert_eq!(got, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        });
    }

    #[test]
    fn the_oldest_output_goes_first_then_the_oldest_event_and_the_client_is_told_how_many() {
        on_a_loop(async || {
            let outbox = Outbox::default();
            outbox.put(text("started"), 0);
            for _ in 0..MOST_MESSAGES {
                outbox.put(text("output"), 1);
            }
            let got = delivered(&outbox).await;
            assert!(got[0].as_str().unwrap().starts_with("1 messages"), "{got:?}");
            assert_eq!(got[1], "started");
            assert_eq!(got.len(), 1 + MOST_MESSAGES);

            for number in 0..=MOST_MESSAGES {
                outbox.put(text(&number.to_string()), 0);
            }
            assert_eq!(delivered(&outbox).await[1], "1");
        });
    }

    #[test]
    fn text_is_bounded_as_well_and_one_message_alone_never_is_too_much() {
        on_a_loop(async || {
            let outbox = Outbox::default();
            for _ in 0..100 {
                outbox.put(text("output"), 32 * 1024);
            }
            assert_eq!(outbox.queue().waiting.len(), 32);
            assert_eq!(outbox.queue().bytes, MOST_BYTES);
        });
    }

    /// A client that never reads.
    struct Stuck;

    impl Sink for Stuck {
        async fn send(&self, _message: ServerNotification) -> Result<(), Gone> {
            std::future::pending().await
        }
    }

    #[test]
    fn a_client_that_never_reads_holds_up_nobody_and_fills_no_memory() {
        on_a_loop(async || {
            let outbox = Arc::new(Outbox::default());
            let theirs = outbox.clone();
            let delivering = tokio::spawn(async move { theirs.deliver(&Stuck, "x").await });
            outbox.put(text("taken, and never sent"), 0);
            tokio::task::yield_now().await;
            for _ in 0..100_000 {
                outbox.put(text("more"), 100);
            }
            assert_eq!(outbox.queue().waiting.len(), MOST_MESSAGES);
            assert_eq!(outbox.queue().dropped, 100_000 - MOST_MESSAGES as u64);
            outbox.close();
            delivering.await.unwrap();
            outbox.put(text("late"), 0);
            assert!(outbox.queue().waiting.is_empty());
            outbox.emptied().await;
        });
    }

    /// A client that has gone.
    struct Away;

    impl Sink for Away {
        async fn send(&self, _message: ServerNotification) -> Result<(), Gone> {
            Err(Gone)
        }
    }

    #[test]
    fn a_client_that_has_gone_closes_it() {
        on_a_loop(async || {
            let outbox = Outbox::default();
            outbox.put(text("x"), 0);
            outbox.deliver(&Away, "x").await;
            let mut closed = pin!(outbox.closed());
            assert!(
                std::future::poll_fn(|cx| std::task::Poll::Ready(
                    closed.as_mut().poll(cx).is_ready()
                ))
                .await
            );
        });
    }
}
