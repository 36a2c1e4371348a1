//! The life of a session, and above all its end: whatever the client does or fails to do, no run is
//! left, and the process is gone within seconds.

use std::pin::pin;
use std::time::Duration;

use rmcp::ServiceExt;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::error::{ServeError, unopened};
use super::handler::Server;
use super::stdio::{Input, Output, Stdio};

/// When the client has gone, runs that are about to end may still do so: with
/// `serve < requests.jsonl` the input is over before the first answer is out. Clients that wait for
/// this process to go wait two seconds before they signal it.
const GRACE: Duration = Duration::from_millis(300);

/// After this time nobody waits any more for answers to be taken, nor for runs that cannot be
/// killed.
const PATIENCE: Duration = Duration::from_secs(2);

/// Serves one client until it goes, or until `stop` resolves. When this returns, every run that can
/// be killed has ended.
pub(super) async fn session(
    server: Server,
    stdio: Stdio,
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let Stdio { input, output, hangup, written } = stdio;
    let (calls, jobs) = (server.calls().clone(), server.clone());
    let cancel = CancellationToken::new();
    let mut talk = pin!(talk(server, input, output, cancel.clone()));
    let gone = async {
        hangup.cancelled().await;
        sleep(GRACE).await;
    };
    let result = tokio::select! {
        result = &mut talk => Some(result),
        () = gone => None,
        () = stop => None,
    };
    // The jobs first, while their end can still be told.
    jobs.end_jobs().await;
    // Kills every run. The answers that tell of it still go out, where the client takes them.
    cancel.cancel();
    let rest = async {
        let result = match result {
            Some(result) => result,
            None => talk.await,
        };
        calls.ended().await;
        // A call may have started one meanwhile.
        jobs.end_jobs().await;
        written.await;
        result
    };
    timeout(PATIENCE, rest).await.unwrap_or(Ok(()))
}

/// Speaks the protocol until the input ends or `cancel` is cancelled, and every answer is out.
async fn talk(
    server: Server,
    input: Input,
    output: Output,
    cancel: CancellationToken,
) -> Result<(), ServeError> {
    match server.serve_with_ct((input, output), cancel).await {
        Ok(session) => session.waiting().await.map(drop).map_err(ServeError::Broken),
        Err(error) => unopened(error),
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::io::{BufRead, BufReader, Write};
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream;
    use std::path::Path;
    use std::thread::{self, JoinHandle};

    use serde_json::{Value, json};
    use tokio::sync::oneshot;

    use super::*;
    use crate::config::{Config, Format};

    /// A client, and the session that serves it.
    struct Client {
        stream: UnixStream,
        session: JoinHandle<Result<(), ServeError>>,
    }

    impl Client {
        fn connect(dir: &Path, stop: impl Future<Output = ()> + Send + 'static) -> Self {
            let tools = r#"{"name": "x", "tools": {"Shell": {"allow-any": true, "cwd": "."}}}"#;
            let config = Config::from_text(tools, Format::Json, dir).unwrap();
            let server = Server::new(&config, &[]).unwrap();
            let (stream, theirs) = UnixStream::pair().unwrap();
            let session = thread::spawn(move || {
                let event_loop =
                    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                event_loop.block_on(async {
                    theirs.set_nonblocking(true).unwrap();
                    let stream = tokio::net::UnixStream::from_std(theirs).unwrap();
                    let (reader, writer) = stream.into_split();
                    let (reader, writer) = (Box::new(reader), Box::new(writer));
                    let written = Box::pin(ready(()));
                    let stdio = Stdio::new(reader, writer, CancellationToken::new(), written);
                    session(server, stdio, stop).await
                })
            });
            Client { stream, session }
        }

        /// Sends a request of the era without sessions.
        fn run(&mut self, id: u32, command: &str, args: &[&str]) {
            let request = json!({
                "jsonrpc": "2.0",
                "id": id,
                "method": "tools/call",
                "params": {
                    "name": "sh_run",
                    "arguments": { "command": command, "args": args, "timeout": 1000 },
                    "_meta": {
                        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                        "io.modelcontextprotocol/clientCapabilities": {},
                    },
                },
            });
            self.stream.write_all(format!("{request}\n").as_bytes()).unwrap();
        }

        /// A run that lasts, and has begun.
        fn run_for_ever(&mut self, id: u32, dir: &Path) {
            let begun = dir.join("begun");
            self.run(id, "sh", &["-c", "> begun; exec sleep 1000"]);
            while !begun.exists() {
                thread::yield_now();
            }
        }

        /// Every answer until the session ends, by its id, and the exit that it tells.
        fn answers(self) -> Vec<(u64, i64)> {
            let lines = BufReader::new(&self.stream).lines().map(Result::unwrap);
            let answers = lines.map(|line| {
                let answer: Value = serde_json::from_str(&line).unwrap();
                let exit = answer["result"]["structuredContent"]["exit"].as_i64().unwrap();
                (answer["id"].as_u64().unwrap(), exit)
            });
            let answers = answers.collect();
            self.session.join().unwrap().unwrap();
            answers
        }
    }

    #[test]
    fn a_run_that_is_about_to_end_is_answered_after_the_input_is_over() {
        let dir = tempfile::tempdir().unwrap();
        let mut client = Client::connect(dir.path(), pending());
        client.run(1, "false", &[]);
        client.stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(client.answers(), [(1, 1)]);
    }

    #[test]
    fn a_run_that_lasts_is_killed_when_the_client_has_gone() {
        let dir = tempfile::tempdir().unwrap();
        let mut client = Client::connect(dir.path(), pending());
        client.run_for_ever(1, dir.path());
        client.stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(client.answers(), [(1, 137)]);
    }

    #[test]
    fn a_run_that_lasts_is_killed_when_the_process_is_to_stop() {
        let dir = tempfile::tempdir().unwrap();
        let (stop, stopped) = oneshot::channel();
        let mut client = Client::connect(dir.path(), async { stopped.await.unwrap() });
        client.run_for_ever(1, dir.path());
        stop.send(()).unwrap();
        assert_eq!(client.answers(), [(1, 137)]);
    }

    #[test]
    fn a_client_that_takes_no_answers_holds_up_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (stop, stopped) = oneshot::channel();
        let mut client = Client::connect(dir.path(), async { stopped.await.unwrap() });
        for id in 0..40 {
            client.run(id, "head", &["-c", "16000", "/dev/zero"]);
        }
        client.run_for_ever(40, dir.path());
        stop.send(()).unwrap();
        client.session.join().unwrap().unwrap();
    }

    #[test]
    fn a_client_that_opens_with_no_request_is_told_to_the_operator() {
        let dir = tempfile::tempdir().unwrap();
        let mut client = Client::connect(dir.path(), pending());
        let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        client.stream.write_all(format!("{notification}\n").as_bytes()).unwrap();
        let error = client.session.join().unwrap().unwrap_err();
        assert!(matches!(error, ServeError::NoSession(_)), "{error}");
    }

    #[test]
    fn a_client_that_goes_without_a_word_is_no_mistake() {
        let dir = tempfile::tempdir().unwrap();
        let client = Client::connect(dir.path(), pending());
        client.stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(client.answers(), []);
    }
}
