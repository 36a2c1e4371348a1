//! Builds the init (`init/`), a program without any library, and hands its path to the crate.
//!
//! It is compiled by the same compiler as the crate, for the same processor. Where that cannot be
//! done (another processor, or a compiler without a ready-made `core` for the target), the crate is
//! built without it: the launcher then makes no namespaces and says so.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// Whatever the target's own choice, a program that needs nothing from outside.
const FLAGS: [&str; 9] = [
    "-Cpanic=abort",
    "-Copt-level=s",
    "-Crelocation-model=static",
    "-Ctarget-feature=+crt-static",
    "-Cstrip=symbols",
    "-Clink-arg=-nostdlib",
    "-Clink-arg=-nostartfiles",
    "-Clink-arg=-static",
    // Few and small segments: every page counts at every start.
    "-Clink-arg=-Wl,--build-id=none,-z,norelro,-z,noseparate-code",
];

fn main() {
    println!("cargo::rerun-if-changed=init");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(has_init)");
    let set = |name: &str| env::var(name).unwrap_or_default();
    let is_known = ["x86_64", "aarch64"].contains(&set("CARGO_CFG_TARGET_ARCH").as_str());
    if set("CARGO_CFG_TARGET_OS") != "linux" || !is_known {
        return;
    }
    let init = PathBuf::from(set("OUT_DIR")).join("init");
    let mut compiler = Command::new(set("RUSTC"));
    compiler.args(["--edition=2024", "--crate-name=cofferdam_init", "--crate-type=bin"]);
    compiler.args(["--target", &set("TARGET")]).args(FLAGS);
    if set("CARGO_CFG_TARGET_ENV") == "musl" {
        // Without musl's own start files, which rustc would add.
        compiler.arg("-Clink-self-contained=no");
    }
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        compiler.arg(format!("-Clinker={linker}"));
    }
    compiler.arg("-o").arg(&init).arg("init/main.rs");
    match compiler.output() {
        Ok(output) if output.status.success() => {
            println!("cargo::rustc-cfg=has_init");
            println!("cargo::rustc-env=COFFERDAM_INIT={}", init.display());
        }
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            warn(said.lines().find(|line| line.starts_with("error")).unwrap_or("no reason given"));
        }
        Err(error) => warn(&error.to_string()),
    }
}

fn warn(reason: &str) {
    println!(
        "cargo::warning=the landlock launcher is built without private namespaces, because its init \
         could not be compiled for this target: {reason}"
    );
}
