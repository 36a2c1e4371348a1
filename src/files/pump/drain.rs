//! From the standard output of a command to a file.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, mpsc};

use rustix::event::PollFlags;
use rustix::io::{Errno, read, write};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::thread::{Stop, Stopping, start, stop};
use super::{CHUNK, MOST_AT_ONCE, failure};
use crate::files::system::carry;
use crate::files::{Diverted, OutputFile, OutputMode};
use crate::watch::STATUS;

/// How far a thread has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Stage {
    Flowing,
    /// The cap is exceeded, and what follows is dropped.
    Exceeded,
    /// Nothing more comes.
    Over,
}

/// An output that goes into a file. Dropped, it takes what is there and no more.
#[derive(Debug)]
pub(crate) struct Drain {
    stage: watch::Receiver<Stage>,
    is_exceeded: bool,
    stop: Option<Stop>,
    /// Whether a command ran.
    ran: mpsc::Sender<bool>,
    settled: oneshot::Receiver<Option<String>>,
}

impl Drain {
    /// Starts to carry from the pipe to the file.
    pub(crate) fn start(
        pipe: OwnedFd,
        file: OutputFile,
        diverted: Arc<Diverted>,
    ) -> io::Result<Self> {
        let (stop, stopping) = stop()?;
        let (stage_is, stage) = watch::channel(Stage::Flowing);
        let (ran, ran_it) = mpsc::channel();
        let (settled_is, settled) = oneshot::channel();
        rustix::io::ioctl_fionbio(&pipe, true)?;
        let kernel_carries = file.mode() == OutputMode::Replace;
        let mut carrier =
            Carrier { pipe, file, diverted, stage: stage_is, kernel_carries, failed: None };
        start(move || {
            carrier.carry(&stopping);
            // Who wrote more has to be told by the closed pipe, and not held up by a full one.
            let Carrier { pipe, mut file, stage, failed, .. } = carrier;
            drop(pipe);
            stage.send_replace(Stage::Over);
            // When nobody tells, the run is not waited for any more.
            let kept = if ran_it.recv() == Ok(true) { file.keep() } else { Ok(()) };
            let (key, path) = (file.mode().key(), file.path());
            drop(file);
            let failed = failed.or(kept.err()).map(|error| failure(key, &path, error));
            let _ = settled_is.send(failed);
        })?;
        Ok(Drain { stage, is_exceeded: false, stop: Some(stop), ran, settled })
    }

    /// Whether more may come.
    pub(crate) fn is_open(&self) -> bool {
        *self.stage.borrow() < Stage::Over
    }

    /// Resolves when the cap is exceeded, once.
    pub(crate) async fn exceeded(&mut self) {
        if !self.is_exceeded && self.stage.wait_for(|stage| *stage != Stage::Flowing).await.is_ok()
        {
            self.is_exceeded = true;
            if *self.stage.borrow() == Stage::Exceeded {
                return;
            }
        }
        std::future::pending().await
    }

    /// Resolves when nothing more comes.
    pub(crate) async fn over(&mut self) {
        // A thread that is lost carries no more either.
        let _ = self.stage.wait_for(|stage| *stage == Stage::Over).await;
    }

    /// Takes what is there, and waits until that is written; but not for ever, where a disk is gone.
    pub(crate) async fn take_rest(&mut self) {
        self.stop = None;
        let _ = timeout(STATUS, self.over()).await;
    }

    /// Leaves the file as it is to be: whole where a command ran, as it was where none did. What went
    /// wrong with it is told.
    pub(crate) async fn settle(mut self, ran: bool) -> Option<String> {
        self.stop = None;
        let _ = self.ran.send(ran);
        match timeout(STATUS, self.settled).await {
            Ok(settled) => settled.unwrap_or_else(|_| Some(LOST.to_owned())),
            Err(_) => Some(SLOW.to_owned()),
        }
    }
}

const LOST: &str = "cofferdam: what became of the output file is not known";
const SLOW: &str = "cofferdam: the disk of the output file does not answer; it may lack its end";

struct Carrier {
    pipe: OwnedFd,
    file: OutputFile,
    diverted: Arc<Diverted>,
    stage: watch::Sender<Stage>,
    /// Not behind the end of a file, and not into every file system.
    kernel_carries: bool,
    failed: Option<Errno>,
}

/// What came of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Done,
    /// There is nothing to read now.
    Nothing,
    /// Nobody writes any more.
    End,
}

impl Carrier {
    /// Until the pipe has ended, or until it is told to stop and has taken what was there.
    fn carry(&mut self, stopping: &Stopping) {
        /// A pipe holds 16 chunks of the smallest kind. Whoever is left may go on writing for ever.
        const MOST_RESTS: usize = 32;
        let mut chunk = Vec::new();
        let mut rests = 0;
        loop {
            let is_rest = !stopping.until_ready(&self.pipe, PollFlags::IN);
            rests += usize::from(is_rest);
            match self.step(&mut chunk) {
                Step::End => return,
                Step::Nothing if is_rest => return,
                _ if rests > MOST_RESTS => return,
                _ => {}
            }
        }
    }

    fn step(&mut self, chunk: &mut Vec<u8>) -> Step {
        let room = usize::try_from(self.file.room()).unwrap_or(usize::MAX);
        if room > 0 && self.failed.is_none() && self.kernel_carries && self.holds_bytes() {
            match self.splice(room.min(MOST_AT_ONCE)) {
                Some(step) => return step,
                None => self.kernel_carries = false,
            }
        }
        chunk.resize(CHUNK, 0);
        match read(&self.pipe, &mut chunk[..]) {
            Ok(0) => Step::End,
            Ok(count) => {
                self.write(&chunk[..count]);
                Step::Done
            }
            Err(Errno::AGAIN) => Step::Nothing,
            Err(Errno::INTR) => Step::Done,
            Err(_) => Step::End,
        }
    }

    /// Whether the pipe holds something: only then is the file changed.
    fn holds_bytes(&self) -> bool {
        rustix::io::ioctl_fionread(&self.pipe).is_ok_and(|bytes| bytes > 0)
    }

    /// Lets the kernel carry; `None` where it does not.
    fn splice(&mut self, most: usize) -> Option<Step> {
        if let Err(error) = self.file.clear() {
            self.failed = Some(error);
            return Some(Step::Done);
        }
        Some(match carry(&self.pipe, self.file.file(), most) {
            Ok(0) => Step::End,
            Ok(count) => {
                self.file.fill(count as u64);
                self.diverted.write(count as u64);
                Step::Done
            }
            Err(Errno::AGAIN) => Step::Nothing,
            Err(Errno::INTR) => Step::Done,
            Err(Errno::INVAL | Errno::NOSYS) => return None,
            Err(error) => {
                self.failed = Some(error);
                Step::Done
            }
        })
    }

    /// Writes what there is room for, and drops the rest.
    fn write(&mut self, bytes: &[u8]) {
        let room = usize::try_from(self.file.room()).unwrap_or(usize::MAX);
        let (mut fits, _) = bytes.split_at(bytes.len().min(room));
        if self.failed.is_some() {
            fits = &[];
        }
        let mut written = 0;
        while written < fits.len() {
            let step = self.file.clear().and_then(|()| write(self.file.file(), &fits[written..]));
            match step {
                Ok(count) => written += count,
                Err(Errno::INTR) => {}
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        self.file.fill(written as u64);
        self.diverted.write(written as u64);
        let dropped = &bytes[written..];
        if !dropped.is_empty() {
            self.diverted.drop_bytes(dropped);
            if self.failed.is_none() {
                self.stage.send_if_modified(|stage| {
                    let is_news = *stage == Stage::Flowing;
                    *stage = Stage::Exceeded;
                    is_news
                });
            }
        }
    }
}
