//! Who is answered.

use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;

use super::replies::{self, Reply};
use super::token::Token;

/// What a client must show.
#[derive(Debug)]
pub(super) enum Access {
    /// This token.
    Token(Token),
    /// Nothing.
    Open,
}

impl Access {
    /// Lets a request through, or says what to answer to it.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), Box<Reply>> {
        let Access::Token(token) = self else { return Ok(()) };
        let mut shown = headers.get_all(AUTHORIZATION).iter();
        // With two of them a proxy in between may have looked at the other one.
        let (Some(credentials), None) = (shown.next(), shown.next()) else {
            return Err(Box::new(replies::no_token()));
        };
        match bearer(credentials.as_bytes()) {
            None => Err(Box::new(replies::no_token())),
            Some(shown) if token.is(shown) => Ok(()),
            Some(_) => Err(Box::new(replies::wrong_token())),
        }
    }
}

/// The token of `Bearer TOKEN`. The first word is not case-sensitive (RFC 9110, section 11.1).
fn bearer(credentials: &[u8]) -> Option<&[u8]> {
    const SCHEME: &[u8] = b"bearer ";
    let (scheme, token) = credentials.split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderValue, WWW_AUTHENTICATE};

    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    /// The challenge that these credentials get; `None` when they are let through.
    fn challenge(credentials: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in credentials {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        let access = Access::Token(Token::parse(TOKEN.as_bytes()).unwrap());
        let reply = access.check(&headers).err()?;
        assert_eq!(reply.status(), 401);
        Some(reply.headers()[WWW_AUTHENTICATE].to_str().unwrap().to_owned())
    }

    #[test]
    fn the_token_is_let_through() {
        for scheme in ["Bearer", "bearer", "BEARER", "Bearer "] {
            assert_eq!(challenge(&[&format!("{scheme} {TOKEN}")]), None, "{scheme}");
        }
    }

    #[test]
    fn without_credentials_of_the_right_kind_the_token_is_asked_for() {
        let right = format!("Bearer {TOKEN}");
        for wrong in [vec![], vec![""], vec!["Basic eA=="], vec![TOKEN], vec![&right, &right]] {
            let challenge = challenge(&wrong).unwrap();
            assert_eq!(challenge, "Bearer realm=\"cofferdam\"", "{wrong:?}");
        }
    }

    #[test]
    fn another_token_is_told_to_be_wrong() {
        for wrong in ["Bearer ", "Bearer x", "Bearer 0123456789abcdeg"] {
            assert!(challenge(&[wrong]).unwrap().contains("invalid_token"), "{wrong}");
        }
    }

    #[test]
    fn an_open_server_asks_for_nothing() {
        assert!(Access::Open.check(&HeaderMap::new()).is_ok());
    }
}
