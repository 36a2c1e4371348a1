//! The six tools beside the tools of another server.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorData, Tool as Listing};
use rmcp::service::{NotificationContext, RequestContext};
use serde_json::Value;

use super::answer::{Answers, RunAnswer};
use super::calls::Calls;
use super::consent::{Round, respond};
use super::notify::{Call, Client, Level};
use super::pack::Pack;
use crate::config::{Compression, Escalate, Instance, Names, SettingsError, Shape, ToolName};
use crate::{JobLimits, Runner};

/// What a [`ShellPack`] offers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PackOptions {
    /// What its tools are called: `sh_run` and so on, unless chosen otherwise.
    pub names: Names,
    /// Which of the six tools there are; all unless chosen otherwise.
    pub tools: BTreeSet<ToolName>,
    /// The bounds of background jobs.
    pub jobs: JobLimits,
    /// How its tools are described, and how they answer.
    pub shape: Shape,
    /// How runs are answered in the host's own way; then the shape says nothing about them.
    pub run_answer: Option<RunAnswer>,
    /// How output is made shorter; only where a call asks for it unless chosen otherwise.
    pub compression: Compression,
    /// Whether a person is asked about runs that were refused something; nobody unless chosen
    /// otherwise. A runner without a profile has nothing to grant.
    pub escalate: Escalate,
}

impl Default for PackOptions {
    fn default() -> Self {
        PackOptions {
            names: Names::default(),
            tools: BTreeSet::from(ToolName::ALL),
            jobs: JobLimits::default(),
            shape: Shape::default(),
            run_answer: None,
            compression: Compression::default(),
            escalate: Escalate::default(),
        }
    }
}

/// The tools `run`, `start`, `poll`, `output`, `kill` and `allowed`, for a server that has tools of
/// its own.
///
/// The server hands on what concerns the pack: its lists of tools, its calls, and, where clients are
/// to hear of their jobs, the opening of a session and its log level. `examples/mcp_pack.rs` is a
/// whole one.
///
/// ```
/// use cofferdam::rmcp::model::{
///     CallToolRequestParams, CallToolResponse, ErrorData, ListToolsResult, PaginatedRequestParams,
///     ServerCapabilities, ServerConfig,
/// };
/// use cofferdam::rmcp::service::RequestContext;
/// use cofferdam::rmcp::{RoleServer, ServerHandler};
/// use cofferdam::ShellPack;
///
/// struct Mine {
///     shell: ShellPack,
/// }
///
/// impl ServerHandler for Mine {
///     fn get_info(&self) -> ServerConfig {
///         ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
///     }
///
///     async fn list_tools(
///         &self,
///         _request: Option<PaginatedRequestParams>,
///         _context: RequestContext<RoleServer>,
///     ) -> Result<ListToolsResult, ErrorData> {
///         Ok(ListToolsResult::with_all_items(self.shell.list_tools()))
///     }
///
///     async fn call_tool(
///         &self,
///         request: CallToolRequestParams,
///         context: RequestContext<RoleServer>,
///     ) -> Result<CallToolResponse, ErrorData> {
///         // Tools of one's own come first.
///         self.shell.call_tool(request, context).await
///     }
/// }
/// ```
///
/// Cheap to clone; the clones share everything. When the last one is dropped, every job is killed.
#[derive(Debug, Clone)]
pub struct ShellPack {
    pack: Arc<Pack>,
    calls: Calls,
    client: Client,
}

impl ShellPack {
    /// A pack that runs its commands with this runner.
    #[must_use]
    pub fn new(runner: Runner, options: PackOptions) -> Self {
        let PackOptions { names, tools, jobs, shape, run_answer, compression, escalate } = options;
        let answers = Answers { shape, run: run_answer };
        let pack = Pack::new(runner, names, answers, &tools, jobs, compression);
        ShellPack::of(pack.escalating(escalate))
    }

    /// A pack as a configuration describes it. A workspace that holds one of the `reserved` files is
    /// refused, see [`RunnerBuilder::reserve`](crate::RunnerBuilder::reserve).
    ///
    /// # Errors
    /// As [`RunnerBuilder::build`](crate::RunnerBuilder::build).
    pub fn from_instance(instance: &Instance, reserved: &[PathBuf]) -> Result<Self, SettingsError> {
        Pack::of_instance(instance, reserved).map(ShellPack::of)
    }

    fn of(pack: Pack) -> Self {
        let client = Client::new(Level::Debug);
        ShellPack { pack: Arc::new(pack), calls: Calls::default(), client }
    }

    /// The same pack for another client: the same tools and jobs, but what one client is told of its
    /// jobs the other does not hear. For servers of several clients at once.
    #[must_use]
    pub fn for_another_client(&self) -> Self {
        ShellPack { client: Client::new(Level::Info), ..self.clone() }
    }

    /// Its tools, in an order that never changes.
    #[must_use]
    pub fn list_tools(&self) -> Vec<Listing> {
        self.pack.listings().cloned().collect()
    }

    /// Its tool of this name.
    #[must_use]
    pub fn get_tool(&self, name: &str) -> Option<Listing> {
        self.pack.tool(name).map(|(_, listing)| listing.clone())
    }

    /// Answers a call. The caller's mistakes are results for the model to read, with `is_error`.
    ///
    /// Where a person is to be asked, that is done before the answer, or by it: what this returns is to
    /// be passed on as it is.
    ///
    /// A run is killed when the client cancels the call, or is gone; a job is not. A call goes on to
    /// its end even if this future is dropped.
    ///
    /// # Errors
    /// `-32602` when this pack has no such tool, and when the request wants a log level that there is
    /// not.
    pub async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some((tool, _)) = self.pack.tool(&request.name) else {
            return Err(ErrorData::invalid_params("unknown tool", None));
        };
        let (tool, call) = (*tool, Call::of(self.calls.stop(&context), context)?);
        let (pack, client) = (self.pack.clone(), self.client.clone());
        Ok(respond(&self.calls, pack, Round::new(tool, request), call, client).await)
    }

    /// To be called from `on_initialized`: from here on the client is told what happens to the jobs
    /// that it starts, as `notifications/message` and `notifications/job`. Clients of the revision
    /// 2026-07-28 are told within their calls, and this is never called.
    ///
    /// A server that does so should have the capability `logging`.
    pub fn initialized(&self, context: &NotificationContext<RoleServer>) {
        self.client.open(context.peer.clone(), self.pack.names.prefix().as_str());
    }

    /// To be called from `set_level`, with the level as it stands in the request: the least one that
    /// the client wants to hear. What a job writes is told at `debug`, and what happens to it at
    /// `info`.
    ///
    /// # Errors
    /// `-32602` when there is no such level.
    pub fn set_level(&self, level: &Value) -> Result<(), ErrorData> {
        self.client.set_level(Level::parse(level)?);
        Ok(())
    }

    /// Kills all jobs and runs, and waits until they are over and told. To be called before the
    /// connection is closed.
    pub async fn shut_down(&self) {
        self.pack.jobs.kill_all().await;
        self.client.told().await;
        self.calls.stop_token().cancel();
        self.calls.ended().await;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::net::UnixStream;
    use std::thread;

    use rmcp::model::{CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerConfig};
    use rmcp::{ServerHandler, ServiceExt};
    use serde_json::json;

    use super::*;

    /// A server of somebody else, with a tool of its own.
    struct Foreign {
        shell: ShellPack,
    }

    impl ServerHandler for Foreign {
        fn get_info(&self) -> ServerConfig {
            ServerConfig::default()
        }

        async fn list_tools(
            &self,
            _request: Option<PaginatedRequestParams>,
            _context: RequestContext<RoleServer>,
        ) -> Result<ListToolsResult, ErrorData> {
            let own = Listing::new("own", "A tool of one's own.", Arc::default());
            let tools = [own].into_iter().chain(self.shell.list_tools());
            Ok(ListToolsResult::with_all_items(tools.collect()))
        }

        async fn call_tool(
            &self,
            request: CallToolRequestParams,
            context: RequestContext<RoleServer>,
        ) -> Result<CallToolResponse, ErrorData> {
            self.shell.call_tool(request, context).await
        }

        async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
            self.shell.initialized(&context);
        }
    }

    fn pack(options: PackOptions) -> ShellPack {
        let runner = Runner::builder().allow(["true", "echo"]).workspace("/").build().unwrap();
        ShellPack::new(runner, options)
    }

    /// What a foreign server with this pack says to these lines, once `last` is among it.
    fn said(lines: &[Value], is_last: impl Fn(&Value) -> bool) -> Vec<Value> {
        let (mut client, theirs) = UnixStream::pair().unwrap();
        let serving = thread::spawn(move || {
            let event_loop =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            event_loop.block_on(async {
                theirs.set_nonblocking(true).unwrap();
                let stream = tokio::net::UnixStream::from_std(theirs).unwrap().into_split();
                let shell = pack(PackOptions::default());
                let serving = Foreign { shell: shell.clone() }.serve(stream).await.unwrap();
                serving.waiting().await.unwrap();
                shell.shut_down().await;
            });
        });
        for line in lines {
            client.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
        let mut said = Vec::new();
        for line in BufReader::new(client.try_clone().unwrap()).lines() {
            said.push(serde_json::from_str(&line.unwrap()).unwrap());
            if said.last().is_some_and(&is_last) {
                client.shutdown(std::net::Shutdown::Write).unwrap();
            }
        }
        serving.join().unwrap();
        said
    }

    fn initialize() -> [Value; 2] {
        let client = json!({ "name": "tests", "version": "1" });
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client,
        });
        [
            json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        ]
    }

    fn call(id: u32, tool: &str, command: &str) -> Value {
        let params = json!({ "name": tool, "arguments": { "command": command } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    }

    #[test]
    fn its_tools_stand_beside_those_of_the_server_and_its_clients_hear_of_their_jobs() {
        let lines = [
            &initialize()[..],
            &[
                json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }),
                call(2, "sh_run", "rm"),
                call(3, "nobodys", "true"),
                call(4, "sh_start", "true"),
            ],
        ]
        .concat();
        let said = said(&lines, |message| message["params"]["state"] == "exited");
        let answer = |id: u32| said.iter().find(|message| message["id"] == id).unwrap();
        let tools = answer(1)["result"]["tools"].as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let own = ["own", "sh_run", "sh_start", "sh_poll", "sh_output", "sh_kill", "sh_allowed"];
        assert_eq!(names, own);
        assert_eq!(answer(2)["result"]["isError"], true);
        assert_eq!(answer(3)["error"]["code"], -32602);
        assert_eq!(answer(4)["result"]["structuredContent"]["state"], "running");
        let events = said.iter().filter(|message| message["method"] == "notifications/job");
        let states: Vec<_> = events.map(|event| event["params"]["state"].clone()).collect();
        assert_eq!(states, ["started", "exited"]);
    }

    #[test]
    fn a_run_that_its_host_answers_promises_no_structure_and_takes_no_wish_about_it() {
        use crate::RunAnswer;
        use rmcp::model::CallToolResult;
        let answer = RunAnswer::new(|_| CallToolResult::success(Vec::new()));
        let pack = pack(PackOptions { run_answer: Some(answer), ..PackOptions::default() });
        let run = pack.get_tool("sh_run").unwrap();
        assert!(run.output_schema.is_none());
        // Nobody shortens what the host says.
        let has_flag = |tool: Listing| tool.input_schema["properties"]["compress"].is_object();
        assert!(!has_flag(run) && has_flag(pack.get_tool("sh_start").unwrap()));
        assert!(pack.get_tool("sh_poll").unwrap().output_schema.is_some());
    }

    #[test]
    fn it_has_the_tools_that_were_chosen_under_the_prefix_that_was_chosen() {
        let options = PackOptions {
            names: Names::new("make".parse().unwrap()),
            tools: [ToolName::Allowed, ToolName::Run].into(),
            ..PackOptions::default()
        };
        let pack = pack(options);
        let names: Vec<_> = pack.list_tools().into_iter().map(|tool| tool.name).collect();
        assert_eq!(names, ["make_run", "make_allowed"]);
        assert!(pack.get_tool("make_run").is_some() && pack.get_tool("sh_run").is_none());
    }

    #[test]
    fn a_level_that_there_is_not_is_refused() {
        let pack = pack(PackOptions::default());
        assert!(pack.set_level(&json!("warning")).is_ok());
        assert_eq!(pack.set_level(&json!("loud")).unwrap_err().code.0, -32602);
    }
}
