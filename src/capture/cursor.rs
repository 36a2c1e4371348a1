//! Cursors: the positions in both streams of a job, in a client's hands.

use std::error::Error;
use std::fmt;
use std::hash::{BuildHasher, RandomState};

use super::cursor_text::{Spelled, parse};
use super::position::Position;

/// How far a reader has read in both streams of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Cursor {
    /// In the standard output.
    pub stdout: Position,
    /// In the standard error.
    pub stderr: Position,
}

impl Cursor {
    /// The beginning of both streams.
    pub const START: Self = Self { stdout: Position::START, stderr: Position::START };
}

/// Writes the cursors of one job as opaque strings, and reads back the ones it wrote and no others.
///
/// A string ends with a seal, a hash under a key of this issuer alone. So a changed cursor, one
/// that was made up, and one of another job or of an earlier life of the server are all refused.
/// The seal finds mistakes and guesses; it keeps no secret, for a cursor opens nothing that its
/// holder could not read anyway.
///
/// ```
/// use cofferdam::capture::{Buffer, Caps, Cursor, CursorIssuer};
///
/// let mut stdout = Buffer::new(Caps::default());
/// let cursors = CursorIssuer::new("j1-1x9k2w");
/// stdout.push(b"compiling\n");
/// let first = stdout.read_from(Cursor::START.stdout)?;
/// let text = cursors.encode(Cursor { stdout: first.next, ..Cursor::START });
///
/// stdout.push(b"done\n");
/// let cursor = cursors.decode(&text)?;
/// assert_eq!(stdout.read_from(cursor.stdout)?.text, "done\n");
/// assert!(cursors.decode("j1-1x9k2w.0.0.0.0.0.0.0").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct CursorIssuer {
    job: String,
    key: RandomState,
}

impl CursorIssuer {
    /// The issuer for `job`, a short tag that stands in every cursor. Two issuers never accept each
    /// other's cursors, even under the same tag; clones of one do.
    #[must_use]
    pub fn new(job: impl Into<String>) -> Self {
        Self { job: job.into(), key: RandomState::new() }
    }

    /// The cursor as a string. The same cursor always gives the same string.
    #[must_use]
    pub fn encode(&self, cursor: Cursor) -> String {
        let Cursor { stdout, stderr } = cursor;
        format!(
            "{}.{}.{}.{:016x}",
            self.job,
            Spelled(stdout),
            Spelled(stderr),
            self.key.hash_one((&self.job, cursor)),
        )
    }

    /// The cursor in a string that [`encode`](Self::encode) wrote.
    ///
    /// # Errors
    ///
    /// [`CursorError::Malformed`] when it is not a cursor at all, [`CursorError::OtherJob`] when it
    /// carries the tag of another job, [`CursorError::NotIssued`] when this issuer did not write it.
    pub fn decode(&self, text: &str) -> Result<Cursor, CursorError> {
        let (job, cursor) = parse(text).ok_or(CursorError::Malformed)?;
        if job != self.job {
            return Err(CursorError::OtherJob { job: self.job.clone() });
        }
        // Comparing the whole text refuses other spellings of the same numbers as well.
        if self.encode(cursor) != text {
            return Err(CursorError::NotIssued { job: self.job.clone() });
        }
        Ok(cursor)
    }
}

/// A text that is not a cursor of this job: the caller's mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CursorError {
    /// It does not look like a cursor.
    Malformed,
    /// It belongs to another job.
    OtherJob {
        /// The job that was asked.
        job: String,
    },
    /// It looks like a cursor of this job, but was never handed out: changed, or made up.
    NotIssued {
        /// The job that was asked.
        job: String,
    },
}

impl fmt::Display for CursorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const REMEDY: &str = "pass it back exactly as it was given, or leave it out";
        match self {
            Self::Malformed => write!(f, "the cursor is not a cursor; {REMEDY}"),
            Self::OtherJob { job } => {
                write!(f, "the cursor belongs to another job than `{job}`; {REMEDY}")
            }
            Self::NotIssued { job } => {
                write!(f, "the cursor is not one that job `{job}` handed out; {REMEDY}")
            }
        }
    }
}

impl Error for CursorError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn somewhere() -> Cursor {
        Cursor {
            stdout: Position { bytes: 500, lines: 12, inside_line: true },
            stderr: Position { bytes: 3, lines: 1, inside_line: false },
        }
    }

    #[test]
    fn a_cursor_comes_back_as_it_was_given() {
        let cursors = CursorIssuer::new("j1.with.dots-1x9k2w");
        for cursor in [Cursor::START, somewhere()] {
            let text = cursors.encode(cursor);
            assert_eq!(cursors.decode(&text), Ok(cursor));
            assert_eq!(cursors.encode(cursor), text);
        }
    }

    #[test]
    fn a_cursor_with_any_character_changed_is_refused() {
        let cursors = CursorIssuer::new("j1-1x9k2w");
        let text = cursors.encode(somewhere());
        for place in 0..text.len() {
            for other in ["0", "1", "F", ".", "+", "é", ""] {
                let mut changed = text.clone();
                changed.replace_range(place..=place, other);
                if changed != text {
                    assert!(cursors.decode(&changed).is_err(), "{changed}");
                }
            }
        }
    }

    #[test]
    fn other_spellings_of_the_same_numbers_are_refused() {
        let cursors = CursorIssuer::new("j1");
        let text = cursors.encode(somewhere());
        let not_issued = Err(CursorError::NotIssued { job: "j1".to_owned() });
        assert_eq!(cursors.decode(&text.replacen(".1f4.", ".1F4.", 1)), not_issued);
        assert_eq!(cursors.decode(&text.replacen(".1f4.", ".01f4.", 1)), not_issued);
        assert_eq!(cursors.decode(&text.replacen(".1f4.", ".+1f4.", 1)), not_issued);
    }

    #[test]
    fn a_cursor_of_another_job_or_another_life_is_refused() {
        let cursors = CursorIssuer::new("j1");
        let theirs = CursorIssuer::new("j2").encode(somewhere());
        assert_eq!(cursors.decode(&theirs), Err(CursorError::OtherJob { job: "j1".to_owned() }));
        let earlier = CursorIssuer::new("j1").encode(somewhere());
        assert_eq!(cursors.decode(&earlier), Err(CursorError::NotIssued { job: "j1".to_owned() }));
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let cursors = CursorIssuer::new("j1");
        for text in ["", "5", "j1", "j1.0.0.0.0.0.0", "j1.0.0.2.0.0.0.0", "j1.-1.0.0.0.0.0.0"] {
            assert_eq!(cursors.decode(text), Err(CursorError::Malformed), "{text}");
        }
        let huge = format!("j1.{}.0.0.0.0.0.0", "f".repeat(17));
        assert_eq!(cursors.decode(&huge), Err(CursorError::Malformed));
    }
}
