//! Answers about system calls, which the filter of the launchers decides.

use cofferdam_profiles::Policy;

use super::answer::{Answer, ChangePayload};
use super::launchers::Launchers;
use crate::cli::report::Failure;
use crate::evidence::Calls;

/// What the filter says to a call.
pub(super) fn answer(
    policy: &Policy,
    name: &str,
    launchers: &Launchers,
) -> Result<Answer, Failure> {
    let calls = Calls::of(policy);
    let Some(call) = calls.call(name) else {
        let nearest = calls.nearest(name).map(|nearest| format!("; did you mean `{nearest}`?"));
        return Err(Failure(format!(
            "no system call is known by the name {name:?}, and what the filter does not know it \
             refuses{}",
            nearest.unwrap_or_default()
        )));
    };
    let because = match (call.is_allowed, call.depends) {
        (true, false) => call.why.to_owned(),
        (true, true) => format!("{}; refused with some arguments", call.why),
        (false, true) => format!("{}; allowed with some arguments", call.why),
        (false, false) => call.why.to_owned(),
    };
    let mut answer = Answer::of_call(name, call.is_allowed, because, policy, launchers);
    if let Some(entry) = Calls::entry(policy, name) {
        answer.stands_in(&entry.origin);
    }
    if !call.is_allowed {
        let change = |entry: &str, what: &str| ChangePayload {
            opens: format!(
                "the kernel does what a run asks of it with {what}, within the rights of this user"
            ),
            option: None,
            profile: Some(format!("syscalls.allow = [{entry:?}]")),
        };
        match Calls::hindrance(policy, name) {
            None => {
                answer.change(change(name, "this call"));
                // A call of a group is seldom of use without the others.
                if let Some(group) = Calls::group(name) {
                    answer.change(change(group, "this call and those that belong to it"));
                }
            }
            Some(why) => answer.add_reason(&why),
        }
    }
    Ok(answer)
}
