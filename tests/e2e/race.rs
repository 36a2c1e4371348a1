//! Paths that somebody swaps for links while runs start.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::support::{Launcher, Setup, confined, ignored};

/// How often a run is started for each launcher and user, where the variable does not say.
const USUAL: usize = 120;
/// A number of runs, for a longer search: 2000 take some minutes for each launcher.
const VARIABLE: &str = "COFFERDAM_RACE_RUNS";

/// Puts a link to the outside where a folder is, and the folder back: at times as fast as it can, at
/// times with pauses in which a run gets far enough to be led astray.
struct Swapper {
    stop: Arc<AtomicBool>,
    swaps: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Swapper {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Swapper {
    fn new(folder: PathBuf, outside: PathBuf) -> Self {
        let (stop, swaps) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (stopped, count) = (Arc::clone(&stop), Arc::clone(&swaps));
        let thread = std::thread::spawn(move || {
            let aside = folder.with_file_name("aside");
            while !stopped.load(Ordering::Relaxed) {
                fs::rename(&folder, &aside).unwrap();
                put(&folder, || symlink(&outside, &folder));
                fs::remove_file(&folder).unwrap();
                put(&folder, || fs::rename(&aside, &folder));
                let swaps = count.fetch_add(1, Ordering::Relaxed);
                if swaps % 64 < 8 {
                    std::thread::sleep(Duration::from_millis(swaps % 8 * 4));
                }
            }
        });
        Swapper { stop, swaps, thread: Some(thread) }
    }

    fn finish(mut self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
        self.swaps.load(Ordering::Relaxed)
    }
}

/// Puts something at a path. Bubblewrap may have made a folder there, to mount something in it, while
/// nothing was there: a stub in the workspace, which the run could have made as well.
fn put(at: &Path, mut how: impl FnMut() -> std::io::Result<()>) {
    while let Err(error) = how() {
        assert!(at.is_dir() || !at.exists(), "{error}");
        let _ = fs::remove_dir_all(at);
    }
}

fn runs() -> usize {
    match std::env::var(VARIABLE) {
        Ok(number) => number.parse().expect(VARIABLE),
        Err(_) => USUAL,
    }
}

/// Everything below a folder: its mode, where that counts, and what is in the files.
fn listing(folder: &Path, with_modes: bool) -> Vec<(PathBuf, Option<u32>, Option<String>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let mode = with_modes.then(|| entry.metadata().unwrap().mode());
        if entry.file_type().unwrap().is_dir() {
            all.extend(listing(&path, with_modes));
        }
        let text = fs::read_to_string(&path).ok();
        all.push((path, mode, text));
    }
    all.sort();
    all
}

/// Starts runs that write wherever they can, while a folder on the way is swapped.
fn race(setup: &Setup, folder: &str, options: &[&str]) {
    let outside = setup.place.path("outside");
    let with_modes = setup.launcher != Launcher::LandlockInPlace;
    if !with_modes {
        ignored("without namespaces modes outside can be changed (`metadata`)");
    }
    let before = listing(&outside, with_modes);
    let inside = folder.strip_prefix("work/").unwrap();
    let script = format!(
        "for f in {inside} . ; do echo x > $f/written; echo x > $f/hooks/written; \
         echo x >> $f/config; chmod 777 $f/config; rm -f $f/kept; mkdir $f/made; cat $f/secret; done"
    );
    let swapper = Swapper::new(setup.place.path(folder), outside.clone());
    let mut started = 0;
    for _ in 0..runs() {
        let ran = setup.run(options, ["sh", "-c", &script]);
        started += usize::from(ran.code != Some(125));
        assert_eq!(listing(&outside, with_modes), before, "{ran:?}");
        assert!(!ran.stdout.contains("SECRET"), "{ran:?}");
    }
    let swaps = swapper.finish();
    println!("{started} runs started, {swaps} swaps");
    assert!(swaps > 0 && started > 0);
}

fn prepared(setup: &Setup) {
    for (file, text) in
        [("secret", "SECRET"), ("kept", "kept"), ("config", "[core]"), ("hooks/x", "")]
    {
        setup.place.file(format!("outside/{file}"), text);
    }
}

#[test]
fn a_protected_folder_that_is_swapped_is_no_way_out() {
    confined(|setup| {
        prepared(setup);
        setup.place.file("work/.git/config", "[core]\n");
        setup.place.file("work/.git/hooks/x", "");
        race(setup, "work/.git", &[]);
    });
}

#[test]
fn a_writable_folder_that_is_swapped_is_no_way_out() {
    confined(|setup| {
        prepared(setup);
        let folder = setup.place.folder("work/out/deep");
        race(setup, "work/out", &["--write", folder.to_str().unwrap()]);
    });
}

#[test]
fn a_readable_folder_that_is_swapped_shows_nothing_else() {
    confined(|setup| {
        if setup.launcher == Launcher::LandlockInPlace {
            return ignored("a `read` below a `write` cannot be had without namespaces");
        }
        prepared(setup);
        let folder = setup.place.folder("work/look/deep");
        race(setup, "work/look", &["--read", folder.to_str().unwrap()]);
    });
}
