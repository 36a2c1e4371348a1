use super::*;
use crate::{FilterError, GROUPS};

#[test]
fn a_group_takes_its_calls_out_of_the_filter_and_no_others() {
    let terms = allowing(strict(), &["debug"]);
    for call in ["ptrace", "process_vm_readv", "process_vm_writev", "kcmp"] {
        assert_eq!(answer(&strict(), call, &[]), EPERM);
        assert_eq!(answer(&terms, call, &[]), Action::Allow);
    }
    assert_eq!(answer(&terms, "personality", &[8]), Action::Allow);
    assert_eq!(answer(&terms, "bpf", &[]), EPERM);
    assert_eq!(answer(&allowing(strict(), &["perf"]), "perf_event_open", &[]), Action::Allow);
    let nested = allowing(strict(), &["userns"]);
    assert_eq!(answer(&nested, "clone", &[libc::CLONE_NEWUSER as u64]), Action::Allow);
    assert_eq!(answer(&nested, "mount", &[]), Action::Allow);
}

#[test]
fn a_call_can_be_allowed_by_its_name() {
    let terms = allowing(strict(), &["bpf", "open", "read"]);
    assert_eq!(answer(&terms, "bpf", &[]), Action::Allow);
    assert_eq!(answer(&terms, "keyctl", &[]), EPERM);
}

#[test]
fn a_debugger_works_in_a_process_namespace_of_its_own() {
    let terms = Terms { private_processes: true, ..strict() };
    assert_eq!(answer(&terms, "ptrace", &[]), Action::Allow);
    assert_eq!(answer(&terms, "kcmp", &[]), EPERM);
}

#[test]
fn a_wrong_name_is_an_error_that_tells_place_and_nearest() {
    for (wrong, right) in [("perf_event_opn", "perf_event_open"), ("debgu", "debug")] {
        let error = Filter::compile(&allowing(strict(), &[wrong])).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(wrong) && text.contains(right), "{text}");
        assert!(text.contains("test.toml:3"), "{text}");
    }
}

#[test]
fn an_exception_cannot_undo_the_network_table() {
    for call in ["socket", "socketpair", "sendto", "setsockopt"] {
        let error = Filter::compile(&allowing(open(), &[call])).unwrap_err();
        assert!(matches!(error, FilterError::DecidedElsewhere { .. }), "{error}");
    }
    let error = Filter::compile(&allowing(strict(), &["io_uring_setup"])).unwrap_err();
    assert!(matches!(error, FilterError::DecidedElsewhere { .. }), "{error}");
    let all_open = allowing(open(), &["io_uring_setup"]);
    assert_eq!(answer(&all_open, "io_uring_setup", &[]), Action::Allow);
}

#[test]
fn groups_hold_known_calls_only() {
    for (_, calls) in GROUPS {
        for call in *calls {
            assert!(crate::numbers::known(call).is_some(), "{call}");
        }
    }
}

#[test]
fn the_explanation_names_exceptions_rules_and_reasons() {
    let text = Filter::compile(&allowing(strict(), &["debug"])).unwrap().explain();
    let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap();
    assert!(line("ptrace ").ends_with("the profile allows it"));
    assert!(line("bpf ").contains("refuse EPERM"));
    assert!(line("clone3 ").contains("refuse ENOSYS"));
    assert!(line("ioctl(arg1 = 0x5412)").contains("refuse EPERM"));
    assert!(line("read ").contains("allow"));
}

#[test]
fn the_readme_lists_every_group() {
    let readme = include_str!("../../README.md");
    for (name, _) in GROUPS {
        assert!(readme.contains(&format!("| `{name}` |")), "{name}");
    }
}
