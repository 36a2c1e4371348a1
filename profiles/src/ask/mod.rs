//! Asks a policy about one thing: may it be done, which rule says so, and what would change that.
//!
//! The answer is that of the policy, and so of every launcher that enforces it: the deepest path
//! decides, and at equal depth `deny`, `protect`, `write`, `read`. A path is followed as a run would
//! follow it. Nothing hidden is looked at, so an answer tells nobody whether something is there.
//!
//! `question` is what can be asked and `verdict` what is answered; `place` follows a path; `files`,
//! `sockets`, `network` and `variables` each answer for their table of the profile; `change` names
//! what would allow it.

mod change;
mod files;
mod network;
mod place;
mod question;
mod sockets;
mod variables;
mod verdict;

pub use change::Change;
pub use place::Inside;
pub use question::Question;
pub use verdict::{Answer, Verdict};

use crate::Policy;

impl Policy {
    /// What this policy says to a question.
    ///
    /// ```
    /// use cofferdam_profiles::{Answer, Context, Grants, Inside, Question, Source, resolve};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let context = Context::from_environment(folder.path());
    /// let policy = resolve(&Source::parse("workspace"), &Grants::default(), &context)?;
    /// let verdict = policy.ask(&Question::Write("/usr/bin/env".into()), &Inside::default());
    /// assert_eq!(verdict.answer, Answer::Refused);
    /// assert_eq!(verdict.key, "filesystem.write");
    /// assert_eq!(&*verdict.origin.unwrap().source, "base.toml");
    /// assert_eq!(verdict.changes[0].option.as_deref(), Some("--write /usr/bin/env"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ask(&self, question: &Question, inside: &Inside) -> Verdict {
        match question {
            Question::Read(path) => files::read(self, path, inside, false),
            Question::Execute(path) => files::read(self, path, inside, true),
            Question::Write(path) => files::write(self, path, inside),
            Question::Move(path) => files::take(self, path, inside),
            Question::Socket(path) => sockets::connect(self, path, inside),
            Question::Connect { host, .. } => network::connect(self, host),
            Question::Bind { .. } => network::bind(self),
            Question::Variable(name) => variables::variable(self, name),
        }
    }
}
