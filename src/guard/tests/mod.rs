//! The forms that the reference systems let through, and those that are harmless.

mod git;
mod tools;
mod wrappers;

use super::table::Table;
use super::*;
use crate::gate::Gate;
use crate::{AllowList, Request};

fn gate(names: &[&str]) -> Gate {
    match names {
        [] => Gate::Any,
        names => Gate::Only(AllowList::new(names)),
    }
}

/// The rule that refuses a command line; `None` where it passes. An argument with blanks in it stands
/// between bars.
fn rule_with(guard: &Guard, names: &[&str], line: &str) -> Option<String> {
    let mut words = Vec::new();
    for (part, text) in line.split('|').enumerate() {
        match part % 2 {
            0 => words.extend(text.split_whitespace()),
            _ => words.push(text),
        }
    }
    let request = Request::new(words[0]).args(&words[1..]);
    guard.admit(&gate(names), &request.first).err().map(|refusal| refusal.rule)
}

fn rule(line: &str) -> Option<String> {
    rule_with(&Guard::leaf_tools(), &[], line)
}

#[track_caller]
fn refused(rows: &[(&str, &str)]) {
    for (line, expected) in rows {
        assert_eq!(rule(line).as_deref(), Some(*expected), "{line}");
    }
}

#[track_caller]
fn passes(lines: &[&str]) {
    for line in lines {
        assert_eq!(rule(line), None, "{line}");
    }
}

#[test]
fn the_forms_that_ran_foreign_code_elsewhere_are_refused() {
    refused(&[
        ("git difftool --extcmd ./x HEAD", "tool"),
        ("git submodule foreach ./x", "foreach"),
        ("git --git-dir=evil status", "git-dir"),
        ("git --git-dir evil status", "git-dir"),
        ("tee -a .git/config", "write"),
        ("gawk -v f=system |BEGIN{@f(\"./x\")}|", "text"),
        ("awk |{system\n(\"./x\")}|", "text"),
        ("awk |{sys\\\ntem(\"./x\")}|", "text"),
        ("split --filter=./x in", "filter"),
        ("dash -c ./x", "shell"),
        ("busybox sh -c ./x", "shell"),
        ("perl5.36.0 -e 1", "interpreter"),
        ("pypy3 x.py", "interpreter"),
        ("sudo ./x", "wrapper"),
        ("autossh -M 0 host", "remote"),
        ("rg --pre ./x a", "preprocessor"),
        ("git log --output=out", "write"),
        ("uniq in out", "write"),
        ("tee out", "write"),
    ]);
}

#[test]
fn shells_and_interpreters_are_a_matter_of_their_exact_name() {
    let guard = Guard::leaf_tools();
    let names = ["sh", "python3", "/usr/bin/perl"];
    for line in ["sh -c x", "python3 x.py", "/usr/bin/perl x.pl"] {
        assert_eq!(rule_with(&guard, &names, line), None, "{line}");
    }
    for line in ["/bin/sh -c x", "python x.py", "perl x.pl"] {
        assert!(rule_with(&guard, &[], line).is_some(), "{line}");
    }
}

#[test]
fn a_pattern_that_admits_a_shell_does_not_name_it() {
    let pattern = ".*sh".parse().unwrap();
    let gate = Gate::Only(AllowList::default().with_patterns([pattern]));
    let refusal = Guard::leaf_tools().admit(&gate, &Request::new("bash").first).unwrap_err();
    assert_eq!(refusal.rule, "shell");
}

#[test]
fn an_exception_is_for_one_rule_of_one_program() {
    let guard = Guard::leaf_tools().except("git", "config").unwrap();
    let guard =
        guard.except("python", "interpreter").unwrap().except("timeout", "wrapper").unwrap();
    let rule = |line: &str| rule_with(&guard, &[], line);
    assert_eq!(rule("git -c a.b=c log"), None);
    assert_eq!(rule("git config a.b c"), None);
    assert_eq!(rule("git -c a.b=c difftool").as_deref(), Some("tool"));
    assert_eq!(rule("python3.11 x.py"), None);
    assert_eq!(rule("perl x.pl").as_deref(), Some("interpreter"));
    assert_eq!(rule("timeout 5 git difftool").as_deref(), Some("tool"));
}

#[test]
fn an_exception_without_effect_is_refused_with_those_that_have_one() {
    let error = Guard::leaf_tools().except("git", "confg").unwrap_err().to_string();
    assert!(error.contains("no rule `confg` about `git`") && error.contains("`config`"), "{error}");
    let error = Guard::leaf_tools().except("ls", "write").unwrap_err().to_string();
    assert_eq!(error, "the guard has no rule about a program `ls`");
}

#[test]
fn a_refusal_names_the_argument_the_rule_the_setting_and_the_exception() {
    let request = Request::new("git").args(["-C", "sub", "-c", "core.pager=x", "log"]);
    let refusal = Guard::leaf_tools().admit(&Gate::Any, &request.first).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "`args[2]` = `-c`: configuration names programs that git runs (rule `config` of `git`). The \
         setting `guard` = \"leaf-tools\" refuses it, a gate of intent and no boundary; \
         \"guard-except\": {\"git\": [\"config\"]} would let it pass"
    );
}

#[test]
fn a_refusal_of_a_program_advises_its_name_only_where_there_is_a_list() {
    for program in ["sh", "nohup"] {
        let refusal = |gate: Gate| {
            let request = Request::new(program).arg("ls");
            Guard::leaf_tools().admit(&gate, &request.first).unwrap_err().to_string()
        };
        let pattern = [".*".parse().unwrap()];
        let with_list = refusal(Gate::Only(AllowList::new(["ls"]).with_patterns(pattern)));
        assert!(
            with_list.contains("the exact name in `allow`, or \"guard-except\""),
            "{with_list}"
        );
        let without = refusal(Gate::Any);
        assert!(without.contains("boundary; \"guard-except\""), "{without}");
    }
}

#[test]
fn every_name_of_the_table_stands_in_it_once() {
    let text = include_str!("../leaf-tools.toml");
    let table: toml::Table = toml::from_str(text).unwrap();
    let mut names: Vec<&str> = ["by-name", "program"]
        .iter()
        .flat_map(|key| table[*key].as_array().unwrap())
        .flat_map(|entry| entry["names"].as_array().unwrap())
        .map(|name| name.as_str().unwrap())
        .collect();
    assert!(names.iter().all(|name| !Table::get().rules(name).is_empty()));
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}
