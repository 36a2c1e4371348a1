//! Every promise that needs no sandbox, against the launcher that is none.

#[cfg(target_os = "linux")]
mod unpromised;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use cofferdam_battery::harness::{Launcher, main};
    const LAUNCHERS: &[Launcher] = &[Launcher {
        name: "none",
        options: &["--launcher", "none"],
        takes_profile: false,
        unpromised: unpromised::ALL,
    }];
    main(LAUNCHERS, cofferdam::cli::main)
}

#[cfg(not(target_os = "linux"))]
fn main() {}
