//! The protocol: the fixtures, with the six tools of a `ShellPack` among them.

#![expect(deprecated, reason = "the suite asks for what a later revision will be without")]

use std::sync::Arc;

use cofferdam::ShellPack;
use cofferdam::rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    ContentBlock, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, SamplingCapability, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use cofferdam::rmcp::service::{NotificationContext, RequestContext};
use cofferdam::rmcp::{RoleServer, ServerHandler};
use serde_json::json;

use crate::fixtures::{Fixtures, filled};
use crate::news;
use crate::questions::{Answered, Next, next};

/// Nothing here ever changes.
const FRESH_MS: u64 = 3_600_000;

/// The server, for one client.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) fixtures: Arc<Fixtures>,
    pub(crate) shell: ShellPack,
}

impl Server {
    fn tools(&self) -> Vec<Tool> {
        let mut tools = self.fixtures.tools();
        tools.extend(self.shell.list_tools());
        tools
    }

    async fn fixture(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(result) = self.fixtures.results.get(&*request.name) {
            return Ok(result.clone().into());
        }
        let done = match &*request.name {
            "test_tool_with_logging" | "test_logging_tool" => {
                news::log(context).await;
                "logged".to_owned()
            }
            "test_tool_with_progress" => {
                news::progress(context).await;
                "told".to_owned()
            }
            "test_missing_capability" => {
                let mut required = ClientCapabilities::default();
                required.sampling = Some(SamplingCapability::default());
                return Err(ErrorData::missing_required_client_capability(required));
            }
            name => {
                let rounds = self.fixtures.rounds(name, request.arguments.as_ref());
                let rounds = rounds.ok_or_else(|| ErrorData::invalid_params("no tool", None))?;
                let answered =
                    Answered { responses: request.input_responses, state: request.request_state };
                match next(&rounds, answered, context).await? {
                    Next::Ask(questions) => return Ok(questions.into()),
                    Next::Answer(text) => text,
                }
            }
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(done)]).into())
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("conformance", "1"))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let list = ListToolsResult::with_all_items(self.tools());
        Ok(list.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match self.shell.get_tool(&request.name) {
            Some(_) => self.shell.call_tool(request, context).await,
            None => self.fixture(request, &context).await,
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let list = ListPromptsResult::with_all_items(self.fixtures.prompts.clone());
        Ok(list.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.as_ref();
        if let Some(rounds) = self.fixtures.rounds(&request.name, arguments) {
            let answered = Answered {
                responses: request.input_responses.clone(),
                state: request.request_state.clone(),
            };
            if let Next::Ask(questions) = next(&rounds, answered, &context).await? {
                return Ok(questions.into());
            }
        }
        let messages = self.fixtures.messages.get(&request.name);
        let messages = messages.ok_or_else(|| ErrorData::invalid_params("no prompt", None))?;
        Ok(GetPromptResult::new(filled::<Vec<_>>(messages, arguments)).into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let list = ListResourcesResult::with_all_items(self.fixtures.resources.clone());
        Ok(list.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let list = ListResourceTemplatesResult::with_all_items(self.fixtures.templates.clone());
        Ok(list.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let found = match id {
            Some(_) => self.fixtures.contents.get("test://template/{id}/data"),
            None => self.fixtures.contents.get(&uri),
        };
        let Some(found) = found else {
            let data = json!({ "uri": uri });
            return Err(ErrorData::resource_not_found("no resource", Some(data)));
        };
        let arguments = id.map(|id| [("id".to_owned(), json!(id))].into_iter().collect());
        let content = filled(found, arguments.as_ref());
        let result = ReadResourceResult::new(vec![content]);
        Ok(result.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private).into())
    }

    /// Nothing changes, so there is nothing to tell; but a client may wait for it.
    fn accepted_subscription_filter(
        &self,
        wanted: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        accepted.resource_subscriptions = wanted.resource_subscriptions.clone();
        Some(accepted)
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.shell.initialized(&context);
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shell.set_level(&json!(request.level))
    }
}
