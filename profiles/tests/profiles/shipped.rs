//! The shipped profiles, on a home full of tools and secrets, on this machine, and for users who
//! have next to nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cofferdam_profiles::{
    Access, Context, Grants, NetworkMode, Policy, Promise, Source, UnixSockets, resolve, shipped,
};
use serde_json::json;

use crate::support::Machine;

/// Where secrets are, in a home directory.
const SECRETS: &[&str] = &[
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".config/gh/hosts.yml",
    ".config/git/credentials",
    ".cargo/credentials.toml",
    ".npmrc",
    ".netrc",
    ".pypirc",
    ".git-credentials",
    ".gitconfig",
    ".docker/config.json",
    ".kube/config",
    ".gnupg/private-keys-v1.d/key",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".gem/credentials",
    ".dotnet/corefx/cryptography/x509stores/my/key.pfx",
    ".bash_history",
    ".local/share/keyrings/login.keyring",
    ".config/cofferdam/token",
    "notes.txt",
    "other-project/.env",
];

/// Toolchains: the file of a program, and the directory through which `PATH` finds it.
const TOOLS: &[(&str, &str)] = &[
    (".cargo/bin/cargo", ".cargo/bin"),
    (".local/bin/tool", ".local/bin"),
    (".pyenv/shims/python3", ".pyenv/shims"),
    (".local/share/mise/shims/node", ".local/share/mise/shims"),
    (".asdf/shims/ruby", ".asdf/shims"),
    (".rbenv/shims/ruby", ".rbenv/shims"),
    (".volta/bin/node", ".volta/bin"),
    (".local/share/fnm/aliases/default/bin/node", ".local/share/fnm/aliases/default/bin"),
    (".nvm/versions/node/v20.1.0/bin/node", ".nvm/versions/node/v20.1.0/bin"),
    (".bun/bin/bun", ".bun/bin"),
    (".deno/bin/deno", ".deno/bin"),
    ("go/bin/gopls", "go/bin"),
    ("sdk/go1.22/bin/go", "sdk/go1.22/bin"),
    (".sdkman/candidates/java/current/bin/java", ".sdkman/candidates/java/current/bin"),
];

fn furnished() -> Machine {
    let machine = Machine::new();
    for file in SECRETS.iter().chain(TOOLS.iter().map(|(file, _)| file)) {
        machine.file(&format!("home/{file}"), "");
    }
    machine.dir("home/.rustup/toolchains");
    machine
}

fn profile(machine: &Machine, names: &[&str]) -> Policy {
    let source = Source::Many(names.iter().map(|name| Source::parse(name)).collect());
    resolve(&source, &Grants::default(), &machine.context).unwrap()
}

fn names() -> impl Iterator<Item = &'static str> {
    shipped().map(|profile| profile.name)
}

#[test]
fn every_shipped_profile_resolves_and_keeps_the_homes_secrets_closed() {
    let machine = furnished();
    for name in names() {
        let policy = profile(&machine, &[name]);
        for secret in SECRETS {
            let is_asked_for = name == "git-config" && *secret == ".gitconfig";
            let may_read = policy.filesystem.may_read(&machine.home(secret));
            assert_eq!(may_read, is_asked_for, "{name}: {secret}");
        }
        assert!(!policy.filesystem.may_read(Path::new("/etc/shadow")), "{name}");
        assert!(!policy.filesystem.may_read(Path::new("/proc/self/environ")), "{name}");
        assert!(!policy.filesystem.may_read(Path::new("/dev/tty")), "{name}");
        assert!(!policy.filesystem.may_write(&machine.home("x")), "{name}");
    }
}

#[test]
fn the_secrets_stay_hidden_when_the_home_is_opened() {
    let machine = furnished();
    let grants = Grants { read: vec![machine.home("")], ..Grants::default() };
    let policy = resolve(&Source::parse("workspace"), &grants, &machine.context).unwrap();
    assert!(policy.filesystem.may_read(&machine.home("notes.txt")));
    for secret in &SECRETS[..9] {
        assert!(!policy.filesystem.may_read(&machine.home(secret)), "{secret}");
    }
}

#[test]
fn tools_in_the_home_are_found_with_a_bare_path() {
    let machine = furnished();
    for name in ["workspace", "read-only", "build", "online"] {
        let policy = profile(&machine, &[name]);
        let host = [("PATH".into(), "/usr/bin:/bin".into())];
        let run = policy.environment.build(host.into_iter(), None);
        let path = &run.iter().find(|(name, _)| name == "PATH").unwrap().1;
        let path: Vec<PathBuf> = std::env::split_paths(path).collect();
        for (file, dir) in TOOLS {
            assert!(path.contains(&machine.home(dir)), "{name}: {dir}");
            assert!(policy.filesystem.may_read(&machine.home(file)), "{name}: {file}");
            assert!(!policy.filesystem.may_write(&machine.home(file)), "{name}: {file}");
        }
        let value = |name: &str| Some(&run.iter().find(|(known, _)| known == name)?.1);
        assert_eq!(value("RUSTUP_HOME").unwrap(), machine.home(".rustup").as_os_str());
        assert_eq!(value("NVM_DIR").unwrap(), machine.home(".nvm").as_os_str());
        assert_eq!(value("OPAMROOT"), None, "{name}: set only where it exists");
        assert_eq!(value("PAGER").unwrap(), "cat");
    }
}

#[test]
fn every_shipped_profile_resolves_on_this_machine() {
    let workspace = tempfile::tempdir().unwrap();
    let mut context = Context::from_environment(workspace.path());
    context.cache_base = Some(workspace.path().join("cache"));
    for name in names() {
        let policy = resolve(&Source::parse(name), &Grants::default(), &context).unwrap();
        assert_eq!(policy.name, name);
        for rule in &policy.filesystem.rules {
            let physical = fs::canonicalize(&rule.path);
            assert!(physical.is_err() || physical.unwrap() == rule.path, "{name}: {rule:?}");
        }
    }
}

#[test]
fn every_shipped_profile_resolves_for_a_user_without_home_name_or_environment() {
    let mut machine = Machine::new();
    machine.context.user = None;
    for home in [None, Some(PathBuf::from("/nonexistent"))] {
        machine.context.home = home;
        machine.context.config_dir = None;
        names().for_each(|name| drop(profile(&machine, &[name])));
    }
}

#[test]
fn a_cache_that_cannot_be_made_is_a_mistake_of_build_alone() {
    let mut machine = Machine::new();
    machine.context.cache_base = Some(machine.file("file", "").join("cache"));
    for name in names() {
        let result = resolve(&Source::parse(name), &Grants::default(), &machine.context);
        match name {
            "build" => assert!(result.unwrap_err().to_string().contains("XDG_CACHE_HOME")),
            _ => assert!(result.is_ok(), "{name}"),
        }
    }
}

#[test]
fn no_shipped_profile_nests_what_a_launcher_cannot_express() {
    let machine = furnished();
    for name in names() {
        let policy = profile(&machine, &[name]);
        for rule in policy.filesystem.rules.iter().filter(|rule| rule.access == Access::Deny) {
            let around = policy
                .filesystem
                .rules
                .iter()
                .find(|other| other.access.grants() && rule.path.starts_with(&other.path));
            assert!(around.is_none(), "{name}: {rule:?} within {around:?}");
        }
    }
}

#[test]
fn what_each_profile_may_do() {
    let machine = furnished();
    let file = machine.workspace("src/main.rs");
    let table = [
        // name, reads the workspace, writes it, network
        ("workspace", true, true, NetworkMode::Off),
        ("build", true, true, NetworkMode::Off),
        ("online", true, true, NetworkMode::On),
        ("strict", true, true, NetworkMode::Off),
        ("read-only", true, false, NetworkMode::Off),
        ("base", false, false, NetworkMode::Off),
        ("net", false, false, NetworkMode::On),
    ];
    for (name, reads, writes, mode) in table {
        let policy = profile(&machine, &[name]);
        assert_eq!(policy.filesystem.may_read(&file), reads, "{name}");
        assert_eq!(policy.filesystem.may_write(&file), writes, "{name}");
        assert_eq!(policy.network.mode, mode, "{name}");
        assert_eq!(policy.filesystem.scratch, name != "net", "{name}");
    }
    let strict = profile(&machine, &["strict"]);
    assert!(strict.filesystem.rules.iter().all(|rule| {
        !rule.path.starts_with(machine.top.join("home"))
            || rule.path.starts_with(machine.workspace(""))
    }));
    assert_eq!(strict.network.unix_sockets, UnixSockets::None);
}

#[test]
fn the_everyday_profiles_start_without_namespaces_and_the_strict_ones_insist() {
    let machine = furnished();
    let everyday = BTreeSet::from([
        Promise::Protect,
        Promise::Metadata,
        Promise::Processes,
        Promise::Ipc,
        Promise::Pty,
        Promise::Loopback,
        Promise::UnixSockets,
        Promise::Repositories,
    ]);
    for name in ["workspace", "build", "online"] {
        assert_eq!(profile(&machine, &[name]).best_effort, everyday, "{name}");
    }
    for name in ["strict", "read-only"] {
        assert!(profile(&machine, &[name]).best_effort.is_empty(), "{name}");
    }
}

#[test]
fn a_workspace_with_more_repositories_than_are_looked_for_says_so_where_it_can_be_written() {
    let machine = furnished();
    for number in 0..64 {
        machine.dir(&format!("home/ws/r{number}/.git/hooks"));
    }
    assert!(!profile(&machine, &["workspace"]).filesystem.unsearched);
    machine.dir("home/ws/one-more/deeper");
    let policy = profile(&machine, &["workspace"]);
    assert!(policy.filesystem.unsearched);
    assert!(policy.render().contains("unsearched"), "{}", policy.render());
    assert!(!profile(&machine, &["read-only"]).filesystem.unsearched, "nobody can change them");
}

#[test]
fn what_later_runs_outside_is_protected() {
    let machine = furnished();
    machine.dir("home/ws/.git/hooks");
    let paths = [
        ".git/hooks/pre-commit",
        ".git/config",
        ".git/commondir",
        ".mcp.json",
        ".claude/settings.json",
        ".vscode/tasks.json",
        ".cursor/mcp.json",
        ".envrc",
    ];
    for name in ["workspace", "build", "online", "strict"] {
        let policy = profile(&machine, &[name]);
        for path in paths {
            assert!(!policy.filesystem.may_write(&machine.workspace(path)), "{name}: {path}");
        }
        for path in [".git/index.lock", ".git/objects/ab/cd", ".git/HEAD", "Makefile"] {
            assert!(policy.filesystem.may_write(&machine.workspace(path)), "{name}: {path}");
        }
    }
}

#[test]
fn build_writes_a_cache_of_its_own_and_never_the_hosts() {
    let machine = furnished();
    for dir in [".cargo/registry", "go/pkg/mod", ".npm/_cacache", ".m2/repository"] {
        machine.dir(&format!("home/{dir}"));
    }
    let policy = profile(&machine, &["build"]);
    let cache = machine.top.join("cache/build");
    assert!(policy.filesystem.may_write(&cache.join("cargo")));
    for dir in [".cargo/registry", "go/pkg/mod", ".npm/_cacache", ".m2/repository"] {
        assert!(policy.filesystem.may_read(&machine.home(dir)), "{dir}");
        assert!(!policy.filesystem.may_write(&machine.home(dir)), "{dir}");
    }
    let set = policy.to_json()["environment"]["set"].clone();
    for name in [
        "CARGO_HOME",
        "GOCACHE",
        "GOMODCACHE",
        "npm_config_cache",
        "PIP_CACHE_DIR",
        "XDG_CACHE_HOME",
    ] {
        assert!(set[name].as_str().unwrap().starts_with(cache.to_str().unwrap()), "{name}");
    }
}

#[test]
fn the_agents_socket_is_opened_where_there_is_an_agent() {
    let mut machine = furnished();
    machine.file("home/.ssh/known_hosts", "");
    let without = profile(&machine, &["online", "ssh-agent"]);
    assert_eq!(without.network.unix_sockets, UnixSockets::Inside);
    assert_eq!(without.name, "online+ssh-agent");
    let socket = machine.file("agent.sock", "");
    machine.context.env.insert("SSH_AUTH_SOCK".into(), socket.clone().into());
    let with = profile(&machine, &["online", "ssh-agent"]);
    assert!(
        matches!(&with.network.unix_sockets, UnixSockets::Paths(paths) if paths[0].path == socket)
    );
    assert!(with.filesystem.may_read(&machine.home(".ssh/known_hosts")));
    assert!(!with.filesystem.may_read(&machine.home(".ssh/id_ed25519")));
}

#[test]
fn secrets_of_the_server_do_not_reach_a_run() {
    let machine = furnished();
    for name in names() {
        let secrets = ["SECRET_TOKEN", "AWS_ACCESS_KEY_ID", "ANTHROPIC_API_KEY", "NPM_TOKEN"];
        let host = secrets.iter().map(|name| (name.into(), "s3".into()));
        let run = profile(&machine, &[name]).environment.build(host, None);
        assert!(run.iter().all(|(_, value)| value != "s3"), "{name}");
    }
}

#[test]
fn an_entry_of_a_shipped_profile_can_be_removed() {
    let machine = furnished();
    let table = json!({
        "extends": "workspace",
        "filesystem": {"read": ["!${home}/.cargo/bin?"], "protect": ["!${workspace}/.envrc"]},
    });
    let policy = machine.inline(table).unwrap();
    assert!(!policy.filesystem.may_read(&machine.home(".cargo/bin/cargo")));
    assert!(policy.filesystem.may_write(&machine.workspace(".envrc")));
}

#[test]
fn merged_systems_keep_the_links_at_the_root() {
    let policy = profile(&Machine::new(), &["workspace"]);
    for name in ["/bin", "/lib", "/lib64", "/sbin"] {
        if !Path::new(name).is_symlink() {
            continue; // not merged, or not there: then it is a rule of its own
        }
        let mut links = policy.filesystem.rules.iter().flat_map(|rule| &rule.links);
        assert!(links.any(|link| link.path == Path::new(name)), "{name}");
    }
    assert!(policy.filesystem.may_read(&fs::canonicalize("/bin/sh").unwrap()));
}

#[test]
fn a_policy_is_shown_with_the_place_of_every_rule() {
    let machine = furnished();
    let policy = profile(&machine, &["online"]);
    let text = policy.render();
    let line = text.lines().find(|line| line.contains("(${workspace})")).unwrap();
    assert!(line.trim_start().starts_with("write"), "{line}");
    let place = line.split_whitespace().find(|word| word.starts_with("workspace.toml:")).unwrap();
    let number: usize = place.split(':').nth(1).unwrap().parse().unwrap();
    let file = shipped().find(|profile| profile.name == "workspace").unwrap().text;
    assert!(file.lines().nth(number - 1).unwrap().contains("\"${workspace}\""), "{place}");
    let json = policy.to_json();
    assert_eq!(json["network"]["mode"], "on");
    assert_eq!(
        json["filesystem"]["rules"].as_array().unwrap().len(),
        policy.filesystem.rules.len()
    );
}
