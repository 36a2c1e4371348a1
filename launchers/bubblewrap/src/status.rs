//! What bubblewrap tells on its status pipe: a stream of JSON documents.

use serde_json::{Deserializer, Value};

/// The records that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Status {
    /// The process inside, as the host numbers it. It is there from the start, long before the
    /// command is.
    pub(crate) child: Option<u32>,
    /// The command has ended with this code. It is there only if the command was really exec'd.
    pub(crate) exit: Option<i64>,
}

impl Status {
    /// Reads what has arrived so far. A record that is still incomplete is left out.
    pub(crate) fn parse(bytes: &[u8]) -> Status {
        let mut status = Status::default();
        let documents = Deserializer::from_slice(bytes).into_iter::<Value>();
        for document in documents.map_while(Result::ok) {
            let child = document.get("child-pid").and_then(Value::as_u64);
            status.child = status.child.or(child.and_then(|pid| u32::try_from(pid).ok()));
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
    fn rubbish_is_no_record() {
        for text in ["exit-code", "[1]", "{\"exit-code\": \"0\"}", "\0\0", "{\"child-pid\": -1}"] {
            assert_eq!(parse(text), (None, None), "{text}");
        }
    }
}
