//! JSON-RPC with a server, a line for each message, as far as one call needs it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::TrialError;

/// How long a server may take to end once nobody listens, in which it removes its scratch folder.
const GRACE: Duration = Duration::from_secs(2);
/// More than a server says of its reasons, in bytes.
const MOST_WORDS: u64 = 16 << 10;

/// A server, and what it says. It ends with this value.
pub(super) struct Conversation {
    child: Child,
    /// `None` once the server shall end.
    stdin: Option<ChildStdin>,
    /// The lines of its standard output; closed when that ends.
    lines: Receiver<String>,
    /// All that it said on standard error, when that ends.
    said: Receiver<String>,
    limit: Duration,
    deadline: Instant,
    last_id: u64,
}

impl Conversation {
    /// Starts a server. All its answers together may take this long.
    pub(super) fn start(mut command: Command, limit: Duration) -> Result<Self, TrialError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(TrialError::Start)?;
        let stdin = child.stdin.take();
        let (tell, lines) = channel();
        let stdout = child.stdout.take();
        thread::spawn(move || {
            let lines = stdout.into_iter().flat_map(|stdout| BufReader::new(stdout).lines());
            // Until the pipe ends, or nobody listens.
            lines.map_while(Result::ok).try_for_each(|line| tell.send(line))
        });
        let (tell, said) = channel();
        let stderr = child.stderr.take();
        thread::spawn(move || {
            let Some(mut stderr) = stderr else { return };
            let mut text = Vec::new();
            let _ = stderr.by_ref().take(MOST_WORDS).read_to_end(&mut text);
            let _ = tell.send(String::from_utf8_lossy(&text).into_owned());
            // A server that goes on talking must not wait for a reader.
            let _ = io::copy(&mut stderr, &mut io::sink());
        });
        let deadline = Instant::now() + limit;
        Ok(Conversation { child, stdin, lines, said, limit, deadline, last_id: 0 })
    }

    /// Sends a request, and waits for its result.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Result<Value, TrialError> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let line = self.line()?;
            let Ok(mut message) = serde_json::from_str::<Value>(&line) else {
                return Err(TrialError::Nonsense(line.chars().take(200).collect()));
            };
            // Notifications are none of this trial's business.
            if message["id"] != id {
                continue;
            }
            if let Some(reason) = message["error"]["message"].as_str() {
                return Err(TrialError::Refused {
                    method: method.to_owned(),
                    reason: reason.to_owned(),
                });
            }
            return Ok(message["result"].take());
        }
    }

    /// Sends a notification.
    pub(super) fn tell(&mut self, method: &str) -> Result<(), TrialError> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method }))
    }

    /// One line. It is shorter than what a pipe holds, so that it never waits.
    fn send(&mut self, message: &Value) -> Result<(), TrialError> {
        let Some(stdin) = &mut self.stdin else { return Err(self.ended()) };
        match stdin.write_all(format!("{message}\n").as_bytes()) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.ended()),
        }
    }

    fn line(&mut self) -> Result<String, TrialError> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Disconnected => self.ended(),
            RecvTimeoutError::Timeout => {
                let _ = self.child.kill();
                TrialError::Silent { limit: self.limit, said: self.words() }
            }
        })
    }

    fn ended(&mut self) -> TrialError {
        TrialError::Ended(self.words())
    }

    fn words(&mut self) -> String {
        self.said.recv_timeout(GRACE).unwrap_or_default()
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let until = Instant::now() + GRACE;
        let left = || until.saturating_duration_since(Instant::now());
        while self.lines.recv_timeout(left()).is_ok() {}
        // Nothing happens to one that has ended: it is not waited for yet, so its number is its own.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(script: &str, limit: Duration) -> Result<Value, TrialError> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Conversation::start(command, limit).unwrap().ask("initialize", json!({}))
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn an_answer_is_found_among_notifications() {
        let script = r#"read -r _; echo '{"method":"x"}'; echo '{"id":1,"result":{"a":1}}'; cat"#;
        assert_eq!(answer(script, LONG).unwrap(), json!({ "a": 1 }));
    }

    #[test]
    fn a_server_that_ends_has_told_why() {
        match answer("echo 'cofferdam: no' >&2; exit 1", LONG) {
            Err(TrialError::Ended(said)) => assert_eq!(said, "cofferdam: no\n"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_error_and_nonsense_are_no_answers() {
        let refused = answer(r#"echo '{"id":1,"error":{"message":"no"}}'; cat"#, LONG);
        assert!(matches!(refused, Err(TrialError::Refused { .. })), "{refused:?}");
        let nonsense = answer("echo hello; cat", LONG);
        assert!(matches!(nonsense, Err(TrialError::Nonsense(_))), "{nonsense:?}");
    }

    #[test]
    fn a_server_that_says_nothing_is_given_up_and_ended() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo slow >&2; exec sleep 1000"]);
        let mut server = Conversation::start(command, Duration::from_millis(300)).unwrap();
        match server.ask("initialize", json!({})) {
            Err(TrialError::Silent { .. }) => {}
            other => panic!("{other:?}"),
        }
        assert!(!server.child.wait().unwrap().success());
    }
}
