//! Programs that run another one.

use super::*;

#[test]
fn wrappers_are_refused_by_name_or_looked_through() {
    let allowed = [
        "timeout", "sudo", "env", "xargs", "nice", "nohup", "stdbuf", "setsid", "ionice", "chroot",
        "time", "taskset", "doas", "flock", "gtimeout", "git", "ls",
    ];
    let rule = |line: &str| rule_with(&Guard::leaf_tools(), &allowed, line);
    for (line, expected) in [
        ("timeout -k 1 --signal=KILL 5 git config a.b c", "config"),
        ("timeout --kill-after 1 5 git config a.b c", "config"),
        ("timeout --sig KILL 5 git status", "unclear"),
        ("gtimeout 5 git config a.b c", "config"),
        ("sudo -nu root -- git config a.b c", "config"),
        ("sudo -s git", "unclear"),
        ("sudo LD_PRELOAD=./x git status", "variables"),
        ("env -i -u HOME --chdir=/ git -c a.b=c log", "config"),
        ("env --split-string=git", "unclear"),
        ("env --unset HOME PAGER=./x git log", "variables"),
        ("xargs -0 -n 1 -a list git", "unseen"),
        ("xargs -0 -a list ./x", "wrapped"),
        ("xargs --max-args=1 -i ls", "unclear"),
        ("nice -n5 git -p log", "pager"),
        ("nice --adj 5 git log", "unclear"),
        ("nohup git bisect run ./x", "bisect-run"),
        ("stdbuf -oL --error=0 git difftool", "tool"),
        ("setsid -fw git submodule foreach ./x", "foreach"),
        ("ionice -c2 -n 7 git rebase -x ./x", "exec"),
        ("ionice -p 1", "unclear"),
        ("chroot --userspec=a:b /srv git config a.b c", "config"),
        ("taskset -c 0 git config a.b c", "config"),
        ("taskset -p 1", "unclear"),
        ("doas -u root git config a.b c", "config"),
        ("time -o out git status", "unclear"),
        ("flock lock -c ./x", "unclear"),
        ("flock -n lock git config a.b c", "config"),
        ("nohup nice -n 5 ionice -t timeout 5 sh", "wrapped"),
    ] {
        assert_eq!(rule(line).as_deref(), Some(expected), "{line}");
    }
    for line in ["watch ls", "parallel ls", "watch -x ls", "strace ls", "sem ls", "unbuffer ls"] {
        assert_eq!(
            rule_with(&Guard::leaf_tools(), &[], line).as_deref(),
            Some("wrapper"),
            "{line}"
        );
    }
    for name in ["ld-linux-x86-64.so.2", "ld-musl-x86_64.so.1", "proxychains4", "tini"] {
        assert_eq!(self::rule(name).as_deref(), Some("wrapper"), "{name}");
    }
    for name in ["coreutils", "yash"] {
        assert_eq!(self::rule(name).as_deref(), Some("shell"), "{name}");
    }
    for line in [
        "timeout -v 5 git status",
        "sudo -u root git status",
        "env -i -C / ls",
        "xargs -0 -n 1 ls",
        "nice -5 stdbuf -o0 setsid ionice -c3 nohup time -p git log",
        "flock --shared -w 5 lock git status",
    ] {
        assert_eq!(rule(line), None, "{line}");
    }
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
