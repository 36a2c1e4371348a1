//! How paths become rules.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use crate::support::{Machine, mistakes, rules};
use cofferdam_profiles::{Access, Cause, Grants, Kind, NetworkMode, UnixSockets};
use serde_json::json;

#[test]
fn all_missing_paths_are_named_in_one_message() {
    let machine = Machine::new();
    let (one, two) = (machine.top.join("absent"), machine.top.join("private/tmp"));
    let policy = machine.inline(json!({"filesystem": {"read": [one, "/"], "write": [two]}}));
    let text = policy.unwrap_err().to_string();
    assert!(text.contains(one.to_str().unwrap()) && text.contains(two.to_str().unwrap()), "{text}");
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.contains("end the entry with `?`"), "{text}");
}

#[test]
fn an_optional_path_that_is_missing_is_left_out() {
    let machine = Machine::new();
    let read = format!("{}/absent?", machine.top.display());
    let policy = machine.inline(json!({"filesystem": {"read": [read]}})).unwrap();
    assert!(policy.filesystem.rules.is_empty());
}

#[test]
fn absent_deny_and_protect_rules_are_kept_for_the_launcher() {
    let machine = Machine::new();
    let policy = machine
        .inline(json!({"filesystem": {
            "write": ["${workspace}"],
            "deny": ["${workspace}/.env"],
            "protect": ["${workspace}/.git/hooks"],
        }}))
        .unwrap();
    assert_eq!(
        rules(&policy, &machine.top),
        ["write home/ws", "deny home/ws/.env", "protect home/ws/.git/hooks"]
    );
    assert!(policy.filesystem.rules[1..].iter().all(|rule| rule.kind == Kind::Absent));
}

#[test]
fn the_deepest_path_decides_and_then_the_strongest() {
    let machine = Machine::new();
    for dir in ["a/b/c", "a/p"] {
        machine.dir(dir);
    }
    let at = |path: &str| machine.top.join(path);
    let policy = machine
        .inline(json!({"filesystem": {
            "read": [at("a/b/c")],
            "write": [at("a"), at("a/p")],
            "deny": [at("a/b")],
            "protect": [at("a/p")],
        }}))
        .unwrap();
    let files = &policy.filesystem;
    assert!(files.may_write(&at("a/x")));
    assert!(!files.may_read(&at("a/b/x")));
    assert!(files.may_read(&at("a/b/c/x")) && !files.may_write(&at("a/b/c/x")));
    assert!(files.may_read(&at("a/p/x")) && !files.may_write(&at("a/p/x")));
    assert!(!files.may_read(&at("ab")), "a name that begins like the root");
}

#[test]
fn a_protect_rule_opens_nothing() {
    let machine = Machine::new();
    machine.dir("secret");
    machine.dir("read/hooks");
    machine.dir("write/hidden/x");
    let at = |path: &str| machine.top.join(path);
    let policy = machine
        .inline(json!({"filesystem": {
            "read": [at("read")],
            "write": [at("write")],
            "deny": [at("write/hidden")],
            "protect": [at("secret"), at("read/hooks"), at("write/hidden/x")],
        }}))
        .unwrap();
    assert_eq!(rules(&policy, &machine.top), ["read read", "write write", "deny write/hidden"]);
    assert!(!policy.filesystem.may_read(&at("secret")));
}

#[test]
fn a_grant_within_the_same_grant_is_left_out_unless_a_link_leads_there() {
    let machine = Machine::new();
    machine.dir("usr/bin");
    machine.dir("usr/share");
    symlink("usr/bin", machine.top.join("bin")).unwrap();
    let at = |path: &str| machine.top.join(path);
    let read = [at("usr"), at("bin"), at("usr/share"), at("usr/bin")];
    let policy = machine.inline(json!({"filesystem": {"read": read}})).unwrap();
    assert_eq!(rules(&policy, &machine.top), ["read usr", "read usr/bin"]);
    let links = &policy.filesystem.rules[1].links;
    assert_eq!((links.len(), &links[0].path), (1, &at("bin")));
    assert_eq!(links[0].target, PathBuf::from("usr/bin"));
}

#[test]
fn a_write_root_behind_a_link_is_the_physical_one() {
    let machine = Machine::new();
    machine.dir("real");
    symlink(machine.top.join("real"), machine.top.join("link")).unwrap();
    let table = json!({"filesystem": {
        "write": [machine.top.join("link")],
        "deny": [machine.top.join("link/new/dir")],
    }});
    let policy = machine.inline(table).unwrap();
    assert_eq!(rules(&policy, &machine.top), ["write real", "deny real/new/dir"]);
    assert_eq!(policy.filesystem.rules[0].written, machine.top.join("link"));
}

#[test]
fn a_link_that_a_run_may_have_made_opens_nothing() {
    let machine = Machine::new();
    machine.dir("outside");
    symlink(machine.top.join("outside"), machine.top.join("home/ws/out")).unwrap();
    for list in ["read", "write"] {
        let table = json!({"filesystem": {
            "write": ["${workspace}"],
            list: ["${workspace}", "${workspace}/out?"],
        }});
        let found = mistakes(machine.inline(table));
        assert!(found[0].contains("a run may have made it"), "{list}: {found:?}");
    }
}

#[test]
fn a_link_in_a_writable_folder_may_lead_to_what_is_open_anyway() {
    let machine = Machine::new();
    machine.dir("outside/deep");
    symlink(machine.top.join("outside/deep"), machine.top.join("home/ws/out")).unwrap();
    let table = json!({"filesystem": {
        "write": ["${workspace}"],
        "read": ["${workspace}/out", machine.top.join("outside")],
    }});
    assert!(machine.inline(table).is_ok());
    let within = json!({"filesystem": {"write": ["${workspace}", "${workspace}/sub/link"]}});
    machine.dir("home/ws/sub");
    machine.dir("home/ws/real");
    symlink("../real", machine.top.join("home/ws/sub/link")).unwrap();
    assert!(machine.inline(within).is_ok());
}

#[test]
fn a_socket_is_not_read() {
    let machine = Machine::new();
    let socket = machine.top.join("home/ws/socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let found = mistakes(machine.inline(json!({"filesystem": {"read": [socket]}})));
    assert!(found[0].contains("a socket") && found[0].contains("--socket"), "{found:?}");
    let listed = json!({"network": {"unix-sockets": [socket]}});
    assert!(machine.inline(listed).is_ok());
}

#[test]
fn a_file_behind_a_link_is_a_rule_on_its_target() {
    let machine = Machine::new();
    let target = machine.file("run/x/resolv.conf", "nameserver 127.0.0.1\n");
    machine.dir("etc");
    symlink("../run/x/resolv.conf", machine.top.join("etc/resolv.conf")).unwrap();
    let table =
        json!({"filesystem": {"read": [format!("{}/etc/resolv.conf?", machine.top.display())]}});
    let policy = machine.inline(table.clone()).unwrap();
    assert_eq!(policy.filesystem.rules[0].path, target);
    assert_eq!(policy.filesystem.rules[0].links[0].path, machine.top.join("etc/resolv.conf"));
    fs::remove_file(target).unwrap();
    assert!(machine.inline(table).unwrap().filesystem.rules.is_empty(), "a dangling link");
}

#[test]
fn links_in_a_circle_are_a_mistake_even_when_optional() {
    let machine = Machine::new();
    symlink("b", machine.top.join("a")).unwrap();
    symlink("a", machine.top.join("b")).unwrap();
    let read = format!("{}/a?", machine.top.display());
    let error = machine.inline(json!({"filesystem": {"read": [read]}})).unwrap_err();
    assert!(matches!(error.mistakes()[0].cause, Cause::LinkLoop { .. }), "{error}");
}

#[test]
fn protecting_below_a_file_protects_the_file() {
    let machine = Machine::new();
    machine.file("home/ws/.git", "gitdir: /nowhere\n");
    let policy = machine
        .inline(json!({"filesystem": {
            "write": ["${workspace}"],
            "protect": ["${workspace}/.git/hooks", "${workspace}/.git/config"],
        }}))
        .unwrap();
    assert_eq!(rules(&policy, &machine.top), ["write home/ws", "protect home/ws/.git"]);
    assert_eq!(policy.filesystem.rules[1].kind, Kind::File);
}

#[test]
fn wildcards_stand_for_what_exists() {
    let machine = Machine::new();
    for dir in ["java-17", "java-21", "perl"] {
        machine.dir(dir);
    }
    let at = |path: &str| format!("{}/{path}", machine.top.display());
    let policy =
        machine.inline(json!({"filesystem": {"read": [at("java*"), at("ruby*?")]}})).unwrap();
    assert_eq!(rules(&policy, &machine.top), ["read java-17", "read java-21"]);
    let found = mistakes(machine.inline(json!({"filesystem": {"read": [at("ruby*")]}})));
    assert!(found[0].contains("there is nothing at"), "{found:?}");
}

#[test]
fn devices_lie_in_dev() {
    let machine = Machine::new();
    let devices = |list: &[&str]| machine.inline(json!({"filesystem": {"devices": list}}));
    let policy = devices(&["/dev/nul*", "/dev/no-such-device?"]).unwrap();
    assert_eq!(policy.filesystem.devices[0].path, PathBuf::from("/dev/null"));
    assert!(policy.filesystem.rules.is_empty());
    for path in ["/dev", "/etc/passwd", "/"] {
        assert!(mistakes(devices(&[path]))[0].contains("not a device"), "{path}");
    }
}

#[test]
fn a_path_of_odd_bytes_can_be_granted_ad_hoc() {
    let machine = Machine::new();
    let odd = OsString::from_vec(b"a\nb \"q\" (x) #$% ${home}? * \xff".to_vec());
    fs::create_dir(machine.top.join(&odd)).unwrap();
    let grants = Grants { write: vec![odd.clone().into()], ..Grants::default() };
    let policy = machine.granted(&grants).unwrap();
    assert_eq!(policy.filesystem.rules[0].path, machine.top.join(&odd));
    assert_eq!(policy.filesystem.rules[0].origin.to_string(), "--write");
    assert!(policy.render().contains("a\\nb"), "one line for each rule: {}", policy.render());
}

#[test]
fn ad_hoc_grants_come_last_and_relative_ones_from_the_current_directory() {
    let mut machine = Machine::new();
    machine.dir("lib");
    machine.dir("app");
    machine.file("a.sock", "");
    machine.context.dir = machine.top.join("app");
    machine.context.env.insert("X".into(), "y".into());
    let grants = Grants {
        read: vec!["../lib".into()],
        write: vec![".".into()],
        deny: vec!["../lib".into()],
        net: true,
        env: vec!["TERM".into(), "A=${home}?".into()],
        sockets: vec!["../a.sock".into()],
    };
    let policy = machine.granted(&grants).unwrap();
    assert_eq!(rules(&policy, &machine.top), ["write app", "read lib", "deny lib"]);
    assert_eq!(policy.network.mode, NetworkMode::On);
    assert!(matches!(&policy.network.unix_sockets, UnixSockets::Paths(paths)
        if paths[0].path == machine.top.join("a.sock") && paths[0].access == Access::Write));
    assert_eq!(
        policy.to_json()["environment"],
        json!({"path": [], "pass": ["TERM"], "set": {"A": "${home}?"}})
    );
}

#[test]
fn mistakes_of_options_are_reported_together() {
    let machine = Machine::new();
    let grants = Grants {
        read: vec!["no-read".into()],
        deny: vec!["no-deny".into()],
        env: vec!["HOME=/x".into(), "".into(), "=x".into(), "*".into()],
        sockets: vec!["no-socket".into()],
        ..Grants::default()
    };
    let found = mistakes(machine.granted(&grants));
    assert_eq!(found.len(), 7, "{found:#?}");
    assert!(found[0].starts_with("`--read` = "), "{found:#?}");
    // An option's path is taken as it is: a `?` would be part of the name.
    assert!(
        found[0].ends_with("; make it first, or name the folder that is to hold it"),
        "{found:#?}"
    );
}

#[test]
fn a_passed_name_wins_over_a_set_one() {
    let machine = Machine::new();
    let grants = Grants { env: vec!["PAGER".into()], ..Grants::default() };
    let source =
        cofferdam_profiles::Source::Inline(json!({"environment": {"set": {"PAGER": "cat"}}}));
    let policy = cofferdam_profiles::resolve(&source, &grants, &machine.context).unwrap();
    let host = [("PAGER".into(), "less".into())];
    assert!(
        policy.environment.build(host.into_iter(), None).contains(&("PAGER".into(), "less".into()))
    );
}

#[test]
fn the_cache_folder_is_made_for_this_user_alone_when_a_rule_mentions_it() {
    let machine = Machine::new();
    let cache = machine.top.join("cache/inline");
    machine.inline(json!({"environment": {"set": {"X": "${cache}/x"}}})).unwrap();
    assert!(!cache.exists());
    machine.inline(json!({"filesystem": {"write": ["${cache}"]}})).unwrap();
    assert_eq!(fs::metadata(&cache).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_file_name_cannot_move_the_cache_folder() {
    let machine = Machine::new();
    machine.file("...toml", "filesystem.write = [\"${cache}\"]\n");
    assert!(machine.resolve("./...toml").is_err());
}

#[test]
fn a_profile_that_the_run_could_rewrite_is_refused() {
    let machine = Machine::new();
    let file = machine.file("home/ws/p.toml", "filesystem.write = [\"${workspace}\"]\n");
    let found = mistakes(machine.resolve(file.to_str().unwrap()));
    assert!(found[0].contains("could rewrite this file"), "{found:?}");
    machine.file(
        "home/ws/p.toml",
        "filesystem = { write = [\"${workspace}\"], protect = [\"${workspace}/p.toml\"] }\n",
    );
    assert!(machine.resolve(file.to_str().unwrap()).is_ok());
}

#[test]
fn a_folder_that_may_not_be_searched_counts_as_missing() {
    // Root may search every folder: then the file is found, and both outcomes are looked at.
    let machine = Machine::new();
    let shut = machine.dir("shut");
    machine.file("shut/x", "");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
    let searchable = shut.join("x").symlink_metadata().is_ok();
    let at = |path: &str| format!("{}/shut/{path}", machine.top.display());
    let optional = machine.inline(json!({"filesystem": {"read": [at("x?")], "deny": [at("x")]}}));
    let required = machine.inline(json!({"filesystem": {"read": [at("x")]}}));
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o700)).unwrap();
    let kinds: Vec<Kind> =
        optional.unwrap().filesystem.rules.iter().map(|rule| rule.kind).collect();
    match searchable {
        true => {
            assert_eq!((kinds.as_slice(), required.is_ok()), ([Kind::File; 2].as_slice(), true))
        }
        false => {
            assert_eq!((kinds.as_slice(), required.is_ok()), ([Kind::Absent].as_slice(), false))
        }
    }
}

#[test]
fn an_option_that_the_profile_undoes_is_refused_by_naming_both() {
    let machine = Machine::new();
    let (aws, hooks) = (machine.dir("home/.aws"), machine.dir("home/ws/.git/hooks"));
    let resolve = |grants: Grants| {
        let source = cofferdam_profiles::Source::parse("workspace");
        cofferdam_profiles::resolve(&source, &grants, &machine.context)
    };
    let found = mistakes(resolve(Grants {
        read: vec![aws.clone(), hooks.clone()],
        write: vec![hooks],
        ..Grants::default()
    }));
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].starts_with("`--read` = "), "{found:#?}");
    assert!(found[0].contains("`deny`") && found[0].contains("\"!${home}/.aws?\""), "{found:#?}");
    assert!(found[1].contains("`protect`"), "{found:#?}");
    // Below it, and beside it, an option is the deeper one.
    let file = machine.file("home/.aws/config", "");
    assert!(resolve(Grants { read: vec![file], ..Grants::default() }).is_ok());
    assert!(resolve(Grants { deny: vec![aws], ..Grants::default() }).is_ok());
}
