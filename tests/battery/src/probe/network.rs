//! Talks to others: over the network, over socket files, over names without a file.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixDatagram, UnixListener, UnixStream};
use std::time::Duration;

use rustix::net::{
    AddressFamily, Protocol, SendFlags, SocketAddrUnix, SocketFlags, SocketType, bind, connect,
    sendto, socket, socketpair,
};

use super::Word;
use super::answer::{Answer, Refused, Step};
use super::argument::Arguments;

pub(super) const WORDS: &[Word] = &[
    ("tcp", tcp),
    ("tcp-fast-open", tcp_fast_open),
    ("multipath-tcp", multipath_tcp),
    ("udp", udp),
    ("udp-connected", udp_connected),
    ("make-socket-of", make_socket_of),
    ("listen-for-host", listen_for_host),
    ("connect-to-file", connect_to_file),
    ("connect-to-name", connect_to_name),
    ("ask-agent", ask_agent),
    ("send-to-file", send_to_file),
    ("send-to-name", send_to_name),
    ("send-by-pair", send_by_pair),
    ("read-kernel-log-of-devices", device_events),
    ("talk-to-itself", talk_to_itself),
    ("talk-by-file", talk_by_file),
    ("talk-by-pair", talk_by_pair),
    ("resolve", resolve),
    ("resolve-nothing", resolve_nothing),
    ("list-interfaces", list_interfaces),
    ("take-descriptor-from-file", take_descriptor_from_file),
];

/// What is sent.
const TEXT: &[u8] = b"sent by the probe\n";
/// How long a connection may take.
const LIMIT: Duration = Duration::from_secs(5);

fn sent() -> Answer {
    Ok("sent".to_owned())
}

fn address(words: &mut Arguments<'_>) -> Result<SocketAddr, Refused> {
    words.text()?.parse().map_err(|_| Refused::unable("an address is missing"))
}

fn tcp(words: &mut Arguments<'_>) -> Answer {
    let mut stream = TcpStream::connect_timeout(&address(words)?, LIMIT).step("connect")?;
    stream.write_all(TEXT).step("send")?;
    sent()
}

fn family(address: &SocketAddr) -> AddressFamily {
    if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 }
}

/// Connects by sending, without `connect`.
fn tcp_fast_open(words: &mut Arguments<'_>) -> Answer {
    const FAST_OPEN: SendFlags = SendFlags::from_bits_retain(0x2000_0000);
    let address = address(words)?;
    let made = socket(family(&address), SocketType::STREAM, None).step("socket")?;
    sendto(made, TEXT, FAST_OPEN, &address).step("send with MSG_FASTOPEN")?;
    sent()
}

fn protocol(number: u32) -> Option<Protocol> {
    std::num::NonZeroU32::new(number).map(Protocol::from_raw)
}

fn multipath_tcp(words: &mut Arguments<'_>) -> Answer {
    const MPTCP: u32 = 262;
    let address = address(words)?;
    let made = socket(family(&address), SocketType::STREAM, protocol(MPTCP)).step("socket")?;
    connect(&made, &address).step("connect")?;
    sent()
}

fn any(address: &SocketAddr) -> SocketAddr {
    match address.is_ipv4() {
        true => (Ipv4Addr::UNSPECIFIED, 0).into(),
        false => (Ipv6Addr::UNSPECIFIED, 0).into(),
    }
}

fn udp(words: &mut Arguments<'_>) -> Answer {
    let address = address(words)?;
    let made = UdpSocket::bind(any(&address)).step("socket")?;
    made.send_to(TEXT, address).step("send")?;
    sent()
}

fn udp_connected(words: &mut Arguments<'_>) -> Answer {
    let address = address(words)?;
    let made = UdpSocket::bind(any(&address)).step("socket")?;
    made.connect(address).step("connect")?;
    made.send(TEXT).step("send")?;
    sent()
}

/// A socket of this family, type and protocol, all as numbers.
fn make_socket_of(words: &mut Arguments<'_>) -> Answer {
    let (family, kind, number) = (words.number()?, words.number()?, words.number()?);
    let (family, kind) = (AddressFamily::from_raw(family), SocketType::from_raw(kind));
    socket(family, kind, protocol(number)).step("socket")?;
    Ok("made".to_owned())
}

/// Listens, tells the port by a file, and serves until a file comes up or the time is over.
fn listen_for_host(_: &mut Arguments<'_>) -> Answer {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).step("listen")?;
    let port = listener.local_addr().step("ask for the port")?.port();
    fs::write("port.new", port.to_string()).step("write")?;
    fs::rename("port.new", "port").step("rename")?;
    listener.set_nonblocking(true).step("set it up")?;
    for _ in 0..4000 {
        if let Ok((mut stream, _)) = listener.accept() {
            stream.write_all(TEXT).step("send")?;
            return Ok("somebody came".to_owned());
        }
        if fs::exists("stop").unwrap_or_default() {
            return Err(Refused::otherwise("nobody came"));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err(Refused::otherwise("nobody came in time"))
}

fn connect_to_file(words: &mut Arguments<'_>) -> Answer {
    let mut stream = UnixStream::connect(words.path()?).step("connect")?;
    stream.write_all(TEXT).step("send")?;
    sent()
}

/// Connects to where a variable leads, after what stands before the path in it.
fn ask_agent(words: &mut Arguments<'_>) -> Answer {
    let (name, before) = (words.text()?, words.text()?);
    let value = std::env::var(&name).map_err(|_| Refused::otherwise(format!("no {name}")))?;
    let path = value.strip_prefix(&before).unwrap_or(&value);
    let mut stream = UnixStream::connect(path).step("connect")?;
    stream.write_all(TEXT).step("send")?;
    sent()
}

fn connect_to_name(words: &mut Arguments<'_>) -> Answer {
    let address = UnixAddress::from_abstract_name(words.text()?).step("make an address")?;
    let mut stream = UnixStream::connect_addr(&address).step("connect")?;
    stream.write_all(TEXT).step("send")?;
    sent()
}

fn send_to_file(words: &mut Arguments<'_>) -> Answer {
    UnixDatagram::unbound().step("socket")?.send_to(TEXT, words.path()?).step("send")?;
    sent()
}

fn send_to_name(words: &mut Arguments<'_>) -> Answer {
    let address = UnixAddress::from_abstract_name(words.text()?).step("make an address")?;
    UnixDatagram::unbound().step("socket")?.send_to_addr(TEXT, &address).step("send")?;
    sent()
}

/// One end of a pair of datagram sockets, pointed at a socket file.
fn send_by_pair(words: &mut Arguments<'_>) -> Answer {
    let kind = SocketType::DGRAM;
    let (one, _other) =
        socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).step("socketpair")?;
    let address = SocketAddrUnix::new(words.path()?).step("make an address")?;
    sendto(&one, TEXT, SendFlags::empty(), &address).step("send")?;
    sent()
}

/// The kernel's news of devices.
fn device_events(_: &mut Arguments<'_>) -> Answer {
    use rustix::net::netlink::SocketAddrNetlink;
    const UEVENTS: u32 = 15;
    let made = socket(AddressFamily::NETLINK, SocketType::RAW, protocol(UEVENTS)).step("socket")?;
    bind(&made, &SocketAddrNetlink::new(0, 1)).step("bind")?;
    Ok("listens".to_owned())
}

fn talk_to_itself(_: &mut Arguments<'_>) -> Answer {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).step("listen")?;
    let address = listener.local_addr().step("ask for the port")?;
    let mut client = TcpStream::connect_timeout(&address, LIMIT).step("connect")?;
    let (mut server, _) = listener.accept().step("accept")?;
    client.write_all(TEXT).step("send")?;
    let mut bytes = [0; TEXT.len()];
    server.read_exact(&mut bytes).step("receive")?;
    Ok("heard itself".to_owned())
}

fn talk_by_file(words: &mut Arguments<'_>) -> Answer {
    let path = words.path()?;
    let listener = UnixListener::bind(&path).step("bind")?;
    let mut client = UnixStream::connect(&path).step("connect")?;
    let (mut server, _) = listener.accept().step("accept")?;
    client.write_all(TEXT).step("send")?;
    let mut bytes = [0; TEXT.len()];
    server.read_exact(&mut bytes).step("receive")?;
    fs::remove_file(path).step("remove")?;
    Ok("heard itself".to_owned())
}

/// By `send(2)`, which is `sendto` without an address.
fn talk_by_pair(_: &mut Arguments<'_>) -> Answer {
    for kind in [SocketType::STREAM, SocketType::SEQPACKET] {
        let pair = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None);
        let (one, other) = pair.step("socketpair")?;
        rustix::net::send(&one, TEXT, SendFlags::empty()).step("send")?;
        let mut bytes = [0; TEXT.len()];
        File::from(other).read_exact(&mut bytes).step("receive")?;
    }
    Ok("heard itself".to_owned())
}

fn resolve(words: &mut Arguments<'_>) -> Answer {
    let name = words.text()?;
    let mut found = (name.as_str(), 80).to_socket_addrs().step("resolve")?;
    match found.next() {
        Some(address) => Ok(address.ip().to_string()),
        None => Err(Refused::otherwise("there is no address")),
    }
}

/// A name that nobody has: the answer is that there is none, and comes by itself.
fn resolve_nothing(_: &mut Arguments<'_>) -> Answer {
    match ("cofferdam.invalid", 80).to_socket_addrs() {
        Ok(_) => Err(Refused::otherwise("somebody answered for a name that nobody has")),
        Err(error) => Ok(format!("answered: {error}")),
    }
}

fn list_interfaces(_: &mut Arguments<'_>) -> Answer {
    let text = fs::read_to_string("/proc/net/dev").step("read")?;
    let names: Vec<_> =
        text.lines().filter_map(|line| line.split_once(':')).map(|line| line.0.trim()).collect();
    match names.iter().any(|name| *name != "lo") {
        true => Ok(names.join(" ")),
        false => Err(Refused::otherwise("there is no interface but lo")),
    }
}

/// A helper outside hands over an open file.
fn take_descriptor_from_file(words: &mut Arguments<'_>) -> Answer {
    use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
    use std::io::IoSliceMut;
    let stream = UnixStream::connect(words.path()?).step("connect")?;
    stream.set_read_timeout(Some(LIMIT)).step("set it up")?;
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(&stream, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::empty())
        .step("receive")?;
    let mut text = String::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            for descriptor in descriptors {
                File::from(descriptor).read_to_string(&mut text).step("read")?;
            }
        }
    }
    Ok(text)
}
