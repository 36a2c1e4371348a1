//! Starts commands inside the launcher's confinement.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use cofferdam_landlock::{Landlock, Namespaces, Options};
use cofferdam_launcher::{Launcher, Plan, Scratch};
use cofferdam_profiles::{Context, Grants, Policy, Source};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What Landlock without namespaces leaves open.
pub(crate) const OPEN: [&str; 5] = ["ipc", "loopback", "metadata", "processes", "pty"];

/// What stands before the command's own output.
const MARK: &str = "\u{2}confined\u{3}";
/// Between the parts of a list in the environment.
const SEPARATOR: &str = "\u{1f}";

/// Who runs the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    /// Whoever runs the tests: root in CI.
    Own,
    /// An ordinary user. Only root can become one.
    Nobody,
}

/// Both users where that is possible.
pub(crate) fn users() -> Vec<User> {
    match nix::unistd::getuid().is_root() {
        true => vec![User::Own, User::Nobody],
        false => vec![User::Own],
    }
}

/// A place with a workspace, a secret beside it, and scratch folders, which every user may enter.
pub(crate) struct Place {
    root: TempDir,
    policy: Value,
    user: User,
}

impl Place {
    /// A policy that reads the system, writes the workspace, and has no network.
    pub(crate) fn new(user: User) -> Self {
        let root = TempDir::with_prefix("landlock-").unwrap();
        let place = Place { root, policy: Value::Null, user };
        open_to_all(place.root.path());
        for folder in ["work", "outside", "tmp", "home"] {
            fs::create_dir(place.path(folder)).unwrap();
            open_to_all(&place.path(folder));
        }
        place.write("outside/secret", "TOP-SECRET");
        let usual = json!({
            "best-effort": OPEN,
            "filesystem": {"read": ["/usr", "/etc"], "write": [place.path("work"), "${tmp}"]},
        });
        Place { policy: usual, ..place }
    }

    /// The same place with more in its policy: lists grow, other values are replaced.
    pub(crate) fn and(mut self, more: Value) -> Self {
        merge(&mut self.policy, more);
        self
    }

    /// The same place with this list of paths instead.
    pub(crate) fn with_paths(mut self, access: &str, paths: &[&Path]) -> Self {
        self.policy["filesystem"][access] = json!(paths);
        self
    }

    /// The resolved policy.
    pub(crate) fn policy(&self) -> Policy {
        policy(self.policy.clone())
    }

    /// The launcher with this policy.
    pub(crate) fn launcher(&self) -> Landlock {
        Landlock::new(in_place(), Arc::new(self.policy())).unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    /// Writes a file that every user can change.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
        fs::set_permissions(self.path(name), Permissions::from_mode(0o666)).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Runs a shell script inside.
    pub(crate) fn sh(&self, script: &str) -> Ran {
        self.run(["/bin/sh", "-c", script])
    }

    /// Runs a Python program inside.
    pub(crate) fn python(&self, program: &str) -> Ran {
        self.run(["/usr/bin/python3", "-c", program])
    }

    /// Runs a command inside and waits for it.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, argv: impl IntoIterator<Item = A>) -> Ran {
        Ran::of(self.command(argv).output().unwrap())
    }

    fn command<A: AsRef<OsStr>>(&self, argv: impl IntoIterator<Item = A>) -> Command {
        let argv: Vec<_> = argv.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        let program = self.program();
        let mut command = match self.user {
            User::Own => Command::new(&program),
            User::Nobody => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]);
                command.arg(&program);
                command
            }
        };
        command
            .args(["--exact", "support::becomes_the_command", "--nocapture"])
            .current_dir(self.path("work"))
            .stdin(Stdio::null())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("TEST_POLICY", self.policy.to_string())
            .env("TEST_ARGV", argv.join(OsStr::new(SEPARATOR)));
        command
    }

    /// This program, where the user can execute it.
    fn program(&self) -> PathBuf {
        let own = std::env::current_exe().unwrap();
        if self.user == User::Own {
            return own;
        }
        let copy = self.path("test-program");
        if !copy.exists() && fs::hard_link(&own, &copy).is_err() {
            fs::copy(&own, &copy).unwrap();
        }
        fs::set_permissions(&copy, Permissions::from_mode(0o755)).unwrap();
        copy
    }
}

fn open_to_all(path: &Path) {
    fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
}

/// What a command left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let (_, stdout) = stdout
            .split_once(MARK)
            .unwrap_or_else(|| panic!("was not confined: {stdout}{output:?}"));
        Ran {
            code: output.status.code(),
            stdout: stdout.to_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Asserts exit 0 and this output.
    #[track_caller]
    pub(crate) fn printed(&self, expected: &str) {
        assert_eq!(self.stdout.trim_end(), expected, "{self:?}");
        assert_eq!(self.code, Some(0), "{self:?}");
    }

    /// Asserts another exit than 0, and this word on stderr.
    #[track_caller]
    pub(crate) fn failed_with(&self, word: &str) {
        assert_ne!(self.code, Some(0), "{self:?}");
        assert!(self.stderr.contains(word), "{self:?}");
    }
}

/// The options of the way without namespaces.
pub(crate) fn in_place() -> Options {
    Options::default().namespaces(Namespaces::Off)
}

/// A policy from an inline profile.
pub(crate) fn policy(profile: Value) -> Policy {
    let context = Context::from_environment(Path::new("/nonexistent"));
    cofferdam_profiles::resolve(&Source::Inline(profile), &Grants::default(), &context).unwrap()
}

fn merge(into: &mut Value, more: Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (key, value) in more {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(into), Value::Array(more)) => into.extend(more),
        (into, more) => *into = more,
    }
}

/// Not a test by itself: what the other tests start. Confines its own process, as the spawner's
/// child does, and becomes the command.
#[test]
fn becomes_the_command() {
    let Some(argv) = std::env::var_os("TEST_ARGV") else { return };
    let argv = argv.into_string().unwrap();
    let mut argv = argv.split(SEPARATOR);
    let program = argv.next().unwrap();
    let policy = policy(std::env::var("TEST_POLICY").unwrap().parse().unwrap());
    let plan = Plan::new(program, program, std::env::current_dir().unwrap())
        .with_args(argv)
        .with_scratch(Scratch {
            tmp: std::env::var_os("TMPDIR").unwrap().into(),
            home: std::env::var_os("HOME").unwrap().into(),
        });
    let launcher = Landlock::new(in_place(), Arc::new(policy)).unwrap();
    launcher.check().unwrap();
    let launch = launcher.wrap(&plan).unwrap();
    let mut command = Command::new(launch.program());
    command.args(&launch.argv()[1..]).env_remove("TEST_ARGV").env_remove("TEST_POLICY");
    print!("{MARK}");
    io::stdout().flush().unwrap();
    launch.child_step().unwrap().apply().unwrap();
    panic!("{}", command.exec());
}
