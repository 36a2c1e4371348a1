//! How readable folders in which the host may keep sockets and named pipes are kept from being a way
//! to it.
//!
//! Pipes are Landlock's affair, and sockets as well where the kernel has a right for them. Before, such
//! a folder is shown through an overlay. Where that cannot be, the filter refuses all Unix sockets but
//! pairs: stricter than the policy, for the command's own sockets are gone too.

use std::path::PathBuf;

use cofferdam_profiles::{Filesystem, UnixSockets};
use cofferdam_view::{Show, View, doors};

use super::submounts;
use crate::abi::Abi;

/// The folders, and whether an overlay can show them.
#[derive(Debug)]
pub(crate) struct Doors {
    folders: Vec<PathBuf>,
    overlay: bool,
}

/// What is done about the doors of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure<'a> {
    /// There is nothing to do.
    Nothing,
    /// These are shown through overlays.
    Overlay(&'a [PathBuf]),
    /// The filter refuses sockets on account of these.
    Refuse(&'a [PathBuf]),
}

impl Doors {
    /// Those of a policy.
    pub(crate) fn of(files: &Filesystem, sockets: &UnixSockets, view: &View, abi: Abi) -> Doors {
        let folders = match sockets {
            // There the filter refuses all, or nothing is to be refused.
            UnixSockets::None | UnixSockets::All => Vec::new(),
            _ if abi.has_socket_files() => Vec::new(),
            UnixSockets::Inside | UnixSockets::Paths(_) => doors(files),
        };
        let overlay = !view.is_whole()
            && folders.iter().all(|folder| view.show(folder) == Some(Show::Read))
            && !has_open_socket(sockets, &folders);
        Doors { folders, overlay }
    }

    /// Whether there are any.
    pub(crate) fn are_any(&self) -> bool {
        !self.folders.is_empty()
    }

    /// Does without overlays from now on, since none could be made. Whether that changes anything.
    pub(crate) fn give_up_overlay(&mut self) -> bool {
        self.are_any() && std::mem::replace(&mut self.overlay, false)
    }

    /// What every run does, unless something is mounted below a door when it starts.
    pub(crate) fn usual_measure(&self) -> Measure<'_> {
        match (self.are_any(), self.overlay) {
            (false, _) => Measure::Nothing,
            (true, true) => Measure::Overlay(&self.folders),
            (true, false) => Measure::Refuse(&self.folders),
        }
    }

    /// What a run does that starts now. An overlay shows nothing of what is mounted below its folder.
    pub(crate) fn measure(&self) -> Measure<'_> {
        match self.usual_measure() {
            Measure::Overlay(folders) if submounts::lie_below(folders) => Measure::Refuse(folders),
            measure => measure,
        }
    }
}

/// Whether the policy opens a socket in one of the folders, which an overlay would close.
fn has_open_socket(sockets: &UnixSockets, folders: &[PathBuf]) -> bool {
    let UnixSockets::Paths(sockets) = sockets else { return false };
    sockets.iter().any(|socket| folders.iter().any(|folder| socket.path.starts_with(folder)))
}

#[cfg(test)]
mod tests {
    use cofferdam_profiles::{Access, Kind, Origin, Rule};

    use super::*;

    fn rule(access: Access, path: &str) -> Rule {
        let (path, written) = (PathBuf::from(path), PathBuf::from(path));
        let kind = Kind::Directory;
        Rule { access, path, kind, links: Vec::new(), written, origin: Origin::default() }
    }

    fn doors(rules: Vec<Rule>, sockets: UnixSockets, abi: i32) -> Doors {
        let files = Filesystem { rules, scratch: true, ..Filesystem::default() };
        let view = View::compile(&files, &sockets);
        Doors::of(&files, &sockets, &view, Abi::from_version(abi))
    }

    #[test]
    fn a_folder_that_the_user_opens_is_shown_through_an_overlay_before_the_kernel_has_a_right() {
        let rules = || vec![rule(Access::Read, "/srv/x"), rule(Access::Write, "/srv/w")];
        let doors_at = |abi| doors(rules(), UnixSockets::Inside, abi);
        assert_eq!(doors_at(8).usual_measure(), Measure::Overlay(&["/srv/x".into()]));
        assert_eq!(doors_at(9).usual_measure(), Measure::Nothing);
    }

    #[test]
    fn where_an_overlay_cannot_be_sockets_are_refused() {
        let refused = |doors: &Doors| matches!(doors.usual_measure(), Measure::Refuse(_));
        let whole = doors(vec![rule(Access::Read, "/")], UnixSockets::Inside, 7);
        assert!(refused(&whole));
        let open = UnixSockets::Paths(vec![rule(Access::Write, "/srv/x/s")]);
        assert!(refused(&doors(vec![rule(Access::Read, "/srv/x")], open, 7)));
        let mut doors = doors(vec![rule(Access::Read, "/srv/x")], UnixSockets::Inside, 7);
        assert!(!refused(&doors) && doors.give_up_overlay() && refused(&doors));
        assert!(!doors.give_up_overlay());
    }

    #[test]
    fn where_the_policy_opens_all_sockets_or_none_there_is_nothing_to_do() {
        for sockets in [UnixSockets::All, UnixSockets::None] {
            let doors = doors(vec![rule(Access::Read, "/srv/x")], sockets, 7);
            assert_eq!(doors.usual_measure(), Measure::Nothing);
        }
    }
}
