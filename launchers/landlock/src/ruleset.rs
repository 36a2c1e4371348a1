//! Makes the kernel's ruleset: a new one for every run, since a descriptor could be added to.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use cofferdam_launcher::LaunchError;
use landlock::{Access, AccessNet, Scope};

use crate::abi::Abi;
use crate::place::Place;
use crate::raw::{self, Handled};
use crate::rights::{Rights, Vocabulary};

/// A ruleset that handles everything this kernel can handle, and to which grants are added.
///
/// Anything that the kernel does not do is an error, never a weaker ruleset: it refuses rights that
/// it does not know.
pub(crate) struct Ruleset {
    descriptor: OwnedFd,
    words: Vocabulary,
}

impl Ruleset {
    /// An empty one, which grants nothing. The network is handled only where it is `closed`, and
    /// then no port is ever open.
    ///
    /// # Errors
    /// [`LaunchError::System`] when the kernel refuses it.
    pub(crate) fn new(words: Vocabulary, closed: bool) -> Result<Ruleset, LaunchError> {
        let abi = words.abi();
        let ports = match closed && abi.has_ports() {
            true => AccessNet::from_all(abi.known()).bits(),
            false => 0,
        };
        let handled = Handled { files: words.all().bits(), ports, scopes: words.scopes() };
        Ok(Ruleset { descriptor: create(&handled)?, words })
    }

    /// Grants rights on what was found at a path. On anything but a folder, those of them that make
    /// sense there.
    ///
    /// # Errors
    /// [`LaunchError::System`] when the kernel refuses the rule.
    pub(crate) fn grant(&self, place: &Place, rights: Rights) -> Result<(), LaunchError> {
        let rights = if place.is_dir() { rights } else { self.words.on_file(rights) };
        raw::add_path_rule(self.descriptor.as_fd(), place.as_fd(), rights.bits())
            .map_err(|source| system("add a rule to the Landlock ruleset", source))
    }

    /// The finished ruleset, to be enforced.
    pub(crate) fn finish(self) -> OwnedFd {
        self.descriptor
    }
}

/// A ruleset that keeps signals and abstract sockets inside, and limits nothing else.
pub(crate) fn scopes_only(abi: Abi) -> Result<OwnedFd, LaunchError> {
    create(&Handled { scopes: Scope::from_all(abi.known()).bits(), ..Handled::default() })
}

fn create(handled: &Handled) -> Result<OwnedFd, LaunchError> {
    raw::create_ruleset(handled).map_err(|source| system("create the Landlock ruleset", source))
}

fn system(stage: &'static str, source: io::Error) -> LaunchError {
    LaunchError::System { stage, source }
}
