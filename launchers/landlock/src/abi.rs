//! The Landlock of the running kernel: asked by the system call, never read from a status file,
//! which is missing on many systems where Landlock works.

use cofferdam_launcher::LaunchError;
use landlock::ABI;

use crate::raw;

/// A kernel's Landlock interface, at least version 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Abi {
    /// What is used: the newest version that kernel and library both know.
    known: ABI,
}

impl Abi {
    /// Asks the kernel.
    ///
    /// # Errors
    /// [`LaunchError::Unsupported`] with the reason that fits the kernel's answer.
    pub(crate) fn of_kernel() -> Result<Self, LaunchError> {
        kernel_version().map(Abi::from_version)
    }

    /// The interface with this version number, 1 or more.
    pub(crate) fn from_version(version: i32) -> Self {
        Abi { known: ABI::from(version) }
    }

    /// As the Landlock library names it.
    pub(crate) fn known(self) -> ABI {
        self.known
    }

    /// Files can be renamed across folders in a domain (Linux 5.19).
    pub(crate) fn has_refer(self) -> bool {
        self.known >= ABI::V2
    }

    /// Files can be kept from being emptied by path (Linux 6.2).
    pub(crate) fn has_truncate(self) -> bool {
        self.known >= ABI::V3
    }

    /// TCP ports are governed (Linux 6.7).
    pub(crate) fn has_ports(self) -> bool {
        self.known >= ABI::V4
    }

    /// Signals and abstract sockets can be kept inside (Linux 6.12).
    pub(crate) fn has_scopes(self) -> bool {
        self.known >= ABI::V6
    }

    /// Socket files are governed by path (Linux 7.1).
    pub(crate) fn has_socket_files(self) -> bool {
        self.known >= ABI::V9
    }
}

impl std::fmt::Display for Abi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.known.fmt(f)
    }
}

/// What the kernel answers, even where it is newer than the library.
pub(crate) fn kernel_version() -> Result<i32, LaunchError> {
    raw::landlock_version().map_err(unsupported)
}

fn unsupported(errno: i32) -> LaunchError {
    match errno {
        libc::ENOSYS => LaunchError::unsupported(
            "this kernel has no Landlock",
            "Linux 5.13 or newer built with CONFIG_SECURITY_LANDLOCK; in a container, a runtime \
             whose seccomp profile knows the landlock_ system calls",
        ),
        libc::EOPNOTSUPP => LaunchError::unsupported(
            "Landlock is built into this kernel but was not enabled at boot",
            "add `landlock` to the boot parameter `lsm=`, for example \
             `lsm=landlock,lockdown,yama,integrity,apparmor`",
        ),
        errno => LaunchError::unsupported(
            format!(
                "the kernel refuses to make a Landlock ruleset: {}",
                std::io::Error::from_raw_os_error(errno)
            ),
            "in a container, let its seccomp profile pass landlock_create_ruleset, \
             landlock_add_rule and landlock_restrict_self",
        ),
    }
}
