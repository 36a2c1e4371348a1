//! What a client shows to use an approval, and what the approval is bound to.

use std::fmt;
use std::io;

use serde::Serialize;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// A name that nobody guesses, and that holds nothing.
#[derive(Clone)]
pub(crate) struct Ticket(String);

impl Ticket {
    pub(crate) fn random() -> io::Result<Self> {
        let mut random = [0_u8; 32];
        getrandom::fill(&mut random)?;
        Ok(Ticket(random.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Whether a client has shown it. The time that this takes does not tell how much of it was right.
    pub(crate) fn is(&self, shown: &str) -> bool {
        self.0.as_bytes().ct_eq(shown.as_bytes()).into()
    }

    /// The ticket itself, for the client.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket(..)")
    }
}

/// All that a call says, as a fingerprint: of whatever arguments there are, now or later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bound([u8; 32]);

impl Bound {
    /// Binds to a call of this tool with these arguments.
    pub(crate) fn to(tool: &str, arguments: &impl Serialize) -> Self {
        // Values of JSON always have a text; one that had none would be bound to nothing that comes.
        let text = serde_json::to_string(&(tool, arguments)).unwrap_or_default();
        Bound(Sha256::digest(text).into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tickets_are_long_and_never_the_same() {
        let (one, other) = (Ticket::random().unwrap(), Ticket::random().unwrap());
        assert_eq!(one.reveal().len(), 64);
        assert!(one.is(one.reveal()) && !one.is(other.reveal()));
        assert!(!one.is("") && !one.is(&one.reveal()[..63]));
        assert!(!format!("{one:?}").contains(one.reveal()));
    }

    #[test]
    fn a_call_is_bound_to_its_tool_and_to_every_argument() {
        let call = json!({ "command": "sh", "args": ["-c", "x"], "cwd": "a", "stdin": "b" });
        let bound = Bound::to("sh_run", &call);
        assert_eq!(bound, Bound::to("sh_run", &call));
        assert_ne!(bound, Bound::to("git_run", &call));
        for (key, value) in [
            ("command", json!("bash")),
            ("args", json!(["-c x"])),
            ("cwd", json!("b")),
            ("stdin", json!(null)),
            ("timeout", json!(1)),
            ("an argument of tomorrow", json!(true)),
        ] {
            let mut altered = call.clone();
            altered[key] = value;
            assert_ne!(bound, Bound::to("sh_run", &altered), "{key}");
        }
    }
}
