//! The view of one run: the places of the policy as they are now, and the run's scratch folders.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::path::{Path, PathBuf};

use cofferdam_launcher::{LaunchError, Scratch};
use cofferdam_view::{Absence, Own, Place, Show, View, depth};

use crate::mount::{Access, Memory, Mount, What};
use crate::source;

/// A folder that is there where the kernel has POSIX message queues (`mq_overview(7)`).
const QUEUES_OF_THE_KERNEL: &str = "/proc/sys/fs/mqueue";

/// Files of `/proc` that say something about the whole machine: keys of the host's users, physical
/// memory, timers of all processes. Bound away where the kernel has them.
const TELLTALES: [&str; 4] = ["/proc/kcore", "/proc/keys", "/proc/sched_debug", "/proc/timer_list"];

/// The mounts of one run, each after those around it.
pub(crate) struct Scene {
    mounts: BTreeMap<(usize, PathBuf), What>,
    by_descriptor: bool,
}

impl Scene {
    /// Looks at everything that the view names and opens what is there.
    ///
    /// # Errors
    /// [`LaunchError::Path`] where a writable path is gone, or a link stands in the way.
    pub(crate) fn set(
        view: &View,
        scratch: Option<&Scratch>,
        by_descriptor: bool,
    ) -> Result<Vec<Mount>, LaunchError> {
        let mut scene = Scene { mounts: BTreeMap::new(), by_descriptor };
        for place in view.places() {
            scene.add_place(place, view, scratch)?;
        }
        for link in view.links() {
            let target = link.target.clone();
            scene.put(&link.path, What::Link { target });
        }
        if let Some(scratch) = scratch {
            scene.bind(&scratch.tmp, &scratch.tmp, Access::Write)?;
            scene.bind(&scratch.home, &scratch.home, Access::Write)?;
        }
        scene.cover_telltales()?;
        let mounts = scene.mounts.into_iter();
        Ok(mounts.map(|((_, at), what)| Mount { at, what }).collect())
    }

    fn add_place(
        &mut self,
        place: &Place,
        view: &View,
        scratch: Option<&Scratch>,
    ) -> Result<(), LaunchError> {
        let access = match place.show {
            Show::Own(own) => return self.add_own(own, place, view, scratch),
            Show::Hide { search } => return self.hide(place, search),
            Show::Read => Access::Read,
            Show::Write => Access::Write,
            Show::Device => Access::Device,
        };
        if is_settings(place)
            && view.is_apart(place)
            && let Some((from, mode)) = source::open_small(&place.path)
        {
            self.put(&place.path, What::Copy { from, mode });
            return Ok(());
        }
        let Some(opened) = source::open(&place.path)? else {
            return match place.absence {
                Absence::Passed => Ok(()),
                Absence::Fatal => Err(source::gone(&place.path)),
            };
        };
        let from = opened.into_source(&place.path, self.by_descriptor);
        self.put(&place.path, What::Bind { from, access });
        self.pin(place)
    }

    fn hide(&mut self, place: &Place, search: bool) -> Result<(), LaunchError> {
        // A mount point that is not there would be made, and stay behind on the host.
        let Some(opened) = source::open(&place.path)? else {
            return Ok(());
        };
        let what = match opened.is_folder {
            true => What::HiddenFolder { search },
            false => What::HiddenFile { empty: nothing()? },
        };
        self.put(&place.path, what);
        self.pin(place)
    }

    fn add_own(
        &mut self,
        own: Own,
        place: &Place,
        view: &View,
        scratch: Option<&Scratch>,
    ) -> Result<(), LaunchError> {
        let what = match own {
            Own::Proc => What::Proc,
            Own::Dev => What::Dev,
            Own::Run => What::Memory(Memory::Empty),
            Own::Tmp => match scratch {
                Some(scratch) if !has_below(view, scratch, &place.path) => {
                    return self.bind(&scratch.tmp, &place.path, Access::Write);
                }
                // Mount points below would be made in the scratch folder, where an earlier run may
                // have left a link in the way.
                _ => What::Memory(Memory::Temporary),
            },
        };
        // Over the host's own files a mount point cannot be made, and a link is followed.
        let has_ground = !view.is_whole() || is_folder(&place.path);
        if has_ground {
            self.put(&place.path, what);
        }
        if has_ground && own == Own::Dev && Path::new(QUEUES_OF_THE_KERNEL).is_dir() {
            self.put(&place.path.join("mqueue"), What::Queues);
        }
        Ok(())
    }

    /// Makes the folders on the way to a place mounts of their own, so that they keep their names.
    fn pin(&mut self, place: &Place) -> Result<(), LaunchError> {
        for folder in &place.pins {
            self.bind(folder, folder, Access::Write)?;
        }
        Ok(())
    }

    /// Binds what has to be there.
    fn bind(&mut self, from: &Path, at: &Path, access: Access) -> Result<(), LaunchError> {
        let opened = source::open(from)?.ok_or_else(|| source::gone(from))?;
        let from = opened.into_source(from, self.by_descriptor);
        self.put(at, What::Bind { from, access });
        Ok(())
    }

    fn cover_telltales(&mut self) -> Result<(), LaunchError> {
        for path in TELLTALES.map(Path::new) {
            if path.exists() {
                self.put(path, What::HiddenFile { empty: nothing()? });
            }
        }
        Ok(())
    }

    /// The first to come stays: places come before pins, which only repeat what is around them.
    fn put(&mut self, at: &Path, what: What) {
        if let Entry::Vacant(vacant) = self.mounts.entry((depth(at), at.to_owned())) {
            vacant.insert(what);
        }
    }
}

/// Whether a place may be copied. A mount costs bubblewrap some 0.4 ms, a copy next to nothing, and
/// policies name dozens of small files of the system's settings. They stay as they were when the run
/// began, which must not be done to a file that somebody may want to watch.
fn is_settings(place: &Place) -> bool {
    place.show == Show::Read && place.path.starts_with("/etc")
}

fn has_below(view: &View, scratch: &Scratch, folder: &Path) -> bool {
    view.has_below(folder)
        || [&scratch.tmp, &scratch.home].iter().any(|path| path.starts_with(folder))
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// A descriptor that reads as empty. Each option of bubblewrap closes its own.
fn nothing() -> Result<std::os::fd::OwnedFd, LaunchError> {
    match File::open("/dev/null") {
        Ok(file) => Ok(file.into()),
        Err(source) => Err(LaunchError::System { stage: "open /dev/null", source }),
    }
}
