//! The body of a request: read as a whole, within bounds.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::HeaderMap;
use hyper::body::Body;
use hyper::header::EXPECT;
use tokio::time::timeout;

use super::replies::{self, Reply};

/// The longest message, in bytes: as long as a line on the standard streams may be.
pub(super) const LONGEST: usize = 16 * 1024 * 1024;

/// A client that has sent more than this cannot be waited for, even to tell it why it is refused.
const MOST: usize = 4 * LONGEST;

/// For this time a client may send nothing in the middle of a request.
const SILENCE: Duration = Duration::from_secs(30);

/// Reads the body of a request, or says what to answer instead.
///
/// One that is too long is read to its end all the same, and thrown away: most clients look at no
/// answer before they have sent everything. A client that asks first (`Expect: 100-continue`) is told
/// at once.
pub(super) async fn read(
    headers: &HeaderMap,
    mut body: impl Body<Data = Bytes> + Unpin,
) -> Result<Bytes, Box<Reply>> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > LONGEST && (headers.contains_key(EXPECT) || announced > MOST) {
        return Err(Box::new(replies::too_large(LONGEST)));
    }
    let mut whole = BytesMut::new();
    let mut length: usize = 0;
    loop {
        let Ok(next) = timeout(SILENCE, body.frame()).await else {
            return Err(Box::new(replies::too_slow()));
        };
        match next {
            None => break,
            Some(Err(_)) => return Err(Box::new(replies::broken())),
            Some(Ok(frame)) => {
                let Ok(data) = frame.into_data() else { continue };
                length += data.len();
                if length > MOST {
                    break;
                } else if length > LONGEST {
                    whole = BytesMut::new();
                } else {
                    whole.extend_from_slice(&data);
                }
            }
        }
    }
    match length {
        0..=LONGEST => Ok(whole.freeze()),
        _ => Err(Box::new(replies::too_large(LONGEST))),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http_body_util::{Channel, Full};
    use hyper::StatusCode;
    use hyper::header::HeaderValue;

    use super::*;

    type Sender = http_body_util::channel::Sender<Bytes, Infallible>;

    /// What comes of a body that this sends.
    async fn sent(send: impl AsyncFnOnce(&mut Sender)) -> Result<usize, StatusCode> {
        let (mut sender, body) = Channel::<Bytes, Infallible>::new(1);
        let sent = async move {
            send(&mut sender).await;
            drop(sender);
        };
        let headers = HeaderMap::new();
        let (read, ()) = tokio::join!(read(&headers, body), sent);
        read.map(|body| body.len()).map_err(|reply| reply.status())
    }

    async fn send_chunks(sender: &mut Sender, count: usize) {
        let chunk = Bytes::from(vec![b'x'; LONGEST / 4]);
        for _ in 0..count {
            // One that is read no further is no failure of this side.
            let _ = sender.send_data(chunk.clone()).await;
        }
    }

    #[tokio::test]
    async fn a_body_is_read_up_to_its_limit() {
        assert_eq!(sent(async |_| {}).await, Ok(0));
        assert_eq!(sent(async |sender| send_chunks(sender, 4).await).await, Ok(LONGEST));
    }

    #[tokio::test]
    async fn one_that_is_too_long_is_refused_after_it_was_read_or_where_it_has_no_end() {
        for chunks in [5, 16, 100] {
            let refused = sent(async |sender| send_chunks(sender, chunks).await).await;
            assert_eq!(refused, Err(StatusCode::PAYLOAD_TOO_LARGE), "{chunks}");
        }
    }

    #[tokio::test]
    async fn a_client_that_asks_first_is_told_at_once() {
        let mut headers = HeaderMap::new();
        headers.insert(EXPECT, HeaderValue::from_static("100-continue"));
        let body = |length| Full::new(Bytes::from(vec![b'x'; length]));
        let refused = read(&headers, body(LONGEST + 1)).await.unwrap_err();
        assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(read(&headers, body(3)).await.unwrap(), "xxx");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_stops_in_the_middle_is_not_waited_for() {
        let stopped = sent(async |sender| {
            sender.send_data(Bytes::from_static(b"{")).await.unwrap();
            tokio::time::sleep(2 * SILENCE).await;
        });
        assert_eq!(stopped.await, Err(StatusCode::REQUEST_TIMEOUT));
        let slow = sent(async |sender| {
            for _ in 0..5 {
                tokio::time::sleep(SILENCE / 2).await;
                sender.send_data(Bytes::from_static(b"{")).await.unwrap();
            }
        });
        assert_eq!(slow.await, Ok(5));
    }
}
