//! Shipped fragments that would allow something: tried, not guessed.

use std::path::Path;

use cofferdam_profiles::{Answer, Change, Inside, Policy, Question, Source, Verdict, fragments};

use crate::builder;
use crate::cli::args::SandboxArgs;

/// Puts the fragments first that would allow what was refused. They are made for a purpose, and open
/// what belongs to it together.
pub(super) fn add(
    sandbox: &SandboxArgs,
    question: &Question,
    verdict: &mut Verdict,
    policy: &Policy,
    inside: &Inside,
) {
    // The network has an option of its own, which says the same in one word.
    if verdict.answer != Answer::Refused || matches!(question, Question::Connect { .. }) {
        return;
    }
    for fragment in fragments() {
        let change = Change::fragment(policy, fragment);
        let allows = || {
            let dir = builder::workspace(sandbox.policy.cwd.as_deref()).ok()?;
            let names = [sandbox.policy.source(), Source::Name(fragment.name.to_owned())];
            let with = builder::policy(
                Path::new(&dir),
                &Source::Many(names.to_vec()),
                &sandbox.policy.grants.grants(),
                Vec::new(),
            );
            Some(with.ok()?.ask(question, inside).answer == Answer::Allowed)
        };
        if !verdict.changes.contains(&change) && allows() == Some(true) {
            verdict.changes.insert(0, change);
        }
    }
}
