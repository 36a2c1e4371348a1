//! Sockets that somebody listens on. A connection waits in the kernel's queue, so that nothing has to
//! run beside the attempt.

use std::fs::File;
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::os::fd::AsFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::verdict::{At, Trouble};

/// Which loopback address.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Internet {
    Four,
    Six,
}

impl Internet {
    fn any_port(self) -> SocketAddr {
        let address = match self {
            Internet::Four => IpAddr::V4(Ipv4Addr::LOCALHOST),
            Internet::Six => IpAddr::V6(Ipv6Addr::LOCALHOST),
        };
        (address, 0).into()
    }
}

/// One who waits for connections.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Listener {
    pub(crate) fn tcp(internet: Internet) -> Result<Listener, Trouble> {
        Listener::internet(TcpListener::bind(internet.any_port()))
    }

    /// On every address that this machine has.
    pub(crate) fn everywhere() -> Result<Listener, Trouble> {
        Listener::internet(TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)))
    }

    fn internet(made: std::io::Result<TcpListener>) -> Result<Listener, Trouble> {
        let made = made.map_err(|error| Trouble::unavailable(format!("no listener: {error}")))?;
        made.set_nonblocking(true).at("set up a listener")?;
        Ok(Listener::Tcp(made))
    }

    pub(crate) fn file(path: &Path) -> Result<Listener, Trouble> {
        Listener::unix(UnixListener::bind(path))
    }

    /// A name without a file.
    pub(crate) fn name(name: &str) -> Result<Listener, Trouble> {
        let address = UnixAddress::from_abstract_name(name).at("make an address")?;
        Listener::unix(UnixListener::bind_addr(&address))
    }

    fn unix(made: std::io::Result<UnixListener>) -> Result<Listener, Trouble> {
        let made = made.at("listen on a Unix socket")?;
        made.set_nonblocking(true).at("set up a listener")?;
        Ok(Listener::Unix(made))
    }

    /// Where to connect to, for TCP.
    pub(crate) fn address(&self) -> String {
        match self {
            Listener::Tcp(listener) => {
                listener.local_addr().map(|address| address.to_string()).unwrap_or_default()
            }
            Listener::Unix(_) => String::new(),
        }
    }

    /// Whether somebody has connected.
    pub(crate) fn reached(&self) -> bool {
        match self {
            Listener::Tcp(listener) => listener.accept().is_ok(),
            Listener::Unix(listener) => listener.accept().is_ok(),
        }
    }
}

/// One who waits for packets.
#[derive(Debug)]
pub(crate) struct Packets(UdpSocket);

impl Packets {
    pub(crate) fn new(internet: Internet) -> Result<Packets, Trouble> {
        let made = UdpSocket::bind(internet.any_port());
        let made = made.map_err(|error| Trouble::unavailable(format!("no listener: {error}")))?;
        made.set_nonblocking(true).at("set up a listener")?;
        Ok(Packets(made))
    }

    pub(crate) fn address(&self) -> String {
        self.0.local_addr().map(|address| address.to_string()).unwrap_or_default()
    }

    pub(crate) fn reached(&self) -> bool {
        self.0.recv_from(&mut [0; 64]).is_ok()
    }
}

/// One who waits for datagrams on a Unix socket.
#[derive(Debug)]
pub(crate) struct Datagrams(UnixDatagram);

impl Datagrams {
    pub(crate) fn file(path: &Path) -> Result<Datagrams, Trouble> {
        Datagrams::of(UnixDatagram::bind(path))
    }

    pub(crate) fn name(name: &str) -> Result<Datagrams, Trouble> {
        let address = UnixAddress::from_abstract_name(name).at("make an address")?;
        Datagrams::of(UnixDatagram::bind_addr(&address))
    }

    fn of(made: std::io::Result<UnixDatagram>) -> Result<Datagrams, Trouble> {
        let made = made.at("listen on a Unix socket")?;
        made.set_nonblocking(true).at("set up a listener")?;
        Ok(Datagrams(made))
    }

    pub(crate) fn reached(&self) -> bool {
        self.0.recv_from(&mut [0; 64]).is_ok()
    }
}

/// A helper of the host that hands an open file to whoever connects, until it is dropped.
#[derive(Debug)]
pub(crate) struct FileGiver {
    path: PathBuf,
    over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl FileGiver {
    pub(crate) fn new(path: &Path, file: &Path) -> Result<FileGiver, Trouble> {
        let listener = UnixListener::bind(path).at("listen on a Unix socket")?;
        let file = File::open(file).at("open the secret")?;
        let over = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let over = over.clone();
            move || {
                while let Ok((stream, _)) = listener.accept() {
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
                    let mut control = SendAncillaryBuffer::new(&mut space);
                    let files = [file.as_fd()];
                    control.push(SendAncillaryMessage::ScmRights(&files));
                    // One who has gone again is none of ours.
                    let _ =
                        sendmsg(&stream, &[IoSlice::new(b"x")], &mut control, SendFlags::empty());
                }
            }
        });
        Ok(FileGiver { path: path.to_owned(), over, thread: Some(thread) })
    }
}

impl Drop for FileGiver {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // Wakes it.
        let woken = std::os::unix::net::UnixStream::connect(&self.path);
        if let (Ok(_), Some(thread)) = (woken, self.thread.take()) {
            let _ = thread.join();
        }
    }
}
