//! The launchers, and whether this system has what they stand on.

use std::fmt;
use std::process::{Command, Stdio};

use landlock::{ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
use serde_json::{Value, json};

use super::User;

/// A launcher of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Launcher {
    /// Nothing wraps the command.
    None,
    /// With namespaces where they can be made.
    Landlock,
    /// Landlock as it works where there are no namespaces.
    LandlockInPlace,
    Bubblewrap,
    /// The program chooses.
    Auto,
}

impl Launcher {
    /// Every launcher, each by its own name.
    pub(crate) const EVERY: [Launcher; 4] =
        [Launcher::None, Launcher::Landlock, Launcher::LandlockInPlace, Launcher::Bubblewrap];

    /// Those that confine.
    pub(crate) const CONFINING: [Launcher; 3] =
        [Launcher::Landlock, Launcher::LandlockInPlace, Launcher::Bubblewrap];

    /// Those that can enforce every profile, where namespaces can be made.
    pub(crate) const WITH_NAMESPACES: [Launcher; 2] = [Launcher::Landlock, Launcher::Bubblewrap];

    /// As messages say it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Launcher::None => "none",
            Launcher::Landlock | Launcher::LandlockInPlace => "landlock",
            Launcher::Bubblewrap => "bubblewrap",
            Launcher::Auto => "auto",
        }
    }

    /// As the setting `launcher` says it.
    pub(crate) fn setting(self) -> Value {
        match self {
            Launcher::LandlockInPlace => json!({ "name": "landlock", "namespaces": "off" }),
            other => json!(other.name()),
        }
    }

    /// As the option `--launcher` says it.
    pub(crate) fn option(self) -> String {
        match self.setting() {
            Value::String(name) => name,
            table => table.to_string(),
        }
    }

    /// Why this launcher cannot work here for a user; `None` where it must. The system is asked and
    /// not the program, or a launcher that is broken would pass for one that is not there.
    pub(crate) fn hindrance(self, user: User) -> Option<String> {
        match self {
            Launcher::None => None,
            Launcher::Landlock | Launcher::LandlockInPlace => no_landlock(),
            Launcher::Bubblewrap => no_bubblewrap(user),
            Launcher::Auto => no_landlock().and_then(|_| no_bubblewrap(user)),
        }
    }
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Launcher::LandlockInPlace => f.write_str("landlock without namespaces"),
            other => f.write_str(other.name()),
        }
    }
}

fn no_landlock() -> Option<String> {
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .and_then(Ruleset::create);
    ruleset.err().map(|error| format!("this kernel has no Landlock ({error})"))
}

fn no_bubblewrap(user: User) -> Option<String> {
    let mut command = Command::new("bwrap");
    command
        .args(["--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/"])
        .args(["--proc", "/proc", "--dev", "/dev", "--", "true"])
        .stdin(Stdio::null())
        .current_dir("/");
    user.applied_to(&mut command);
    match command.output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let words = String::from_utf8_lossy(&output.stderr);
            Some(format!("bwrap does not work for {user} ({})", words.trim()))
        }
        Err(error) => Some(format!("bwrap cannot be started ({error})")),
    }
}
