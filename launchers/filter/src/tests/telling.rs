use super::*;
use crate::verdict::Verdict;

/// Every kind of terms.
fn all_terms() -> Vec<Terms> {
    let private =
        Terms { private_network: true, private_view: true, private_processes: true, ..strict() };
    let allowing_much = allowing(strict(), &["debug", "perf", "userns", "seccomp", "bpf"]);
    vec![strict(), open(), private, allowing_much]
}

/// Arguments that meet each rule of a line, and some that meet none.
fn arguments(line: &crate::Line) -> Vec<[u64; 6]> {
    const HIGH: u64 = 0xffff_ffff_0000_0000;
    let mut all = vec![[0; 6], [0x0080_0000_dead_0001; 6], [u64::MAX; 6], [40; 6], [1; 6], [16; 6]];
    if let Verdict::ByArguments { rules, .. } = &line.verdict {
        for rule in rules {
            for noise in [HIGH, HIGH | 0xff] {
                let mut args = [noise; 6];
                for condition in &rule.when {
                    args[usize::from(condition.arg)] = HIGH | u64::from(condition.value);
                }
                all.push(args);
            }
        }
    }
    all
}

/// What a program returned, where telling is possible too.
fn answered(value: u32) -> Option<Action> {
    (value != libc::SECCOMP_RET_USER_NOTIF).then(|| action(value))
}

#[test]
fn both_variants_say_the_same_to_every_call_but_for_telling_of_it() {
    for machine in Machine::ALL {
        for terms in all_terms() {
            let plain = Filter::compile_for(&terms, machine).unwrap();
            let telling = plain.telling().unwrap();
            let by_table = telling
                .lines()
                .iter()
                .filter_map(|line| Some((line.name, number(machine, line.name)?, arguments(line))));
            let unknown = [("unknown", 4000, vec![[0; 6]]), ("x32", 0x4000_0029, vec![[0; 6]])];
            for (name, number, arguments) in by_table.chain(unknown) {
                for args in arguments {
                    let before = action(returned(&plain, machine, number, args).value);
                    let after = answered(returned(&telling, machine, number, args).value);
                    let told = telling.refusal(number, &args);
                    match after {
                        // Whoever listens answers as the plain filter would have.
                        None => assert_eq!(
                            before,
                            Action::Refuse(told.unwrap().errno),
                            "{machine:?} {name} {args:x?}"
                        ),
                        Some(after) if name == "seccomp" && args[1] & 8 != 0 => {
                            assert_eq!(after, Action::Refuse(libc::EBUSY), "{args:x?}");
                        }
                        Some(after) => {
                            assert_eq!(after, before, "{machine:?} {name} {args:x?}");
                            assert_eq!(told, None, "{name}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_second_listener_is_refused_whatever_the_terms_allow() {
    let host = Machine::host().unwrap();
    let number = number(host, "seccomp").unwrap();
    for terms in all_terms() {
        let telling = Filter::compile(&terms).unwrap().telling().unwrap();
        let say =
            |flags: u64| action(returned(&telling, host, number, [1, flags, 1, 0, 0, 0]).value);
        for others in [0, 1, 16 | 1, 32, 0xffff_ffff << 32] {
            assert_eq!(say(others | 8), Action::Refuse(libc::EBUSY), "{others:#x}");
            assert_eq!(say(others), Action::Allow, "{others:#x}");
        }
    }
}

#[test]
fn what_the_launcher_itself_or_every_program_needs_is_never_told() {
    let quiet = [
        "execve",
        "execveat",
        "sendmsg",
        "sendmmsg",
        "sendto",
        "close",
        "close_range",
        "write",
        "read",
        "exit",
        "exit_group",
        "futex",
        "prctl",
        "ppoll",
        "rt_sigaction",
        "rt_sigprocmask",
        "rt_sigreturn",
        "clone3",
        "io_uring_setup",
    ];
    for machine in Machine::ALL {
        for terms in all_terms() {
            let telling = Filter::compile_for(&terms, machine).unwrap().telling().unwrap();
            for line in telling.lines().iter().filter(|line| quiet.contains(&line.name)) {
                let Some(number) = number(machine, line.name) else { continue };
                for args in arguments(line) {
                    let value = returned(&telling, machine, number, args).value;
                    assert_ne!(value, libc::SECCOMP_RET_USER_NOTIF, "{} {args:x?}", line.name);
                }
            }
        }
    }
}

#[test]
fn ordinary_sockets_are_refused_in_silence_and_odd_ones_are_told() {
    let telling = Filter::compile(&strict()).unwrap().telling().unwrap();
    let socket = number(Machine::host().unwrap(), "socket").unwrap();
    let told = |family: i32, kind: i32| {
        let args = [family as u64, kind as u64, 0, 0, 0, 0];
        let refusal = telling.refusal(socket, &args)?;
        Some((refusal.arguments, refusal.errno))
    };
    for family in [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK] {
        assert_eq!(told(family, libc::SOCK_STREAM), None, "{family}");
    }
    let odd = |text: &str| Some((text.to_owned(), libc::EAFNOSUPPORT));
    assert_eq!(told(libc::AF_VSOCK, libc::SOCK_STREAM), odd("AF_VSOCK"));
    assert_eq!(told(libc::AF_PACKET, libc::SOCK_RAW), odd("AF_PACKET SOCK_RAW"));
    assert_eq!(told(77, libc::SOCK_STREAM), odd("family 77"));
    let telling = Filter::compile(&open()).unwrap().telling().unwrap();
    let raw = [libc::AF_INET as u64, libc::SOCK_RAW as u64, 1, 0, 0, 0];
    let raw = telling.refusal(socket, &raw).unwrap();
    assert_eq!((&*raw.arguments, raw.errno), ("AF_INET SOCK_RAW", libc::EPERM));
}

#[test]
fn a_refused_call_is_told_by_its_name_and_the_flags_that_decided() {
    let host = Machine::host().unwrap();
    let telling = Filter::compile(&strict()).unwrap().telling().unwrap();
    for (name, args, expected) in [
        ("mount", [1, 1, 1, 0, 0, 0], ""),
        ("unshare", [0x1002_0000, 0, 0, 0, 0, 0], "CLONE_NEWNS|CLONE_NEWUSER"),
        ("clone", [0x1000_0011, 0, 0, 0, 0, 0], "CLONE_NEWUSER"),
        ("ioctl", [0, 1 << 40 | 0x5412, 0, 0, 0, 0], "TIOCSTI"),
        ("personality", [8, 0, 0, 0, 0, 0], "0x8"),
        ("socketpair", [1, 2, 0, 0, 0, 0], "AF_UNIX SOCK_DGRAM"),
    ] {
        let refusal = telling.refusal(number(host, name).unwrap(), &args).unwrap();
        assert_eq!((refusal.name, &*refusal.arguments), (name, expected));
        assert_eq!(refusal.errno, libc::EPERM);
        assert!(!refusal.why.is_empty());
    }
}

#[test]
fn a_telling_filter_takes_no_more_steps_where_arguments_do_not_matter() {
    for machine in Machine::ALL {
        for terms in all_terms() {
            let plain = Filter::compile_for(&terms, machine).unwrap();
            let telling = plain.telling().unwrap();
            let lines = telling.lines().iter();
            for line in lines.filter(|line| matches!(line.verdict, Verdict::Always(_))) {
                let Some(number) = number(machine, line.name) else { continue };
                let steps = returned(&telling, machine, number, [0; 6]).steps;
                assert!(steps <= 14, "{machine:?} {}: {steps}", line.name);
            }
        }
    }
}
