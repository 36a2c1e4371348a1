//! The secret that a client shows.

use std::fmt;
use std::io;

use subtle::ConstantTimeEq;

/// A bearer token.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Token(String);

/// What no token is. The number of characters is all that a comparison may give away.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoToken {
    Short,
    Characters,
}

impl Token {
    /// Fewer characters could be guessed, or are a mistake.
    pub(super) const SHORTEST: usize = 16;

    /// A token that nobody can guess.
    pub(super) fn random() -> io::Result<Self> {
        let mut random = [0_u8; 32];
        getrandom::fill(&mut random)?;
        Ok(Token(random.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The token that a text is, white space around it left out.
    pub(super) fn parse(text: &[u8]) -> Result<Self, NoToken> {
        let text = text.trim_ascii();
        if text.len() < Token::SHORTEST {
            return Err(NoToken::Short);
        }
        // Anything else could not be sent in a header, or not by every client.
        match str::from_utf8(text) {
            Ok(text) if text.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Ok(Token(text.to_owned()))
            }
            _ => Err(NoToken::Characters),
        }
    }

    /// Whether a client has shown it. The time that this takes does not tell how much of it was right.
    pub(super) fn is(&self, shown: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(shown).into()
    }

    /// The token itself, for the file that clients take it from.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_it() {
        let token = Token::parse(b" 0123456789abcdef\n").unwrap();
        assert!(token.is(b"0123456789abcdef"));
        for wrong in ["", "0123456789abcde", "0123456789abcdeF", "0123456789abcdef0"] {
            assert!(!token.is(wrong.as_bytes()), "{wrong}");
        }
    }

    #[test]
    fn a_random_token_is_long_enough_and_never_the_same() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_eq!(Token::parse(one.reveal().as_bytes()).unwrap(), one);
        assert_eq!(one.reveal().len(), 64);
        assert_ne!(one, other);
    }

    #[test]
    fn what_cannot_be_sent_in_a_header_is_no_token() {
        assert_eq!(Token::parse(b""), Err(NoToken::Short));
        assert_eq!(Token::parse(b"0123456789abcde \n"), Err(NoToken::Short));
        for wrong in ["0123456789 abcdef", "0123456789abcdef\u{e9}", "0123456789\0abcdef"] {
            assert_eq!(Token::parse(wrong.as_bytes()), Err(NoToken::Characters), "{wrong}");
        }
    }

    #[test]
    fn a_token_is_not_printed() {
        let token = Token::parse(b"0123456789abcdef").unwrap();
        assert_eq!(format!("{token:?}"), "Token(..)");
    }
}
