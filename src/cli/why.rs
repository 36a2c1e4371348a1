//! `cofferdam why`: why something is refused or allowed, and what would change that.

mod answer;
mod command;
mod fragments;
mod launchers;
mod question;
mod syscall;

use std::sync::Arc;

use cofferdam_profiles::{Inside, Policy, Question};

use super::args::{SandboxArgs, WhyArgs};
use super::exit;
use super::report::{Failure, print, print_json};
use super::style::Style;
use answer::Answer;
use launchers::Launchers;
use question::Asked;

/// Answers one question, or runs a command and explains what it was refused.
pub(super) fn why(args: WhyArgs) -> Result<u8, Failure> {
    let (Some(what), Some(target)) = (args.what, &args.target) else {
        return command::explain(args);
    };
    let case = Case::new(&args.sandbox)?;
    let answer = case.answer(&question::read(what, target, &case.policy)?)?;
    match args.json {
        true => print_json(&answer)?,
        false => print(&answer.render(Style::of_stdout()))?,
    }
    Ok(if answer.is_refused() { exit::FAILURE } else { 0 })
}

/// What answers are taken from.
struct Case<'a> {
    sandbox: &'a SandboxArgs,
    policy: Arc<Policy>,
    launchers: Launchers,
}

impl<'a> Case<'a> {
    fn new(sandbox: &'a SandboxArgs) -> Result<Self, Failure> {
        let policy = sandbox.policy.policy()?;
        let launchers = Launchers::find(sandbox, &policy)?;
        Ok(Case { sandbox, policy, launchers })
    }

    /// Answers for a run under the launcher that would be taken.
    fn answer(&self, asked: &Asked) -> Result<Answer, Failure> {
        match asked {
            Asked::Policy(question) => Ok(self.of_policy(question)),
            Asked::Syscall(name) => syscall::answer(&self.policy, name, &self.launchers),
        }
    }

    fn of_policy(&self, question: &Question) -> Answer {
        let inside = Inside::new(self.launchers.have_view());
        let mut verdict = self.policy.ask(question, &inside);
        question::with_existing_path(question, &mut verdict, &self.policy, &inside);
        fragments::add(self.sandbox, question, &mut verdict, &self.policy, &inside);
        Answer::new(question, &verdict, &self.policy, &self.launchers)
    }
}
