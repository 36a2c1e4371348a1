//! Makes the kernel's ruleset: a new one for every run, since a descriptor could be added to.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use cofferdam_launcher::LaunchError;
use landlock::{
    Access, AccessNet, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, Scope,
};
use nix::fcntl::{AT_FDCWD, OFlag, OpenHow, ResolveFlag, openat2};

use crate::abi::Abi;
use crate::grants::Grant;
use crate::rights::Vocabulary;

/// An empty ruleset that handles everything this kernel can handle; the network only where it is
/// `closed`, and then without any open port.
pub(crate) fn create(words: Vocabulary, closed: bool) -> Result<Builder, LaunchError> {
    let abi = words.abi();
    let body = || {
        let mut ruleset = empty().handle_access(words.all())?;
        if closed && abi.has_ports() {
            ruleset = ruleset.handle_access(AccessNet::from_all(abi.known()))?;
        }
        if abi.has_scopes() {
            ruleset = ruleset.scope(Scope::from_all(abi.known()))?;
        }
        ruleset.create()
    };
    Ok(Builder { ruleset: body().map_err(creating)?, words })
}

/// A ruleset that keeps signals and abstract sockets inside, and limits nothing else.
pub(crate) fn scopes_only(abi: Abi) -> Result<OwnedFd, LaunchError> {
    let body = || empty().scope(Scope::from_all(abi.known()))?.create();
    descriptor(body().map_err(creating)?)
}

/// Anything that the kernel does not do is an error, never a weaker ruleset.
fn empty() -> Ruleset {
    Ruleset::default().set_compatibility(CompatLevel::HardRequirement)
}

/// A ruleset to which grants are added.
pub(crate) struct Builder {
    ruleset: RulesetCreated,
    words: Vocabulary,
}

impl Builder {
    /// Adds a grant for what stands at its path now.
    ///
    /// # Errors
    /// [`LaunchError::Path`] when nothing does, or when a link has come into the path since the
    /// policy was resolved; [`LaunchError::System`] when the kernel refuses the rule.
    pub(crate) fn grant(mut self, grant: &Grant) -> Result<Self, LaunchError> {
        let opened = open(&grant.path).and_then(|file| Ok((file.metadata()?.is_dir(), file)));
        let (is_dir, file) = match opened {
            Ok(opened) => opened,
            Err(error) if grant.implied && error.kind() == io::ErrorKind::NotFound => {
                return Ok(self);
            }
            Err(source) => return Err(LaunchError::Path { path: grant.path.clone(), source }),
        };
        let rights = if is_dir { grant.rights } else { self.words.on_file(grant.rights) };
        self.ruleset = self
            .ruleset
            .add_rule(PathBeneath::new(file, rights))
            .map_err(|error| system("add a rule to the Landlock ruleset", error))?;
        Ok(self)
    }

    /// The finished ruleset.
    ///
    /// # Errors
    /// [`LaunchError::System`] when there is none after all.
    pub(crate) fn finish(self) -> Result<OwnedFd, LaunchError> {
        descriptor(self.ruleset)
    }
}

/// Opens without reading rights, and without following a link anywhere in the path: the path was
/// physical when the policy was resolved, so a link in it now was put there since.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let how = OpenHow::new()
        .flags(OFlag::O_PATH | OFlag::O_CLOEXEC)
        .resolve(ResolveFlag::RESOLVE_NO_SYMLINKS);
    Ok(openat2(AT_FDCWD, path, how)?.into())
}

fn descriptor(ruleset: RulesetCreated) -> Result<OwnedFd, LaunchError> {
    Option::<OwnedFd>::from(ruleset).ok_or_else(|| LaunchError::System {
        stage: "create the Landlock ruleset",
        source: io::ErrorKind::Unsupported.into(),
    })
}

fn creating(error: RulesetError) -> LaunchError {
    system("create the Landlock ruleset", error)
}

fn system(stage: &'static str, error: RulesetError) -> LaunchError {
    LaunchError::System { stage, source: io::Error::other(error) }
}
