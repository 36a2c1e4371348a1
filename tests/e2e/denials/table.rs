//! Programs that fail, each with what it comes to where the launcher has a view of its own, and where
//! it has none.

/// One command line.
pub(super) struct Case {
    /// What must be installed.
    pub(super) programs: &'static [&'static str],
    /// For `sh -c`. `OUTSIDE` is a folder that the profile does not open.
    pub(super) script: &'static str,
    pub(super) in_view: Expected,
    pub(super) in_place: Expected,
}

/// What is told.
pub(super) enum Expected {
    /// This was refused: what, and the target or a part of it.
    Denied(&'static str, &'static str),
    /// The sandbox had no part in the failure.
    Not,
    /// Here it does not fail.
    Succeeds,
}

use Expected::{Denied, Not, Succeeds};

macro_rules! case {
    ([$($program:literal)*] $script:literal => $both:expr) => {
        case!([$($program)*] $script => $both, $both)
    };
    ([$($program:literal)*] $script:literal => $in_view:expr, $in_place:expr) => {
        Case { programs: &[$($program),*], script: $script, in_view: $in_view, in_place: $in_place }
    };
}

pub(super) const CASES: &[Case] = &[
    // Refused: files.
    case!([] "touch /usr/cofferdam-owned" => Denied("write", "/usr/cofferdam-owned")),
    case!([] "touch /etc/cofferdam-owned" => Denied("write", "/etc/cofferdam-owned")),
    case!([] "mkdir /usr/cofferdam-owned" => Denied("write", "/usr/cofferdam-owned")),
    case!([] "cp f /usr/cofferdam-owned" => Denied("write", "/usr/cofferdam-owned")),
    case!([] "mv f /usr/cofferdam-owned" => Denied("write", "/usr/cofferdam-owned")),
    case!([] "ln -s f /usr/cofferdam-owned" => Denied("write", "/usr/cofferdam-owned")),
    case!([] "install f /usr/cofferdam-owned" => Denied("write", "/usr/cofferdam-owned")),
    case!([] "dd if=f of=/usr/cofferdam-owned" => Denied("write", "/usr/cofferdam-owned")),
    case!([] "tee /usr/cofferdam-owned < f" => Denied("write", "/usr/cofferdam-owned")),
    case!([] "mkfifo /usr/cofferdam-owned" => Denied("write", "/usr/cofferdam-owned")),
    case!([] "echo x > /usr/cofferdam-owned" => Denied("write", "/usr/cofferdam-owned")),
    case!([] "tar cf /usr/cofferdam-owned.tar f" => Denied("write", "/usr/cofferdam-owned.tar")),
    case!([] "rm OUTSIDE/secret" => Denied("write", "OUTSIDE/secret")),
    case!([] "cat OUTSIDE/secret" => Denied("read", "OUTSIDE/secret")),
    case!([] "ls OUTSIDE" => Denied("read", "OUTSIDE")),
    case!([] "find OUTSIDE" => Denied("read", "OUTSIDE")),
    case!([] "cp OUTSIDE/secret g" => Denied("read", "OUTSIDE/secret")),
    case!([] "grep x OUTSIDE/secret" => Denied("read", "OUTSIDE/secret")),
    case!([] "tar cf a.tar OUTSIDE/secret" => Denied("read", "OUTSIDE/secret")),
    case!([] "ln f OUTSIDE/link" => Denied("write", "OUTSIDE/link")),
    case!([] "mv .git elsewhere && mv elsewhere .git" => Denied("write", ".git"), Succeeds),
    case!(["bash"] "bash -c 'echo x > /usr/cofferdam-owned'" => Denied("write", "/usr/cofferdam-owned")),
    case!(["rg"] "rg x OUTSIDE/secret" => Denied("read", "OUTSIDE/secret")),
    case!(["make"] "make owned" => Denied("write", "/usr/cofferdam-owned")),
    case!(["git"] "git config a.b c" => Denied("write", ".git/config"), Succeeds),
    case!(["git"] "git init OUTSIDE/new" => Denied("write", "OUTSIDE")),
    case!(["git"] "git clone -q . /usr/cofferdam-owned" => Denied("write", "/usr/cofferdam-owned")),
    case!(["python3"] "python3 -c 'open(\"/usr/cofferdam-owned\", \"w\")'" => Denied("write", "/usr/cofferdam-owned")),
    case!(["python3"] "python3 -c 'open(\"OUTSIDE/secret\")'" => Denied("read", "OUTSIDE/secret")),
    case!(["python3"] "python3 -c 'import os; os.mkdir(\"/usr/cofferdam-owned\")'" => Denied("write", "/usr/cofferdam-owned")),
    case!(["node"] "node -e 'require(\"fs\").writeFileSync(\"/usr/cofferdam-owned\", \"\")'" => Denied("write", "/usr/cofferdam-owned")),
    case!(["node"] "node -e 'require(\"fs\").readFileSync(\"OUTSIDE/secret\")'" => Denied("read", "OUTSIDE/secret")),
    case!(["cargo"] "cargo init /usr/cofferdam-owned" => Denied("write", "/usr/cofferdam-owned")),
    // Refused: the network.
    case!(["curl"] "curl -sS https://example.org/" => Denied("connect", "example.org")),
    case!(["curl"] "curl -sS http://192.0.2.1/" => Denied("connect", "192.0.2.1")),
    case!(["git"] "git clone https://example.org/x.git y" => Denied("connect", "example.org")),
    case!(["git" "ssh"] "git clone git@example.org:x.git y" => Denied("connect", "example.org")),
    case!(["ssh"] "ssh -o BatchMode=yes example.org true" => Denied("connect", "example.org")),
    case!(["ssh"] "ssh -o BatchMode=yes 192.0.2.1 true" => Denied("connect", "")),
    case!(["python3"] "python3 -c 'import urllib.request as r; r.urlopen(\"https://example.org\")'" => Denied("connect", "")),
    case!(["python3"] "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80))'" => Denied("connect", "")),
    case!(["python3" "pip"] "python3 -m pip download --disable-pip-version-check --retries 1 cofferdam-none" => Denied("connect", "")),
    case!(["node"] "node -e 'fetch(\"https://example.org\").catch(e => { console.error(e.cause); process.exit(1) })'" => Denied("connect", "example.org")),
    case!(["npm"] "npm install --fetch-retries=0 --no-audit left-pad" => Denied("connect", "registry.npmjs.org")),
    // Refused: system calls.
    case!(["unshare"] "unshare -r true" => Denied("syscall", "unshare")),
    case!(["unshare"] "unshare -n true" => Denied("syscall", "unshare")),
    case!(["chroot"] "chroot sub true" => Denied("syscall", "chroot")),
    case!(["strace"] "strace -o trace true" => Succeeds, Denied("syscall", "ptrace")),
    // Failures of their own.
    case!([] "false" => Not),
    case!([] "cat nowhere" => Not),
    case!([] "cat /usr/nowhere" => Not),
    case!([] "cat locked" => Not),
    case!([] "cat ./locked" => Not),
    case!([] "cp nowhere g" => Not),
    case!([] "rm nowhere" => Not),
    case!([] "mkdir sub" => Not),
    case!([] "touch nowhere/x" => Not),
    case!([] "ls -l nowhere" => Not),
    case!([] "./f" => Not),
    case!([] "./nowhere" => Not),
    case!([] "no-such-program" => Not),
    case!([] "grep nothing f" => Not),
    case!([] "tar xf nowhere.tar" => Not),
    case!([] "test -e nowhere" => Not),
    case!(["unshare"] "unshare -r true 2> said; grep nothing f" => Not),
    case!(["unshare"] "unshare -r true 2> said; cat ./locked" => Not),
    case!(["python3"] "unshare -r true 2> said; python3 -c 'raise PermissionError(\"permission denied\")'" => Not),
    case!([] "echo 'FAILED: expected EPERM, permission denied' >&2; exit 1" => Not),
    case!([] "echo 'test permission_denied ... FAILED: got EACCES' >&2; exit 101" => Not),
    case!([] "echo '/etc/shadow: Permission denied is what we assert' >&2; exit 1" => Not),
    case!([] "echo 'git@example.org: Permission denied (publickey).' >&2; exit 255" => Not),
    case!(["rg"] "rg nothing-of-that f" => Not),
    case!(["rg"] "rg text nowhere" => Not),
    case!(["make"] "make fails" => Not),
    case!(["make"] "make nowhere" => Not),
    case!(["git"] "git checkout nowhere" => Not),
    case!(["git"] "git -C nowhere status" => Not),
    case!(["git"] "git log nowhere" => Not),
    case!(["cargo"] "cargo build --manifest-path nowhere/Cargo.toml" => Not),
    case!(["curl"] "curl -sS nonsense://example.org" => Not),
    case!(["ssh"] "ssh -o NoSuchOption=yes x" => Not),
    case!(["python3"] "python3 nowhere.py" => Not),
    case!(["python3"] "python3 -c 'open(\"nowhere\")'" => Not),
    case!(["python3"] "python3 -c 'open(\"locked\")'" => Not),
    case!(["python3"] "python3 -c 'raise PermissionError(\"permission denied\")'" => Not),
    case!(["python3"] "python3 -c 'import unittest as u\nclass T(u.TestCase):\n  def test(self): self.assertEqual(\"EPERM\", \"ok\")\nu.main()'" => Not),
    case!(["python3"] "python3 -c 'import nowhere'" => Not),
    case!(["python3" "pip"] "python3 -m pip install --no-such-option" => Not),
    case!(["node"] "node nowhere.js" => Not),
    case!(["node"] "node -e 'require(\"assert\").strictEqual(\"EPERM\", \"ok\")'" => Not),
    case!(["npm"] "npm run nowhere" => Not),
];
