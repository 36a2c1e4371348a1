//! A terminal of the command's own: a pair of which the command gets one end and cofferdam keeps the
//! other. What the command does to its terminal ends there; it never holds the person's.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::FdFlags;
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, unlockpt};
use rustix::termios::{
    LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, Winsize, tcgetattr,
    tcgetwinsize, tcsetattr, tcsetwinsize,
};

use super::terminal::Wish;

/// Where no terminal tells its size. What programs have assumed since there were terminals.
const USUAL_SIZE: Winsize = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };

#[cfg(target_os = "linux")]
const FLAGS: OpenptFlags = OpenptFlags::RDWR.union(OpenptFlags::NOCTTY).union(OpenptFlags::CLOEXEC);
#[cfg(target_os = "macos")]
const FLAGS: OpenptFlags = OpenptFlags::RDWR.union(OpenptFlags::NOCTTY);

/// The other end of a pair, by descriptor and not by name: the name may lead to another instance of
/// `/dev/pts`.
#[cfg(target_os = "linux")]
fn peer(master: &OwnedFd) -> io::Result<OwnedFd> {
    Ok(rustix::pty::ioctl_tiocgptpeer(master, FLAGS)?)
}

/// The other end of a pair, by its name: macOS has one `/dev`.
#[cfg(target_os = "macos")]
fn peer(master: &OwnedFd) -> io::Result<OwnedFd> {
    let name = rustix::pty::ptsname(master, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(name, flags, rustix::fs::Mode::empty())?)
}

/// Our end of a pair.
#[derive(Debug, Clone)]
pub(super) struct Pty {
    master: Rc<OwnedFd>,
    /// The terminal whose size it has.
    model: Option<Rc<OwnedFd>>,
}

impl Pty {
    /// Makes a pair, as large as the terminal `model`, and returns the command's end beside ours.
    pub(super) fn open(model: Option<Rc<OwnedFd>>) -> io::Result<(Pty, OwnedFd)> {
        let master = openpt(FLAGS)?;
        rustix::io::fcntl_setfd(&master, FdFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let slave = peer(&master)?;
        fcntl_setfl(&master, fcntl_getfl(&master)? | OFlags::NONBLOCK)?;
        let pty = Pty { master: Rc::new(master), model };
        pty.resize();
        Ok((pty, slave))
    }

    /// The end to relay. The command is hung up on when the last copy is closed.
    pub(super) fn master(&self) -> Rc<OwnedFd> {
        self.master.clone()
    }

    /// Gives it the settings of the person's terminal, such as the keys that erase and interrupt.
    ///
    /// `transparent`: somebody else echoes what is typed and turns a line feed into a new line.
    pub(super) fn adopt(&self, model: Option<Termios>, transparent: bool) -> io::Result<()> {
        let mut termios = match model {
            Some(model) => model,
            None => tcgetattr(&self.master)?,
        };
        if transparent {
            termios.local_modes -= LocalModes::ECHO;
            termios.output_modes -= OutputModes::OPOST;
        }
        Ok(tcsetattr(&self.master, OptionalActions::Now, &termios)?)
    }

    /// Takes over the size of its model. The kernel tells the command.
    pub(super) fn resize(&self) {
        let size = self.model.as_ref().and_then(|model| tcgetwinsize(model).ok());
        // A size of zero means that nobody has set one: a serial line, a test.
        let size = size.filter(|size| size.ws_row > 0 && size.ws_col > 0).unwrap_or(USUAL_SIZE);
        // It fails only when the terminal has been hung up, and then nobody looks.
        let _ = tcsetwinsize(&self.master, size);
    }

    /// What the command has made of its terminal.
    pub(super) fn wish(&self) -> Wish {
        let Ok(termios) = tcgetattr(&self.master) else { return Wish::default() };
        Wish {
            keys: !termios.local_modes.contains(LocalModes::ICANON),
            new_lines: termios.output_modes.contains(OutputModes::OPOST),
        }
    }

    /// The keys that are signals now, and which: none where the command takes them as keys.
    pub(super) fn signal_keys(&self) -> Vec<(u8, Signal)> {
        /// Switches a key off (`termios(3)`, _POSIX_VDISABLE).
        const DISABLED: u8 = 0;
        let Ok(termios) = tcgetattr(&self.master) else { return Vec::new() };
        if !termios.local_modes.contains(LocalModes::ISIG) {
            return Vec::new();
        }
        let keys = [
            (SpecialCodeIndex::VINTR, Signal::INT),
            (SpecialCodeIndex::VQUIT, Signal::QUIT),
            (SpecialCodeIndex::VSUSP, Signal::TSTP),
        ];
        let keys = keys.map(|(index, signal)| (termios.special_codes[index], signal));
        keys.into_iter().filter(|(key, _)| *key != DISABLED).collect()
    }

    /// The character that means "end of file" at the start of a line.
    pub(super) fn end_of_file(&self) -> u8 {
        const CONTROL_D: u8 = 4;
        tcgetattr(&self.master)
            .map_or(CONTROL_D, |termios| termios.special_codes[SpecialCodeIndex::VEOF])
    }
}

impl AsFd for Pty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::{read, write};

    use super::*;

    /// The next that comes. The kernel carries it from one end to the other in its own time.
    fn received(fd: impl AsFd) -> String {
        poll(&mut [PollFd::new(&fd, PollFlags::IN)], None).unwrap();
        let mut bytes = [0; 32];
        let count = read(&fd, &mut bytes).unwrap();
        String::from_utf8(bytes[..count].to_vec()).unwrap()
    }

    #[test]
    fn a_transparent_pair_neither_echoes_nor_adds_carriage_returns() {
        let (pty, slave) = Pty::open(None).unwrap();
        pty.adopt(None, true).unwrap();
        write(&pty, b"typed\n").unwrap();
        assert_eq!(received(&slave), "typed\n");
        write(&slave, b"out\n").unwrap();
        assert_eq!(received(&pty), "out\n");
    }

    #[test]
    fn a_pair_of_its_own_does_both() {
        let (pty, slave) = Pty::open(None).unwrap();
        pty.adopt(None, false).unwrap();
        write(&slave, b"out\n").unwrap();
        assert_eq!(received(&pty), "out\r\n");
        write(&pty, b"typed\n").unwrap();
        assert_eq!(received(&pty), "typed\r\n");
    }

    #[test]
    fn keys_are_signals_until_the_command_takes_them() {
        let (pty, slave) = Pty::open(None).unwrap();
        let keys = [(3, Signal::INT), (28, Signal::QUIT), (26, Signal::TSTP)];
        assert_eq!(pty.signal_keys(), keys);
        let mut termios = tcgetattr(&slave).unwrap();
        termios.special_codes[SpecialCodeIndex::VQUIT] = 0;
        tcsetattr(&slave, OptionalActions::Now, &termios).unwrap();
        assert_eq!(pty.signal_keys(), [keys[0], keys[2]]);
        termios.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &termios).unwrap();
        assert_eq!(pty.signal_keys(), []);
    }

    #[test]
    fn the_size_is_that_of_the_model_or_the_usual_one() {
        let (model, model_slave) = Pty::open(None).unwrap();
        let (pty, slave) = Pty::open(Some(Rc::new(model_slave))).unwrap();
        let size = |slave| tcgetwinsize(slave).map(|size| (size.ws_row, size.ws_col));
        assert_eq!(size(&slave), Ok((24, 80)));
        let large = Winsize { ws_row: 50, ws_col: 132, ..USUAL_SIZE };
        tcsetwinsize(&model, large).unwrap();
        pty.resize();
        assert_eq!(size(&slave), Ok((50, 132)));
        tcsetwinsize(&model, Winsize { ws_row: 0, ws_col: 0, ..USUAL_SIZE }).unwrap();
        pty.resize();
        assert_eq!(size(&slave), Ok((24, 80)));
    }

    #[test]
    fn raw_mode_of_the_command_is_seen_from_outside() {
        let (pty, slave) = Pty::open(None).unwrap();
        assert_eq!(pty.wish(), Wish { keys: false, new_lines: true });
        let mut termios = tcgetattr(&slave).unwrap();
        termios.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &termios).unwrap();
        assert_eq!(pty.wish(), Wish { keys: true, new_lines: false });
    }
}
