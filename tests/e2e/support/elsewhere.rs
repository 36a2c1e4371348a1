//! A changed system: the program runs where something is missing, or is something else.

use std::process::{Command, Stdio};

use super::{Setup, User, users};

impl Setup {
    /// The same command in a mount namespace of its own, after a shell script has changed what is
    /// mounted there. Only root can do that; the command runs as the user of this setup.
    pub(crate) fn with_mounts(&self, script: &str, command: &Command) -> Command {
        let mut words = vec!["--mount", "--propagation", "private", "--", "sh", "-ec"];
        let enter = format!("{script}\nexec {} \"$@\"", self.user.words().join(" "));
        words.extend([&enter, "sh"]);
        unshare(&words, command, User::Own)
    }

    /// The same command where no user namespace can be made.
    pub(crate) fn without_user_namespaces(&self, command: &Command) -> Command {
        let script = "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$@\"";
        let words = ["--user", "--map-root-user", "--", "sh", "-ec", script, "sh"];
        unshare(&words, command, self.user)
    }
}

/// `unshare(1)` with these words before the command, started by this user.
fn unshare(words: &[&str], command: &Command, user: User) -> Command {
    let mut outer = Command::new("unshare");
    outer.args(words).arg(command.get_program()).args(command.get_args());
    outer.env_clear();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            outer.env(name, value);
        }
    }
    outer.current_dir(command.get_current_dir().expect("every command of a setup has one"));
    outer.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    user.applied_to(&mut outer);
    outer
}

/// Why mounts cannot be changed for a test; `None` where they can.
pub(crate) fn no_mounts() -> Option<&'static str> {
    (users() == [User::Own]).then_some("only root can change what is mounted")
}
