//! Tools that people keep in their home directory, started by a server that has a bare PATH.

use std::env;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use crate::support::{Ran, Setup, confined, finish, ignored, no_mounts};

/// With the bare path of a server that a graphical client started.
fn with_bare_path(mut command: Command) -> Ran {
    finish(command.env("PATH", "/usr/bin:/bin").spawn().unwrap())
}

#[test]
fn a_tool_in_the_home_directory_is_found_and_what_lies_beside_it_is_not() {
    confined(|setup| {
        for folder in [".cargo/bin", ".local/bin", ".pyenv/shims"] {
            let script = format!("#!/bin/sh\necho from {folder}\n");
            let name = format!("own-tool-{}", folder.split(['/', '.']).nth(1).unwrap());
            setup.place.script(&format!("home/{folder}/{name}"), &script);
            let ran = with_bare_path(setup.run_command(&[], [&name]));
            ran.printed(&format!("from {folder}\n"));
        }
        for secret in [".cargo/credentials.toml", ".npmrc", ".netrc", ".aws/credentials"] {
            setup.place.file(format!("home/{secret}"), "SECRET\n");
            let path = setup.place.text(&format!("home/{secret}"));
            assert_eq!(setup.run(&[], ["cat", &path]).exited(1).stdout, "");
        }
    });
}

/// Runs a command with the home directory of whoever runs the tests, opened for the ordinary user as
/// well; `None` where that cannot be done.
fn with_real_home<A: AsRef<OsStr>>(
    setup: &Setup,
    options: &[&str],
    command: impl IntoIterator<Item = A>,
) -> Ran {
    let home = env::var("HOME").unwrap();
    let mut run = setup.run_command(options, command);
    run.env("HOME", &home);
    if no_mounts().is_some() {
        return with_bare_path(run);
    }
    let aside = setup.place.folder("aside");
    let script = format!(
        "mount --bind {home} {0}; mount -t tmpfs -o mode=755 t {home}\n\
         for name in .cargo .rustup .pyenv; do [ ! -d {0}/$name ] && continue\n\
         mkdir {home}/$name; mount --bind {0}/$name {home}/$name; done; umount {0}",
        aside.display()
    );
    run.env("PATH", "/usr/bin:/bin");
    finish(setup.with_mounts(&script, &run).spawn().unwrap())
}

/// Whether the home directory of whoever runs the tests has this program.
fn home_has(name: &str) -> bool {
    let found = env::var_os("HOME").is_some_and(|home| Path::new(&home).join(name).exists());
    if !found {
        ignored(format!("there is no {name} in the home directory"));
    }
    found
}

#[test]
fn cargo_from_the_home_directory_builds_offline() {
    if !home_has(".cargo/bin/cargo") {
        return;
    }
    confined(|setup| {
        setup.place.file(
            "work/Cargo.toml",
            "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        );
        setup.place.file("work/src/main.rs", "fn main() { println!(\"built\"); }\n");
        let version = with_real_home(setup, &[], ["cargo", "--version"]);
        assert!(version.exited(0).stdout.starts_with("cargo 1."), "{version:?}");
        let build = ["cargo", "build", "--offline", "--quiet"];
        with_real_home(setup, &["--profile", "build"], build).printed("");
        setup.run(&[], ["target/debug/small"]).printed("built\n");
    });
}

#[test]
fn python_from_the_home_directory_works() {
    if !home_has(".pyenv/shims/python3") {
        return;
    }
    confined(|setup| {
        let ran = with_real_home(setup, &[], ["python3", "-c", "import sys; print(sys.prefix)"]);
        assert!(ran.exited(0).stdout.contains(".pyenv"), "{ran:?}");
    });
}
