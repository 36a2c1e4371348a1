//! Resolves a path physically, component by component, and remembers the links on the way.
//!
//! `fs::canonicalize` would neither tell the links nor resolve a path that does not exist.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::look::{Looks, Sight};
use crate::mistake::Cause;
use crate::policy::{Kind, Link};

/// As many links as the kernel follows in one path, `path_resolution(7)`.
pub(crate) const MAX_LINKS: usize = 40;

/// What a path leads to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The physical path; where nothing is, the deepest existing part and the rest.
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    /// The links on the way, outermost first.
    pub(crate) links: Vec<Link>,
    /// The file on the way that ended it: `/a/b` for `/a/b/c`, if `/a/b` is no directory.
    pub(crate) blocked: Option<PathBuf>,
    /// Whether it is a Unix socket.
    pub(crate) is_socket: bool,
}

/// [`walk_by`], with a look of its own at every component.
pub(crate) fn walk(path: &Path) -> Result<Found, Cause> {
    walk_by(path, &Looks::default())
}

/// Follows an absolute path. `..` leads to the physical parent, as for the kernel.
///
/// # Errors
/// [`Cause::LinkLoop`], and [`Cause::Unseen`], with the rest of the path, where a directory may not
/// be searched.
pub(crate) fn walk_by(path: &Path, looks: &Looks) -> Result<Found, Cause> {
    let (known, rest) = known_folder(path, looks);
    let mut at = known.to_owned();
    let mut pending: VecDeque<Cow<'_, OsStr>> = names(rest).map(Cow::Borrowed).collect();
    let mut links = Vec::new();
    let mut followed = 0;
    let mut kind = Kind::Directory;
    let mut is_socket = false;
    while let Some(name) = pending.pop_front() {
        if *name == *".." {
            at.pop();
            continue;
        }
        let next = at.join(&name);
        match looks.at(&next) {
            Err(source) => return Err(Cause::Unseen { path: append(next, pending), source }),
            Ok(Sight::Absent) => {
                let path = append(next, pending);
                return Ok(Found { path, kind: Kind::Absent, links, blocked: None, is_socket });
            }
            Ok(Sight::Link(target)) => {
                followed += 1;
                if followed > MAX_LINKS {
                    return Err(Cause::LinkLoop { path: next });
                }
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                for name in names(target.as_os_str()).rev() {
                    pending.push_front(Cow::Owned(name.to_owned()));
                }
                let link = Link { path: next, target };
                if !links.contains(&link) {
                    links.push(link);
                }
            }
            Ok(Sight::Directory) => at = next,
            Ok(sight @ (Sight::File | Sight::Socket)) if pending.is_empty() => {
                at = next;
                kind = Kind::File;
                is_socket = sight == Sight::Socket;
            }
            Ok(Sight::File | Sight::Socket) => {
                let blocked = Some(next.clone());
                let path = append(next, pending);
                return Ok(Found { path, kind: Kind::Absent, links, blocked, is_socket });
            }
        }
    }
    Ok(Found { path: at, kind, links, blocked: None, is_socket })
}

/// The deepest folder of a path that was met on the way of another one, and the rest of the path. No
/// component of such a folder is a link, nor `..`. Most paths of a profile have a neighbour.
fn known_folder<'a>(path: &'a Path, looks: &Looks) -> (&'a Path, &'a OsStr) {
    let bytes = path.as_os_str().as_bytes();
    let slashes = (1..bytes.len()).rev().filter(|at| bytes[*at] == b'/');
    let halves = slashes.map(|at| (Path::new(OsStr::from_bytes(&bytes[..at])), &bytes[at..]));
    let known = halves.into_iter().find(|(folder, _)| looks.is_known_folder(folder));
    let (folder, rest) = known.unwrap_or((Path::new("/"), bytes));
    (folder, OsStr::from_bytes(rest))
}

/// The names of a path, `..` among them. [`Path::components`] does more, and takes several times as
/// long.
pub(crate) fn names(path: &OsStr) -> impl DoubleEndedIterator<Item = &OsStr> {
    let names = path.as_bytes().split(|byte| *byte == b'/');
    names.filter(|name| !name.is_empty() && *name != b".").map(OsStr::from_bytes)
}

/// The rest below a path where nothing is. A `..` in it leads nowhere, so what is missing stands for
/// the whole.
pub(crate) fn append(missing: PathBuf, rest: VecDeque<Cow<'_, OsStr>>) -> PathBuf {
    match rest.iter().any(|name| **name == *"..") {
        true => missing,
        false => rest.iter().fold(missing, |path, name| path.join(name)),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A folder with a physical path.
    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        (folder, path)
    }

    #[test]
    fn a_link_to_an_absent_path_resolves_its_deepest_existing_part() {
        let (_keep, top) = folder();
        fs::create_dir(top.join("real")).unwrap();
        symlink(top.join("real"), top.join("link")).unwrap();
        let found = walk(&top.join("link/new/dir")).unwrap();
        assert_eq!(found.path, top.join("real/new/dir"));
        assert_eq!(found.kind, Kind::Absent);
        assert_eq!(found.links, [Link { path: top.join("link"), target: top.join("real") }]);
    }

    #[test]
    fn links_are_listed_outermost_first_with_physical_places() {
        let (_keep, top) = folder();
        fs::create_dir_all(top.join("usr/lib")).unwrap();
        fs::write(top.join("usr/lib/x"), "").unwrap();
        symlink("usr/lib", top.join("lib")).unwrap();
        symlink("../lib/x", top.join("usr/y")).unwrap();
        let found = walk(&top.join("usr/y")).unwrap();
        assert_eq!(found.path, top.join("usr/lib/x"));
        assert_eq!(found.kind, Kind::File);
        let links: Vec<&Path> = found.links.iter().map(|link| link.path.as_path()).collect();
        assert_eq!(links, [top.join("usr/y"), top.join("lib")]);
    }

    #[test]
    fn links_in_a_circle_are_an_error() {
        let (_keep, top) = folder();
        symlink("b", top.join("a")).unwrap();
        symlink("a", top.join("b")).unwrap();
        assert!(matches!(walk(&top.join("a/x")), Err(Cause::LinkLoop { .. })));
    }

    #[test]
    fn a_file_on_the_way_is_named() {
        let (_keep, top) = folder();
        fs::write(top.join("file"), "").unwrap();
        let found = walk(&top.join("file/x")).unwrap();
        assert_eq!(found.blocked, Some(top.join("file")));
        assert_eq!((found.path, found.kind), (top.join("file/x"), Kind::Absent));
    }

    #[test]
    fn the_root_and_dots_are_paths_too() {
        assert_eq!(walk(Path::new("/")).unwrap().path, Path::new("/"));
        let (_keep, top) = folder();
        assert_eq!(walk(&top.join("./.")).unwrap().path, top);
        assert_eq!(walk(&top.join("..")).unwrap().path, top.parent().unwrap());
    }

    #[test]
    fn what_lies_beyond_a_missing_folder_and_back_is_the_missing_folder() {
        let (_keep, top) = folder();
        fs::create_dir(top.join("real")).unwrap();
        symlink("missing/../real", top.join("link")).unwrap();
        let found = walk(&top.join("link")).unwrap();
        assert_eq!((found.path, found.kind), (top.join("missing"), Kind::Absent));
    }

    #[test]
    fn names_are_bytes() {
        use std::os::unix::ffi::OsStringExt;
        let (_keep, top) = folder();
        let odd = top.join(OsString::from_vec(b"a\nb \"q\" \xff".to_vec()));
        fs::create_dir(&odd).unwrap();
        assert_eq!(walk(&odd).unwrap().path, odd);
    }
}
