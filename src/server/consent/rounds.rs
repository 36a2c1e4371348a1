//! A call from its arrival to its answer, with the question between, where there is one.

use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, InputRequest, InputRequiredResult,
    InputResponses, JsonObject,
};

use super::decision::Decision;
use super::{Pending, Step, dialog, question};
use crate::config::ToolName;
use crate::consent::{Bound, NoApproval};
use crate::server::answer::refused;
use crate::server::calls::Calls;
use crate::server::notify::{Call, Client};
use crate::server::pack::Pack;
use crate::server::tools;

/// What the question is called among those of an answer.
const CONSENT: &str = "consent";

/// What a call of a tool says.
pub(in crate::server) struct Round {
    tool: ToolName,
    name: String,
    arguments: Option<JsonObject>,
    /// The ticket of an approval.
    state: Option<String>,
    responses: Option<InputResponses>,
}

impl Round {
    pub(in crate::server) fn new(tool: ToolName, request: CallToolRequestParams) -> Self {
        Round {
            tool,
            name: request.name.into_owned(),
            arguments: request.arguments,
            state: request.request_state,
            responses: request.input_responses,
        }
    }

    fn is_answer(&self) -> bool {
        self.state.is_some() || self.responses.is_some()
    }
}

/// Answers a call of a tool.
pub(in crate::server) async fn respond(
    calls: &Calls,
    pack: Arc<Pack>,
    round: Round,
    call: Call,
    client: Client,
) -> CallToolResponse {
    if round.is_answer() {
        return match taken(&pack, round, Instant::now()) {
            Ok((pending, decision)) => decided(calls, pack, pending, decision, call).await.into(),
            Err(refusal) => refusal.into(),
        };
    }
    let (own, asking) = (pack.clone(), call.clone());
    let first = async move {
        let Round { tool, name, arguments, .. } = round;
        tools::answer(&own, tool, &name, arguments, &asking, &client).await
    };
    match calls.answer(first).await {
        Step::Done(result) => result.into(),
        Step::Ask(pending) if call.is_modern() => handed_out(&pack, pending),
        Step::Ask(pending) => {
            let decision = dialog::ask(&call, &pending).await;
            decided(calls, pack, pending, decision, call).await.into()
        }
    }
}

/// Asks by the answer: the client completes it with a call of its own.
fn handed_out(pack: &Pack, pending: Box<Pending>) -> CallToolResponse {
    let (Some(approvals), Some(request)) = (&pack.approvals, question::request(&pending)) else {
        pending.offer.denied("the question cannot be put");
        return pending.refused.into();
    };
    let answer = pending.refused.clone();
    match approvals.open(pending.bound.clone(), pending, Instant::now()) {
        Ok(ticket) => {
            let requests = [(CONSENT.to_owned(), InputRequest::Elicitation(request))].into();
            InputRequiredResult::new(Some(requests), Some(ticket.reveal().to_owned())).into()
        }
        Err(_) => answer.into(),
    }
}

/// What the answer of a client is about, and what it says. Nothing runs for a wrong one.
fn taken(
    pack: &Pack,
    round: Round,
    now: Instant,
) -> Result<(Box<Pending>, Decision), CallToolResult> {
    let approvals = pack.approvals.as_ref().filter(|_| round.tool == ToolName::Run);
    let (Some(approvals), Some(state)) = (approvals, &round.state) else {
        return Err(refused(&format_args!("this answers no question: {ANEW}")));
    };
    let bound = Bound::to(&round.name, &round.arguments.unwrap_or_default());
    let over = |pending: &Pending, why: &str| {
        pending.offer.denied(why);
        refused(&format_args!("{why}: {ANEW}"))
    };
    match approvals.take(state, &bound, now) {
        Ok(pending) => {
            let answer = round.responses.and_then(|mut all| all.remove(CONSENT));
            Ok((pending, Decision::read(&answer.unwrap_or_default())))
        }
        Err(NoApproval::Unknown) => Err(refused(&format_args!(
            "this approval is not known; it was used, or is too old, or was never given: {ANEW}"
        ))),
        Err(NoApproval::Expired(pending)) => {
            Err(over(&pending, "this approval is more than five minutes old"))
        }
        Err(NoApproval::Altered(pending)) => {
            Err(over(&pending, "this approval was given for another call"))
        }
    }
}

const ANEW: &str = "nothing was run and nothing opened; call the tool anew, without an answer";

/// The answer, now that it is known what a person said.
async fn decided(
    calls: &Calls,
    pack: Arc<Pack>,
    pending: Box<Pending>,
    decision: Decision,
    call: Call,
) -> CallToolResult {
    match decision {
        Decision::Granted => {
            calls.answer(async move { tools::run_granted(&pack, *pending, &call).await }).await
        }
        Decision::Denied(why) => {
            pending.offer.denied(why);
            pending.refused
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;
    use crate::config::{Compression, Escalate, LauncherChoice, Names};
    use crate::server::answer::Answers;
    use crate::{JobLimits, Request, Runner, SettingsError};

    /// An instance that asks, and the arguments of a call that was refused something.
    fn asking(dir: &std::path::Path) -> Option<(Pack, JsonObject)> {
        let builder = Runner::builder().allow_any().workspace(dir.join("work"));
        let runner = match builder.sandbox(LauncherChoice::Auto).build() {
            Ok(runner) => runner,
            Err(SettingsError::NoLauncher { .. }) => return None,
            Err(other) => panic!("{other}"),
        };
        let (names, answers) = (Names::default(), Answers::default());
        let (tools, limits) = (BTreeSet::from(ToolName::ALL), JobLimits::default());
        let pack = Pack::new(runner, names, answers, &tools, limits, Compression::default());
        let arguments = json!({ "command": "touch", "args": [dir.join("outside/new")] });
        Some((pack.escalating(Escalate::Ask), arguments.as_object().cloned().unwrap()))
    }

    fn pending(pack: &Pack, arguments: &JsonObject) -> Box<Pending> {
        let path = arguments["args"][0].as_str().unwrap();
        let request = Request::new("touch").arg(path);
        let outcome = pack.runner.run_blocking(request.clone()).unwrap();
        Box::new(Pending {
            offer: pack.runner.offer(&request, &outcome).expect("it was refused something"),
            arguments: arguments.clone(),
            bound: Bound::to("sh_run", arguments),
            tool: "sh_run".to_owned(),
            compress: None,
            refused: refused(&"refused by the sandbox"),
        })
    }

    fn answer(arguments: &JsonObject, state: &str) -> Round {
        let yes = json!({ "action": "accept", "content": { "decision": "run-once" } });
        Round {
            tool: ToolName::Run,
            name: "sh_run".to_owned(),
            arguments: Some(arguments.clone()),
            state: Some(state.to_owned()),
            responses: Some([(CONSENT.to_owned(), yes)].into()),
        }
    }

    #[test]
    fn an_approval_is_taken_in_time_and_refused_when_it_is_old() {
        // Not in `/tmp`, which runs have of their own.
        let dir = tempfile::tempdir_in("/var/tmp").unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        std::fs::create_dir(dir.path().join("outside")).unwrap();
        let Some((pack, arguments)) = asking(dir.path()) else { return };
        let (now, minutes) = (Instant::now(), |count: u64| Duration::from_secs(60 * count));
        let state = |pack: &Pack| {
            let CallToolResponse::InputRequired(asked) =
                handed_out(pack, pending(pack, &arguments))
            else {
                panic!("nobody was asked");
            };
            asked.request_state.unwrap()
        };
        let (in_time, late) = (state(&pack), state(&pack));
        let taken_at = |state: &str, now| taken(&pack, answer(&arguments, state), now);
        let (_, decision) = taken_at(&in_time, now + minutes(4)).unwrap();
        assert_eq!(decision, Decision::Granted);
        let refusal = serde_json::to_value(taken_at(&late, now + minutes(6)).unwrap_err()).unwrap();
        let text = |result: &Value| result["content"][0]["text"].as_str().unwrap().to_owned();
        assert_eq!(refusal["isError"], true);
        assert!(text(&refusal).contains("more than five minutes old"), "{refusal}");
        let again = serde_json::to_value(taken_at(&late, now).unwrap_err()).unwrap();
        assert!(text(&again).contains("is not known"), "{again}");
        assert!(!dir.path().join("outside/new").exists());
    }
}
