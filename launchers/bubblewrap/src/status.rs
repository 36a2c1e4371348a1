//! What bubblewrap and the program that it starts tell on the status pipe: a stream of JSON documents.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use serde_json::{Deserializer, Value};

/// The records that count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Status {
    /// The process inside, as the host numbers it. It is there from the start, long before the
    /// command is.
    pub(crate) child: Option<u32>,
    /// Everything stands, and the command is about to be exec'd.
    pub(crate) begun: bool,
    /// The command was not exec'd.
    pub(crate) failure: Option<Failure>,
    /// What bubblewrap started has ended with this code. It is there only if that was really exec'd.
    pub(crate) exit: Option<i64>,
}

/// What failed between bubblewrap and the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) stage: u32,
    pub(crate) errno: i32,
    /// The path that it was about; empty where it was about none.
    pub(crate) path: PathBuf,
}

impl Failure {
    /// Reads `{"failed":[STAGE,ERRNO],"path":"HEX"}`.
    fn of(document: &Value) -> Option<Failure> {
        let number = |at: usize| document.get("failed")?.get(at)?.as_u64();
        let digits = document.get("path")?.as_str()?.as_bytes();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let path = digits.chunks(2).map(byte).collect::<Option<Vec<_>>>()?;
        Some(Failure {
            stage: number(0)?.try_into().ok()?,
            errno: number(1)?.try_into().ok()?,
            path: OsString::from_vec(path).into(),
        })
    }
}

impl Status {
    /// Reads what has arrived so far. A record that is still incomplete is left out.
    pub(crate) fn parse(bytes: &[u8]) -> Status {
        let mut status = Status::default();
        let documents = Deserializer::from_slice(bytes).into_iter::<Value>();
        for document in documents.map_while(Result::ok) {
            let child = document.get("child-pid").and_then(Value::as_u64);
            status.child = status.child.or(child.and_then(|pid| u32::try_from(pid).ok()));
            status.begun |= document.get("begun") == Some(&Value::Bool(true));
            status.failure = status.failure.or_else(|| Failure::of(&document));
            status.exit = status.exit.or(document.get("exit-code").and_then(Value::as_i64));
        }
        status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = r#"{ "child-pid": 6062, "mnt-namespace": 4026532182 }"#;

    fn parse(text: &str) -> (Option<u32>, Option<i64>) {
        let status = Status::parse(text.as_bytes());
        (status.child, status.exit)
    }

    #[test]
    fn both_records_are_found() {
        let text = format!("{START}\n{{ \"exit-code\": 137 }}\n");
        assert_eq!(parse(&text), (Some(6062), Some(137)));
    }

    #[test]
    fn a_record_that_is_not_complete_does_not_count() {
        assert_eq!(parse(START), (Some(6062), None));
        assert_eq!(parse(&format!("{START}\n{{ \"exit-code\": 13")), (Some(6062), None));
        assert_eq!(parse(""), (None, None));
    }

    #[test]
    fn the_beginning_and_what_kept_it_from_coming_are_found() {
        let begun = Status::parse(b"{\"begun\":true}\n");
        assert!(begun.begun && begun.failure.is_none());
        let failed = Status::parse(b"{\"failed\":[18,2],\"path\":\"2f61ff\"}\n").failure.unwrap();
        assert_eq!((failed.stage, failed.errno), (18, 2));
        assert_eq!(failed.path.into_os_string().into_vec(), b"/a\xff");
        for rubbish in
            ["{\"failed\":[18],\"path\":\"\"}", "{\"failed\":[18,2],\"path\":\"2\u{e9}\"}"]
        {
            assert_eq!(Status::parse(rubbish.as_bytes()), Status::default(), "{rubbish}");
        }
    }

    #[test]
    fn rubbish_is_no_record() {
        for text in ["exit-code", "[1]", "{\"exit-code\": \"0\"}", "\0\0", "{\"child-pid\": -1}"] {
            assert_eq!(parse(text), (None, None), "{text}");
        }
    }
}
