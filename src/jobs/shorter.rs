//! The text of jobs and of foreground runs, made shorter: what the server adds to the table.

use std::sync::Arc;
use std::time::Duration;

use super::answers::{JobState, Output};
use super::job::Job;
use super::refusal::JobRefusal;
use super::shortening::Shortening;
use super::table::{Jobs, expire};
use crate::Outcome;

impl Job {
    /// [`Job::output`], made shorter where that is asked for: the whole text of a job that is over.
    /// While it runs nobody knows how it ends, and instalments join to the text as it is.
    pub(super) fn shorter_output(
        &self,
        cursor: Option<&str>,
        asked: Option<bool>,
    ) -> Result<Output, JobRefusal> {
        let mut output = self.output(cursor)?;
        let Some(Shortening { recipe, by_default }) = self.shortening() else { return Ok(output) };
        if cursor.is_none() && output.state != JobState::Running && asked.unwrap_or(*by_default) {
            let poll = self.poll();
            let Output { stdout, stderr, .. } = &mut output;
            output.compressed =
                recipe.shorten(poll.exit, &poll.stages, poll.timed_out, stdout, stderr);
        }
        Ok(output)
    }
}

impl Jobs {
    /// Keeps a foreground run that is over among the finished jobs, for its text, and gives its handle.
    /// It counts as one of them; what becomes of it is told to nobody, since it was no job.
    pub(crate) fn keep(
        &self,
        command: &str,
        outcome: &Outcome,
        runtime: Duration,
        shortening: Shortening,
    ) -> String {
        let make = |id| Job::kept(id, command, outcome, runtime).shortened_by(Some(shortening));
        let (number, job) = self.table.add(make);
        self.table.retire(number);
        tokio::spawn(expire(Arc::downgrade(&self.table), number, job.dropped()));
        job.id().to_owned()
    }

    /// [`Jobs::output`], made shorter where that is asked for, or where the job was started so.
    ///
    /// # Errors
    /// As [`Jobs::output`].
    pub(crate) fn shorter_output(
        &self,
        id: &str,
        cursor: Option<&str>,
        asked: Option<bool>,
    ) -> Result<Output, JobRefusal> {
        self.table.find(id)?.shorter_output(cursor, asked)
    }
}
