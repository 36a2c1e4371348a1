//! The command line described for shells and for `man`.

use std::process::{Command, Stdio};

use crate::support::{Setup, finish};

fn printed(args: &[&str]) -> String {
    let ran = finish(Setup::plain().cofferdam(args).spawn().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.stdout
}

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(&["completions", shell]);
        for word in ["explain", "profile", "--launcher", "--timeout"] {
            let bare = word.trim_start_matches('-');
            assert!(script.contains(bare), "{shell}: no `{word}`");
        }
    }
}

#[test]
fn bash_completes_a_command_and_its_options() {
    let script = printed(&["completions", "bash"]);
    let complete = |words: &str, word: &str| {
        let body = format!(
            "{script}\nCOMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _cofferdam cofferdam {word}; echo \"${{COMPREPLY[@]}}\""
        );
        let mut bash = Command::new("bash");
        bash.args(["-c", &body]).stdout(Stdio::piped()).stderr(Stdio::piped());
        finish(bash.spawn().unwrap()).stdout
    };
    assert!(complete("cofferdam exp", "exp").contains("explain"));
    assert!(complete("cofferdam run --lau", "--lau").contains("--launcher"));
}

#[test]
fn a_manual_page_is_of_the_program_or_of_a_command() {
    let whole = printed(&["man"]);
    assert!(whole.contains(".TH cofferdam 1") && whole.contains("explain"), "{whole}");
    assert!(!whole.contains("probe"), "{whole}");
    let run = printed(&["man", "run"]);
    assert!(run.contains(".TH cofferdam-run 1") && run.contains("\\-\\-timeout"), "{run}");
}

#[test]
fn a_manual_page_of_nothing_names_what_there_is() {
    let ran = finish(Setup::plain().cofferdam(["man", "walk"]).spawn().unwrap());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("`walk`") && ran.stderr.contains("`run`"), "{ran:?}");
}
