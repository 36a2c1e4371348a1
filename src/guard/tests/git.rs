//! Forms of git.

use super::*;

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
