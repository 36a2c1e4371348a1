//! An MCP client that shows every byte, over HTTP: one connection for each request.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{LIMIT, Ran, Setup};

mod exchange;

pub(crate) use exchange::{Reply, Request, Sent};

/// A server in a process of its own, which is asked to stop when the value is dropped.
pub(crate) struct HttpServer {
    /// Until somebody waits for its end.
    child: Option<Child>,
    pub(crate) address: SocketAddr,
    /// The file with the token, where there is one.
    pub(crate) token_file: Option<String>,
    /// The token that requests show.
    pub(crate) token: Option<String>,
    /// What it said until it listened.
    pub(crate) said: String,
    rest: Receiver<String>,
}

impl Setup {
    /// A server that listens on a free port of the loopback address, with these options.
    pub(crate) fn serve_http(&self, options: &[&str]) -> HttpServer {
        HttpServer::start(self.http_command(&[&["--http", "127.0.0.1:0"], options].concat()))
    }

    /// The command of a server with these options, whose tool may run anything in the workspace.
    pub(crate) fn http_command(&self, options: &[&str]) -> Command {
        let mut command = self.serve_command(json!({}));
        command.args(options).env_remove("XDG_RUNTIME_DIR");
        command
    }
}

impl HttpServer {
    /// Starts a server and waits until it listens.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let (line_came, lines) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        thread::spawn(move || {
            for line in stderr.lines() {
                let _ = line_came.send(line.unwrap() + "\n");
            }
        });
        let mut said = String::new();
        let mut told = |words: &str| loop {
            let line = lines.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("no `{words}`: {said}"));
            said += &line;
            if let Some((_, rest)) = line.split_once(words) {
                return rest.trim().to_owned();
            }
        };
        let url = told("listening on http://");
        let has_token = !command.get_args().any(|option| option == "--no-auth");
        let token_file = has_token.then(|| told("the token is in "));
        let address = url.strip_suffix("/mcp").expect("the path is in the address");
        let address = address.parse().unwrap();
        let token = token_file.as_ref().map(|path| {
            std::fs::read_to_string(path).expect("the token can be read").trim().to_owned()
        });
        HttpServer { child: Some(child), address, token_file, token, said, rest: lines }
    }

    /// A connection to it.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream
    }

    /// A request that shows the token, to be sent.
    pub(crate) fn request(&self, method: &'static str) -> Request {
        let mut request = Request::new(self.connect(), method);
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        request.header("Host", self.address.to_string())
    }

    /// Sends a JSON-RPC request of the era without sessions.
    pub(crate) fn modern(&self, method: &str, params: Value) -> Sent {
        self.request("POST").modern(method, params)
    }

    /// Calls `sh_run` in the era without sessions.
    pub(crate) fn run(&self, command: &str, args: &[&str]) -> Sent {
        self.modern("tools/call", run(command, args))
    }

    /// Opens a session.
    pub(crate) fn session(&self) -> Session<'_> {
        let params = json!({
            "protocolVersion": LEGACY,
            "capabilities": {},
            "clientInfo": { "name": "tests", "version": "1" },
        });
        let mut opened = self.request("POST").message("initialize", params).reply();
        assert_eq!(opened.status, 200);
        let name = opened.header("mcp-session-id").expect("a session").to_owned();
        assert_eq!(opened.message()["result"]["protocolVersion"], LEGACY);
        let session = Session { server: self, name };
        let noted = session.notify("notifications/initialized", json!({})).reply();
        assert_eq!(noted.status, 202);
        session
    }

    /// Passes a signal to the server.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Some(child) = &self.child {
            kill_process(Pid::from_child(child), signal).unwrap();
        }
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn ended(mut self) -> Ran {
        let ended = super::finish(self.child.take().expect("nobody has waited for it"));
        let rest = self.rest.iter().collect::<String>();
        Ran { stderr: std::mem::take(&mut self.said) + &rest, ..ended }
    }

    /// Asks it to stop and waits for its end.
    #[track_caller]
    pub(crate) fn stopped(self) -> Ran {
        self.signal(Signal::TERM);
        self.ended()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.signal(Signal::TERM);
        // The test is over, however this ends.
        drop(self.child.take().map(|mut child| child.wait()));
    }
}

const LEGACY: &str = "2025-11-25";

/// The parameters of a call of `sh_run` that may last.
pub(crate) fn run(command: &str, args: &[&str]) -> Value {
    json!({
        "name": "sh_run",
        "arguments": { "command": command, "args": args, "timeout": 1000 },
    })
}

/// A client of the era with sessions.
pub(crate) struct Session<'a> {
    server: &'a HttpServer,
    name: String,
}

impl Session<'_> {
    /// A request of this session, to be sent.
    pub(crate) fn request(&self, method: &'static str) -> Request {
        let request = self.server.request(method).header("Mcp-Session-Id", &self.name);
        request.header("MCP-Protocol-Version", LEGACY)
    }

    /// Sends a JSON-RPC request.
    pub(crate) fn send(&self, method: &str, params: Value) -> Sent {
        self.request("POST").message(method, params)
    }

    /// Sends a JSON-RPC notification.
    pub(crate) fn notify(&self, method: &str, params: Value) -> Sent {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.request("POST").send(message.to_string())
    }
}
