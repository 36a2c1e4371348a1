//! The protocol: what a client may ask for. Both eras of it are spoken, see the MCP specification
//! of 2025-11-25 and of 2026-07-28; rmcp finds out which one a request belongs to.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, ErrorData, Implementation, ListToolsResult, MetaObject,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;
use tokio::time::timeout;

use super::calls::Calls;
use super::consent::{Round, respond};
use super::describe;
use super::error::ServeError;
use super::notify::{Call, Client, Level, is_modern};
use super::pack::Pack;
use crate::config::{Config, ToolName};

/// The list of tools is fixed for the life of the process. After an hour a client may look whether
/// it speaks to another one.
const FRESH_MS: u64 = 3_600_000;

/// A server: the tools of all instances, for one client. Cheap to clone; the clones share everything.
#[derive(Debug, Clone)]
pub(super) struct Server {
    state: Arc<State>,
    client: Client,
}

#[derive(Debug)]
struct State {
    identity: Implementation,
    instructions: String,
    packs: Vec<Arc<Pack>>,
    calls: Calls,
}

impl Server {
    /// Builds every instance of a configuration. What cannot be used stops the start. What servers
    /// that were killed have left behind is removed.
    pub(super) fn new(config: &Config, reserved: &[PathBuf]) -> Result<Self, ServeError> {
        #[cfg(feature = "http")]
        super::http::sweep_tokens();
        // No instance may write what another one records, or what decides over it.
        let theirs = config.instances.iter().flat_map(|one| one.settings.own_files());
        let reserved: Vec<_> = reserved.iter().cloned().chain(theirs).collect();
        let mut packs = Vec::new();
        for instance in &config.instances {
            let pack = Pack::of_instance(instance, &reserved).map_err(|source| {
                ServeError::Settings { instance: instance.key.as_str().to_owned(), source }
            })?;
            packs.push(Arc::new(pack));
        }
        let version = config.version.as_deref().unwrap_or(env!("CARGO_PKG_VERSION"));
        let tools = config.instances.iter().flat_map(|instance| instance.settings.tools());
        let tools = tools.copied().collect::<BTreeSet<_>>();
        let instructions = config.instructions.clone();
        let state = State {
            identity: Implementation::new(&config.name, version),
            instructions: instructions.unwrap_or_else(|| describe::instructions(&tools)),
            packs,
            calls: Calls::default(),
        };
        Ok(Server { state: Arc::new(state), client: Client::new(Level::Debug) })
    }

    /// The same server for another client, who does not hear of the jobs of this one. Where clients
    /// read from a stream that they may forget, what jobs write comes only when it is asked for.
    #[cfg(feature = "http")]
    pub(super) fn for_another_client(&self) -> Self {
        Server { state: self.state.clone(), client: Client::new(Level::Info) }
    }

    /// The calls that are being answered.
    pub(super) fn calls(&self) -> &Calls {
        &self.state.calls
    }

    /// Kills all jobs, and waits a moment until they are over and this client has been told.
    pub(super) async fn end_jobs(&self) {
        // Those that cannot be killed are not waited for.
        const MOMENT: Duration = Duration::from_millis(500);
        let all = async {
            for pack in &self.state.packs {
                pack.jobs.kill_all().await;
            }
        };
        if timeout(MOMENT, all).await.is_ok() {
            self.client.told().await;
        }
    }

    /// The tools as a client sees them, in the order of the configuration.
    fn list(&self) -> ListToolsResult {
        let tools = self.state.packs.iter().flat_map(|pack| pack.listings().cloned());
        ListToolsResult::with_all_items(tools.collect())
    }

    /// The tool of this name, and the instance that has it.
    fn tool(&self, name: &str) -> Result<(Arc<Pack>, ToolName), ErrorData> {
        let mut packs = self.state.packs.iter();
        packs.find_map(|pack| Some((pack.clone(), pack.tool(name)?.0))).ok_or_else(|| {
            let names = self.state.packs.iter().flat_map(|pack| pack.listings());
            let names: Vec<_> = names.map(|listing| &*listing.name).collect();
            let known = names.join(", ");
            ErrorData::invalid_params(format!("unknown tool; there are: {known}"), None)
        })
    }

    /// What a result of the modern era carries, since it has no session to remember it by.
    fn signature(&self) -> MetaObject {
        let mut meta = MetaObject::new();
        if let Ok(identity) = serde_json::to_value(&self.state.identity) {
            meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), identity);
        }
        meta
    }
}

impl ServerHandler for Server {
    #[expect(deprecated, reason = "a later revision of the protocol will be without logging")]
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_logging().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(self.state.identity.clone())
            .with_instructions(&self.state.instructions)
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let versions = ProtocolVersion::KNOWN_VERSIONS.to_vec();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(FRESH_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params(
                "`cursor`: there is only one page of tools",
                None,
            ));
        }
        let mut list = self.list();
        if is_modern(&context) {
            Level::wanted(&context.meta.0)?;
            list = list.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private);
            list.meta = Some(self.signature());
        }
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (pack, tool) = self.tool(&request.name)?;
        let call = Call::of(self.state.calls.stop(&context), context)?;
        let (is_modern, client) = (call.is_modern(), self.client.clone());
        let round = Round::new(tool, request);
        let mut response = respond(&self.state.calls, pack, round, call, client).await;
        if is_modern {
            match &mut response {
                CallToolResponse::Complete(result) => result.meta = Some(self.signature()),
                CallToolResponse::InputRequired(result) => result.meta = Some(self.signature()),
                _ => {}
            }
        }
        Ok(response)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.client.open(context.peer, &self.state.identity.name);
    }

    #[expect(deprecated, reason = "a later revision of the protocol will be without it")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_modern(&context) {
            return Err(unknown("logging/setLevel"));
        }
        self.client.set_level(Level::parse(&json!(request.level))?);
        Ok(())
    }

    /// A request of a method that is served, but of a shape that is not, comes here too.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        Err(match method.as_str() {
            "logging/setLevel" if !is_modern(&context) => Level::unknown(),
            "tools/call" => ErrorData::invalid_params(
                "`tools/call` takes `name`, a string, and `arguments`, an object",
                None,
            ),
            // The era without sessions does not have these.
            "initialize" | "ping" if is_modern(&context) => unknown(&method),
            "initialize" | "ping" | "server/discover" | "tools/list" => {
                ErrorData::invalid_params(format!("wrong parameters for `{method}`"), None)
            }
            _ => unknown(&method),
        })
    }
}

fn unknown(method: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::Format;

    use super::*;

    fn server(tools: &str, dir: &Path) -> Server {
        let text = format!(r#"{{"name": "x", "tools": {tools}}}"#);
        let config = Config::from_text(&text, Format::Json, dir).unwrap();
        Server::new(&config, &[]).unwrap()
    }

    fn names(server: &Server) -> Vec<String> {
        server.list().tools.iter().map(|tool| tool.name.to_string()).collect()
    }

    #[test]
    fn the_tools_of_all_instances_are_listed_in_their_order() {
        let dir = tempfile::tempdir().unwrap();
        let server = server(
            r#"{"Shell#a": {"allow": ["git"], "cwd": ".", "prefix": "git"},
                "Shell#b": {"allow": ["rg"], "cwd": ".", "tools": ["allowed", "run"]}}"#,
            dir.path(),
        );
        let git = ["git_run", "git_start", "git_poll", "git_output", "git_kill", "git_allowed"];
        assert_eq!(names(&server), [&git[..], &["sh_run", "sh_allowed"]].concat());
    }

    #[test]
    fn a_tool_that_was_not_chosen_is_unknown() {
        let dir = tempfile::tempdir().unwrap();
        let tools = r#"{"Shell": {"allow": ["rg"], "cwd": ".", "tools": ["allowed"]}}"#;
        let error = server(tools, dir.path()).tool("sh_run").unwrap_err();
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
        assert!(error.message.contains("there are: sh_allowed"), "{}", error.message);
    }

    #[test]
    fn the_list_of_one_instance_is_at_most_6_kib() {
        let dir = tempfile::tempdir().unwrap();
        let long = dir.path().join("d".repeat(200)).join("é".repeat(100));
        std::fs::create_dir_all(&long).unwrap();
        let allow: Vec<_> = (0..500).map(|number| format!("/opt/bin/program-{number}")).collect();
        let mut settings = serde_json::json!({
            "allow": allow, "cwd": long, "prefix": "p".repeat(32), "timeout": 0.123_456_789,
            "max-timeout": 1e300, "max-output-bytes": 67_108_864, "max-output-lines": 67_108_864,
            "on-output-limit": "kill", "compress": true, "guard": "leaf-tools",
        });
        let tools = json!({ "Shell": settings });
        let list = serde_json::to_string(&server(&tools.to_string(), dir.path()).list()).unwrap();
        assert!(list.len() <= 6 * 1024, "{} bytes", list.len());

        // The longest names of all.
        let names = ToolName::ALL.map(|tool| (tool.to_string(), json!(format!("{tool:n<40}"))));
        settings["names"] = serde_json::Value::Object(names.into_iter().collect());
        let tools = json!({ "Shell": settings });
        let list = serde_json::to_string(&server(&tools.to_string(), dir.path()).list()).unwrap();
        assert!(list.len() <= 6 * 1024, "{} bytes", list.len());
    }

    #[test]
    fn descriptions_that_make_the_list_too_long_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let long = "d".repeat(1000);
        let names = ["start", "poll", "output", "kill"].map(|tool| (tool.to_owned(), json!(long)));
        let descriptions = serde_json::Value::Object(names.into_iter().collect());
        let settings = json!({ "allow-any": true, "cwd": ".", "descriptions": descriptions });
        let text = json!({ "name": "x", "tools": { "Shell": settings } }).to_string();
        let config = Config::from_text(&text, Format::Json, dir.path()).unwrap();
        let ServeError::Settings { source, .. } = Server::new(&config, &[]).unwrap_err() else {
            panic!("another error");
        };
        assert!(source.to_string().contains("shorten `descriptions`"), "{source}");
    }

    #[test]
    fn only_what_reads_is_marked_as_harmless() {
        let dir = tempfile::tempdir().unwrap();
        let server = server(r#"{"Shell": {"allow-any": true, "cwd": "."}}"#, dir.path());
        for tool in server.list().tools {
            let reads = ["sh_poll", "sh_output", "sh_allowed"].contains(&&*tool.name);
            let hints = tool.annotations.map(|hints| (hints.read_only_hint, hints.idempotent_hint));
            assert_eq!(hints, reads.then_some((Some(true), Some(true))), "{}", tool.name);
        }
    }

    #[test]
    fn every_tool_has_a_title_and_takes_no_argument_that_it_does_not_name() {
        let dir = tempfile::tempdir().unwrap();
        let server = server(r#"{"Shell": {"allow-any": true, "cwd": "."}}"#, dir.path());
        for tool in server.list().tools {
            assert!(tool.title.unwrap().ends_with(" (sh)"), "{}", tool.name);
            assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
            // `allowed` answers with a text.
            assert_eq!(tool.output_schema.is_none(), tool.name == "sh_allowed", "{}", tool.name);
        }
    }

    #[test]
    fn an_instance_that_cannot_be_used_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let text = r#"{"name": "x", "tools": {"Shell#odd": {"allow-any": true, "cwd": ".",
                       "launcher": {"command": ["/no/such/wrapper", "{command}", "{args}"]}}}}"#;
        let config = Config::from_text(text, Format::Json, dir.path()).unwrap();
        let error = Server::new(&config, &[]).unwrap_err();
        assert_eq!(error.to_string(), "the tool instance `Shell#odd` cannot be used");
    }
}
