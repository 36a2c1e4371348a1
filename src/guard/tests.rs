//! The forms that the reference systems let through, and those that are harmless.

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
fn configuration_of_git_is_refused_wherever_it_stands() {
    refused(&[
        ("git -c core.pager=./x log", "config"),
        ("git -C . -c a.b=c log", "config"),
        ("git --config-env=a.b=C log", "config"),
        ("git config a.b c", "config"),
        ("git -C . --no-pager config a.b c", "config"),
        ("git --namespace config config a.b c", "config"),
        ("git clone -c a.b=c up", "config"),
        ("git clone --conf a.b=c up", "config"),
        ("git clone -lcx.y=z up", "config"),
        ("git --exec-path=. log", "exec-path"),
        ("git -p log", "pager"),
        ("git --frob log", "unknown-option"),
        ("git frob", "subcommand"),
        ("git clone -u ./x up", "remote-program"),
        ("git fetch --upl=./x up", "remote-program"),
        ("git push --rece ./x", "remote-program"),
        ("git clone ext::./x", "transport"),
        ("git grep -nO./x a", "pager"),
        ("git grep a --open=./x", "pager"),
        ("git rebase -ix ./x main", "exec"),
        ("git rebase main --exec ./x", "exec"),
        ("git bisect run ./x", "bisect-run"),
        ("git filter-branch --tree-filter x", "filter-branch"),
        ("git send-email --to-cmd x", "send-email"),
        ("/usr/bin/git config a.b c", "config"),
    ]);
    passes(&[
        "git status",
        "git -C sub --no-pager log --oneline -n 5 -- src",
        "git commit -C HEAD -m |-c config --output|",
        "git grep -e O -n a",
        "git diff --stat",
        "git log --grep config",
        "git checkout -b config",
        "git clone -b main -o up url",
    ]);
}

#[test]
fn long_options_are_found_behind_abbreviations_clusters_operands_and_values() {
    refused(&[
        ("sort --compress-program=./x in", "compress-program"),
        ("sort in --comp ./x", "compress-program"),
        ("sort -no out in", "write"),
        ("sort in -o out", "write"),
        ("sort -t -- -o out in", "write"),
        ("sort --key -- --output out", "write"),
        ("sort -k -o in", "write"),
        ("sort --files0-f=list", "file-list"),
        ("gsort -T/tmp in", "write"),
        ("tar cIf ./x a.tar in", "program"),
        ("tar -xf a.tar --to-command=./x", "program"),
        ("tar -xf a.tar --checkpoint=1 --checkpoint-act=exec=./x", "program"),
        ("bsdtar --use-compress-p ./x -cf a in", "program"),
        ("tar -cfhost:a in", "remote-archive"),
        ("find . -name a -exec ./x {} ;", "exec"),
        ("find . -delete", "delete"),
        ("find . -fprintf out a", "write"),
        ("fd -HX ./x", "exec"),
        ("sed -i s/a/b/ in", "in-place"),
        ("sed -ni.bak p in", "in-place"),
        ("sed |1e ./x| in", "script"),
        ("sed -n -e p -e |w out| in", "script"),
        ("sed --expr=e in", "script"),
        ("sed -- |w out| -ep", "script"),
        ("sed -f x.sed in", "program-file"),
        ("gawk -f x.awk in", "program-file"),
        ("gawk --sour=@load in", "text"),
        ("gawk -d in", "write"),
        ("mawk -W exec x", "program-file"),
        ("dd if=in of=out", "write"),
        ("curl -sSo out url", "write"),
        ("curl --conf x", "config"),
        ("xxd in out", "write"),
        ("install -s --strip-prog=./x a b", "strip-program"),
        ("gcc -wrapper ./x a.c", "program"),
    ]);
    passes(&[
        "sort -k2o in",
        "sort -t o -n in",
        "sort -n -- -o",
        "sort --check in",
        "uniq -c in",
        "uniq -f 1 in",
        "tar -czf a.tgz in",
        "tar tf a.tar",
        "find . -name a -print",
        "sed -n 1,5p in",
        "sed s/a/b/ w.txt",
        "awk |{print $1}| in",
        "awk -F: |$3 > 5| in",
        "split -l 5 in",
        "tee",
        "curl -sS -H |o: K| url",
        "ls -la",
    ]);
}

#[test]
fn a_wrapper_that_is_allowed_runs_what_is_allowed_and_nothing_else() {
    let rule = |line: &str| {
        rule_with(&Guard::leaf_tools(), &["timeout", "env", "xargs", "git", "ls", "nice"], line)
    };
    for line in ["timeout 5 git status", "env -i nice -n 5 timeout 5 ls", "xargs -0 ls", "env"] {
        assert_eq!(rule(line), None, "{line}");
    }
    for (line, expected) in [
        ("timeout 5 sh -c ./x", "wrapped"),
        ("timeout 5 ./x", "wrapped"),
        ("env -S ./x", "unclear"),
        ("env ./x", "wrapped"),
        ("env GIT_EXTERNAL_DIFF=./x git diff", "variables"),
        ("nice timeout 5 env ./x", "wrapped"),
        ("xargs sh -c", "wrapped"),
        ("xargs -I {} {}", "unclear"),
        // It would add arguments to git that cannot be seen.
        ("xargs git", "unseen"),
        ("timeout --frob git", "unclear"),
        ("timeout 5 git -c a=b log", "config"),
    ] {
        assert_eq!(rule(line).as_deref(), Some(expected), "{line}");
    }
}

/// Far more of them than a thread's stack has room for.
#[test]
fn any_number_of_wrappers_in_front_of_each_other_is_looked_through() {
    let wrappers = ["nohup", "nice", "env"].into_iter().cycle().take(100_000);
    let rule = |last: &'static [&str]| {
        let gate = gate(&["nohup", "nice", "env", "git"]);
        let request = Request::new("env").args(wrappers.clone().chain(last.iter().copied()));
        Guard::leaf_tools().admit(&gate, &request.first).err().map(|refusal| refusal.rule)
    };
    assert_eq!(rule(&["git", "status"]), None);
    assert_eq!(rule(&["git", "config", "a.b", "c"]).as_deref(), Some("config"));
    assert_eq!(rule(&["sh", "-c", "x"]).as_deref(), Some("wrapped"));
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
    let text = include_str!("leaf-tools.toml");
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
