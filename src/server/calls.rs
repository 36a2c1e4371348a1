//! The calls that are being answered.

use rmcp::RoleServer;
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::answer::refused;

/// Answers calls, each on a task of its own, so that a slow one holds up no other and one that
/// panics is answered all the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls {
    running: TaskTracker,
    stop: CancellationToken,
}

impl Calls {
    /// What stops the call that a request asks for: its client cancels it, its session ends, or the
    /// server does.
    pub(super) fn stop(&self, context: &RequestContext<RoleServer>) -> CancellationToken {
        // rmcp cancels the token of a request after its answer at the latest. So the task ends.
        let stop = context.ct.child_token();
        let (watched, server, session) = (stop.clone(), self.stop.clone(), session_end(context));
        tokio::spawn(async move {
            tokio::select! {
                () = watched.cancelled() => {}
                () = server.cancelled() => watched.cancel(),
                () = session.cancelled() => watched.cancel(),
            }
        });
        stop
    }

    /// Cancel it to stop all calls, those that are yet to come as well.
    pub(super) fn stop_token(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Runs a call to its end, even if nobody waits for the answer any more.
    pub(super) async fn answer<T: From<CallToolResult> + Send + 'static>(
        &self,
        call: impl Future<Output = T> + Send + 'static,
    ) -> T {
        match self.running.spawn(call).await {
            Ok(result) => result,
            Err(error) => refused(&format_args!(
                "the call failed inside of Cofferdam, which is a bug: {error}"
            ))
            .into(),
        }
    }

    /// Waits until no call is left, and with it nothing that one has started.
    pub(super) async fn ended(&self) {
        self.running.close();
        self.running.wait().await;
    }
}

/// Cancelled when the session that a request belongs to has ended; never, where it belongs to none.
/// On the standard streams that is the end of the server.
fn session_end(context: &RequestContext<RoleServer>) -> CancellationToken {
    #[cfg(feature = "http")]
    if let Some(parts) = context.extensions.get::<http::request::Parts>()
        && let Some(session) = parts.extensions.get::<super::http::WithinSession>()
    {
        return session.end().clone();
    }
    let _ = context;
    CancellationToken::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event_loop() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    #[test]
    fn a_call_that_panics_is_answered_with_an_error() {
        let result: CallToolResult =
            event_loop().block_on(Calls::default().answer(async { panic!("on the moon") }));
        assert_eq!(result.is_error, Some(true));
        let text = serde_json::to_string(&result.content).unwrap();
        assert!(text.contains("on the moon"), "{text}");
    }

    #[test]
    fn a_call_goes_on_when_nobody_waits_for_its_answer_and_is_waited_for_at_the_end() {
        event_loop().block_on(async {
            let calls = Calls::default();
            let (go, gone) = tokio::sync::oneshot::channel::<()>();
            let (told, tells) = tokio::sync::oneshot::channel();
            let call = async move {
                gone.await.unwrap();
                told.send(()).unwrap();
                refused(&"done")
            };
            {
                let mut answer = std::pin::pin!(calls.answer(call));
                let polled = std::future::poll_fn(|cx| {
                    std::task::Poll::Ready(answer.as_mut().poll(cx).is_ready())
                });
                assert!(!polled.await);
            }
            go.send(()).unwrap();
            calls.ended().await;
            tells.await.unwrap();
        });
    }
}
