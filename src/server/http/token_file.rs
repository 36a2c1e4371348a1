//! The file that a token comes from, or is left in for clients.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};

use super::token::{NoToken, Token};

/// A token file that cannot be used: what is wrong with it, and what would help.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenFileError {
    /// It is not there, or this process may not read it.
    #[error("make one with `(umask 077; head -c 32 /dev/urandom | base64 > FILE)`")]
    Unreadable(#[source] io::Error),
    /// It is a directory, a pipe, or a device.
    #[error("it is no regular file")]
    NotAFile,
    /// Another user than this process's and root could change it.
    #[error("it belongs to user {owner}; it must be your own or root's: `chown` it")]
    Foreign {
        /// The user id of its owner.
        owner: u32,
    },
    /// Others can read or change it.
    #[error("others can use it (its mode is {mode:03o}): `chmod 600` it")]
    Shared {
        /// Its permission bits.
        mode: u32,
    },
    /// It is empty, or the token could be guessed.
    #[error(
        "it holds fewer than {} characters; fill it with `head -c 32 /dev/urandom | base64 > FILE`",
        Token::SHORTEST
    )]
    Short,
    /// The token cannot be sent in a header.
    #[error(
        "it must hold one word of visible ASCII characters, and no more than {LONGEST} of them"
    )]
    Characters,
}

/// Longer headers are not taken by every client and proxy.
const LONGEST: u64 = 4096;

/// Reads a token that the operator has chosen.
pub(super) fn read(path: &Path) -> Result<Token, TokenFileError> {
    // What is not a regular file must not hold up the start (`fifo(7)`).
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits() as i32)
        .open(path)
        .map_err(TokenFileError::Unreadable)?;
    let facts = file.metadata().map_err(TokenFileError::Unreadable)?;
    if !facts.is_file() {
        return Err(TokenFileError::NotAFile);
    }
    let owner = facts.uid();
    if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        return Err(TokenFileError::Foreign { owner });
    }
    let mode = facts.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(TokenFileError::Shared { mode });
    }
    let mut text = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut text).map_err(TokenFileError::Unreadable)?;
    if text.len() as u64 > LONGEST {
        return Err(TokenFileError::Characters);
    }
    Token::parse(&text).map_err(|why| match why {
        NoToken::Short => TokenFileError::Short,
        NoToken::Characters => TokenFileError::Characters,
    })
}

/// A file with a token that was made at the start. It goes with this value.
#[derive(Debug)]
pub(super) struct Generated {
    path: PathBuf,
    /// Its lock says that the file is in use. The kernel drops it with the process, however that
    /// ends.
    _lock: File,
}

const PREFIX: &str = "cofferdam-";
const SUFFIX: &str = ".token";

impl Generated {
    /// Leaves a token in the directory that the system gives to this user alone, or else where the
    /// private folders of runs are, which no profile opens.
    pub(super) fn new(token: &Token) -> io::Result<Self> {
        // The runtime directory of another user, where `sudo` has left the variable as it was, takes
        // no file.
        let mut made = Err(io::ErrorKind::NotFound.into());
        for dir in places() {
            made = made.or_else(|_: io::Error| Generated::new_in(&dir, token));
        }
        made
    }

    fn new_in(dir: &Path, token: &Token) -> io::Result<Self> {
        let name = format!("{PREFIX}{}-{:08x}{SUFFIX}", std::process::id(), random()?);
        let path = dir.join(name);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let written = flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(io::Error::from)
            .and_then(|()| writeln!(file, "{}", token.reveal()));
        let generated = Generated { path, _lock: file };
        written.map(|()| generated)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Generated {
    fn drop(&mut self) {
        // It may have been removed already, and there is nobody to tell.
        let _ = fs::remove_file(&self.path);
    }
}

/// Where tokens are left, the best place first.
fn places() -> impl Iterator<Item = PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let runtime = runtime.filter(|dir| dir.is_absolute());
    runtime.into_iter().chain([crate::scratch::base()])
}

/// Removes the tokens of this user's dead servers, as every server does at its start.
pub(in crate::server) fn sweep_all() {
    places().for_each(|dir| sweep(&dir));
}

fn random() -> io::Result<u32> {
    let mut random = [0_u8; 4];
    getrandom::fill(&mut random)?;
    Ok(u32::from_ne_bytes(random))
}

/// Removes those that lie in one folder. What cannot be removed does no harm: nobody answers to it.
fn sweep(dir: &Path) {
    let own = rustix::process::geteuid().as_raw();
    let entries = fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
    for path in entries.filter(is_token).map(|entry| entry.path()) {
        let options = OFlags::NONBLOCK | OFlags::NOFOLLOW;
        let file = OpenOptions::new().read(true).custom_flags(options.bits() as i32).open(&path);
        if let Ok(file) = file
            // An empty one is being made just now: it is locked before it is written.
            && file.metadata().is_ok_and(|f| f.is_file() && f.uid() == own && f.len() > 0)
            && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            let _ = fs::remove_file(&path);
        }
    }
}

fn is_token(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn token_file(text: &str, mode: u32) -> Result<Token, TokenFileError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        read(&path)
    }

    #[test]
    fn the_token_of_a_private_file_is_taken_without_its_newline() {
        for mode in [0o600, 0o400] {
            let token = token_file("0123456789abcdef\n", mode).unwrap();
            assert!(token.is(b"0123456789abcdef"));
        }
    }

    #[test]
    fn a_file_that_others_can_use_is_refused() {
        for mode in [0o640, 0o604, 0o620, 0o602] {
            let error = token_file("0123456789abcdef", mode).unwrap_err();
            assert!(matches!(error, TokenFileError::Shared { mode: m } if m == mode), "{error}");
        }
    }

    #[test]
    fn a_file_without_a_usable_token_is_refused() {
        assert!(matches!(token_file("", 0o600), Err(TokenFileError::Short)));
        assert!(matches!(token_file("secret\n", 0o600), Err(TokenFileError::Short)));
        let words = "two words are no token";
        assert!(matches!(token_file(words, 0o600), Err(TokenFileError::Characters)));
        let long = "x".repeat(5000);
        assert!(matches!(token_file(&long, 0o600), Err(TokenFileError::Characters)));
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(read(dir.path()), Err(TokenFileError::NotAFile)));
        let missing = read(&dir.path().join("missing"));
        assert!(matches!(missing, Err(TokenFileError::Unreadable(_))));
    }

    #[test]
    fn a_generated_token_can_be_read_back_and_goes_with_the_server() {
        let dir = tempfile::tempdir().unwrap();
        let token = Token::random().unwrap();
        let generated = Generated::new_in(dir.path(), &token).unwrap();
        let path = generated.path().to_owned();
        assert_eq!(read(&path).unwrap(), token);
        drop(generated);
        assert!(!path.exists());
    }

    #[test]
    fn only_tokens_of_dead_servers_are_swept() {
        let dir = tempfile::tempdir().unwrap();
        let alive = Generated::new_in(dir.path(), &Token::random().unwrap()).unwrap();
        let dead = dir.path().join("cofferdam-1-00000000.token");
        let other = dir.path().join("other.token");
        fs::write(&dead, "x").unwrap();
        fs::write(&other, "x").unwrap();
        sweep(dir.path());
        assert!(alive.path().exists());
        assert!(!dead.exists());
        assert!(other.exists());
    }
}
