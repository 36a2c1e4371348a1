//! What a command goes through last in a sandbox that another launcher's wrapper has built, and what
//! comes before that wrapper. Both are done by the init that this crate carries.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use cofferdam_launcher::{Launch, LaunchError, Plan};
use cofferdam_profiles::{Policy, UnixSockets};
use landlock::AccessFs;

use crate::abi::Abi;
use crate::limits::{self, Limit};
use crate::private::layout::{Layout, Particulars};
use crate::private::protocol::{Header, header};
use crate::private::{self, Failure, init};
use crate::rights::Rights;

/// For a launcher whose wrapper builds namespaces and mounts, and does nothing about named pipes,
/// sockets in readable folders, or resource limits.
///
/// [`Threshold::shield`] starts the wrapper with all signals blocked, so that it can share the
/// command's session and process group: a signal to the group, from a terminal or from the host, is
/// for the command. [`Threshold::cross`] makes the words that the wrapper is given as its command.
#[derive(Debug)]
pub struct Threshold {
    /// Every right that the ruleset governs. None: there is no ruleset.
    governed: Rights,
    limits: Vec<Limit>,
    sockets: UnixSockets,
    /// Of the wrapper's processes, those that count among the run's.
    own_processes: u64,
}

/// One run's way over the threshold.
#[derive(Debug)]
pub struct Crossing {
    /// The command as the wrapper is to exec it, inside: a path below `/proc`, and arguments.
    pub words: Vec<OsString>,
    /// The descriptors that the wrapper has to hand down.
    pub kept: Vec<OwnedFd>,
}

impl Threshold {
    /// Compiles a policy for the running kernel. `own_processes`: how many of the wrapper's processes
    /// the limit on processes counts. `nested`: the command may make namespaces, and with a Landlock
    /// ruleset it could mount nothing in them, so there is none.
    ///
    /// # Errors
    /// [`LaunchError::System`] where this build has no init.
    pub fn new(policy: &Policy, own_processes: u64, nested: bool) -> Result<Self, LaunchError> {
        init::program().map_err(no_init)?;
        let sockets = policy.network.unix_sockets.clone();
        Ok(Threshold {
            // Without a right for it, renaming across folders would be refused everywhere.
            governed: match Abi::of_kernel() {
                Ok(abi) if abi.has_refer() && !nested => governed(abi, &sockets),
                _ => Rights::EMPTY,
            },
            limits: limits::of(&policy.limits),
            sockets,
            own_processes,
        })
    }

    /// Whether named pipes can be written where the policy lets write only (Linux 5.19).
    pub fn guards_pipes(&self) -> bool {
        self.governed.contains(AccessFs::WriteFile)
    }

    /// Whether socket files can be connected to where the policy opens them only (Linux 7.1).
    pub fn guards_sockets(&self) -> bool {
        self.governed.contains(AccessFs::ResolveUnix)
    }

    /// The way of one run. `writable` are the paths inside that can be written, `status` takes what is
    /// told on the way: lines of JSON that [`Threshold::describe`] explains.
    ///
    /// # Errors
    /// [`LaunchError::System`] when a file in memory cannot be made.
    pub fn cross<'a>(
        &self,
        plan: &Plan,
        writable: impl IntoIterator<Item = &'a Path>,
        status: OwnedFd,
    ) -> Result<Crossing, LaunchError> {
        let (program, path) = init::program().map_err(no_init)?;
        let draft = self.layout(writable).draft();
        let particulars =
            Particulars { status: status.as_raw_fd() as u32, ..Particulars::default() };
        let memory = init::memory(&draft.bytes(&particulars))
            .map_err(|source| LaunchError::System { stage: "make the plan of the run", source })?;
        let mut words = vec![path.into(), memory.as_raw_fd().to_string().into()];
        words.extend([plan.program().into(), plan.command().to_owned()]);
        words.extend(plan.args().iter().cloned());
        Ok(Crossing { words, kept: vec![program, memory.into(), status] })
    }

    /// A launch of the wrapper with every signal blocked. Where it cannot be started, that is told on
    /// the descriptor `status`, which has to be kept.
    ///
    /// # Errors
    /// [`LaunchError::System`] when the init cannot be had.
    pub fn shield(&self, wrapper: &Path, status: &OwnedFd) -> Result<Launch, LaunchError> {
        let (program, path) = init::program().map_err(no_init)?;
        let status = status.as_raw_fd().to_string();
        let launch = Launch::wrapper(path).args(["shield", &*status]);
        Ok(launch.arg(wrapper).arg(wrapper).keep(program))
    }

    /// What a record `{"failed":[STAGE,ERRNO],"path":"HEX"}` means, in words with what would help.
    pub fn describe(stage: u32, errno: i32, path: PathBuf) -> String {
        private::describe(&Failure { stage, errno, path })
    }

    /// What is done inside before the command, one thing a line.
    pub fn explain(&self) -> String {
        let mut text = String::new();
        if !self.governed.is_empty() {
            let sockets = if self.guards_sockets() { " and sockets connected to" } else { "" };
            text.push_str(&format!(
                "restrict   with Landlock: files and named pipes written{sockets} where the policy says \
                 so\n"
            ));
        }
        for limit in &self.limits {
            text.push_str(&format!("limit      {limit}\n"));
        }
        text
    }

    fn layout<'a>(&self, writable: impl IntoIterator<Item = &'a Path>) -> Layout {
        let governed = self.governed.bits();
        let flags = header::THRESHOLD;
        let mut layout = Layout::new(Header { governed, flags, ..Header::default() });
        let mut rule = |path: &Path, rights: Rights| {
            let rights = rights & self.governed;
            let on_file = rights & (AccessFs::WriteFile | AccessFs::ResolveUnix);
            if !rights.is_empty() {
                layout.rule(path.as_os_str(), rights.bits(), on_file.bits());
            }
        };
        rule(Path::new("/"), AccessFs::Refer.into());
        for path in writable {
            rule(path, AccessFs::WriteFile | AccessFs::Refer | AccessFs::ResolveUnix);
        }
        if let UnixSockets::Paths(sockets) = &self.sockets {
            sockets.iter().for_each(|socket| rule(&socket.path, AccessFs::ResolveUnix.into()));
        }
        for limit in &self.limits {
            layout.limit(&limit.for_run(self.own_processes));
        }
        layout
    }
}

/// What a ruleset governs that is to close pipes and sockets, and to keep device files from being made.
fn governed(abi: Abi, sockets: &UnixSockets) -> Rights {
    let devices = AccessFs::MakeChar | AccessFs::MakeBlock;
    let files = AccessFs::WriteFile | AccessFs::Refer | devices;
    match sockets {
        UnixSockets::All => files,
        _ if abi.has_socket_files() => files | AccessFs::ResolveUnix,
        _ => files,
    }
}

fn no_init(source: io::Error) -> LaunchError {
    LaunchError::System { stage: "make the init", source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn governed_by(version: i32, sockets: &UnixSockets) -> Rights {
        governed(Abi::from_version(version), sockets)
    }

    #[test]
    fn sockets_are_governed_where_the_kernel_can_and_the_policy_asks() {
        let connect = AccessFs::ResolveUnix;
        assert!(!governed_by(8, &UnixSockets::Inside).contains(connect));
        assert!(governed_by(9, &UnixSockets::Inside).contains(connect));
        assert!(governed_by(9, &UnixSockets::None).contains(connect));
        assert!(!governed_by(9, &UnixSockets::All).contains(connect));
    }
}
