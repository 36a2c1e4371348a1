//! What a client is told while a tool is at work.

#![expect(deprecated, reason = "a later revision of the protocol will be without logging")]

use cofferdam::rmcp::RoleServer;
use cofferdam::rmcp::model::{
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam,
};
use cofferdam::rmcp::service::RequestContext;
use serde_json::json;

/// Writes three lines to the log of a client that wants to hear them.
pub(crate) async fn log(context: &RequestContext<RoleServer>) {
    let is_modern = context.protocol_version().is_some_and(|version| !version.has_initialize());
    if is_modern && context.meta.log_level().is_none() {
        return;
    }
    for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(line));
        // A client that has gone does not hear it.
        let _ = context.peer.notify_logging_message(message).await;
    }
}

/// Tells a client three times how far it is, where it has given a token for that.
pub(crate) async fn progress(context: &RequestContext<RoleServer>) {
    let Some(token) = context.meta.get_progress_token() else { return };
    for done in [0.0, 50.0, 100.0] {
        let told = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
        let _ = context.peer.notify_progress(told).await;
    }
}
