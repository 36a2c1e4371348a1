//! Every promise of the battery, against this launcher with and without namespaces.

#[cfg(target_os = "linux")]
mod unpromised;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use cofferdam_battery::harness::{Launcher, main};
    const IN_PLACE: &str = r#"{"name": "landlock", "namespaces": "off"}"#;
    const LAUNCHERS: &[Launcher] = &[
        Launcher {
            name: "landlock",
            options: &["--launcher", "landlock"],
            takes_profile: true,
            unpromised: unpromised::WITH_NAMESPACES,
        },
        Launcher {
            name: "landlock-in-place",
            options: &["--launcher", IN_PLACE],
            takes_profile: true,
            unpromised: unpromised::WITHOUT_NAMESPACES,
        },
    ];
    main(LAUNCHERS, cofferdam::cli::main)
}

#[cfg(not(target_os = "linux"))]
fn main() {}
