//! The promises of the README, tried by real programs under `sandbox-exec`. macOS only.
#![cfg(target_os = "macos")]

use std::fs;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use cofferdam_launcher::{Launcher, Plan, Scratch};
use cofferdam_profiles::{Context, Grants, Source, resolve};
use cofferdam_seatbelt::Seatbelt;
use serde_json::{Value, json};

/// A home with a workspace and a secret in it.
struct Place {
    _folder: tempfile::TempDir,
    top: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for dir in ["app/.git/hooks", "tmp", "own", "outside"] {
            fs::create_dir_all(top.join(dir)).unwrap();
        }
        fs::write(top.join("outside/secret"), "secret").unwrap();
        fs::write(top.join("app/closed"), "secret").unwrap();
        Place { _folder: folder, top }
    }

    fn app(&self) -> PathBuf {
        self.top.join("app")
    }

    /// Runs a line of shell in the workspace.
    fn sh(&self, network: &str, line: &str) -> Output {
        let app = self.app();
        let table = json!({
            "best-effort": ["processes", "loopback", "ipc"],
            "filesystem": {
                "read": ["/usr", "/bin", "/sbin", "/System", "/Library/Apple?", "/private/var/select?"],
                "write": [app, "${tmp}"],
                "protect": [app.join(".git/hooks")],
                "deny": [app.join("closed")],
            },
            "network": { "mode": network },
        });
        self.run(table, line)
    }

    fn run(&self, table: Value, line: &str) -> Output {
        let context = Context {
            workspace: self.app(),
            home: Some(self.top.join("own")),
            user: None,
            cache_base: None,
            config_dir: None,
            dir: self.app(),
            env: Default::default(),
            reserved: Vec::new(),
        };
        let policy = resolve(&Source::Inline(table), &Grants::default(), &context).unwrap();
        let launcher = Seatbelt::new(Arc::new(policy));
        launcher.check().unwrap();
        let scratch = Scratch { tmp: self.top.join("tmp"), home: self.top.join("own") };
        let plan =
            Plan::new("sh", "/bin/sh", self.app()).with_args(["-c", line]).with_scratch(scratch);
        let launch = launcher.wrap(&plan).unwrap();
        assert!(launch.is_sandboxed());
        let mut command = Command::new(launch.program());
        command.args(&launch.argv()[1..]).env_clear().env("PATH", "/usr/bin:/bin");
        command.env("TMPDIR", self.top.join("tmp")).env("HOME", self.top.join("own"));
        command.current_dir(self.app()).output().unwrap()
    }

    fn succeeds(&self, line: &str) -> String {
        let output = self.sh("off", line);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a line of shell in the workspace, without a sandbox: what fails in one has no other reason.
    fn works_outside(&self, line: &str) {
        let output = Command::new("/bin/sh").args(["-c", line]).current_dir(self.app()).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn fails(&self, line: &str) {
        let output = self.sh("off", line);
        assert!(!output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

fn word(path: &Path) -> String {
    format!("'{}'", path.display())
}

#[test]
fn the_workspace_can_be_written_and_its_programs_run() {
    let place = Place::new();
    assert_eq!(place.succeeds("echo hi > file && cat file"), "hi\n");
    assert_eq!(place.succeeds("printf '#!/bin/sh\\necho ran' > x && chmod +x x && ./x"), "ran\n");
    place.succeeds("mkdir a b && echo > a/f && mv a/f b/f && ln b/f b/g && rm -r a b");
    place.succeeds("echo > \"$TMPDIR/f\" && echo > \"$HOME/f\" && : > /dev/null");
}

#[test]
fn nothing_outside_can_be_read_listed_looked_at_or_changed() {
    let place = Place::new();
    let secret = word(&place.top.join("outside/secret"));
    for command in ["cat", "ls -l", "stat", "chmod 600", "touch", "ln -f", "rm"] {
        let target = if command == "ln -f" { "linked" } else { "" };
        place.fails(&format!("{command} {secret} {target}"));
    }
    for command in ["cat", "ls -l", "stat", "chmod 600", "touch"] {
        place.works_outside(&format!("{command} {secret}"));
    }
    place.fails(&format!("ln -s {secret} link && cat link"));
    place.works_outside("cat link");
    let new = place.top.join("outside/new");
    place.fails(&format!("echo > {}", word(&new)));
    assert!(!new.exists());
    place.works_outside(&format!("echo > {}", word(&new)));
    assert_eq!(fs::read(place.top.join("outside/secret")).unwrap(), b"secret");
}

#[test]
fn what_is_denied_is_hidden_and_what_is_protected_stays() {
    let place = Place::new();
    for line in [
        "cat closed",
        "mv closed open",
        "echo > .git/hooks/pre-commit",
        "mv .git/hooks .git/other",
        "mv .git old",
        "mv .git/hooks \"$TMPDIR/hooks\"",
    ] {
        place.fails(line);
    }
    place.succeeds("ls .git/hooks && echo > .git/index");
}

#[test]
fn without_network_no_listener_of_the_host_is_reached() {
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let line = format!("nc -z -w 2 127.0.0.1 {}", listener.local_addr().unwrap().port());
    place.fails(&line);
    assert!(place.sh("on", &line).status.success());
}

#[test]
fn a_socket_of_the_host_is_reached_only_inside() {
    let place = Place::new();
    let outside = place.top.join("outside/socket");
    let inside = place.app().join("socket");
    let _listeners = [UnixListener::bind(&outside).unwrap(), UnixListener::bind(&inside).unwrap()];
    place.works_outside(&format!("nc -z -U {}", word(&outside)));
    place.fails(&format!("nc -z -U {}", word(&outside)));
    place.succeeds(&format!("nc -z -U {}", word(&inside)));
}

#[test]
fn no_process_outside_is_signalled_and_none_is_started() {
    let place = Place::new();
    let mut sleeper = Command::new("/bin/sleep").arg("600").spawn().unwrap();
    place.works_outside(&format!("kill -0 {}", sleeper.id()));
    place.fails(&format!("kill -0 {}", sleeper.id()));
    place.fails(&format!("kill -9 {}", sleeper.id()));
    assert!(sleeper.try_wait().unwrap().is_none(), "it lives");
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    place.works_outside("open -g -j -a Calculator");
    place.fails("open -g -j -a Calculator");
    place.succeeds("sleep 600 & kill $!");
}

#[test]
fn exit_codes_and_arguments_are_the_command_s_own() {
    let place = Place::new();
    assert_eq!(place.sh("off", "exit 65").status.code(), Some(65));
    assert_eq!(place.succeeds("printf '%s|' 'a b' '' '$HOME'"), "a b||$HOME|");
}

#[test]
fn a_program_that_the_policy_does_not_show_is_refused_before_it_starts() {
    let place = Place::new();
    let context = Context {
        workspace: place.app(),
        home: None,
        user: None,
        cache_base: None,
        config_dir: None,
        dir: place.app(),
        env: Default::default(),
        reserved: Vec::new(),
    };
    let table = json!({ "best-effort": ["processes", "loopback", "ipc"], "filesystem": { "write": [place.app()] } });
    let policy = resolve(&Source::Inline(table), &Grants::default(), &context).unwrap();
    let error = Seatbelt::new(Arc::new(policy)).wrap(&Plan::new("sh", "/bin/sh", place.app()));
    assert!(error.unwrap_err().to_string().contains("`read` rule"));
}
