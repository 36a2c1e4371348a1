//! The places of all grants, kept open between runs.
//!
//! Opening some seventy paths for every run costs more than all else that a run needs in the host. So
//! they are opened once, and before each run one look at the path tells whether it still names the
//! same file. Where it does not, it is opened anew, as if for the first time.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cofferdam_launcher::LaunchError;

use crate::grants::Grant;
use crate::place::Place;

/// The grants of one policy, and what their paths named last.
#[derive(Debug)]
pub(crate) struct Places {
    grants: Vec<Grant>,
    /// One for each grant; `None` where nothing is kept. Shared, so that nobody looks at a path
    /// while the lock is held: a dead network mount must not stop other runs.
    kept: Mutex<Arc<[Option<Kept>]>>,
}

impl Places {
    pub(crate) fn new(grants: Vec<Grant>) -> Places {
        let kept = Mutex::new(grants.iter().map(|_| None).collect());
        Places { grants, kept }
    }

    pub(crate) fn grants(&self) -> &[Grant] {
        &self.grants
    }

    /// Visits the place of every grant, as it is now.
    ///
    /// # Errors
    /// [`LaunchError::Path`] when nothing is there any more, or when a link has come into the path
    /// since the policy was resolved; and what `visit` says.
    pub(crate) fn visit(
        &self,
        mut visit: impl FnMut(&Place, &Grant) -> Result<(), LaunchError>,
    ) -> Result<(), LaunchError> {
        let known = self.known();
        let mut fresh = Vec::new();
        for (index, grant) in self.grants.iter().enumerate() {
            match &known[index] {
                Some(kept) if kept.place.is_at(&grant.path) => visit(&kept.place, grant)?,
                _ => {
                    let Some(place) = open(grant)? else { continue };
                    visit(&place, grant)?;
                    fresh.push((index, place));
                }
            }
        }
        if !fresh.is_empty() {
            self.keep(fresh);
        }
        Ok(())
    }

    fn known(&self) -> Arc<[Option<Kept>]> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep(&self, fresh: Vec<(usize, Place)>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Option<Kept>> = kept.iter().cloned().collect();
        for (index, place) in fresh {
            // First, so that its slot is free for what takes its place.
            all[index] = None;
            all[index] = Kept::new(place);
        }
        *kept = all.into();
    }
}

/// Opens the place of a grant. `None` where an implied one is missing.
pub(crate) fn open(grant: &Grant) -> Result<Option<Place>, LaunchError> {
    match Place::open(&grant.path) {
        Ok(place) => Ok(Some(place)),
        Err(error) if grant.implied && error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(LaunchError::Path { path: grant.path.clone(), source }),
    }
}

/// A place that is kept open beyond its run.
#[derive(Debug, Clone)]
struct Kept {
    place: Arc<Place>,
    /// Gives the slot back with the last of its clones.
    _slot: Arc<Slot>,
}

impl Kept {
    /// `None` when the process keeps as many as it may: then it is opened for each run.
    fn new(place: Place) -> Option<Kept> {
        Some(Kept { _slot: Arc::new(Slot::take()?), place: Arc::new(place) })
    }
}

/// One of the descriptors that may be kept.
#[derive(Debug)]
struct Slot;

/// A quarter of the 1024 descriptors that a process may have open by default. Three instances with
/// the profile `workspace` fill it.
const MOST_KEPT: usize = 256;

static KEPT: AtomicUsize = AtomicUsize::new(0);

impl Slot {
    fn take() -> Option<Slot> {
        let one_more = |kept| (kept < MOST_KEPT).then_some(kept + 1);
        KEPT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok().map(|_| Slot)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        KEPT.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::fd::{AsFd, AsRawFd};
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use super::*;
    use crate::rights::Rights;

    fn places(paths: &[&Path]) -> Places {
        let grant = |path: &&Path| Grant {
            path: path.to_path_buf(),
            rights: Rights::EMPTY,
            implied: false,
        };
        Places::new(paths.iter().map(grant).collect())
    }

    /// The descriptors and inode numbers of one visit.
    fn seen(places: &Places) -> Result<Vec<(i32, u64)>, LaunchError> {
        let mut seen = Vec::new();
        places.visit(|place, _| {
            let file = place.as_fd().try_clone_to_owned().map(fs::File::from).unwrap();
            seen.push((place.as_fd().as_raw_fd(), file.metadata().unwrap().ino()));
            Ok(())
        })?;
        Ok(seen)
    }

    #[test]
    fn a_place_is_opened_once_and_again_when_it_was_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two, new] = ["one", "two", "new"].map(|name| folder.path().join(name));
        fs::write(&one, "1").unwrap();
        fs::write(&two, "2").unwrap();
        let places = places(&[&one, &two]);
        let first = seen(&places).unwrap();
        assert_eq!(seen(&places).unwrap(), first);

        fs::write(&new, "new").unwrap();
        fs::rename(&new, &two).unwrap();
        let second = seen(&places).unwrap();
        assert_eq!(second[0], first[0]);
        assert_eq!(second[1].1, fs::metadata(&two).unwrap().ino());
        assert_ne!(second[1].1, first[1].1);
    }

    #[test]
    fn a_place_that_has_vanished_is_an_error_and_can_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let places = places(&[&file]);
        seen(&places).unwrap();
        fs::remove_file(&file).unwrap();
        let error = seen(&places).unwrap_err();
        assert!(matches!(&error, LaunchError::Path { path, .. } if *path == file), "{error}");
        fs::write(&file, "").unwrap();
        assert_eq!(seen(&places).unwrap()[0].1, fs::metadata(&file).unwrap().ino());
    }

    #[test]
    fn beyond_the_most_that_may_be_kept_places_are_opened_for_each_visit() {
        let folder = tempfile::tempdir().unwrap();
        let files: Vec<_> =
            (0..MOST_KEPT + 9).map(|number| folder.path().join(number.to_string())).collect();
        files.iter().for_each(|file| fs::write(file, "").unwrap());
        let paths: Vec<&Path> = files.iter().map(|file| file.as_path()).collect();
        let places = places(&paths);
        assert_eq!(seen(&places).unwrap().len(), paths.len());
        assert_eq!(seen(&places).unwrap().len(), paths.len());
        let kept = places.known().iter().flatten().count();
        assert!(kept <= MOST_KEPT, "{kept}");
        assert!(kept > 0);
    }
}
