//! What a person would write to get the same confinement: the paths of the profile, the filter, and
//! the line for `bwrap`.

use std::fs;
use std::path::Path;
use std::process::Command;

use cofferdam::config::LauncherChoice;
use cofferdam_filter::{Filter, Terms};
use cofferdam_profiles::{Context, Grants, Policy, Source, resolve};

/// The program of this build.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_cofferdam");
/// The launcher that confines in place, as a configuration writes it.
pub(crate) const NO_NAMESPACES: &str = r#"{"name": "landlock", "namespaces": "off"}"#;

/// [`NO_NAMESPACES`], for the library.
pub(crate) fn without_namespaces() -> LauncherChoice {
    LauncherChoice::from_option(NO_NAMESPACES).expect("a launcher with an option")
}

/// What the launcher grants to every command, whatever the profile says.
const IMPLIED: [&str; 9] = [
    "/proc",
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];

/// The paths that the profile `workspace` opens here.
pub(crate) fn paths(workspace: &Path) -> Vec<String> {
    let granted = policy(workspace).filesystem.rules;
    let granted = granted.into_iter().filter(|rule| rule.access.grants());
    let granted = granted.map(|rule| rule.path.to_string_lossy().into_owned());
    IMPLIED.map(str::to_owned).into_iter().chain(granted).collect()
}

/// The filter of that profile.
pub(crate) fn filter() -> Vec<u8> {
    let terms = Terms::of(&policy(&std::env::temp_dir()));
    Filter::compile(&terms).map(|filter| filter.bytes()).unwrap_or_default()
}

fn policy(workspace: &Path) -> Policy {
    let context = Context::from_environment(workspace);
    resolve(&Source::Name("workspace".to_owned()), &Grants::default(), &context).unwrap()
}

/// The very line that the bubblewrap launcher would start, as `cofferdam explain` tells it: lines
/// for the C program. Empty where there is no `bwrap`.
pub(crate) fn bwrap_line(filter: &Path, command: &[String]) -> Vec<String> {
    let asked = ["explain", "--launcher", "bubblewrap", "--"];
    let told = Command::new(PROGRAM).args(asked).args(command).output().unwrap();
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let Some((_, line)) = told.split_once("\n\n") else { return Vec::new() };
    let Some((line, rest)) = line.split_once("\n\n") else { return Vec::new() };
    let words = line.split_whitespace().filter(|word| *word != "\\");
    let mut lines: Vec<String> =
        words.map(|word| format!("arg {}", word.trim_matches('\''))).collect();
    for descriptor in rest.lines().skip(1).take_while(|line| !line.is_empty()) {
        let Some((number, what)) = descriptor.trim().split_once("  ") else { continue };
        let own = |name: &str| filter.with_file_name(name).display().to_string();
        let path = match what {
            "the system call filter" => filter.display().to_string(),
            "the status pipe" => "/dev/null".to_owned(),
            path if Path::new(path).exists() => path.to_owned(),
            // The scratch folders of that run are gone with it.
            path if path.starts_with('/') => {
                fs::create_dir_all(own("scratch")).unwrap();
                own("scratch")
            }
            // What hides a file.
            _ => {
                fs::write(own("empty"), "").unwrap();
                own("empty")
            }
        };
        lines.push(format!("fd {number} {path}"));
    }
    lines
}
