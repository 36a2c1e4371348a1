//! The life of the listening server: it takes connections, and at its end lets answers out.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::ServerHandler;
use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::connections::{Connections, Place};
use super::endpoint::Endpoint;

/// More than the clients of one machine need.
const MOST_CONNECTIONS: u64 = 256;

/// A connection on which no request has come for this time is closed. Clients keep theirs for up to
/// 90 seconds, and a request must not meet a connection that is just being closed.
const IDLE: Duration = Duration::from_secs(120);

/// The head of a request is at most this long, in bytes.
const LONGEST_HEAD: usize = 64 * 1024;

/// After this time nobody waits any more for runs that cannot be killed.
const PATIENCE: Duration = Duration::from_secs(2);

/// After this time nobody waits any more for answers to be taken.
const PATIENCE_WITH_CLIENTS: Duration = Duration::from_millis(500);

/// Answers requests until `stop` resolves; then does what `wind_down` says, which is to end all runs.
///
/// `end` ends the sessions and streams of the endpoint. It is cancelled at the end, and when this is
/// dropped.
pub(super) async fn listen<H: ServerHandler>(
    listener: TcpListener,
    endpoint: Arc<Endpoint<H>>,
    end: CancellationToken,
    stop: impl Future<Output = ()>,
    wind_down: impl Future<Output = ()>,
) {
    let closing = CancellationToken::new();
    let _dropped = end.clone().drop_guard();
    let places = Connections::new(most_connections());
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    // When every place is in use, the client sees its connection closed.
                    if let Some(place) = places.admit() {
                        let closing = closing.clone();
                        connections.spawn(converse(stream, endpoint.clone(), place, closing));
                    }
                }
                Err(error) => refrain(&error).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    // First the runs, while the streams that tell of their end are still open.
    let _ = timeout(PATIENCE, wind_down).await;
    let _ = timeout(PATIENCE_WITH_CLIENTS, endpoint.answered()).await;
    // Then the streams that have no end of their own.
    end.cancel();
    closing.cancel();
    let _ =
        timeout(PATIENCE_WITH_CLIENTS, async { while connections.join_next().await.is_some() {} })
            .await;
}

/// How many connections there may be: most of the descriptors that this process may have are left for
/// runs.
fn most_connections() -> usize {
    let descriptors = getrlimit(Resource::Nofile).current;
    descriptors.map_or(MOST_CONNECTIONS, |most| MOST_CONNECTIONS.min(most / 4)) as usize
}

/// Waits a moment where the system is short of something: `accept(2)` would fail at once again.
async fn refrain(error: &io::Error) {
    const MOMENT: Duration = Duration::from_millis(100);
    // The mistakes of one client, which is gone.
    let is_gone = [io::ErrorKind::ConnectionAborted, io::ErrorKind::ConnectionReset];
    if !is_gone.contains(&error.kind()) {
        sleep(MOMENT).await;
    }
}

/// Answers the requests that come on one connection.
async fn converse<H: ServerHandler>(
    stream: TcpStream,
    endpoint: Arc<Endpoint<H>>,
    place: Place,
    closing: CancellationToken,
) {
    // Small messages that wait for each other; where it cannot be set they are only slower.
    let _ = stream.set_nodelay(true);
    let place = Arc::new(place);
    let service = service_fn(|request| {
        let answer = endpoint.clone().answer(request, place.clone());
        async { Ok::<_, Infallible>(answer.await) }
    });
    let conversation = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    let mut conversation = pin!(conversation);
    // How a conversation ends is the client's business: it has gone, or made no sense.
    tokio::select! {
        _ = &mut conversation => return,
        () = place.evicted() => return,
        () = closing.cancelled() => {}
    }
    conversation.as_mut().graceful_shutdown();
    let _ = conversation.await;
}
