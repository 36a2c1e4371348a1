//! One request and its answer, on a connection of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

const MODERN: &str = "2026-07-28";

/// A request that has not been sent yet.
pub(crate) struct Request {
    stream: TcpStream,
    method: &'static str,
    headers: Vec<(&'static str, String)>,
}

impl Request {
    /// One without any header, for this connection.
    pub(super) fn new(stream: TcpStream, method: &'static str) -> Self {
        Request { stream, method, headers: Vec::new() }
    }

    /// Sets a header, in place of what it was.
    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self = self.without(name);
        self.headers.push((name, value.into()));
        self
    }

    /// Leaves a header out.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self
    }

    /// Sends a JSON-RPC request of the era without sessions.
    pub(crate) fn modern(self, method: &str, mut params: Value) -> Sent {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = MODERN.into();
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let name = params["name"].as_str().map(str::to_owned);
        let mut request =
            self.header("MCP-Protocol-Version", MODERN).header("Mcp-Method", method.to_owned());
        if let Some(name) = name {
            request = request.header("Mcp-Name", name);
        }
        request.message(method, params)
    }

    /// Sends a JSON-RPC request.
    pub(crate) fn message(self, method: &str, params: Value) -> Sent {
        let message = json!({ "jsonrpc": "2.0", "id": ID, "method": method, "params": params });
        self.send(message.to_string())
    }

    /// Sends a body.
    pub(crate) fn send(self, body: impl AsRef<[u8]>) -> Sent {
        let body = body.as_ref();
        let length = body.len().to_string();
        let mut stream = self.header("Content-Length", length).head();
        // One that is refused may be read no further.
        let _ = stream.write_all(body);
        Sent(stream)
    }

    /// Sends the head alone.
    pub(crate) fn head(self) -> TcpStream {
        let Request { mut stream, method, headers } = self
            .or_header("Content-Type", "application/json")
            .or_header("Accept", "application/json, text/event-stream");
        let lines = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        let head = format!("{method} /mcp HTTP/1.1\r\n{}\r\n", lines.collect::<String>());
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }

    fn or_header(self, name: &'static str, value: &str) -> Self {
        match self.headers.iter().any(|(other, _)| *other == name) {
            true => self,
            false => self.header(name, value),
        }
    }
}

/// The id of every request: each has a connection of its own.
const ID: u64 = 1;

/// A request that has been sent. Dropping it hangs up.
pub(crate) struct Sent(TcpStream);

impl Sent {
    /// Waits for the head of the answer.
    #[track_caller]
    pub(crate) fn reply(self) -> Reply {
        Reply::read(self.0)
    }
}

/// An answer whose head has come. Dropping it hangs up.
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    body: BufReader<Body>,
}

impl Reply {
    /// Waits for the head of an answer.
    #[track_caller]
    pub(crate) fn read(stream: TcpStream) -> Self {
        let mut stream = BufReader::new(stream);
        let mut line = || {
            let mut line = String::new();
            stream.read_line(&mut line).expect("an answer");
            line.trim_end().to_owned()
        };
        let first = line();
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok());
        let mut headers = Vec::new();
        while let Some((name, value)) = line().split_once(": ") {
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let is_chunked = headers.iter().any(|(name, _)| name == "transfer-encoding");
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let left = length.map_or(0, |(_, length)| length.parse().unwrap());
        let body = BufReader::new(Body { stream, is_chunked, left });
        Reply { status: status.unwrap_or_else(|| panic!("no answer: {first:?}")), headers, body }
    }

    /// A header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// The whole body.
    #[track_caller]
    pub(crate) fn text(mut self) -> String {
        let mut text = String::new();
        self.body.read_to_string(&mut text).expect("a body");
        text
    }

    /// Waits for the answer to the request.
    #[track_caller]
    pub(crate) fn message(&mut self) -> Value {
        loop {
            match self.next() {
                message if message["id"] == ID => return message,
                _ => {}
            }
        }
    }

    /// The next message. Other lines are none: they say how long to wait before coming back, and
    /// that the server is still there.
    #[track_caller]
    fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(self.body.read_line(&mut line).expect("a line"), 0, "no message any more");
            let data = line.trim_end().strip_prefix("data:").unwrap_or_default();
            if let Ok(message) = serde_json::from_str(data) {
                return message;
            }
        }
    }

    /// Waits for the next message of this kind.
    #[track_caller]
    pub(crate) fn notification(&mut self, method: &str) -> Value {
        loop {
            match self.next() {
                message if message["method"] == method => return message,
                _ => {}
            }
        }
    }

    /// The payload of a run that it answers to.
    #[track_caller]
    pub(crate) fn payload(mut self) -> Value {
        assert_eq!(self.status, 200, "{:?}", self.headers);
        let message = self.message();
        let payload = &message["result"]["structuredContent"];
        assert!(payload.is_object(), "{message}");
        payload.clone()
    }
}

/// A body as it was before it was cut into chunks (RFC 9112, section 7.1).
struct Body {
    stream: BufReader<TcpStream>,
    is_chunked: bool,
    /// What is left of the chunk, or of the whole.
    left: usize,
}

impl Read for Body {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let mut line = String::new();
        // Behind the last chunk there is an empty line as well.
        while self.left == 0 && self.is_chunked && self.stream.read_line(&mut line)? > 0 {
            self.left = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
            self.is_chunked = line.trim() != "0";
            line.clear();
        }
        let most = buf.len().min(self.left);
        let count = self.stream.read(&mut buf[..most])?;
        self.left -= count;
        Ok(count)
    }
}
