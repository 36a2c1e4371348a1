//! The server that is registered: this very program, and its arguments.

use std::io;
use std::path::{Path, PathBuf};

use cofferdam_profiles::Policy;

/// Why this program cannot be registered.
#[derive(Debug, thiserror::Error)]
pub(super) enum ServerError {
    /// The system does not say which file is running.
    #[error(
        "the file of this program cannot be found; start it by its path, from a file that still \
         exists"
    )]
    Unknown(#[source] io::Error),
    /// What runs in the sandbox could replace it, and the client would start that without one.
    #[error(
        "`{}` lies where the profile `{profile}` lets commands write: one of them could replace the \
         program that confines the next. Install it elsewhere (`cargo install` puts it into \
         ~/.cargo/bin), and start it from there",
        path.display()
    )]
    Rewritable { path: PathBuf, profile: String },
    /// No client's file can hold such a path.
    #[error(
        "`{}` cannot be written into the file of a client, since it is no UTF-8; give it \
         another name",
        .0.display()
    )]
    NoText(PathBuf),
}

/// A program that the sandbox of its own server cannot change.
#[derive(Debug)]
pub(super) struct Server {
    program: String,
    profile: Vec<String>,
}

impl Server {
    /// The running program, without links, with these profiles: names, or paths that hold a `/`.
    ///
    /// # Errors
    /// [`ServerError`].
    pub(super) fn running(policy: &Policy, profile: &[String]) -> Result<Self, ServerError> {
        let program = std::env::current_exe()
            .and_then(|program| program.canonicalize())
            .map_err(ServerError::Unknown)?;
        Server::new(program, policy, profile)
    }

    fn new(program: PathBuf, policy: &Policy, profile: &[String]) -> Result<Self, ServerError> {
        let rewritable = |path: &Path| policy.filesystem.may_write(path);
        // Whoever can write a folder above can put another one in its place.
        if program.ancestors().any(rewritable) {
            return Err(ServerError::Rewritable { path: program, profile: policy.name.clone() });
        }
        let profile = profile.iter().map(|name| whole(name)).collect::<Result<_, _>>()?;
        Ok(Server { program: text(program)?, profile })
    }

    /// The program: an absolute path.
    pub(super) fn program(&self) -> &str {
        &self.program
    }

    /// The nearest repository around the program. With that one open, its own sandbox could replace it;
    /// the home directory cannot be open.
    pub(super) fn repository(&self, home: Option<&Path>) -> Option<PathBuf> {
        let around = Path::new(&self.program).ancestors().skip(1);
        around
            .filter(|folder| Some(*folder) != home)
            .find(|folder| folder.join(".git").exists())
            .map(Path::to_owned)
    }

    /// Its arguments. Everything stands there, so that there is no second file to keep out of the
    /// workspace.
    pub(super) fn args(&self) -> Vec<String> {
        let mut args: Vec<_> =
            ["serve", "--allow-any", "--launcher", "auto"].map(str::to_owned).into();
        for profile in &self.profile {
            args.extend(["--profile".to_owned(), profile.clone()]);
        }
        args
    }
}

/// A profile by its name, or by its whole path: the server is started somewhere else.
fn whole(profile: &str) -> Result<String, ServerError> {
    match profile.contains('/') {
        true => text(std::path::absolute(profile).map_err(ServerError::Unknown)?),
        false => Ok(profile.to_owned()),
    }
}

fn text(path: PathBuf) -> Result<String, ServerError> {
    path.into_os_string().into_string().map_err(|path| ServerError::NoText(path.into()))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;
    use crate::builder;
    use crate::cli::terms::source;
    use cofferdam_profiles::Grants;

    fn server(program: &Path, profile: &[&str]) -> Result<Server, ServerError> {
        let work = tempfile::tempdir().unwrap();
        let work = work.path().canonicalize().unwrap();
        let grants = Grants { write: vec!["/var/tmp".into()], ..Grants::default() };
        let policy = builder::policy(&work, &source(&[]), &grants, Vec::new()).unwrap();
        let profile: Vec<_> = profile.iter().map(|name| (*name).to_owned()).collect();
        Server::new(program.to_owned(), &policy, &profile)
    }

    #[test]
    fn a_profile_is_named_and_a_path_is_written_whole() {
        let args = server(Path::new("/usr/bin/env"), &["build", "./p.toml"]).unwrap().args();
        let here = std::env::current_dir().unwrap().join("p.toml").display().to_string();
        let profiles = ["--profile", "build", "--profile", &here];
        assert_eq!(args[..4], ["serve", "--allow-any", "--launcher", "auto"]);
        assert_eq!(args[4..], profiles);
    }

    #[test]
    fn a_program_that_a_run_could_replace_is_refused() {
        let refused = server(Path::new("/var/tmp/bin/cofferdam"), &[]);
        assert!(matches!(refused, Err(ServerError::Rewritable { .. })), "{refused:?}");
    }

    #[test]
    fn a_repository_around_the_program_is_known_but_for_the_home_directory() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let server = server(&home.join("project/target/cofferdam"), &[]).unwrap();
        assert_eq!(server.repository(Some(home)), None);
        std::fs::create_dir_all(home.join(".git")).unwrap();
        assert_eq!(server.repository(Some(home)), None);
        std::fs::create_dir_all(home.join("project/.git")).unwrap();
        assert_eq!(server.repository(Some(home)), Some(home.join("project")));
    }

    #[test]
    fn a_program_whose_name_is_no_text_is_refused() {
        let refused = server(Path::new(OsStr::from_bytes(b"/usr/bin/\xff")), &[]);
        assert!(matches!(refused, Err(ServerError::NoText(_))), "{refused:?}");
    }
}
