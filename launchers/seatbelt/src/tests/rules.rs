//! What every policy gets, and what single words of a policy change.

use std::path::{Path, PathBuf};

use cofferdam_launcher::Scratch;
use cofferdam_profiles::{Access, Kind, Link, NetworkMode, Promise, Rule, UnixSockets};
use serde_json::json;

use super::asked::Asked;
use super::sample::{asked, policy, rule, with_rules};
use crate::places::Places;
use crate::profile::Profile;

const RESOLVER: &str = "/private/var/run/mDNSResponder";

fn at(path: &str) -> &Path {
    Path::new(path)
}

#[test]
fn an_empty_policy_opens_no_file_of_anybody() {
    let asked = asked(&policy(json!({})));
    for path in
        ["/Users/ann/.ssh/id_ed25519", "/private/etc/master.passwd", "/usr/bin/true", "/opt"]
    {
        for operation in ["file-read-data", "file-read-metadata", "file-write-data", "process-exec"]
        {
            assert!(!asked.allows(operation, at(path)), "{operation} {path}");
        }
    }
}

#[test]
fn the_ways_out_by_other_processes_are_closed() {
    let asked = asked(&policy(json!({ "network": { "mode": "on" } })));
    for operation in ["appleevent-send", "job-creation", "lsopen", "nvram-get", "iokit-open"] {
        assert!(!asked.mentions_as_allowed(operation), "{operation}");
    }
    for name in [
        "com.apple.coreservices.launchservicesd",
        "com.apple.launchservicesd",
        "com.apple.lsd.mapdb",
        "com.apple.SecurityServer",
        "com.apple.securityd.xpc",
        "com.apple.pasteboard.1",
        "com.apple.mDNSResponder",
    ] {
        assert!(!asked.allows_name("mach-lookup", name), "{name}");
    }
    assert!(asked.allows_name("mach-lookup", "com.apple.system.opendirectoryd.libinfo"));
}

#[test]
fn other_processes_environments_cannot_be_asked_for() {
    let asked = asked(&policy(json!({})));
    for name in ["kern.procargs2", "kern.proc.all", "kern.proc.pid.1", "kern.bootargs"] {
        assert!(!asked.allows_name("sysctl-read", name), "{name}");
    }
    assert!(asked.allows_name("sysctl-read", "hw.ncpu"));
}

#[test]
fn no_address_and_no_name_is_reached_without_network() {
    let mut policy = policy(json!({}));
    // Everything readable, all sockets: the resolver's among them.
    policy.filesystem.rules = vec![rule(Access::Read, "/")];
    policy.network.unix_sockets = UnixSockets::All;
    let off = asked(&policy);
    assert!(!off.allows("network-outbound", at(RESOLVER)));
    assert!(!off.allows_socket("network-outbound", "remote", at(RESOLVER)));
    assert!(off.allows_socket("network-outbound", "remote", at("/Users/ann/agent")));
    policy.network.mode = NetworkMode::On;
    assert!(asked(&policy).allows("network-outbound", at(RESOLVER)));
}

#[test]
fn sockets_follow_the_word_of_the_policy() {
    let connects = |sockets: UnixSockets, path: &str| {
        let mut policy = with_rules(vec![
            rule(Access::Write, "/Users/ann/app"),
            rule(Access::Deny, "/Users/ann/app/closed"),
            rule(Access::Read, "/opt"),
        ]);
        policy.network.unix_sockets = sockets;
        asked(&policy).allows_socket("network-outbound", "remote", at(path))
    };
    let agent =
        || UnixSockets::Paths(vec![Rule { kind: Kind::File, ..rule(Access::Write, "/tmp/agent") }]);
    assert!(!connects(UnixSockets::None, "/Users/ann/app/s"));
    assert!(connects(UnixSockets::Inside, "/Users/ann/app/s"));
    assert!(!connects(UnixSockets::Inside, "/Users/ann/app/closed/s"));
    assert!(!connects(UnixSockets::Inside, "/opt/s"));
    assert!(connects(UnixSockets::All, "/opt/s"));
    assert!(!connects(UnixSockets::All, "/Users/ann/app/closed/s"));
    assert!(connects(agent(), "/private/tmp/agent") && connects(agent(), "/Users/ann/app/s"));
    assert!(!connects(agent(), "/private/tmp/other"));
}

#[test]
fn what_is_protected_stays_and_so_do_the_folders_around_it() {
    let hooks = "/Users/ann/app/.git/hooks";
    let asked = asked(&with_rules(vec![
        rule(Access::Write, "/Users/ann/app"),
        rule(Access::Protect, hooks),
    ]));
    assert!(asked.allows("file-read-data", at(hooks)));
    for path in [hooks, "/Users/ann/app/.git/hooks/pre-commit"] {
        assert!(!asked.allows("file-write-create", at(path)), "{path}");
    }
    for path in [hooks, "/Users/ann/app/.git", "/Users/ann/app"] {
        assert!(!asked.allows("file-write-unlink", at(path)), "{path}");
    }
    for path in ["/Users/ann/app/.git/index", "/Users/ann/app/.git/objects", "/Users/ann/app/src"] {
        assert!(asked.allows("file-write-unlink", at(path)), "{path}");
    }
}

#[test]
fn what_was_absent_and_protected_can_be_made_once() {
    let hooks = Rule { kind: Kind::Absent, ..rule(Access::Protect, "/Users/ann/app/hooks") };
    let policy = with_rules(vec![rule(Access::Write, "/Users/ann/app"), hooks]);
    let profile = |exists: bool| {
        let files = &policy.filesystem;
        Asked::of(&Profile::of(&policy, &Places::of(files, &policy.network, None, &|_| exists)))
    };
    assert!(profile(false).allows("file-write-create", at("/Users/ann/app/hooks")));
    assert!(!profile(true).allows("file-write-create", at("/Users/ann/app/hooks")));
}

#[test]
fn the_run_s_own_folders_are_writable_by_their_real_names() {
    let policy = policy(json!({}));
    let scratch = Scratch { tmp: "/var/folders/x/tmp".into(), home: "/tmp/home".into() };
    let places = Places::of(&policy.filesystem, &policy.network, Some(&scratch), &|_| false);
    let asked = Asked::of(&Profile::of(&policy, &places));
    for path in ["/private/var/folders/x/tmp/f", "/private/tmp/home/.cache"] {
        assert!(asked.allows("file-write-create", at(path)), "{path}");
    }
    assert!(!asked.allows("file-write-create", at("/private/tmp/other")));
}

#[test]
fn a_readable_root_opens_neither_devices_nor_another_name_of_the_disk() {
    let mut policy =
        with_rules(vec![rule(Access::Read, "/"), rule(Access::Deny, "/Users/ann/.ssh")]);
    policy.filesystem.devices =
        vec![Rule { kind: Kind::File, ..rule(Access::Write, "/dev/cu.usb") }];
    let asked = asked(&policy);
    for path in [
        "/dev/ttys003",
        "/dev/rdisk0",
        "/System/Volumes/Data/Users/ann/.ssh/id",
        "/Users/ann/.ssh/id",
    ] {
        assert!(!asked.allows("file-read-data", at(path)), "{path}");
    }
    for path in ["/dev/null", "/dev/cu.usb", "/Users/ann/x", "/System/Volumes/Preboot/x"] {
        assert!(asked.allows("file-read-data", at(path)), "{path}");
    }
    assert!(!asked.allows("file-write-create", at("/dev/null")));
}

#[test]
fn the_folders_on_the_way_can_be_looked_at_and_not_listed() {
    let app = Rule {
        links: vec![Link { path: "/Users/ann/link".into(), target: PathBuf::from("/Volumes/big") }],
        ..rule(Access::Read, "/Volumes/big/app")
    };
    let asked = asked(&with_rules(vec![app]));
    for path in ["/Users", "/Users/ann", "/Users/ann/link", "/Volumes", "/Volumes/big"] {
        assert!(asked.allows("file-read-metadata", at(path)), "{path}");
        assert!(!asked.allows("file-read-data", at(path)), "{path}");
    }
    assert!(!asked.allows("file-read-metadata", at("/Users/bob")));
}

#[test]
fn shared_memory_is_closed_where_the_profile_insists() {
    let shares = |best_effort: &[Promise]| {
        let mut policy = policy(json!({}));
        policy.best_effort = best_effort.iter().copied().collect();
        let gaps = crate::gaps::of(&policy);
        let missing = cofferdam_view::gaps::missing(&gaps).contains(&"ipc".to_owned());
        let open = asked(&policy).mentions_as_allowed("ipc-posix-sem");
        assert_eq!(missing, open, "what is open is told, and what is told is open");
        open
    };
    assert!(shares(&[Promise::Ipc]) && !shares(&[Promise::Pty]));
}

#[test]
fn a_debugger_gets_its_own_processes_only_by_the_policy_s_word() {
    let debugs = |table| asked(&policy(table)).mentions_as_allowed("mach-priv-task-port");
    assert!(!debugs(json!({})));
    assert!(debugs(json!({ "syscalls": { "allow": ["debug"] } })));
}
