//! The way to a file, folder by folder and link by link. Where somebody else could bend it, a person
//! (and root above all) would write what that other one chose.

use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// As many links as the kernel follows (`path_resolution(7)`).
const MOST_LINKS: usize = 40;

/// Why a way is not gone.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli::init) enum WayError {
    /// It could lead anywhere tomorrow.
    #[error("`{}` on the way belongs to user {owner}; do this as that user", path.display())]
    Foreign { path: PathBuf, owner: u32 },
    /// The same, for a folder that is not sticky.
    #[error(
        "everybody may replace what lies in `{}`; take that right away (`chmod o-w`)",
        path.display()
    )]
    Open { path: PathBuf },
    /// Something else stands where a folder should.
    #[error("`{}` is no folder", path.display())]
    NoFolder { path: PathBuf },
    /// A circle, most likely.
    #[error("more than {MOST_LINKS} links follow each other")]
    Links,
    /// The system does not let this user look.
    #[error("`{}` cannot be looked at", path.display())]
    Look {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// The physical path of a file, which may not exist, nor the folders that should hold it. Whatever is
/// on the way belongs to this user or to the owner of `/`, and nobody else can replace it. That owner
/// is root, or in a user namespace without root whatever the kernel shows for it.
///
/// # Errors
/// [`WayError`].
pub(super) fn follow(path: &Path, user: u32) -> Result<PathBuf, WayError> {
    let mut rest = reversed(path);
    let mut way = PathBuf::from("/");
    let root = way.metadata().map_err(|source| WayError::Look { path: way.clone(), source })?;
    let trusted = [user, root.uid()];
    let mut links = 0;
    let mut missing = false;
    while let Some(part) = rest.pop() {
        if part == ".." {
            way.pop();
            continue;
        }
        let next = way.join(part);
        match next.symlink_metadata() {
            // Nothing can be below what does not exist: what follows are names to be made.
            _ if missing => way = next,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                missing = true;
                way = next;
            }
            Err(source) => return Err(WayError::Look { path: next, source }),
            Ok(facts) if facts.is_symlink() => {
                belongs(&next, &facts, trusted)?;
                links += 1;
                if links > MOST_LINKS {
                    return Err(WayError::Links);
                }
                let target = next
                    .read_link()
                    .map_err(|source| WayError::Look { path: next.clone(), source })?;
                if target.is_absolute() {
                    way = PathBuf::from("/");
                }
                rest.extend(reversed(&target));
            }
            Ok(_) if rest.is_empty() => way = next,
            Ok(facts) if facts.is_dir() => {
                belongs(&next, &facts, trusted)?;
                is_closed(&next, &facts)?;
                way = next;
            }
            Ok(_) => return Err(WayError::NoFolder { path: next }),
        }
    }
    Ok(way)
}

fn reversed(path: &Path) -> Vec<OsString> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    parts.collect::<Vec<_>>().into_iter().rev().collect()
}

fn belongs(path: &Path, facts: &Metadata, trusted: [u32; 2]) -> Result<(), WayError> {
    let owner = facts.uid();
    match trusted.contains(&owner) {
        true => Ok(()),
        false => Err(WayError::Foreign { path: path.to_owned(), owner }),
    }
}

/// In a sticky folder, such as /tmp, others cannot replace what is not theirs.
fn is_closed(path: &Path, facts: &Metadata) -> Result<(), WayError> {
    const OTHERS_WRITE: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    match facts.mode() & (OTHERS_WRITE | STICKY) {
        OTHERS_WRITE => Err(WayError::Open { path: path.to_owned() }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn place() -> (tempfile::TempDir, PathBuf, u32) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        let user = path.metadata().unwrap().uid();
        (dir, path, user)
    }

    #[test]
    fn links_lead_to_where_the_file_really_is() {
        let (_kept, dir, user) = place();
        fs::create_dir_all(dir.join("dotfiles/cursor")).unwrap();
        fs::write(dir.join("dotfiles/cursor/real.json"), "").unwrap();
        symlink("dotfiles/cursor", dir.join(".cursor")).unwrap();
        symlink("../cursor/real.json", dir.join("dotfiles/cursor/mcp.json")).unwrap();
        let real = dir.join("dotfiles/cursor/real.json");
        assert_eq!(follow(&dir.join(".cursor/mcp.json"), user).unwrap(), real);
        symlink(&real, dir.join("absolute")).unwrap();
        assert_eq!(follow(&dir.join("absolute"), user).unwrap(), real);
    }

    #[test]
    fn what_does_not_exist_yet_has_a_path_all_the_same() {
        let (_kept, dir, user) = place();
        let wanted = dir.join("a/b/c.json");
        assert_eq!(follow(&wanted, user).unwrap(), wanted);
        symlink("a/b", dir.join("dangling")).unwrap();
        assert_eq!(follow(&dir.join("dangling/c.json"), user).unwrap(), wanted);
    }

    #[test]
    fn a_folder_of_another_user_is_not_entered() {
        let (_kept, dir, user) = place();
        let found = follow(&dir.join("x"), user + 1);
        // Root's own folders are everybody's; this one is, where root runs the tests.
        match user {
            0 => assert_eq!(found.unwrap(), dir.join("x")),
            _ => assert!(matches!(found, Err(WayError::Foreign { .. })), "{found:?}"),
        }
    }

    #[test]
    fn a_folder_that_everybody_may_write_is_not_entered_unless_it_is_sticky() {
        let (_kept, dir, user) = place();
        let open = dir.join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        let found = follow(&open.join("x"), user);
        assert!(matches!(found, Err(WayError::Open { .. })), "{found:?}");
        fs::set_permissions(&open, Permissions::from_mode(0o1777)).unwrap();
        assert_eq!(follow(&open.join("x"), user).unwrap(), open.join("x"));
    }

    #[test]
    fn a_circle_of_links_and_a_file_as_a_folder_are_refused() {
        let (_kept, dir, user) = place();
        symlink("b", dir.join("a")).unwrap();
        symlink("a", dir.join("b")).unwrap();
        assert!(matches!(follow(&dir.join("a"), user), Err(WayError::Links)));
        fs::write(dir.join("f"), "").unwrap();
        let found = follow(&dir.join("f/x"), user);
        assert!(matches!(found, Err(WayError::NoFolder { .. })), "{found:?}");
    }
}
