//! Runs a command in the sandbox, and explains what it was refused.

use std::collections::HashSet;
use std::path::PathBuf;

use cofferdam_profiles::Question;
use serde::Serialize;

use super::question::Asked;
use super::{Answer, Case};
use crate::cli::args::WhyArgs;
use crate::cli::exit;
use crate::cli::report::{Failure, print, print_json};
use crate::cli::run::{Ran, captured, tell};
use crate::cli::style::{Style, Tone};
use crate::evidence::{Denial, Evidence, Involved, shown};
use crate::{Outcome, Payload, Request};

/// So many lines of what the command said are shown where the sandbox has no part in its failure.
const LAST_LINES: usize = 10;

/// What a run came to.
#[derive(Debug, Serialize)]
struct Told {
    /// For each denial that is about something a policy can be asked.
    answers: Vec<Answer>,
    run: Payload,
}

/// Runs the command, and returns what it exits with.
pub(super) fn explain(args: WhyArgs) -> Result<u8, Failure> {
    let case = Case::new(&args.sandbox)?;
    let mut words = args.command.into_iter();
    let program = words.next().unwrap_or_default();
    let Ran { outcome, ended_by } = captured(&args.sandbox, Request::new(program).args(words))?;
    let evidence = outcome.sandbox.iter().flat_map(|sandbox| &sandbox.evidence.denied);
    let asked: Vec<_> = evidence.map(|denial| (denial, asked(denial))).collect();
    let mut answers = Vec::new();
    let mut calls = HashSet::new();
    for (_, asked) in &asked {
        match asked {
            // The same with other arguments has the same answer.
            Some(Asked::Syscall(name)) if !calls.insert(name) => {}
            Some(asked) => answers.push(case.answer(asked)?),
            None => {}
        }
    }
    if args.json {
        print_json(&Told { answers, run: outcome.payload() })?;
    } else {
        let unasked = asked.iter().filter(|(_, asked)| asked.is_none()).map(|(denial, _)| *denial);
        print(&render(&outcome, &answers, unasked))?;
        tell(&outcome);
    }
    Ok(ended_by.map_or_else(|| exit::code(&outcome), exit::by_signal))
}

/// The question that a denial answers; `None` where its target was cut or escaped.
fn asked(denial: &Denial) -> Option<Asked> {
    let target = denial.target.clone();
    if target.contains(['\\', '…']) {
        return None;
    }
    let path = || PathBuf::from(&target);
    Some(match denial.what {
        "read" => Asked::Policy(Question::Read(path())),
        "write" if denial.rule == "filesystem.protect" => Asked::Policy(Question::Move(path())),
        "write" => Asked::Policy(Question::Write(path())),
        "exec" => Asked::Policy(Question::Execute(path())),
        "socket" => Asked::Policy(Question::Socket(path())),
        "env" => Asked::Policy(Question::Variable(target)),
        "connect" => Asked::Policy(Question::Connect { host: target, port: None }),
        // `unshare CLONE_NEWUSER`: the call, and what decided.
        "syscall" if ["syscalls.allow", "network"].contains(&denial.rule) => {
            Asked::Syscall(target.split(' ').next().unwrap_or_default().to_owned())
        }
        _ => return None,
    })
}

fn render<'a>(
    outcome: &Outcome,
    answers: &[Answer],
    unasked: impl Iterator<Item = &'a Denial>,
) -> String {
    let style = Style::of_stdout();
    let Some(sandbox) = &outcome.sandbox else { return String::new() };
    let evidence = &sandbox.evidence;
    let exit = outcome.exit.number().map_or_else(|| "none".to_owned(), |exit| exit.to_string());
    let word = |word: &str, tone| style.tinted(word, tone);
    let mut text = match evidence.verdict {
        None => format!(
            "{}: exit 0; of a success nothing is looked at\n",
            word("succeeded", Tone::Good)
        ),
        Some(Involved::Denied) => {
            let all = evidence.denied.len() + evidence.more_denied;
            format!("exit {exit}; {}\n", word(&format!("the sandbox refused {all}"), Tone::Bad))
        }
        Some(Involved::Not) => format!("exit {exit}; nothing speaks for the sandbox\n"),
        Some(Involved::Unknown) => {
            format!("exit {exit}; something was refused, and it cannot be told by whom\n")
        }
    };
    for answer in answers {
        text += &format!("\n{}", answer.render(style));
    }
    for denial in unasked {
        let hint = denial.hint.as_deref().unwrap_or(denial.rule);
        text += &format!("\n{} {}: {hint}\n", denial.what, denial.target);
    }
    if evidence.more_denied > 0 {
        text += &format!("\nand {} more\n", evidence.more_denied);
    }
    if matches!(evidence.verdict, Some(Involved::Not | Involved::Unknown)) {
        text += &last_words(outcome);
    }
    text += &tried_in_silence(evidence);
    text
}

/// The system calls that were refused without a word about it: for a person who wonders.
fn tried_in_silence(evidence: &Evidence) -> String {
    let is_silent = |call: &&Denial| evidence.denied.iter().all(|it| it.target != call.target);
    let silent = evidence.refused_calls.iter().filter(is_silent);
    let silent: Vec<_> = silent.map(|call| call.target.as_str()).collect();
    match silent.as_slice() {
        [] => String::new(),
        calls => format!(
            "\nthe filter also refused these system calls, and nothing says that it mattered: {}\n",
            calls.join(", ")
        ),
    }
}

/// The end of what the command said, so that it need not be run again to read it.
fn last_words(outcome: &Outcome) -> String {
    let said = outcome.stderr_bytes();
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<_> = said.lines().collect();
    let last = lines.iter().skip(lines.len().saturating_sub(LAST_LINES));
    let last: String = last.map(|line| format!("  {}\n", shown(line, 1024))).collect();
    if last.is_empty() { String::new() } else { format!("\nit said:\n{last}") }
}
