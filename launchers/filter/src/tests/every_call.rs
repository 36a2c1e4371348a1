use std::collections::BTreeSet;

use super::*;
use crate::table;
use crate::verdict::Verdict;

#[test]
fn every_known_call_has_exactly_one_line_or_is_unimplemented_everywhere() {
    /// Numbers that no kernel implements any more, or never did.
    #[rustfmt::skip]
    const DEAD: [&str; 13] = [
        "create_module", "get_kernel_syms", "query_module", "getpmsg", "putpmsg", "afs_syscall",
        "tuxcall", "security", "set_thread_area", "get_thread_area", "epoll_ctl_old",
        "epoll_wait_old", "vserver",
    ];
    let lines = table::lines(&strict()).unwrap();
    for machine in Machine::ALL {
        for (name, _) in machine.numbers() {
            let count = lines.iter().filter(|line| line.name == *name).count();
            let expected = usize::from(!DEAD.contains(name));
            assert_eq!(count, expected, "{name}");
        }
    }
}

#[test]
fn every_line_names_a_call_and_gives_a_reason() {
    let known: BTreeSet<_> =
        Machine::ALL.into_iter().flat_map(|machine| machine.numbers()).map(|call| call.0).collect();
    for line in table::lines(&open()).unwrap() {
        assert!(known.contains(line.name), "{}", line.name);
        assert!(!line.why.is_empty(), "{}", line.name);
    }
}

#[test]
fn the_program_answers_every_call_as_the_table_says() {
    for machine in Machine::ALL {
        for terms in [strict(), open()] {
            let filter = Filter::compile_for(&terms, machine).unwrap();
            for line in filter.lines() {
                let Some(number) = number(machine, line.name) else {
                    continue;
                };
                // No condition of the table holds for these arguments but "no flag is set".
                let args = [0x0080_0000_dead_0001; 6];
                let got = action(returned(&filter, machine, number, args).value);
                let expected = match &line.verdict {
                    Verdict::Always(action) => *action,
                    Verdict::ByArguments { rules, otherwise } => rules
                        .iter()
                        .find(|rule| {
                            let holds = |c: &crate::Condition| args[0] as u32 & c.mask == c.value;
                            rule.when.iter().all(holds)
                        })
                        .map_or(*otherwise, |rule| rule.then),
                };
                assert_eq!(got, expected, "{machine:?} {}", line.name);
            }
        }
    }
}

#[test]
fn each_rule_of_the_table_answers_for_arguments_that_meet_it() {
    for terms in [strict(), open()] {
        let filter = Filter::compile(&terms).unwrap();
        for line in filter.lines() {
            let Verdict::ByArguments { rules, .. } = &line.verdict else {
                continue;
            };
            for rule in rules {
                // Arguments without a condition, and high bits, are noise.
                const HIGH: u64 = 0xffff_ffff_0000_0000;
                let mut args = [HIGH | 0xff; 6];
                for condition in &rule.when {
                    args[usize::from(condition.arg)] = HIGH | u64::from(condition.value);
                }
                assert_eq!(answer(&terms, line.name, &args), rule.then, "{} {rule:?}", line.name);
            }
        }
    }
}

#[test]
fn numbers_beyond_and_between_the_known_ones_do_not_exist() {
    for machine in Machine::ALL {
        let filter = Filter::compile_for(&open(), machine).unwrap();
        let known: BTreeSet<_> = machine.numbers().iter().map(|call| call.1).collect();
        let unknown = (0..2048).filter(|number| !known.contains(number));
        let x32 = [0x4000_0000, 0x4000_0000 + 41, 0x4000_0208, 0x7fff_ffff, u32::MAX];
        for number in unknown.chain(x32) {
            assert_eq!(
                action(returned(&filter, machine, number, [0; 6]).value),
                ENOSYS,
                "{number}"
            );
        }
    }
}

#[test]
fn another_architecture_is_killed() {
    const I386: u32 = 3 | 0x4000_0000;
    for machine in Machine::ALL {
        let filter = Filter::compile_for(&open(), machine).unwrap();
        let other = Machine::ALL.into_iter().find(|other| *other != machine).unwrap();
        for architecture in [I386, other.audit_value(), 0] {
            let call = Call { number: 0, architecture, args: [0; 6] };
            let value = run(filter.program(), &call).value;
            assert_eq!(value, libc::SECCOMP_RET_KILL_PROCESS);
        }
    }
}

#[test]
fn a_verdict_is_reached_within_fourteen_steps_where_arguments_do_not_matter() {
    for machine in Machine::ALL {
        for terms in [strict(), open()] {
            let filter = Filter::compile_for(&terms, machine).unwrap();
            for line in filter.lines() {
                let Some(number) = number(machine, line.name) else {
                    continue;
                };
                if let Verdict::Always(_) = line.verdict {
                    let steps = returned(&filter, machine, number, [0; 6]).steps;
                    assert!(steps <= 14, "{machine:?} {}: {steps}", line.name);
                }
            }
        }
    }
}

#[test]
fn what_the_spawner_does_after_the_filter_is_allowed() {
    let calls = [
        "prctl",
        "ppoll",
        "rt_sigaction",
        "rt_sigprocmask",
        "execve",
        "exit_group",
        "write",
        "close_range",
    ];
    for terms in [strict(), open()] {
        for call in calls {
            assert_eq!(answer(&terms, call, &[]), Action::Allow, "{call}");
        }
    }
}

#[test]
fn the_bytes_are_the_instructions_in_native_order() {
    let filter = Filter::compile(&strict()).unwrap();
    let bytes = filter.bytes();
    assert_eq!(bytes.len(), filter.program().len() * 8);
    for (instruction, bytes) in filter.program().iter().zip(bytes.chunks(8)) {
        assert_eq!(instruction.code, u16::from_ne_bytes([bytes[0], bytes[1]]));
        assert_eq!([instruction.jt, instruction.jf], bytes[2..4]);
        assert_eq!(instruction.k, u32::from_ne_bytes(bytes[4..].try_into().unwrap()));
    }
}

#[test]
fn new_namespaces_are_refused_and_threads_are_not() {
    let thread = libc::CLONE_VM | libc::CLONE_FS | libc::CLONE_FILES | libc::CLONE_THREAD;
    for call in ["clone", "unshare"] {
        assert_eq!(
            answer(&strict(), call, &[(thread & !libc::CLONE_THREAD) as u64]),
            Action::Allow
        );
        for flag in [
            libc::CLONE_NEWNS,
            libc::CLONE_NEWCGROUP,
            libc::CLONE_NEWUTS,
            libc::CLONE_NEWIPC,
            libc::CLONE_NEWUSER,
            libc::CLONE_NEWPID,
            libc::CLONE_NEWNET,
        ] {
            assert_eq!(answer(&strict(), call, &[u64::from((thread | flag) as u32)]), EPERM);
        }
    }
    assert_eq!(answer(&strict(), "unshare", &[0x80]), EPERM, "a time namespace");
    assert_eq!(answer(&strict(), "clone", &[(thread | libc::SIGCHLD) as u64]), Action::Allow);
    assert_eq!(answer(&strict(), "clone3", &[]), ENOSYS);
}

#[test]
fn typing_into_a_terminal_is_refused_whatever_the_high_bits() {
    for request in [0x5412_u64, 0x541c, 0x541d, 0x5423] {
        for high in [0, 1 << 32, 0xffff_ffff << 32] {
            assert_eq!(answer(&open(), "ioctl", &[0, high | request]), EPERM);
        }
    }
    assert_eq!(answer(&strict(), "ioctl", &[0, libc::TIOCGWINSZ]), Action::Allow);
}

#[test]
fn only_harmless_personalities_are_taken() {
    for allowed in [0, 0xffff_ffff, 0x0004_0000] {
        assert_eq!(answer(&strict(), "personality", &[allowed]), Action::Allow);
    }
    for refused in [8, 0x0040_0000, 0x0044_0000] {
        assert_eq!(answer(&strict(), "personality", &[refused]), EPERM);
    }
}

#[test]
fn limits_are_for_oneself_unless_all_processes_are_one_s_own() {
    let private = Terms { private_processes: true, ..strict() };
    assert_eq!(answer(&strict(), "prlimit64", &[0]), Action::Allow);
    assert_eq!(answer(&strict(), "prlimit64", &[4711]), EPERM);
    assert_eq!(answer(&private, "prlimit64", &[4711]), Action::Allow);
}
