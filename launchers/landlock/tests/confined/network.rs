use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use serde_json::json;

use crate::support::{Place, users};

/// Nothing may have come; what a command sends is there before it ends.
fn nobody_connected(listener: &TcpListener) {
    listener.set_nonblocking(true).unwrap();
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn nothing_reaches_a_live_listener_while_the_network_is_off() {
    for user in users() {
        let place = Place::new(user);
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let (tcp_port, udp_port) =
            (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
        for attempt in [
            format!("s = socket.socket(); s.connect(('127.0.0.1', {tcp_port}))"),
            format!(
                "s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262); s.connect(('127.0.0.1', {tcp_port}))"
            ),
            format!("s = socket.socket(); s.sendto(b'x', 0x20000000, ('127.0.0.1', {tcp_port}))"),
            format!(
                "s = socket.socket(type=socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', {udp_port}))"
            ),
            format!(
                "s = socket.socket(socket.AF_INET6); s.connect(('::ffff:127.0.0.1', {tcp_port}))"
            ),
            "socket.socket(type=socket.SOCK_RAW, proto=255)".to_owned(),
            "socket.socket(socket.AF_VSOCK)".to_owned(),
            "socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)".to_owned(),
            "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)".to_owned(),
            "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)".to_owned(),
        ] {
            place.python(&format!("import socket\n{attempt}")).failed_with("OSError");
        }
        nobody_connected(&tcp);
        udp.set_nonblocking(true).unwrap();
        assert_eq!(udp.recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock);
    }
}

#[test]
fn a_name_lookup_fails_at_once_while_the_network_is_off() {
    for user in users() {
        let program = "import socket\ntry: socket.getaddrinfo('example.com', 80)\n\
                       except OSError: print('OSError')";
        // A look-up that waited for an answer would be ended by timeout(1), with code 124.
        Place::new(user)
            .run(["/usr/bin/timeout", "20", "/usr/bin/python3", "-c", program])
            .printed("OSError");
    }
}

#[test]
fn the_network_works_where_the_policy_opens_it() {
    for user in users() {
        let place = Place::new(user);
        let place = place.and(json!({"network": {"mode": "on"}}));
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = tcp.local_addr().unwrap().port();
        place
            .python(&format!(
                "import socket\nsocket.create_connection(('127.0.0.1', {port}))\n\
                 l = socket.create_server(('127.0.0.1', 0))\n\
                 socket.create_connection(l.getsockname())\nsocket.if_nameindex()\nprint('ok')"
            ))
            .printed("ok");
        tcp.accept().unwrap();
        for attempt in [
            "socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)",
            "socket.socket(type=socket.SOCK_RAW, proto=255)",
            "socket.socket(socket.AF_VSOCK)",
            "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15)",
        ] {
            place.python(&format!("import socket\n{attempt}")).failed_with("Error");
        }
    }
}

#[test]
fn a_listening_socket_file_cannot_be_reached_and_socket_pairs_work() {
    for user in users() {
        let place = Place::new(user);
        let listener = UnixListener::bind(place.path("outside/socket")).unwrap();
        let within = UnixListener::bind(place.path("work/socket")).unwrap();
        let path = place.path("outside/socket");
        for attempt in [
            format!("socket.socket(socket.AF_UNIX).connect({path:?})"),
            format!(
                "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', {path:?})"
            ),
        ] {
            place.python(&format!("import socket\n{attempt}")).failed_with("Error");
        }
        for listener in [&listener, &within] {
            listener.set_nonblocking(true).unwrap();
            assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
        }
        place
            .python(
                "import socket\na, b = socket.socketpair()\na.send(b'pair')\n\
                 c, d = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)\nc.send(b'x')\n\
                 print(b.recv(9).decode())",
            )
            .printed("pair");
    }
}

#[test]
fn socket_files_are_open_where_the_policy_opens_all() {
    for user in users() {
        let place = Place::new(user);
        let listener = UnixListener::bind(place.path("work/socket")).unwrap();
        std::fs::set_permissions(
            place.path("work/socket"),
            std::os::unix::fs::PermissionsExt::from_mode(0o777),
        )
        .unwrap();
        let place = place.and(json!({"network": {"unix-sockets": "all"}}));
        place
            .python("import socket\nsocket.socket(socket.AF_UNIX).connect('socket')\nprint('ok')")
            .printed("ok");
        listener.accept().unwrap();
    }
}

#[test]
fn an_abstract_socket_of_the_host_is_out_of_reach_even_where_sockets_are_open() {
    for user in users() {
        let place = Place::new(user);
        let name = format!("cofferdam-test-{}", place.path("").display());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let listener = UnixListener::bind_addr(&address).unwrap();
        let place = place.and(json!({"network": {"unix-sockets": "all"}}));
        place
            .python(&format!(
                "import socket\nsocket.socket(socket.AF_UNIX).connect('\\0' + {name:?})"
            ))
            .failed_with("PermissionError");
        listener.set_nonblocking(true).unwrap();
        assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    }
}
