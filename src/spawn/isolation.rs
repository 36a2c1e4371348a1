//! Whether children are kept from the host's terminal here: tried, and not believed.

use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::channel;

use cofferdam_launcher::Launch;
use rustix::fs::{Mode, OFlags};

use super::unix::{AWAY, IsAway, Pending};
use super::{Session, SpawnError, Spawner, Stream, Surroundings, TO_ENTER, submit};

/// Set when a child was found to be away. What did not hold is tried again.
static HOLDS: OnceLock<()> = OnceLock::new();

/// Makes a child as every run is made, which looks from inside whether it leads a session of its own,
/// reads `/dev/null` and cannot open `/dev/tty`. Once for each process; later calls cost nothing.
///
/// # Errors
/// What the child could not do, or found.
pub(crate) fn verify() -> Result<(), SpawnError> {
    if HOLDS.get().is_some() {
        return Ok(());
    }
    let (told, found) = channel();
    submit(move |spawner| {
        let _ = told.send(spawner.and_then(try_out));
    });
    let gone = |_| SpawnError::Clone(io::Error::other("the spawning thread was lost"));
    found.recv().map_err(gone)??;
    HOLDS.get_or_init(|| ());
    Ok(())
}

fn try_out(spawner: &mut Spawner) -> Result<(), SpawnError> {
    let null = |flags| {
        let opened = rustix::fs::open("/dev/null", flags | OFlags::CLOEXEC, Mode::empty());
        opened.map_err(|errno| SpawnError::Stage { stage: "open /dev/null", source: errno.into() })
    };
    let root = rustix::fs::open("/", TO_ENTER | OFlags::CLOEXEC, Mode::empty());
    let root = root.map_err(|errno| SpawnError::Clone(errno.into()))?;
    let around = Surroundings {
        env: [].into(),
        dir: root,
        group: None,
        streams: [
            Stream::Given(null(OFlags::RDONLY)?),
            Stream::Given(null(OFlags::WRONLY)?),
            Stream::Given(null(OFlags::WRONLY)?),
        ],
        session: Session::Isolated,
    };
    // Nothing is there to be started: the step ends the child before that.
    let launch = Launch::wrapper("/").step(IsAway);
    match spawner.spawn(launch, &around, &Pending::new()) {
        Err(SpawnError::Stage { stage: AWAY, .. }) => Ok(()),
        Err(error) => Err(error),
        Ok(_) => Err(SpawnError::Shape("its step was passed over")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_away_from_the_terminal_and_that_is_tried_once() {
        verify().unwrap();
        assert!(HOLDS.get().is_some());
        verify().unwrap();
    }
}
