//! The half character at the end of what has arrived.

use std::str;

use super::text::REACH;

/// Up to three bytes that the next ones may make a character. They wait here, so that neither the
/// head, nor the tail, nor a reader ever sees half of one.
#[derive(Debug, Clone, Default)]
pub(super) struct HalfCharacter {
    bytes: [u8; REACH + 1],
    len: usize,
}

impl HalfCharacter {
    /// `bytes` is what [`split_half_character`](super::text::split_half_character) split off.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut half = Self { len: bytes.len(), ..Self::default() };
        half.bytes[..bytes.len()].copy_from_slice(bytes);
        half
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds from the front of `input` until it is clear what this is: a whole character, or bytes
    /// that will never be one. Returns how many bytes of `input` belong to it, or `None` when all
    /// of them do and it is still a half.
    pub(super) fn complete(&mut self, input: &[u8]) -> Option<usize> {
        for (used, &byte) in input.iter().enumerate() {
            self.bytes[self.len] = byte;
            match str::from_utf8(&self.bytes[..=self.len]) {
                Ok(_) => {
                    self.len += 1;
                    return Some(used + 1);
                }
                Err(error) if error.error_len().is_none() => self.len += 1,
                // The byte that spoiled it is not part of it and may begin something of its own.
                Err(_) => return Some(used),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_whole_when_its_last_byte_arrives() {
        let mut half = HalfCharacter::new(b"\xf0\x9f");
        assert_eq!(half.complete(b"\x98"), None);
        assert_eq!(half.complete(b"\x80abc"), Some(1));
        assert_eq!(half.as_bytes(), "😀".as_bytes());
    }

    #[test]
    fn a_half_that_goes_on_wrongly_ends_before_the_wrong_byte() {
        let mut half = HalfCharacter::new(b"\xe4\xb8");
        assert_eq!(half.complete("中".as_bytes()), Some(0));
        assert_eq!(half.as_bytes(), b"\xe4\xb8");
    }
}
