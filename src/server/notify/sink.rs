//! Where messages go: a client, or a test.

use rmcp::model::ServerNotification;
use rmcp::{Peer, RoleServer};

/// The client cannot be reached any more.
#[derive(Debug)]
pub(super) struct Gone;

/// Takes messages, one after the other.
pub(super) trait Sink: Send + Sync {
    /// Resolves when the message has been written, which it never is for a client that does not
    /// read. Whoever sends the next one before that may see them swapped.
    fn send(&self, message: ServerNotification) -> impl Future<Output = Result<(), Gone>> + Send;
}

impl Sink for Peer<RoleServer> {
    async fn send(&self, message: ServerNotification) -> Result<(), Gone> {
        self.send_notification(message).await.map_err(|_| Gone)
    }
}

#[cfg(test)]
impl Sink for tokio::sync::mpsc::UnboundedSender<serde_json::Value> {
    async fn send(&self, message: ServerNotification) -> Result<(), Gone> {
        let message = serde_json::to_value(message).unwrap();
        tokio::sync::mpsc::UnboundedSender::send(self, message).map_err(|_| Gone)
    }
}
