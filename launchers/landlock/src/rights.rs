//! Which Landlock rights a word of the policy stands for.

use cofferdam_profiles::UnixSockets;
use landlock::{Access, AccessFs, BitFlags};

use crate::abi::Abi;

/// Rights on files, as one set.
pub(crate) type Rights = BitFlags<AccessFs>;

/// The rights that stand behind the words of one policy, on one kernel.
///
/// A ruleset handles every right that the kernel knows, so what is not granted is refused.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vocabulary {
    abi: Abi,
    /// Connecting to socket files, where the kernel has a right for it.
    connect: Rights,
    read: Rights,
    write: Rights,
}

impl Vocabulary {
    pub(crate) fn new(abi: Abi, sockets: &UnixSockets) -> Self {
        let all = AccessFs::from_all(abi.known());
        let connect = match abi.has_socket_files() {
            true => AccessFs::ResolveUnix.into(),
            false => Rights::EMPTY,
        };
        // A workspace holds no device files, and no business with them.
        let devices = AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev;
        let (read, write) = (AccessFs::from_read(abi.known()), all & !devices);
        let (read, write) = match sockets {
            UnixSockets::None => (read, write & !connect),
            UnixSockets::Inside | UnixSockets::Paths(_) => (read, write),
            UnixSockets::All => (read | connect, write),
        };
        Vocabulary { abi, connect, read, write }
    }

    /// The kernel's interface.
    pub(crate) fn abi(self) -> Abi {
        self.abi
    }

    /// Every right of this kernel: what a ruleset handles.
    pub(crate) fn all(self) -> Rights {
        AccessFs::from_all(self.abi.known())
    }

    /// The scopes of this kernel, as the kernel takes them: signals and abstract sockets.
    pub(crate) fn scopes(self) -> u64 {
        match self.abi.has_scopes() {
            true => landlock::Scope::from_all(self.abi.known()).bits(),
            false => 0,
        }
    }

    /// Read, list and execute; where the policy opens every socket, connect as well.
    pub(crate) fn read(self) -> Rights {
        self.read
    }

    /// Everything that can be done with files other than devices.
    pub(crate) fn write(self) -> Rights {
        self.write
    }

    /// Look, without executing: for `/proc`.
    pub(crate) fn look(self) -> Rights {
        AccessFs::ReadFile | AccessFs::ReadDir
    }

    /// Open a device file for both directions and send it requests.
    pub(crate) fn device(self) -> Rights {
        let rights = AccessFs::ReadFile | AccessFs::WriteFile;
        (rights | AccessFs::Truncate | AccessFs::IoctlDev) & self.all()
    }

    /// Connect to a socket file.
    pub(crate) fn connect(self) -> Rights {
        self.connect
    }

    /// Those of `rights` that make sense for something that is not a directory. The kernel refuses
    /// a rule on a file with any other.
    pub(crate) fn on_file(self, rights: Rights) -> Rights {
        rights & AccessFs::from_file(self.abi.known())
    }
}

/// Short words for people.
pub(crate) fn describe(rights: Rights) -> String {
    let mut words = Vec::new();
    for (right, word) in [
        (AccessFs::ReadFile, "read"),
        (AccessFs::ReadDir, "list"),
        (AccessFs::Execute, "execute"),
        (AccessFs::WriteFile, "write"),
        (AccessFs::MakeReg, "create"),
        (AccessFs::RemoveFile, "remove"),
        (AccessFs::Refer, "move"),
        (AccessFs::Truncate, "truncate"),
        (AccessFs::IoctlDev, "ioctl"),
        (AccessFs::ResolveUnix, "connect"),
    ] {
        if rights.contains(right) {
            words.push(word);
        }
    }
    words.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(version: i32, sockets: &UnixSockets) -> Vocabulary {
        Vocabulary::new(Abi::from_version(version), sockets)
    }

    #[test]
    fn writing_is_all_but_device_files_on_every_kernel() {
        for version in 1..=10 {
            let words = words(version, &UnixSockets::Inside);
            let devices = AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev;
            assert_eq!(words.all() & !words.write(), devices & words.all(), "version {version}");
        }
    }

    #[test]
    fn no_word_uses_a_right_that_the_kernel_does_not_have() {
        for version in 1..=10 {
            for sockets in [UnixSockets::None, UnixSockets::Inside, UnixSockets::All] {
                let words = words(version, &sockets);
                let used = words.read() | words.write() | words.look() | words.device();
                assert!(words.all().contains(used | words.connect()), "version {version}");
            }
        }
    }

    #[test]
    fn sockets_follow_the_policy_where_the_kernel_governs_them() {
        let connect = AccessFs::ResolveUnix;
        assert!(!words(9, &UnixSockets::None).write().contains(connect));
        assert!(words(9, &UnixSockets::Inside).write().contains(connect));
        assert!(!words(9, &UnixSockets::Inside).read().contains(connect));
        assert!(words(9, &UnixSockets::All).read().contains(connect));
        assert!(!words(8, &UnixSockets::All).read().contains(connect));
    }

    #[test]
    fn a_rule_on_a_file_carries_no_rights_of_directories() {
        let words = words(7, &UnixSockets::Inside);
        let on_file = words.on_file(words.write());
        assert!(on_file.contains(AccessFs::WriteFile | AccessFs::Truncate));
        assert!(!on_file.intersects(AccessFs::ReadDir | AccessFs::MakeReg | AccessFs::Refer));
    }
}
