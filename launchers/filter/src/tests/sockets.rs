use super::*;

const UNIX: u64 = libc::AF_UNIX as u64;
const INET: u64 = libc::AF_INET as u64;
const INET6: u64 = libc::AF_INET6 as u64;
const NETLINK: u64 = libc::AF_NETLINK as u64;
const STREAM: u64 = libc::SOCK_STREAM as u64;
const DGRAM: u64 = libc::SOCK_DGRAM as u64;
const RAW: u64 = libc::SOCK_RAW as u64;
const SEQPACKET: u64 = libc::SOCK_SEQPACKET as u64;
/// Flags that ride above the type.
const FLAGS: u64 = (libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK) as u64;
const MPTCP: u64 = 262;
const SCTP: u64 = 132;

const NO_FAMILY: Action = Action::Refuse(libc::EAFNOSUPPORT);
const NO_PROTOCOL: Action = Action::Refuse(libc::EPROTONOSUPPORT);

fn socket(terms: &Terms, args: [u64; 3]) -> Action {
    answer(terms, "socket", &args)
}

#[test]
fn without_a_network_no_family_exists_but_the_one_that_the_policy_opens() {
    let sealed = strict();
    let local = Terms { unix_sockets: UnixSockets::All, ..strict() };
    for family in 0..64 {
        for kind in [STREAM, DGRAM, RAW, SEQPACKET, STREAM | FLAGS] {
            assert_eq!(socket(&sealed, [family, kind, 0]), NO_FAMILY, "{family}");
            let expected = if family == UNIX { Action::Allow } else { NO_FAMILY };
            assert_eq!(socket(&local, [family, kind, 0]), expected, "{family}");
        }
    }
}

#[test]
fn with_a_network_only_tcp_udp_ping_and_routes_exist() {
    for terms in [open(), Terms { private_network: true, ..strict() }] {
        for family in [INET, INET6] {
            for flags in [0, FLAGS] {
                assert_eq!(socket(&terms, [family, STREAM | flags, 0]), Action::Allow);
                assert_eq!(socket(&terms, [family, STREAM | flags, 6]), Action::Allow);
                assert_eq!(socket(&terms, [family, DGRAM | flags, 17]), Action::Allow);
                assert_eq!(socket(&terms, [family, STREAM | flags, MPTCP]), NO_PROTOCOL);
                assert_eq!(socket(&terms, [family, STREAM | flags, SCTP]), NO_PROTOCOL);
                assert_eq!(socket(&terms, [family, SEQPACKET | flags, SCTP]), NO_PROTOCOL);
                assert_eq!(socket(&terms, [family, RAW | flags, 0]), EPERM);
                assert_eq!(socket(&terms, [family, RAW | flags, 255]), EPERM);
                assert_eq!(socket(&terms, [family, 10 | flags, 0x0300]), EPERM, "SOCK_PACKET");
            }
        }
        assert_eq!(socket(&terms, [NETLINK, RAW, 0]), Action::Allow);
        for protocol in 1..32 {
            assert_eq!(socket(&terms, [NETLINK, DGRAM, protocol]), NO_PROTOCOL);
        }
        let local = if terms == open() { UNIX } else { INET };
        for family in (0..64).filter(|family| ![INET, INET6, NETLINK, local].contains(family)) {
            assert_eq!(socket(&terms, [family, STREAM, 0]), NO_FAMILY, "{family}");
        }
    }
}

#[test]
fn unix_sockets_exist_where_the_policy_and_the_launcher_limit_them() {
    let terms = |unix_sockets, private_view| Terms { unix_sockets, private_view, ..strict() };
    for (unix_sockets, without_view, with_view) in [
        (UnixSockets::None, NO_FAMILY, NO_FAMILY),
        (UnixSockets::Inside, NO_FAMILY, Action::Allow),
        (UnixSockets::Paths(Vec::new()), NO_FAMILY, Action::Allow),
        (UnixSockets::All, Action::Allow, Action::Allow),
    ] {
        assert_eq!(socket(&terms(unix_sockets.clone(), false), [UNIX, STREAM, 0]), without_view);
        assert_eq!(socket(&terms(unix_sockets, true), [UNIX, STREAM, 0]), with_view);
    }
}

#[test]
fn socket_pairs_work_but_for_those_that_can_be_pointed_elsewhere() {
    for flags in [0, FLAGS] {
        let pair = |terms: &Terms, kind| answer(terms, "socketpair", &[UNIX, kind | flags]);
        assert_eq!(pair(&strict(), STREAM), Action::Allow);
        assert_eq!(pair(&strict(), SEQPACKET), Action::Allow);
        assert_eq!(pair(&strict(), DGRAM), EPERM);
        assert_eq!(pair(&strict(), RAW), EPERM, "which the kernel takes for DGRAM");
        assert_eq!(pair(&open(), DGRAM), Action::Allow);
    }
    assert_eq!(answer(&open(), "socketpair", &[INET, STREAM]), EPERM);
}

#[test]
fn fast_open_is_closed_with_the_network_and_plain_sending_is_not() {
    let closed = Action::Refuse(libc::EOPNOTSUPP);
    let flag = 0x2000_0000 | libc::MSG_NOSIGNAL as u64;
    for (call, position) in [("sendto", 3), ("sendmsg", 2), ("sendmmsg", 3)] {
        let mut args = [0; 6];
        assert_eq!(answer(&strict(), call, &args), Action::Allow);
        args[position] = flag;
        assert_eq!(answer(&strict(), call, &args), closed);
        assert_eq!(answer(&open(), call, &args), Action::Allow);
    }
    let option = [3, 6, 30];
    assert_eq!(answer(&strict(), "setsockopt", &option), Action::Refuse(libc::ENOPROTOOPT));
    assert_eq!(answer(&strict(), "setsockopt", &[3, 1, 30]), Action::Allow);
}
