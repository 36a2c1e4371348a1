//! Every promise of the battery, against this launcher.

#[cfg(target_os = "linux")]
mod unpromised;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use cofferdam_battery::harness::{Launcher, main};
    const LAUNCHERS: &[Launcher] = &[Launcher {
        name: "bubblewrap",
        options: &["--launcher", "bubblewrap"],
        takes_profile: true,
        unpromised: unpromised::ALL,
    }];
    main(LAUNCHERS, cofferdam::cli::main)
}

#[cfg(not(target_os = "linux"))]
fn main() {}
