//! The launcher as the runner sees it, on any system.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use cofferdam_launcher::{LaunchError, Launcher, Plan};
use cofferdam_profiles::{Context, Grants, Source, resolve};
use cofferdam_seatbelt::Seatbelt;
use serde_json::{Value, json};

const BEST_EFFORT: [&str; 3] = ["ipc", "loopback", "processes"];

fn launcher(top: &Path, table: Value) -> Seatbelt {
    let context = Context {
        workspace: top.to_owned(),
        home: Some(top.join("home")),
        user: None,
        cache_base: None,
        config_dir: None,
        dir: top.to_owned(),
        env: BTreeMap::new(),
        reserved: Vec::new(),
    };
    Seatbelt::new(Arc::new(resolve(&Source::Inline(table), &Grants::default(), &context).unwrap()))
}

/// A folder with a script in it that starts with a dash.
fn folder() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    fs::write(top.join("-p"), "#!/bin/sh\n").unwrap();
    fs::write(top.join("text"), "echo no").unwrap();
    (folder, top)
}

#[test]
fn the_command_stands_after_the_mark_that_ends_the_options() {
    let (_guard, top) = folder();
    let table = json!({ "best-effort": BEST_EFFORT, "filesystem": { "write": [top] } });
    let launcher = launcher(&top, table);
    let program = top.join("-p");
    let plan = Plan::new("-p", &program, &top).with_args(["-D", "P0=/", "--"]);
    let launch = launcher.wrap(&plan).unwrap();
    assert_eq!(launch.program(), "/usr/bin/sandbox-exec");
    let argv: Vec<&OsStr> = launch.argv().iter().map(AsRef::as_ref).collect();
    let mark = argv.iter().position(|arg| *arg == "--").unwrap();
    assert_eq!(
        argv[mark + 1..],
        [program.as_os_str(), "-D".as_ref(), "P0=/".as_ref(), "--".as_ref()]
    );
    assert_eq!(argv[1], "-p");
    assert!(argv[2].to_str().unwrap().contains("(deny default)"));
    assert!(launch.is_sandboxed());
    assert_eq!(**launch.missing_rules(), BEST_EFFORT);
}

#[test]
fn a_profile_that_insists_on_what_macos_has_not_is_refused_by_name() {
    let (_guard, top) = folder();
    let table = json!({
        "best-effort": ["loopback"],
        "filesystem": { "write": [top] },
        "limits": { "open-files": 64 },
    });
    let launcher = launcher(&top, table);
    let error = launcher.wrap(&Plan::new("-p", top.join("-p"), &top)).unwrap_err();
    assert!(matches!(error, LaunchError::CannotEnforce { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("`processes`") && text.contains("`[limits]`"), "{text}");
    assert!(!text.contains("`loopback`") && !text.contains("`ipc`"), "{text}");
    assert!(error.remedy().unwrap().contains("\"limits\", \"processes\""), "{error:?}");
}

#[test]
fn what_could_not_run_inside_is_refused_before_it_starts() {
    let (_guard, top) = folder();
    let table = json!({ "best-effort": BEST_EFFORT, "filesystem": { "write": [top] } });
    let launcher = launcher(&top, table);
    let refusal = |program: &Path, dir: &Path| {
        launcher.wrap(&Plan::new("x", program, dir)).unwrap_err().to_string()
    };
    assert!(refusal(&top.join("-p"), Path::new("/opt")).contains("working directory `/opt`"));
    assert!(refusal(Path::new("/bin/sh"), &top).contains("`read` rule"));
    assert!(refusal(&top.join("none"), &top).contains("none"));
    assert!(refusal(&top.join("text"), &top).contains("neither a program for macOS"));
}

#[cfg(not(target_os = "macos"))]
#[test]
fn elsewhere_the_check_says_that_this_is_no_mac() {
    let (_guard, top) = folder();
    let error = launcher(&top, json!({})).check().unwrap_err();
    assert!(error.to_string().contains("on macOS only, and this is"), "{error}");
}

#[test]
fn an_explanation_shows_the_paths_the_profile_and_why_services_are_open() {
    let (_guard, top) = folder();
    let table = json!({ "best-effort": BEST_EFFORT, "filesystem": { "write": [top] } });
    let text = launcher(&top, table).explain(&Plan::new("-p", top.join("-p"), &top)).unwrap();
    assert!(text.starts_with("/usr/bin/sandbox-exec -p PROFILE"), "{text}");
    assert!(
        text.contains(&format!("{}\"", top.display())) && text.contains("(deny default)"),
        "{text}"
    );
    assert!(text.contains("com.apple.logd: `os_log(3)`") && !text.contains("trustd"), "{text}");
}
