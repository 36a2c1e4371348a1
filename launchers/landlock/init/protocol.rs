//! What the launcher hands to the init, and what the init tells: compiled into both.
//!
//! The plan is one block of memory in a file: a [`Header`], the lists that it points to, and the
//! strings, each with a NUL at its end. All integers are in the machine's own order, since both sides
//! run on one machine and are built from this file.

/// Where a list begins in the plan, in bytes, and how many entries it has.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    pub offset: u32,
    pub count: u32,
}

/// Which file something is, whatever its name.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Identity {
    pub major: u32,
    pub minor: u32,
    pub inode: u64,
}

/// The start of every plan.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Header {
    /// The program that was resolved. All zero: not compared.
    pub program: Identity,
    /// Every right on files that the ruleset governs.
    pub governed: u64,
    /// Landlock scopes.
    pub scopes: u64,
    /// Flags for `unshare(2)`.
    pub namespaces: u32,
    /// The number of the descriptor that takes [`Record`]s.
    pub status: u32,
    /// [`header`] flags.
    pub flags: u32,
    /// The working directory, a string's offset. 0: `/`.
    pub dir: u32,
    pub steps: Span,
    pub rules: Span,
    pub limits: Span,
    pub filter: Span,
    /// The number of a descriptor of the template's mount namespace. 0: there is no template.
    pub template: u32,
    /// The number of the descriptor of the socket on which the listener of [`Header::telling`] is sent.
    /// 0: nobody takes it.
    pub refusals: u32,
    /// The [`Step`]s of the run itself, which come on top of the template.
    pub own: Span,
    /// One [`Identity`] for each of [`Header::steps`] that shows something of the host, in their
    /// order: what the template shows there. All zero: nothing.
    pub sources: Span,
    /// The filter that tells of what it refuses, for runs that have a socket for that.
    pub telling: Span,
}

/// Flags of [`Header`].
pub mod header {
    /// The whole of the host's files is the ground of the view, read-only. Otherwise it is an empty
    /// folder in memory.
    pub const WHOLE: u32 = 1;
    /// Beside [`WHOLE`]: not read-only.
    pub const WRITABLE: u32 = 2;
    /// Everything but the exec: the command ends with 0 instead.
    pub const TRIAL: u32 = 4;
    /// The view only, which stays until nobody listens to the records any more: the host takes a
    /// descriptor of it meanwhile, and it becomes the template of runs.
    pub const TEMPLATE: u32 = 8;
    /// The sandbox stands already, built by a wrapper: nothing is left but Landlock, the limits and
    /// the exec. Records are then text, as the wrapper's own are.
    pub const THRESHOLD: u32 = 16;
    /// The working directory lies in an overlay, where files have other numbers than on the host.
    pub const DIR_IN_OVERLAY: u32 = 32;
}

/// One step of building the view.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// One of [`what`].
    pub what: u32,
    /// [`step`] flags; for folders the permission bits.
    pub flags: u32,
    /// A path of the host, or the target of a link: a string's offset.
    pub from: u32,
    /// The path inside: a string's offset.
    pub at: u32,
}

/// What a [`Step`] puts at its path.
pub mod what {
    /// The host's file or folder, with all mounts below it.
    pub const BIND: u32 = 1;
    /// A file or folder of the host to be read, on ground of the run's own.
    pub const READ: u32 = 2;
    /// What is there already, as a mount of its own.
    pub const PIN: u32 = 3;
    /// Nothing that can be looked at.
    pub const HIDE: u32 = 4;
    /// A symbolic link.
    pub const LINK: u32 = 5;
    /// A folder in memory with the permission bits in the flags.
    pub const MEMORY: u32 = 6;
    /// The few harmless devices, and terminals and shared memory of the run's own.
    pub const DEVICES: u32 = 7;
    /// The processes of the new namespace.
    pub const PROCESSES: u32 = 8;
    /// Makes the mount at the path read-only.
    pub const SEAL: u32 = 9;
    /// A folder of the host to be read through an overlay: sockets and named pipes in it are not the
    /// host's, and mounts below it are not there.
    pub const OVERLAY: u32 = 10;
    /// Terminals of the run's own, on a folder that is there.
    pub const TERMINALS: u32 = 11;
    /// A file system in memory with the permission bits in the flags, on a folder that is there.
    pub const FRESH: u32 = 12;
    /// Message queues of the run's own, on a folder that is there.
    pub const QUEUES: u32 = 13;
}

/// Flags of [`Step`].
pub mod step {
    /// Nothing can be changed through it.
    pub const READ_ONLY: u32 = 1;
    /// Devices work in it.
    pub const DEVICE: u32 = 2;
    /// It is left out where there is nothing.
    pub const OPTIONAL: u32 = 4;
    /// The path inside is among the host's files already, and must be the same file.
    pub const OVER: u32 = 8;
    /// Folders below it can be passed to, though not listed.
    pub const SEARCH: u32 = 16;
    /// It is a folder.
    pub const FOLDER: u32 = 32;
    /// Of the devices only what all runs can have in common.
    pub const COMMON: u32 = 64;
    /// Beside [`OVER`]: the path inside is in an overlay, where files have other numbers than on the
    /// host.
    pub const ON_OVERLAY: u32 = 128;
}

/// A Landlock rule.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rule {
    pub rights: u64,
    /// Those of the rights that a file can have.
    pub on_file: u64,
    /// The path inside: a string's offset.
    pub at: u32,
    pub unused: u32,
}

/// A resource limit.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limit {
    pub resource: u64,
    pub soft: u64,
    pub hard: u64,
}

/// What the init tells, one write each.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Record {
    /// One of [`tell`].
    pub tell: u32,
    /// The process id, the raw wait status, or the [`stage`].
    pub value: u32,
    /// For a failure: the error number.
    pub errno: u32,
    pub unused: u32,
}

/// What a [`Record`] is about.
pub mod tell {
    /// The first process of the namespace exists; its number on the host.
    pub const PROCESS: u32 = 1;
    /// The command has not run and never will. The last record; the path that failed follows, if
    /// it was about one.
    pub const FAILED: u32 = 2;
    /// The command ran and has ended; its wait status.
    pub const ENDED: u32 = 3;
    /// The template stands. Identities follow: of its mount namespace, and of all that it shows, as in
    /// [`Header::sources`](super::Header::sources).
    pub const READY: u32 = 4;
    /// The template shows something else than the host has now, so this run has built its view anew.
    pub const ANEW: u32 = 5;
}

/// What was being done when something failed.
pub mod stage {
    pub const PLAN: u32 = 1;
    pub const UNSHARE: u32 = 2;
    pub const IDS: u32 = 3;
    pub const LOOPBACK: u32 = 4;
    pub const FORK: u32 = 5;
    pub const PARENT: u32 = 6;
    pub const ROOT: u32 = 7;
    pub const STEP: u32 = 8;
    pub const LEAVE: u32 = 9;
    pub const DIRECTORY: u32 = 10;
    pub const CAPABILITIES: u32 = 11;
    pub const LIMITS: u32 = 12;
    pub const RULESET: u32 = 13;
    pub const RULE: u32 = 14;
    pub const RESTRICT: u32 = 15;
    pub const FILTER: u32 = 16;
    pub const PROGRAM: u32 = 17;
    pub const EXEC: u32 = 18;
    pub const NETWORK: u32 = 19;
    pub const TEMPLATE: u32 = 20;
}
