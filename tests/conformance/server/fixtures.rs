//! What the suite expects of a server beside the protocol, as data.

use std::collections::BTreeMap;

use cofferdam::rmcp::model::{
    CallToolResult, ContentBlock, InputRequests, JsonObject, Prompt, Resource, ResourceTemplate,
    Tool,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The content of `fixtures.json`.
#[derive(Debug, Deserialize)]
pub(crate) struct Fixtures {
    tools: Vec<WrittenTool>,
    /// What tools answer that always answer the same.
    #[serde(deserialize_with = "results")]
    pub(crate) results: BTreeMap<String, CallToolResult>,
    /// What tools and prompts ask before they answer: one round after the other.
    questions: BTreeMap<String, Vec<Value>>,
    pub(crate) prompts: Vec<Prompt>,
    /// What prompts are made of.
    pub(crate) messages: BTreeMap<String, Value>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) templates: Vec<ResourceTemplate>,
    /// What resources hold; the key may be a template.
    pub(crate) contents: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenTool {
    name: String,
    description: String,
    input_schema: Option<JsonObject>,
}

/// Questions that are asked at once.
#[derive(Debug, Deserialize)]
pub(crate) struct Round {
    pub(crate) requests: InputRequests,
    /// What the client has to give back with the answers.
    pub(crate) state: Option<String>,
}

impl Fixtures {
    /// Reads the file.
    pub(crate) fn read() -> Result<Self, serde_json::Error> {
        let mut file: Value = serde_json::from_str(include_str!("fixtures.json"))?;
        let shared = file["shared"].take();
        expand(&mut file, &shared);
        Fixtures::deserialize(file)
    }

    /// The tools, in the order of the file.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        let tools = self.tools.iter().map(|tool| {
            let schema = tool.input_schema.clone();
            let schema = schema.unwrap_or_else(|| cofferdam::rmcp::object!({ "type": "object" }));
            Tool::new(tool.name.clone(), tool.description.clone(), schema)
        });
        tools.collect()
    }

    /// What is asked before this tool or prompt answers a call with these arguments.
    pub(crate) fn rounds(&self, name: &str, arguments: Option<&JsonObject>) -> Option<Vec<Round>> {
        let rounds = self.questions.get(name)?.iter();
        Some(rounds.map(|round| filled(round, arguments)).collect())
    }
}

/// Results as a handler makes them, which say that they are whole.
fn results<'a, D: Deserializer<'a>>(
    written: D,
) -> Result<BTreeMap<String, CallToolResult>, D::Error> {
    #[derive(Deserialize)]
    struct Written {
        content: Vec<ContentBlock>,
        #[serde(default, rename = "isError")]
        is_error: bool,
    }
    let written = BTreeMap::<String, Written>::deserialize(written)?.into_iter();
    Ok(written
        .map(|(name, Written { content, is_error })| match is_error {
            true => (name, CallToolResult::error(content)),
            false => (name, CallToolResult::success(content)),
        })
        .collect())
}

/// Puts what is written once in place of its name.
fn expand(value: &mut Value, shared: &Value) {
    match value {
        Value::String(name) => {
            if let Some(meant) = shared.get(&*name) {
                *value = meant.clone();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| expand(item, shared)),
        Value::Object(items) => items.values_mut().for_each(|item| expand(item, shared)),
        _ => {}
    }
}

/// A fixture with `{name}` replaced by the argument of that name.
pub(crate) fn filled<T: DeserializeOwned>(fixture: &Value, arguments: Option<&JsonObject>) -> T {
    let mut fixture = fixture.clone();
    for (name, value) in arguments.into_iter().flatten() {
        if let Some(text) = value.as_str() {
            fill(&mut fixture, &format!("{{{name}}}"), text);
        }
    }
    serde_json::from_value(fixture).expect("fixtures.json is of the protocol's types")
}

fn fill(value: &mut Value, place: &str, text: &str) {
    match value {
        Value::String(written) => *written = written.replace(place, text),
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, place, text)),
        Value::Object(items) => items.values_mut().for_each(|item| fill(item, place, text)),
        _ => {}
    }
}
