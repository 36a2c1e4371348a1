//! Telling of jobs: within the call that starts one, or for as long as a session lasts.

use rmcp::model::{NotificationMetaObject, ServerNotification};

use super::batches::Batches;
use super::call::Call;
use super::client::Client;
use super::level::Level;
use super::message;
use crate::jobs::Story;
use crate::{Happening, JobEvent};

impl Call {
    /// Tells within this call what has happened to the job that it started: nothing may follow its
    /// answer.
    pub(in crate::server) async fn tell(&self, event: &JobEvent, logger: &str) {
        let meta = message::within(self.id());
        let line = self.wants(Level::Info).then(|| line(event, logger, meta.clone()));
        self.say(line.into_iter().chain([message::job(event, logger, meta)])).await;
    }
}

/// Tells a client what happened to a job.
pub(super) fn tell(client: &Client, event: &JobEvent, logger: &str) {
    let meta = NotificationMetaObject::new;
    if client.wants(Level::Info) {
        client.outbox().put(line(event, logger, meta()), 0);
    }
    client.outbox().put(message::job(event, logger, meta()), 0);
}

fn line(event: &JobEvent, logger: &str, meta: NotificationMetaObject) -> ServerNotification {
    message::log(Level::Info, logger, message::job_line(event), meta)
}

/// Tells a client what a job writes, and how it ends. Holds the client only for as long as it takes
/// to put a message in its outbox.
pub(super) async fn tell_rest(client: impl Fn() -> Option<Client>, mut story: Story, logger: &str) {
    if let Happening::Ended { .. } = story.first.what {
        return;
    }
    let mut batches = Batches::new(story.captured.clone());
    while !batches.is_over() {
        batches.ready().await;
        let Some(client) = client() else { return };
        for batch in batches.take() {
            if client.wants(Level::Debug) {
                let data = message::job_output(&story.first.job, &batch);
                let meta = NotificationMetaObject::new();
                let message = message::log(Level::Debug, logger, data, meta);
                client.outbox().put(message, batch.text.len());
            }
        }
    }
    if let (Some(event), Some(client)) = (story.ended().await, client()) {
        tell(&client, &event, logger);
    }
}
