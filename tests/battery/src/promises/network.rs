//! With the network off nothing leaves and nothing comes in; a run can talk to itself.

use std::fs;
use std::io::Read;
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use crate::promise::{Class, Promise, forbidden, rule, works};
use crate::scene::Scene;
use crate::verdict::{At, Judged, Trouble, Verdict};
use crate::witness::{Internet, Listener, Packets};

pub(super) const CLASS: Class = Class {
    name: "network",
    about: "while the network is off nothing leaves and nothing comes in",
    rules: &[],
    promises: PROMISES,
};

/// `linux/socket.h`; the libc crate has no name for it.
const AF_KCM: i32 = 41;
const OFF: &[&str] = &[rule::NETWORK];

const PROMISES: &[Promise] = &[
    forbidden("no_tcp_connection_is_made", |scene| tcp(scene, "tcp", Internet::Four)).by(OFF),
    forbidden("no_tcp_connection_is_made_over_ipv6", |scene| tcp(scene, "tcp", Internet::Six))
        .by(OFF),
    forbidden("no_tcp_connection_is_made_by_fast_open", |scene| {
        tcp(scene, "tcp-fast-open", Internet::Four)
    })
    .by(OFF),
    forbidden("no_tcp_connection_is_made_by_fast_open_over_ipv6", |scene| {
        tcp(scene, "tcp-fast-open", Internet::Six)
    })
    .by(OFF),
    forbidden("no_multipath_connection_is_made", |scene| {
        tcp(scene, "multipath-tcp", Internet::Four)
    })
    .by(OFF),
    forbidden("no_udp_packet_is_sent", |scene| udp(scene, "udp", Internet::Four)).by(OFF),
    forbidden("no_udp_packet_is_sent_over_ipv6", |scene| udp(scene, "udp", Internet::Six)).by(OFF),
    forbidden("no_udp_packet_is_sent_on_a_connected_socket", |scene| {
        udp(scene, "udp-connected", Internet::Four)
    })
    .by(OFF),
    forbidden("a_service_on_the_addresses_of_the_host_is_not_reached", |scene| {
        // The whole of 127.0.0.0/8 is the host itself, and so is the address that says nothing.
        let one = elsewhere(scene, Ipv4Addr::new(127, 0, 0, 2))?;
        // Outside both have to be reached, inside neither.
        match matches!(one, Verdict::Broken(_)) == scene.is_control() {
            true => elsewhere(scene, Ipv4Addr::UNSPECIFIED),
            false => Ok(one),
        }
    })
    .by(OFF),
    forbidden("the_host_reaches_no_listener_of_the_run", listen).by(OFF),
    forbidden("a_name_server_is_not_asked", |scene| {
        let servers = fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
        let server = servers.lines().find_map(|line| line.strip_prefix("nameserver"));
        let Some(server) = server.and_then(|text| text.trim().parse::<Ipv4Addr>().ok()) else {
            return Err(Trouble::unavailable("this machine has no name server"));
        };
        scene.probe("udp-connected").arg(format!("{server}:53")).run()?.refused()
    })
    .by(OFF),
    forbidden("the_interfaces_of_the_host_are_not_listed", |scene| {
        scene.probe("list-interfaces").run()?.refused()
    })
    .by(&[rule::NETWORK, "loopback"]),
    forbidden("no_raw_socket_is_made", |scene| socket(scene, libc::AF_INET, libc::SOCK_RAW, 1)),
    forbidden("no_raw_socket_is_made_over_ipv6", |scene| {
        socket(scene, libc::AF_INET6, libc::SOCK_RAW, 58)
    }),
    forbidden("no_packet_socket_is_made", |scene| {
        socket(scene, libc::AF_PACKET, libc::SOCK_RAW, 0x0300)
    }),
    forbidden("no_packet_socket_is_made_the_old_way", |scene| {
        socket(scene, libc::AF_INET, 10, 0x0300)
    }),
    forbidden("no_multipath_socket_is_made", |scene| {
        socket(scene, libc::AF_INET, libc::SOCK_STREAM, 262)
    }),
    forbidden("no_sctp_socket_is_made", |scene| {
        socket(scene, libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_SCTP)
    }),
    forbidden("no_dccp_socket_is_made", |scene| socket(scene, libc::AF_INET, 6, 33)),
    forbidden("no_hypervisor_socket_is_made", |scene| {
        socket(scene, libc::AF_VSOCK, libc::SOCK_STREAM, 0)
    }),
    forbidden("no_kernel_crypto_socket_is_made", |scene| {
        socket(scene, libc::AF_ALG, libc::SOCK_SEQPACKET, 0)
    }),
    forbidden("no_bluetooth_socket_is_made", |scene| {
        socket(scene, libc::AF_BLUETOOTH, libc::SOCK_RAW, 1)
    }),
    forbidden("no_bus_socket_is_made", |scene| socket(scene, libc::AF_CAN, libc::SOCK_RAW, 1)),
    forbidden("no_express_data_socket_is_made", |scene| {
        socket(scene, libc::AF_XDP, libc::SOCK_RAW, 0)
    }),
    forbidden("no_connection_socket_of_the_kernel_is_made", |scene| {
        socket(scene, AF_KCM, libc::SOCK_DGRAM, 0)
    }),
    forbidden("the_packet_filter_is_not_talked_to", |scene| {
        socket(scene, libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_NETFILTER)
    }),
    forbidden("the_audit_of_the_kernel_is_not_talked_to", |scene| {
        socket(scene, libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_AUDIT)
    }),
    forbidden("sockets_of_others_are_not_listed", |scene| {
        socket(scene, libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_SOCK_DIAG)
    }),
    forbidden("news_of_devices_are_not_heard", |scene| {
        scene.probe("read-kernel-log-of-devices").run()?.refused()
    }),
    works("a_run_can_talk_to_itself_over_tcp", |scene| scene.probe("talk-to-itself").run()?.did())
        .by(&["loopback"]),
    works("localhost_has_an_address", |scene| scene.probe("resolve").arg("localhost").run()?.did()),
    works("a_name_that_nobody_has_fails_by_itself", |scene| {
        scene.probe("resolve-nothing").run()?.did()
    }),
];

fn tcp(scene: &Scene<'_>, word: &str, internet: Internet) -> Judged {
    let listener = Listener::tcp(internet)?;
    let report = scene.probe(word).arg(listener.address()).run()?;
    report.without(listener.reached(), "somebody connected")
}

/// A service on every address of the host, sought at this one.
fn elsewhere(scene: &Scene<'_>, address: Ipv4Addr) -> Judged {
    let listener = Listener::everywhere()?;
    let port = listener.address().rsplit(':').next().unwrap_or_default().to_owned();
    let report = scene.probe("tcp").arg(format!("{address}:{port}")).run()?;
    report.without(listener.reached(), "somebody connected")
}

fn udp(scene: &Scene<'_>, word: &str, internet: Internet) -> Judged {
    let packets = Packets::new(internet)?;
    let report = scene.probe(word).arg(packets.address()).run()?;
    report.without(packets.reached(), "a packet came")
}

fn socket(scene: &Scene<'_>, family: i32, kind: i32, protocol: i32) -> Judged {
    let numbers = [family, kind, protocol].map(|number| number.to_string());
    let task = numbers.iter().fold(scene.probe("make-socket-of"), |task, arg| task.arg(arg));
    task.run()?.refused()
}

/// The run listens; the host connects to the port that it names.
fn listen(scene: &Scene<'_>) -> Judged {
    const LIMIT: Duration = Duration::from_secs(20);
    let mut running = scene.probe("listen-for-host").start()?;
    let begun = Instant::now();
    let port = loop {
        // Asked first, so that what it told before its end is found. One that cannot listen ends at
        // once, and its report says why.
        let has_ended = running.has_ended()?;
        match fs::read_to_string(scene.inside("port")) {
            Ok(port) => break Some(port),
            Err(_) if has_ended => break None,
            Err(_) if begun.elapsed() > LIMIT => {
                running.kill()?;
                return Err(Trouble::NeverRan("no port was told in time".to_owned()));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let heard = port.is_some_and(|port| port.parse().is_ok_and(connects));
    fs::write(scene.inside("stop"), "").at("write a file")?;
    Ok(running.report()?.refused()?.unless(heard, "the host was answered"))
}

/// Whether somebody answers there with what the probe says.
fn connects(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { return false };
    let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
    let mut bytes = [0; 4];
    stream.read_exact(&mut bytes).is_ok() && &bytes == b"sent"
}
