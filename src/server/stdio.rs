//! Standard input and output as streams that hold up nobody.
//!
//! A read from standard input cannot be called off, and a write to an output that nobody reads
//! neither. A pipe is therefore opened anew, through `/proc/self/fd`: what we open is ours and may be
//! non-blocking, while a flag on the original would change the client's descriptor as well.
//! Everything else (the socket pairs of Node, a terminal, a file, `/dev/null`) is carried by a thread
//! of its own from or to a socket pair. Nobody waits for such a thread, the end of the process ends
//! it.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

const INPUT: &str = "/proc/self/fd/0";
const OUTPUT: &str = "/proc/self/fd/1";

/// Both streams of a client, and what becomes of them.
pub(super) struct Stdio {
    pub(super) input: Input,
    pub(super) output: Output,
    /// Cancelled when the client has gone: its input has ended, or its output is closed.
    pub(super) hangup: CancellationToken,
    /// Resolves when all output has reached the client, or never will.
    pub(super) written: Written,
}

/// See [`Stdio::written`].
pub(super) type Written = Pin<Box<dyn Future<Output = ()> + Send>>;

type Reader = Box<dyn AsyncRead + Send + Unpin>;
type Writer = Box<dyn AsyncWrite + Send + Unpin>;

impl Stdio {
    /// The standard streams of this process. Within an event loop.
    pub(super) fn standard() -> io::Result<Self> {
        let hangup = CancellationToken::new();
        let (output, written) = output(hangup.clone())?;
        Ok(Stdio::new(input()?, output, hangup, written))
    }

    /// These streams. `hangup` may be cancelled from outside as well.
    pub(super) fn new(
        input: Reader,
        output: Writer,
        hangup: CancellationToken,
        written: Written,
    ) -> Self {
        let input = Input { stream: input, hangup: hangup.clone(), is_within_line: false };
        let output = Output { stream: output, hangup: hangup.clone() };
        Stdio { input, output, hangup, written }
    }
}

fn input() -> io::Result<Reader> {
    if is_pipe(INPUT)
        && let Ok(pipe) = pipe::OpenOptions::new().open_receiver(INPUT)
    {
        return Ok(Box::new(pipe));
    }
    let stdin = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let (ours, theirs) = socket_pair()?;
    let carry = move || {
        // When it fails the client is gone, and the closed socket says so.
        let _ = carry_all(&stdin, &theirs);
    };
    thread::Builder::new().name("cofferdam-stdin".to_owned()).spawn(carry)?;
    Ok(Box::new(ours))
}

fn output(hangup: CancellationToken) -> io::Result<(Writer, Written)> {
    if is_pipe(OUTPUT)
        && let Ok(pipe) = pipe::OpenOptions::new().open_sender(OUTPUT)
    {
        return Ok((Box::new(pipe), Box::pin(std::future::ready(()))));
    }
    let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let (ours, theirs) = socket_pair()?;
    let (done, written) = oneshot::channel::<()>();
    let carry = move || {
        if carry_all(&theirs, &stdout).is_err() {
            hangup.cancel();
        }
        drop(done);
    };
    thread::Builder::new().name("cofferdam-stdout".to_owned()).spawn(carry)?;
    Ok((Box::new(ours), Box::pin(async { drop(written.await) })))
}

/// Reads until the end and writes all of it.
///
/// Not `io::copy`: that one splices, and `splice(2)` into a pipe holds the pipe while it waits for
/// something to read, so that the client could not even read what is in there already.
fn carry_all(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    // As much as a pipe holds by default (`pipe(7)`).
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(count) => to.write_all(&chunk[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether this is a pipe without a name. A named one is left alone: opened anew when its writers
/// have gone already, it would never tell of their end.
fn is_pipe(descriptor: &str) -> bool {
    fs::read_link(descriptor)
        .is_ok_and(|name| name.as_os_str().as_encoded_bytes().starts_with(b"pipe:"))
}

fn socket_pair() -> io::Result<(UnixStream, StdUnixStream)> {
    let (ours, theirs) = StdUnixStream::pair()?;
    ours.set_nonblocking(true)?;
    Ok((UnixStream::from_std(ours)?, theirs))
}

/// What the client sends. A last line that lacks its newline gets one, or it would not be heard.
pub(super) struct Input {
    stream: Reader,
    hangup: CancellationToken,
    is_within_line: bool,
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let result = ready!(Pin::new(&mut self.stream).poll_read(cx, buf));
        match buf.filled()[before..].last() {
            Some(last) => self.is_within_line = *last != b'\n',
            None if self.is_within_line && result.is_ok() && buf.remaining() > 0 => {
                self.is_within_line = false;
                buf.put_slice(b"\n");
            }
            None => self.hangup.cancel(),
        }
        Poll::Ready(result)
    }
}

/// What the client is sent.
pub(super) struct Output {
    stream: Writer,
    hangup: CancellationToken,
}

impl AsyncWrite for Output {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes));
        if result.is_err() {
            self.hangup.cancel();
        }
        Poll::Ready(result)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::future::{poll_fn, ready};

    use super::*;

    async fn all(input: &mut Input) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            let mut room = [0; 5];
            let mut buf = ReadBuf::new(&mut room);
            poll_fn(|cx| Pin::new(&mut *input).poll_read(cx, &mut buf)).await.unwrap();
            match buf.filled() {
                [] => return all,
                bytes => all.extend_from_slice(bytes),
            }
        }
    }

    #[test]
    fn the_last_line_is_a_whole_one_and_then_the_client_has_gone() {
        let event_loop = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for (sent, heard) in [
            ("", ""),
            ("one\n", "one\n"),
            ("one", "one\n"),
            ("one\ntwo", "one\ntwo\n"),
            ("12345", "12345\n"),
        ] {
            let hangup = CancellationToken::new();
            let (reader, writer) = (Box::new(sent.as_bytes()), Box::new(Vec::new()));
            let stdio = Stdio::new(reader, writer, hangup.clone(), Box::pin(ready(())));
            let Stdio { mut input, .. } = stdio;
            assert!(!hangup.is_cancelled());
            assert_eq!(event_loop.block_on(all(&mut input)), heard.as_bytes());
            assert!(hangup.is_cancelled());
        }
    }
}
