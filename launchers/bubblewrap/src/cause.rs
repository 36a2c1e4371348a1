//! Why bubblewrap failed, and what would help: its own message, and what the machine says of itself.

use std::path::Path;

/// Switches of the machine that keep bubblewrap from working.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Machine {
    /// AppArmor lets only programs with a profile make user namespaces (Ubuntu since 23.10).
    pub(crate) apparmor: bool,
    /// Debian's switch for users other than root is off.
    pub(crate) clone_off: bool,
    /// The number of user namespaces is limited to none.
    pub(crate) none_allowed: bool,
    /// Everything runs in a container already.
    pub(crate) container: bool,
}

impl Machine {
    /// Looks at the switches of this machine.
    pub(crate) fn look() -> Self {
        let holds = |file: &str, value: &str| {
            std::fs::read_to_string(file).is_ok_and(|text| text.trim() == value)
        };
        let exists = |file: &str| Path::new(file).exists();
        Machine {
            apparmor: holds("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"),
            clone_off: holds("/proc/sys/kernel/unprivileged_userns_clone", "0"),
            none_allowed: holds("/proc/sys/user/max_user_namespaces", "0"),
            container: exists("/.dockerenv") || exists("/run/.containerenv"),
        }
    }
}

/// Bubblewrap's own words in what came on stderr, without its name. Empty when it said nothing.
pub(crate) fn own_words(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("bwrap: ")).collect();
    lines.join("; ")
}

/// Whether the message says that namespaces could not be made or set up.
fn is_about_namespaces(message: &str) -> bool {
    const SIGNS: [&str; 6] =
        ["namespace", "uid map", "gid map", "setgroups", "loopback: Failed", "mount propagation"];
    SIGNS.iter().any(|sign| message.contains(sign))
}

/// What would help against this failure, where that is known.
pub(crate) fn remedy(message: &str, machine: Machine) -> Option<String> {
    let landlock = "the launcher `landlock` needs no namespaces";
    let text = if message.contains("Unknown option") {
        "install bubblewrap 0.8 or later".to_owned()
    } else if message.contains("Can't mount proc") || message.contains("open /proc/sys/user") {
        format!(
            "parts of /proc are masked or read-only here, as containers do it: start the container with \
             `--security-opt systempaths=unconfined`; {landlock}"
        )
    } else if message.contains("Can't find source path") && message.contains("Permission denied") {
        "a folder on the way to it may not be passed: inside a user namespace even root has no rights over the files \
         of other users, so let the policy name folders of the user who runs this"
            .to_owned()
    } else if !is_about_namespaces(message) {
        return None;
    } else if machine.none_allowed {
        format!(
            "this machine allows no user namespaces: `sysctl user.max_user_namespaces=16384`; {landlock}"
        )
    } else if machine.clone_off {
        format!(
            "user namespaces are switched off for ordinary users: `sysctl kernel.unprivileged_userns_clone=1`; {landlock}"
        )
    } else if machine.apparmor {
        format!(
            "AppArmor restricts user namespaces: install an AppArmor profile for bwrap that allows `userns`, or \
             `sysctl kernel.apparmor_restrict_unprivileged_userns=0`; {landlock}"
        )
    } else if machine.container {
        format!(
            "the container's seccomp profile refuses namespaces: start it with `--security-opt seccomp=unconfined` or \
             a profile that allows `unshare`, `clone` and `mount`; {landlock}"
        )
    } else {
        format!(
            "the kernel or a security module refuses user namespaces to this user, or too many are in use; {landlock}"
        )
    };
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSED: &str = "setting up uid map: Permission denied";
    const EXHAUSTED: &str = "Creating new namespace failed: nesting depth or \
                             /proc/sys/user/max_*_namespaces exceeded (ENOSPC)";

    #[test]
    fn only_bubblewraps_own_lines_count() {
        let text = b"noise\nbwrap: setting up uid map: Permission denied\nxbwrap: no\n";
        assert_eq!(own_words(text), REFUSED);
        assert_eq!(own_words(b"\xff"), "");
    }

    #[test]
    fn the_switch_that_is_set_is_the_one_that_is_named() {
        let none = Machine::default();
        for (machine, sign) in [
            (Machine { apparmor: true, ..none }, "apparmor_restrict_unprivileged_userns"),
            (Machine { clone_off: true, ..none }, "unprivileged_userns_clone"),
            (Machine { none_allowed: true, ..none }, "max_user_namespaces"),
            (Machine { container: true, ..none }, "seccomp=unconfined"),
            (none, "security module"),
        ] {
            for message in [REFUSED, EXHAUSTED] {
                let text = remedy(message, machine).unwrap();
                assert!(text.contains(sign), "{machine:?}: {text}");
                assert!(text.contains("`landlock`"), "{text}");
            }
        }
    }

    #[test]
    fn a_masked_proc_and_an_old_version_have_remedies_of_their_own() {
        let text = |message| remedy(message, Machine::default()).unwrap();
        assert!(
            text("Can't mount proc on /newroot/proc: Operation not permitted")
                .contains("systempaths")
        );
        let masked = "cannot open /proc/sys/user/max_user_namespaces: Read-only file system";
        assert!(text(masked).contains("systempaths"));
        assert!(text("Unknown option --disable-userns").contains("0.8"));
    }

    #[test]
    fn a_message_about_a_file_has_no_remedy_about_namespaces() {
        let machine = Machine { apparmor: true, ..Machine::default() };
        assert_eq!(remedy("Can't find source path /x: No such file or directory", machine), None);
    }
}
