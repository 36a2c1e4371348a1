//! Live ends of the network, on the loopback interface of the host.

use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};

/// Somebody who listens. Whatever was sent on the loopback interface before a call of `was_reached`
/// has arrived by then.
#[derive(Debug)]
pub(crate) struct Listener(TcpListener);

impl Listener {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Listener(listener)
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// Whether somebody has connected since the last time.
    pub(crate) fn was_reached(&self) -> bool {
        reached(self.0.accept())
    }
}

/// Somebody who takes datagrams.
#[derive(Debug)]
pub(crate) struct Datagrams(UdpSocket);

impl Datagrams {
    pub(crate) fn new() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_nonblocking(true).unwrap();
        Datagrams(socket)
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// Whether a datagram has come since the last time.
    pub(crate) fn was_reached(&self) -> bool {
        reached(self.0.recv_from(&mut [0; 64]))
    }
}

fn reached<T>(taken: std::io::Result<T>) -> bool {
    match taken {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::WouldBlock => false,
        Err(error) => panic!("{error}"),
    }
}
