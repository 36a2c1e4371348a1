//! The steps that build the view of one run. Pure, but for looking which of the paths that are to be
//! closed are there.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use cofferdam_launcher::{LaunchError, Scratch};
use cofferdam_view::{Absence, Own, Place, Show, View, depth};

use super::protocol::{step, what};
use super::reach::Reach;
use crate::place;

/// Files of `/proc` that say something about the whole machine: keys of the host's users, physical
/// memory, timers of all processes.
const TELLTALES: [&str; 4] = ["/proc/kcore", "/proc/keys", "/proc/sched_debug", "/proc/timer_list"];

/// The permission bits of a folder that everyone may write to.
pub(crate) const TEMPORARY: u32 = 0o1777;

/// What is put at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Put {
    /// One of [`what`].
    pub(crate) what: u32,
    /// [`step`] flags, or permission bits.
    pub(crate) flags: u32,
    /// A path of the host, or the target of a link.
    pub(crate) from: PathBuf,
    /// Whether it can be written to.
    pub(crate) writable: bool,
}

/// The view of one run, or what the views of all runs have in common.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scene {
    puts: BTreeMap<(usize, PathBuf), Put>,
}

/// What is to be closed below something open, if it is there when a run starts.
#[derive(Debug)]
pub(crate) struct Closing {
    path: PathBuf,
    put: Put,
    /// The folders on the way to it, which keep their names.
    pins: Vec<PathBuf>,
}

impl Closing {
    /// Whether there is anything to close now. Nothing is ever made on the host to be a mount point.
    ///
    /// # Errors
    /// [`LaunchError::Path`] where a link stands in the way to it.
    pub(crate) fn is_there(&self) -> Result<bool, LaunchError> {
        match place::open(&self.path) {
            Ok(_) => Ok(true),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(false),
                _ => Err(LaunchError::Path { path: self.path.clone(), source: error }),
            },
        }
    }

    /// All of a policy.
    pub(crate) fn of(view: &View) -> Vec<Closing> {
        let closing = |place: &Place| {
            let put = match place.show {
                Show::Hide { search: true } => put(what::HIDE, step::OPTIONAL | step::SEARCH),
                Show::Hide { search: false } => put(what::HIDE, step::OPTIONAL),
                Show::Read if view.ground(place) == Some(Show::Write) => {
                    put(what::PIN, step::OPTIONAL | step::READ_ONLY)
                }
                _ => return None,
            };
            Some(Closing { path: place.path.clone(), put, pins: place.pins.clone() })
        };
        view.places().iter().filter_map(closing).collect()
    }
}

impl Scene {
    /// What every run of a policy has.
    pub(crate) fn of(view: &View, reach: Reach) -> Scene {
        let mut scene = Scene::default();
        for place in view.places() {
            scene.add(place, view, reach);
        }
        for link in view.links() {
            scene.put(&link.path, Put { from: link.target.clone(), ..put(what::LINK, 0) });
        }
        for path in TELLTALES {
            scene.put(Path::new(path), put(what::HIDE, 0));
        }
        scene
    }

    /// The view of one run: with its scratch folders, and with what is to be closed and there.
    pub(crate) fn of_run<'a>(
        &self,
        view: &View,
        closings: impl Iterator<Item = &'a Closing>,
        scratch: Option<&Scratch>,
    ) -> Scene {
        let mut scene = self.clone();
        closings.for_each(|closing| scene.close(closing));
        scene.add_tmp(view, scratch);
        if let Some(scratch) = scratch {
            for folder in [&scratch.tmp, &scratch.home] {
                let place = Place::new(folder, Show::Write);
                let over = over(view.ground(&place));
                scene.put(folder, bind(folder, over));
            }
        }
        scene
    }

    /// Has these folders, which can only be read, shown through overlays.
    pub(crate) fn show_through_overlays(&mut self, folders: &[PathBuf]) {
        for ((_, at), put) in &mut self.puts {
            if folders.contains(at) {
                put.what = what::OVERLAY;
            } else if folders.iter().any(|folder| at.starts_with(folder)) {
                put.flags |= if put.what == what::BIND { step::ON_OVERLAY } else { 0 };
            }
        }
    }

    /// Whether what is at this physical path inside lies in an overlay.
    pub(crate) fn has_in_overlay(&self, path: &Path) -> bool {
        let mut around = self.puts.iter().rev().filter(|((_, at), _)| path.starts_with(at));
        around.next().is_some_and(|(_, put)| put.what == what::OVERLAY)
    }

    /// Hands out the steps, and what seals the folders of the run's own when all is in them: kind,
    /// flags, source and path.
    pub(crate) fn steps(&self, mut take: impl FnMut(u32, u32, &OsStr, &OsStr)) {
        let none = OsStr::new("");
        for (at, put) in self.puts() {
            take(put.what, put.flags, put.from.as_os_str(), at.as_os_str());
        }
        for ((_, at), put) in &self.puts {
            let is_hidden = put.what == what::HIDE && put.flags & step::SEARCH != 0;
            let is_empty = put.what == what::MEMORY && put.flags != TEMPORARY;
            if is_hidden || is_empty {
                take(what::SEAL, step::OPTIONAL, none, at.as_os_str());
            }
        }
    }

    /// The mounts, one a line.
    pub(crate) fn explain(&self) -> String {
        let line = |(at, put): (&Path, &Put)| {
            let from = put.from.display();
            let what = match put.what {
                what::BIND if put.flags & step::DEVICE != 0 => "device".to_owned(),
                what::BIND if put.from != at => format!("write, {from}"),
                what::BIND if put.writable => "write".to_owned(),
                what::BIND => "read".to_owned(),
                what::READ => "read".to_owned(),
                what::OVERLAY => {
                    "read, through an overlay: sockets and named pipes in it are not the host's"
                        .to_owned()
                }
                what::PIN if put.writable => "keeps its name".to_owned(),
                what::PIN => "read, keeps its name".to_owned(),
                what::HIDE => "hidden".to_owned(),
                what::LINK => format!("link to {from}"),
                what::MEMORY if put.writable => "write, in memory".to_owned(),
                what::MEMORY => "empty".to_owned(),
                what::DEVICES => "own devices, terminals, shared memory".to_owned(),
                _ => "own processes".to_owned(),
            };
            format!("mount      {}  {what}\n", at.display())
        };
        self.puts().map(line).collect()
    }

    /// What is put where, the outermost first.
    pub(crate) fn puts(&self) -> impl Iterator<Item = (&Path, &Put)> {
        self.puts.iter().map(|((_, at), put)| (at.as_path(), put))
    }

    /// What is put at a path.
    pub(crate) fn at(&self, path: &Path) -> Option<&Put> {
        self.puts.get(&(depth(path), path.to_owned()))
    }

    fn add(&mut self, place: &Place, view: &View, reach: Reach) {
        let path = &place.path;
        let ground = view.ground(place);
        let optional = match place.absence {
            Absence::Passed => step::OPTIONAL,
            Absence::Fatal => 0,
        };
        let made = match place.show {
            // The ground of the view is made before all steps.
            Show::Read | Show::Write if path == Path::new("/") => return,
            // Closed below something writable: for each run, if it is there.
            Show::Read if ground == Some(Show::Write) => return,
            Show::Hide { .. } => return,
            Show::Read if view.is_apart(place) => {
                let folder = if path.is_dir() { step::FOLDER } else { 0 };
                Put { from: path.clone(), ..put(what::READ, optional | folder) }
            }
            Show::Read => {
                Put { writable: false, ..bind(path, over(ground) | optional | step::READ_ONLY) }
            }
            Show::Write => bind(path, over(ground) | optional),
            Show::Device => bind(path, over(ground) | optional | step::DEVICE),
            Show::Own(Own::Proc) => match reach {
                Reach::All => put(what::PROCESSES, 0),
                Reach::AllButProcesses => Put { writable: false, ..bind(path, step::READ_ONLY) },
            },
            Show::Own(Own::Dev) => put(what::DEVICES, 0),
            Show::Own(Own::Run) => put(what::MEMORY, 0o755),
            Show::Own(Own::Tmp) => return,
        };
        self.put(path, made);
    }

    /// Closes something, and keeps the folders on the way to it.
    fn close(&mut self, closing: &Closing) {
        // In place of what is the run's own, if it is that.
        self.puts.insert((depth(&closing.path), closing.path.clone()), closing.put.clone());
        for folder in &closing.pins {
            let pin = Put { writable: true, ..put(what::PIN, step::OPTIONAL) };
            self.put(folder, pin);
        }
    }

    /// `/tmp`: the scratch folder. If something else lies below it, mount points would have to be made
    /// in the scratch folder, so it is in memory then.
    fn add_tmp(&mut self, view: &View, scratch: Option<&Scratch>) {
        let own = view.places().iter().find(|place| place.show == Show::Own(Own::Tmp));
        let Some(place) = own else { return };
        let folders = scratch.map(|scratch| [&scratch.tmp, &scratch.home]);
        let has_scratch_below =
            folders.is_some_and(|folders| folders.iter().any(|path| path.starts_with(&place.path)));
        let made = match scratch {
            Some(scratch) if !view.has_below(&place.path) && !has_scratch_below => {
                bind(&scratch.tmp, 0)
            }
            _ => Put { writable: true, ..put(what::MEMORY, TEMPORARY) },
        };
        self.put(&place.path, made);
    }

    /// The first to come stays: places come before pins, which only repeat what is around them.
    pub(crate) fn put(&mut self, at: &Path, made: Put) {
        if let Entry::Vacant(vacant) = self.puts.entry((depth(at), at.to_owned())) {
            vacant.insert(made);
        }
    }
}

pub(crate) fn put(what: u32, flags: u32) -> Put {
    Put { what, flags, from: PathBuf::new(), writable: false }
}

fn bind(from: &Path, flags: u32) -> Put {
    Put { what: what::BIND, flags, from: from.to_owned(), writable: true }
}

/// Whether the host's files are at a place already.
fn over(ground: Option<Show>) -> u32 {
    match ground {
        Some(show) if show.is_host() => step::OVER,
        _ => 0,
    }
}
