//! What is answered to requests that do not get as far as the protocol.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};

/// An answer whose body cannot fail.
pub(super) type Reply = Response<BoxBody<Bytes, Infallible>>;

/// One line of text.
fn line(status: StatusCode, text: impl Into<String>) -> Reply {
    let text = text.into() + "\n";
    let mut reply = Response::new(Full::new(Bytes::from(text)).boxed());
    *reply.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    reply.headers_mut().insert(CONTENT_TYPE, kind);
    reply
}

/// The same, after which nothing more is read from this client: a part of what it sends was not.
fn last_line(status: StatusCode, text: impl Into<String>) -> Reply {
    let mut reply = line(status, text);
    reply.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    reply
}

/// Nothing is served at this path.
pub(super) fn not_found() -> Reply {
    line(StatusCode::NOT_FOUND, format!("the server is at {}", super::PATH))
}

/// No token was shown.
pub(super) fn no_token() -> Reply {
    unauthorized("Bearer realm=\"cofferdam\"", "show the token: `Authorization: Bearer TOKEN`")
}

/// Another token was shown (RFC 6750, section 3.1).
pub(super) fn wrong_token() -> Reply {
    unauthorized("Bearer realm=\"cofferdam\", error=\"invalid_token\"", "this is not the token")
}

fn unauthorized(challenge: &'static str, text: &str) -> Reply {
    let mut reply = line(StatusCode::UNAUTHORIZED, text);
    reply.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    reply
}

/// The body is longer than `limit` bytes.
pub(super) fn too_large(limit: usize) -> Reply {
    last_line(StatusCode::PAYLOAD_TOO_LARGE, format!("a request has at most {limit} bytes"))
}

/// The body did not come.
pub(super) fn too_slow() -> Reply {
    last_line(StatusCode::REQUEST_TIMEOUT, "the rest of the request did not come")
}

/// The body broke off, or is none.
pub(super) fn broken() -> Reply {
    last_line(StatusCode::BAD_REQUEST, "the request cannot be read")
}
