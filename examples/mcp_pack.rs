//! An MCP server with a tool of its own, and the six tools of a `ShellPack` beside it.
//!
//! ```text
//! claude mcp add notes -- cargo run --example mcp_pack
//! ```

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use cofferdam::config::{LauncherChoice, ToolName};
use cofferdam::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig, Tool,
};
use cofferdam::rmcp::service::{NotificationContext, RequestContext};
use cofferdam::rmcp::{RoleServer, ServerHandler, ServiceExt, object, transport};
use cofferdam::{PackOptions, Runner, ShellPack};

/// The server: notes that a model may leave, and programs that it may run.
struct Notes {
    notes: Arc<Mutex<Vec<String>>>,
    shell: ShellPack,
}

impl Notes {
    /// The tool of our own.
    fn note() -> Tool {
        let arguments: JsonObject = object!({
            "type": "object",
            "properties": { "text": { "type": "string" } },
            "required": ["text"],
        });
        Tool::new("note", "Writes a note down, and returns all notes.", arguments)
    }

    fn write_down(&self, arguments: Option<JsonObject>) -> CallToolResult {
        let text = arguments.as_ref().and_then(|arguments| arguments.get("text")?.as_str());
        let Some(text) = text else {
            return CallToolResult::error(vec![ContentBlock::text("`text` must be a string")]);
        };
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push(text.to_owned());
        CallToolResult::success(vec![ContentBlock::text(notes.join("\n"))])
    }
}

impl ServerHandler for Notes {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("notes", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = vec![Notes::note()];
        tools.extend(self.shell.list_tools());
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        match name {
            "note" => Some(Notes::note()),
            _ => self.shell.get_tool(name),
        }
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match &*request.name {
            "note" => Ok(self.write_down(request.arguments).into()),
            _ => self.shell.call_tool(request, context).await,
        }
    }

    /// From here on the client hears what happens to its jobs.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.shell.initialized(&context);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let runner = Runner::builder().allow_any().sandbox(LauncherChoice::Auto).build()?;
    let mut options = PackOptions::default();
    options.tools.remove(&ToolName::Allowed); // everything is
    let shell = ShellPack::new(runner, options);
    let server = Notes { notes: Arc::default(), shell: shell.clone() };
    server.serve(transport::stdio()).await?.waiting().await?;
    shell.shut_down().await;
    // A thread may still wait for standard input: see the documentation of `tokio::io::stdin`.
    std::process::exit(0);
}
