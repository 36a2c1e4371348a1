//! Where the command's three streams lead.
//!
//! By themselves they are cofferdam's own. The one exception is a terminal, which no command may
//! hold: it could type into it, or leave it in a mode of its own.

use std::io::{self, stderr, stdin, stdout};
use std::os::fd::{AsFd, OwnedFd};

use rustix::termios::isatty;

use super::connection::Connection;
use super::pty::Pty;
use super::relay::{Outlet, Relay, never_block, nothing, pipe};
use super::terminal::{Keys, Terminal, Wish};
use crate::spawn::{Session, Stream};
use crate::start::Streams;

/// What the command gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// A terminal of its own where a stream is one, and the stream itself elsewhere.
    AsItIs,
    /// A terminal of its own for all three.
    Tty,
    /// A pipe where a stream is a terminal, and the stream itself elsewhere.
    Pipes,
    /// Output is captured.
    Captured,
}

/// Whether a run takes something from the person's streams that a second one could not have again.
pub(super) fn takes_input(manner: Manner) -> bool {
    match manner {
        Manner::Captured => false,
        Manner::Tty => true,
        Manner::AsItIs => isatty(stdin()) || isatty(stdout()) || isatty(stderr()),
        Manner::Pipes => isatty(stdin()),
    }
}

/// Connects the streams.
pub(super) fn connect(manner: Manner) -> io::Result<(Streams, Connection)> {
    let terminals = [isatty(stdin()), isatty(stdout()), isatty(stderr())];
    match manner {
        Manner::Captured => captured(terminals[0]),
        Manner::Tty => own_terminal(terminals, [true; 3]),
        _ if terminals == [false; 3] => {
            let streams = std::array::from_fn(|_| Stream::Inherited);
            Ok((
                Streams { streams, session: Session::Isolated, takes_refusals: false },
                Connection::default(),
            ))
        }
        Manner::AsItIs => own_terminal(terminals, terminals),
        Manner::Pipes => pipes(terminals),
    }
}

/// Standard input is passed on, unless it is a terminal.
fn captured(stdin_is_terminal: bool) -> io::Result<(Streams, Connection)> {
    let stdin = match stdin_is_terminal {
        true => Stream::Given(nothing()?),
        false => Stream::Inherited,
    };
    let (out, stdout) = pipe()?;
    let (err, stderr) = pipe()?;
    let outputs = vec![Relay::capture(never_block(out)?), Relay::capture(never_block(err)?)];
    let streams = [stdin, Stream::Given(stdout), Stream::Given(stderr)];
    let streams = Streams { streams, session: Session::Isolated, takes_refusals: true };
    Ok((streams, Connection { outputs, ..Connection::default() }))
}

/// A pipe for each terminal.
fn pipes(terminals: [bool; 3]) -> io::Result<(Streams, Connection)> {
    let mut connection = Connection::default();
    let mut streams = std::array::from_fn(|_| Stream::Inherited);
    for number in (0..3).filter(|number| terminals[*number]) {
        let host = host(number)?;
        let (read, write) = pipe()?;
        let given = if number == 0 {
            let keys = Keys::OnRequest { lines: true };
            connection.terminal = Some(Terminal::new(host.fd(), keys));
            connection.input = Some(Relay::new(host.fd(), Outlet::own(never_block(write)?)));
            read
        } else {
            connection.outputs.push(Relay::new(never_block(read)?, host));
            write
        };
        streams[number] = Stream::Given(given);
    }
    Ok((Streams { streams, session: Session::Isolated, takes_refusals: false }, connection))
}

/// A pair of terminals; `replaced` says which streams become the command's end of it.
fn own_terminal(terminals: [bool; 3], replaced: [bool; 3]) -> io::Result<(Streams, Connection)> {
    let person = terminals.iter().position(|is_terminal| *is_terminal);
    let person = person.map(host).transpose()?;
    let (pty, slave) = Pty::open(person.as_ref().map(Outlet::fd))?;
    let typed_by_person = person.filter(|_| terminals[0] || !replaced[0]);
    let connection = match typed_by_person {
        Some(person) => keys_from(person, keys(terminals), pty, replaced)?,
        None => keys_from_stdin(pty)?,
    };
    Ok((ends(slave, replaced)?, connection))
}

/// When keys are for the command.
fn keys(terminals: [bool; 3]) -> Keys {
    match terminals {
        [true, true, _] => Keys::Always,
        // Its output goes on to another program, which may be a pager.
        [true, false, _] => Keys::OnRequest { lines: true },
        // It may itself be a pager.
        [false, ..] => Keys::OnRequest { lines: false },
    }
}

/// What a person types is for the command's terminal, whose output comes back to the person.
fn keys_from(person: Outlet, keys: Keys, pty: Pty, replaced: [bool; 3]) -> io::Result<Connection> {
    let mut terminal = Terminal::new(person.fd(), keys);
    pty.adopt(terminal.settings(), keys != Keys::Always)?;
    // Before the command can ask the terminal anything: the answer is typed as if by a person.
    terminal.follow(Wish::default);
    let input = Relay::typing(person.fd(), &pty);
    let output = match (1..3).find(|number| replaced[*number]) {
        Some(number) => host(number)?,
        // What comes is only what is written to /dev/tty: the question for a password.
        None => person,
    };
    Ok(Connection {
        input: Some(input),
        outputs: vec![Relay::new(pty.master(), output)],
        terminal: Some(terminal),
        pty: Some(pty),
    })
}

/// What comes on standard input, which is no terminal, is typed.
fn keys_from_stdin(pty: Pty) -> io::Result<Connection> {
    pty.adopt(None, true)?;
    Ok(Connection {
        input: Some(Relay::typing(host(0)?.fd(), &pty)),
        outputs: vec![Relay::new(pty.master(), host(1)?)],
        terminal: None,
        pty: Some(pty),
    })
}

/// The command's streams: its end of the pair where `replaced` says so.
fn ends(slave: OwnedFd, replaced: [bool; 3]) -> io::Result<Streams> {
    let mut streams = std::array::from_fn(|_| Stream::Inherited);
    for number in (0..3).filter(|number| replaced[*number]) {
        streams[number] = Stream::Given(slave.try_clone()?);
    }
    // A terminal to which it only writes does not become its /dev/tty: what it asks there would wait
    // for an answer that nobody can give.
    let session = if replaced[0] { Session::WithTerminal } else { Session::Isolated };
    Ok(Streams { streams, session, takes_refusals: false })
}

/// Our own stream of this number.
fn host(number: usize) -> io::Result<Outlet> {
    match number {
        0 => Outlet::shared(stdin().as_fd()),
        1 => Outlet::shared(stdout().as_fd()),
        _ => Outlet::shared(stderr().as_fd()),
    }
}
