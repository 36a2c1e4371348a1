//! Every promise that needs no sandbox, against a wrapper that confines nothing: it must not take
//! anything away.

#[cfg(target_os = "linux")]
mod unpromised;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use cofferdam_battery::harness::{Launcher, main};
    const WRAPPER: &str = r#"{"command": ["env", "--", "{command}", "{args}"]}"#;
    const LAUNCHERS: &[Launcher] = &[Launcher {
        name: "command",
        options: &["--launcher", WRAPPER],
        takes_profile: false,
        unpromised: unpromised::ALL,
    }];
    main(LAUNCHERS, cofferdam::cli::main)
}

#[cfg(not(target_os = "linux"))]
fn main() {}
