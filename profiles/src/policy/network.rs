//! Network and socket rules.

use super::{Origin, Rule};

/// Network and socket rules. The default is what a profile that says nothing has: the network is
/// off, and sockets work under the writable roots.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Network {
    /// Whether the network can be reached.
    pub mode: NetworkMode,
    /// Where the mode was written; `None` where nobody did.
    pub mode_origin: Option<Origin>,
    /// Which Unix sockets can be connected to and listened on. `socketpair(2)` always works.
    pub unix_sockets: UnixSockets,
    /// Where the word for the sockets was written; `None` where nobody did.
    pub sockets_origin: Option<Origin>,
}

/// Whether the network can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NetworkMode {
    /// Nothing beyond the run itself.
    #[default]
    Off,
    /// As the host.
    On,
}

impl NetworkMode {
    /// The word in the profile file.
    pub fn as_str(self) -> &'static str {
        match self {
            NetworkMode::Off => "off",
            NetworkMode::On => "on",
        }
    }
}

/// Which Unix sockets a run may use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum UnixSockets {
    /// None but socket pairs.
    None,
    /// Those under the writable roots.
    #[default]
    Inside,
    /// Those under the writable roots, and these. Never empty; the rules have
    /// [`Access::Write`](super::Access::Write), which connecting needs.
    Paths(Vec<Rule>),
    /// All that the file rules show.
    All,
}
