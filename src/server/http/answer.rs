//! The body of an answer, and what lasts as long as it.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::sessions::WithinSession;
use super::usage::InUse;

/// What is in use until an answer has been taken, or the client has gone.
#[derive(Debug)]
pub(super) struct Uses {
    /// The connection.
    pub(super) _connection: InUse,
    /// The session, where there is one.
    pub(super) session: Option<WithinSession>,
    /// The request is one that the end of the server waits for.
    pub(super) answering: Option<TaskTrackerToken>,
}

/// The body of an answer.
#[derive(Debug)]
pub(super) struct Answer {
    body: BoxBody<Bytes, Infallible>,
    _uses: Option<Uses>,
}

impl Answer {
    pub(super) fn new(body: BoxBody<Bytes, Infallible>, uses: Option<Uses>) -> Self {
        Answer { body, _uses: uses }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
