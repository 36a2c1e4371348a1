//! Questions to the client: as the answer to its request, or, within a session, as requests to it.

use cofferdam::rmcp::RoleServer;
use cofferdam::rmcp::model::{
    ClientCapabilities, ErrorData, InputRequest, InputRequiredResult, InputResponses, JsonObject,
    ServerRequest,
};
use cofferdam::rmcp::service::RequestContext;
use serde_json::Value;

use crate::fixtures::Round;

/// What the client has answered so far.
pub(crate) struct Answered {
    pub(crate) responses: Option<InputResponses>,
    pub(crate) state: Option<String>,
}

/// What is to be done next.
pub(crate) enum Next {
    Ask(InputRequiredResult),
    /// Everything was answered, with this.
    Answer(String),
}

/// Asks the questions of the next round, by whatever way the client's era has.
pub(crate) async fn next(
    rounds: &[Round],
    answered: Answered,
    context: &RequestContext<RoleServer>,
) -> Result<Next, ErrorData> {
    let is_modern = context.protocol_version().is_some_and(|version| !version.has_initialize());
    let can = context.client_capabilities().unwrap_or_default();
    if is_modern {
        return round_trip(rounds, answered, &can);
    }
    let mut answers = Vec::new();
    for request in rounds.iter().flat_map(|round| round.requests.values()) {
        let answer = context.peer.send_request(to_client(request.clone())?).await;
        let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        answers.push(serde_json::to_string(&answer).unwrap_or_default());
    }
    Ok(Next::Answer(answers.join("\n")))
}

fn to_client(request: InputRequest) -> Result<ServerRequest, ErrorData> {
    match request {
        InputRequest::CreateMessage(request) => Ok(request.into()),
        InputRequest::Elicitation(request) => Ok(request.into()),
        InputRequest::ListRoots(request) => Ok(request.into()),
        _ => Err(ErrorData::internal_error("no such question", None)),
    }
}

fn round_trip(
    rounds: &[Round],
    answered: Answered,
    can: &ClientCapabilities,
) -> Result<Next, ErrorData> {
    let responses = answered.responses.unwrap_or_default();
    // A state that was never handed out was tampered with.
    let asked = match &answered.state {
        None => rounds.first(),
        state => rounds.iter().find(|round| round.state == *state),
    };
    let asked = asked.ok_or_else(|| ErrorData::invalid_params("this is not the state", None))?;
    if !is_answered(asked, &responses) {
        return ask(asked, can);
    }
    let after = rounds.iter().skip_while(|round| !std::ptr::eq(*round, asked)).nth(1);
    match after {
        Some(round) => ask(round, can),
        None => Ok(Next::Answer(format!("state-ok: {}", Value::from_iter(responses)))),
    }
}

/// Whether each question has an answer of its kind.
fn is_answered(round: &Round, responses: &InputResponses) -> bool {
    round.requests.iter().all(|(key, request)| {
        let wanted = match request {
            InputRequest::CreateMessage(_) => "content",
            InputRequest::Elicitation(_) => "action",
            _ => "roots",
        };
        responses.get(key).is_some_and(|response| response.get(wanted).is_some())
    })
}

/// Asks those questions that the client says it can answer.
fn ask(round: &Round, can: &ClientCapabilities) -> Result<Next, ErrorData> {
    let mut requests = round.requests.clone();
    requests.retain(|_, request| match request {
        InputRequest::CreateMessage(_) => can.sampling.is_some(),
        InputRequest::Elicitation(_) => can.elicitation.is_some(),
        _ => can.roots.is_some(),
    });
    match requests.is_empty() {
        true => Err(ErrorData::missing_required_client_capability(required(round))),
        false => Ok(Next::Ask(InputRequiredResult::new(Some(requests), round.state.clone()))),
    }
}

fn required(round: &Round) -> ClientCapabilities {
    let names = round.requests.values().map(|request| match request {
        InputRequest::CreateMessage(_) => "sampling",
        InputRequest::Elicitation(_) => "elicitation",
        _ => "roots",
    });
    let names = names.map(|name| (name.to_owned(), Value::Object(JsonObject::new())));
    serde_json::from_value(Value::from_iter(names)).unwrap_or_default()
}
