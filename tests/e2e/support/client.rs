//! An MCP client that shows every byte: JSON-RPC lines over the server's standard streams.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{Answer, LIMIT, Ran, Setup, eventually};

/// The two ways to speak the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// `initialize` first, then a session.
    Legacy,
    /// No session: every request says its version.
    Modern,
}

impl Era {
    pub(crate) const BOTH: [Era; 2] = [Era::Legacy, Era::Modern];

    fn version(self) -> &'static str {
        match self {
            Era::Legacy => "2025-11-25",
            Era::Modern => "2026-07-28",
        }
    }
}

/// A server in a process of its own, and the client's end of the conversation.
///
/// Every line that the server writes to its stdout must be a JSON-RPC message, in every test.
pub(crate) struct Client {
    era: Era,
    /// What this client says that it can do.
    capabilities: Value,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: JoinHandle<String>,
    last_id: u64,
    /// Answers that came before somebody asked for them.
    answers: BTreeMap<u64, Value>,
    /// Notifications that nobody has taken.
    heard: Vec<Value>,
}

/// The arguments of a call that leaves a trace in the workspace if it runs.
pub(crate) fn touch() -> Value {
    json!({ "command": "touch", "args": ["ran"] })
}

impl Setup {
    /// A server with one tool instance that may run anything in the workspace, and these settings
    /// beside that, which may also replace it.
    pub(crate) fn serve(&self, settings: Value) -> Client {
        Client::start(self.serve_command(settings), Era::Legacy)
    }

    /// The command that starts that server.
    pub(crate) fn serve_command(&self, settings: Value) -> Command {
        let mut instance = json!({
            "allow-any": true, "cwd": self.place.path("work"), "launcher": self.launcher.setting(),
        });
        let instance_keys = instance.as_object_mut().unwrap();
        instance_keys.extend(settings.as_object().unwrap().clone());
        if instance_keys.contains_key("allow") {
            instance_keys.remove("allow-any");
        }
        let config = json!({ "name": "tests", "tools": { "Shell": instance } });
        self.serve_config(&config.to_string())
    }

    /// The command that starts a server with this configuration.
    pub(crate) fn serve_config(&self, config: &str) -> Command {
        let file = self.place.file("config.json", config);
        let mut command = self.cofferdam(["serve", "--config"]);
        command.arg(file);
        command
    }
}

impl Client {
    /// Starts a server and, where the era has one, opens a session.
    pub(crate) fn start(command: Command, era: Era) -> Self {
        Client::start_able(command, era, json!({}))
    }

    /// The same for a client with these capabilities.
    pub(crate) fn start_able(mut command: Command, era: Era, capabilities: Value) -> Self {
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let (told, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.lines() {
                let _ = told.send(line.expect("UTF-8 on stdout"));
            }
        });
        let mut stderr = child.stderr.take().unwrap();
        let stderr = thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        let stdin = child.stdin.take();
        let answers = BTreeMap::new();
        let heard = Vec::new();
        let last_id = 0;
        let mut client =
            Client { era, capabilities, child, stdin, lines, stderr, last_id, answers, heard };
        if era == Era::Legacy {
            client.initialize();
        }
        client
    }

    fn initialize(&mut self) {
        let id = self.request(
            "initialize",
            json!({
                "protocolVersion": self.era.version(),
                "capabilities": self.capabilities,
                "clientInfo": { "name": "tests", "version": "1" },
            }),
        );
        let answer = self.answer(id);
        assert_eq!(answer["result"]["protocolVersion"], self.era.version(), "{answer}");
        self.notify("notifications/initialized", json!({}));
    }

    /// The server's process.
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Sends one line as it is.
    pub(crate) fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Sends a request and gives its id.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> u64 {
        self.last_id += 1;
        if self.era == Era::Modern {
            let mut meta = json!({
                "io.modelcontextprotocol/protocolVersion": self.era.version(),
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
                "io.modelcontextprotocol/clientInfo": { "name": "tests", "version": "1" },
            });
            if let Some(more) = params["_meta"].as_object() {
                meta.as_object_mut().unwrap().extend(more.clone());
            }
            params["_meta"] = meta;
        }
        let message =
            json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        self.send(&message.to_string());
        self.last_id
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.send(&message.to_string());
    }

    /// Waits for the answer to a request; others that come meanwhile are kept.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => self.take(&line),
                Err(RecvTimeoutError::Timeout) => panic!("no answer to {id} within {LIMIT:?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("stdout ended, no answer to {id}"),
            }
        }
    }

    /// Waits for a notification of this method of which this holds, and takes it.
    #[track_caller]
    pub(crate) fn hear(&mut self, method: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + LIMIT;
        loop {
            let wanted = |message: &Value| message["method"] == method && holds(&message["params"]);
            if let Some(place) = self.heard.iter().position(wanted) {
                return self.heard.remove(place)["params"].take();
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => self.take(&line),
                Err(error) => panic!("no {method}: {error}; there are {:?}", self.heard),
            }
        }
    }

    /// Waits for a request of the server's, and gives its id and parameters.
    #[track_caller]
    pub(crate) fn asked(&mut self, method: &str) -> (Value, Value) {
        let end = Instant::now() + LIMIT;
        loop {
            let wanted =
                |message: &Value| message["method"] == method && message["id"] != json!(null);
            if let Some(place) = self.heard.iter().position(wanted) {
                let mut message = self.heard.remove(place);
                return (message["id"].take(), message["params"].take());
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => self.take(&line),
                Err(error) => panic!("no {method}: {error}; there are {:?}", self.heard),
            }
        }
    }

    /// Answers a request of the server's.
    pub(crate) fn reply(&mut self, id: &Value, result: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string());
    }

    /// Takes the notifications that came before the answers that were asked for so far.
    pub(crate) fn heard(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.heard)
    }

    /// Whether the answer to a request has come already.
    pub(crate) fn has_answered(&mut self, id: u64) -> bool {
        while let Ok(line) = self.lines.try_recv() {
            self.take(&line);
        }
        self.answers.contains_key(&id)
    }

    #[track_caller]
    fn take(&mut self, line: &str) {
        let message = parse(line);
        if let Some(id) = message["id"].as_u64().filter(|_| message.get("method").is_none()) {
            self.answers.insert(id, message);
        } else if message.get("method").is_some() {
            self.heard.push(message);
        }
    }

    /// Starts a tool call; its answer comes later.
    pub(crate) fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Waits for the result of a tool call.
    #[track_caller]
    pub(crate) fn result(&mut self, id: u64) -> Answer {
        Answer::read(&self.answer(id))
    }

    /// Calls a tool and waits for its result.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        let id = self.begin(tool, arguments);
        self.result(id)
    }

    /// Calls `sh_run` with these arguments.
    #[track_caller]
    pub(crate) fn run(&mut self, arguments: Value) -> Answer {
        self.call("sh_run", arguments)
    }

    /// Runs a shell script with `sh_run`.
    #[track_caller]
    pub(crate) fn sh(&mut self, script: &str) -> Answer {
        self.run(json!({ "command": "sh", "args": ["-c", script] }))
    }

    /// Waits until a job is over, and gives its last poll.
    #[track_caller]
    pub(crate) fn await_over(&mut self, job: &str) -> Value {
        let mut last = Value::Null;
        let is_over = eventually(|| {
            last = self.call("sh_poll", json!({ "job": job })).ran().clone();
            last["state"] != "running"
        });
        assert!(is_over, "{last}");
        last
    }

    /// Asserts that the server still answers.
    #[track_caller]
    pub(crate) fn is_alive(&mut self) {
        let id = self.request("tools/list", json!({}));
        let answer = self.answer(id);
        assert!(answer["result"]["tools"].is_array(), "{answer}");
    }

    /// Passes a signal to the server.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Closes the server's stdin, as a client does that goes away.
    pub(crate) fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits for the server's end without closing anything. What it wrote after the last answer that
    /// was asked for must be JSON-RPC as well.
    #[track_caller]
    pub(crate) fn ended(self) -> Ran {
        let ended = super::finish(self.child);
        let rest: Vec<_> = self.lines.iter().collect();
        for line in &rest {
            parse(line);
        }
        Ran { stdout: rest.join("\n"), stderr: self.stderr.join().unwrap(), ..ended }
    }

    /// Waits for the end of a server that was told to go by other means than the end of its input.
    #[track_caller]
    pub(crate) fn ended_with_input_open(mut self) -> Ran {
        let _held = self.stdin.take();
        self.ended()
    }

    /// Closes the server's stdin and waits for its end.
    #[track_caller]
    pub(crate) fn closed(mut self) -> Ran {
        self.hang_up();
        self.ended()
    }
}

/// One message. A line that is none fails the test.
#[track_caller]
fn parse(line: &str) -> Value {
    match serde_json::from_str::<Value>(line) {
        Ok(message) if message["jsonrpc"] == "2.0" => message,
        _ => panic!("not a JSON-RPC message on stdout: {line:?}"),
    }
}
