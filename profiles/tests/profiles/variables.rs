//! What variables stand for, and which workspaces are refused.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::{Machine, mistakes, rules};
use cofferdam_profiles::{Context, Grants};
use serde_json::{Value, json};

fn read(paths: &[&str]) -> Value {
    json!({"filesystem": {"read": paths}})
}

#[test]
fn variables_stand_for_the_contexts_values() {
    let mut machine = Machine::new();
    machine.dir("home/tools");
    machine.dir("srv/alice");
    machine.context.env.insert("SRV".into(), machine.top.join("srv").into());
    let policy =
        machine.inline(read(&["${home}/tools", "${env:SRV}/${user}", "${workspace}"])).unwrap();
    assert_eq!(rules(&policy, &machine.top), ["read home/tools", "read home/ws", "read srv/alice"]);
    assert_eq!(policy.filesystem.workspace, Some(machine.workspace("")));
    assert_eq!(policy.filesystem.rules[2].origin.text.as_deref(), Some("${env:SRV}/${user}"));
}

#[test]
fn a_variable_that_stands_for_nothing_is_a_mistake_unless_the_entry_is_optional() {
    let mut machine = Machine::new();
    machine.context.home = None;
    machine.context.env.insert("EMPTY".into(), "".into());
    for entry in ["${home}/x", "${env:NO_SUCH}", "${env:EMPTY}/usr", "${git-dir}"] {
        let found = mistakes(machine.inline(read(&[entry])));
        assert!(found[0].contains("stands for nothing here"), "{found:?}");
        let optional = format!("{entry}?");
        assert!(machine.inline(read(&[&optional])).unwrap().filesystem.rules.is_empty());
    }
}

#[test]
fn a_value_that_makes_no_absolute_path_is_a_mistake() {
    let mut machine = Machine::new();
    machine.context.env.insert("RELATIVE".into(), "x".into());
    machine.context.env.insert("PARENT".into(), "/usr/..".into());
    assert!(
        mistakes(machine.inline(read(&["${env:RELATIVE}?"])))[0].contains("not an absolute path")
    );
    assert!(mistakes(machine.inline(read(&["${env:PARENT}"])))[0].contains("`..` in a path"));
}

#[test]
fn the_scratch_folder_is_asked_for_by_name() {
    let machine = Machine::new();
    let table =
        json!({"filesystem": {"write": ["${tmp}"]}, "environment": {"set": {"X": "${tmp}/x"}}});
    let policy = machine.inline(table).unwrap();
    assert!(policy.filesystem.scratch && policy.filesystem.rules.is_empty());
    let run =
        policy.environment.build(std::iter::empty(), Some((Path::new("/t"), Path::new("/h"))));
    assert!(run.contains(&("X".into(), "/t/x".into())));
    let found = mistakes(machine.inline(json!({"environment": {"set": {"X": "${tmp}/x"}}})));
    assert!(found[0].contains("`environment.set.X`"), "{found:?}");
}

#[test]
fn an_optional_value_is_set_where_its_path_exists() {
    let machine = Machine::new();
    machine.dir("home/.rustup");
    let set = json!({
        "RUSTUP_HOME": "${home}/.rustup?",
        "NVM_DIR": "${home}/.nvm?",
        "PROXY": "file://${home}/go?",
        "NONE": "x${env:NO_SUCH}?",
        "PLAIN": "cat",
    });
    let policy = machine.inline(json!({"environment": {"set": set}})).unwrap();
    let names: Vec<&String> = policy.environment.set.keys().collect();
    assert_eq!(names, ["PLAIN", "PROXY", "RUSTUP_HOME"]);
}

#[test]
fn directories_of_the_path_are_those_that_exist() {
    let machine = Machine::new();
    for dir in ["home/.nvm/v9/bin", "home/.nvm/v20/bin", "home/a:b"] {
        machine.dir(dir);
    }
    machine.file("home/file", "");
    let table = |paths: &[&str]| json!({"environment": {"path": paths}});
    let policy = machine
        .inline(table(&["${home}/.nvm/*/bin", "${home}/none", "${home}/file", "${env:NO}/x"]))
        .unwrap();
    let path: Vec<_> = policy.environment.path.iter().map(|entry| entry.value.clone()).collect();
    assert_eq!(path, [machine.home(".nvm/v20/bin"), machine.home(".nvm/v9/bin")]);
    assert!(mistakes(machine.inline(table(&["${home}/a:b"])))[0].contains("colon"));
}

#[test]
fn a_workspace_that_is_too_wide_is_refused_with_the_reason() {
    let mut machine = Machine::new();
    machine.context.reserved = vec![machine.file("audit/log", "")];
    let home = machine.top.join("home");
    let cases = [
        (Path::new("/").to_owned(), "root of the file system"),
        (home.clone(), "is the home directory"),
        (machine.top.clone(), "holds the home directory"),
        (machine.top.join("config"), "Cofferdam's configuration"),
        (machine.top.join("config/profiles"), "Cofferdam's configuration"),
        (machine.top.join("audit"), "Cofferdam's own"),
        (machine.top.join("absent"), "is no directory"),
        (machine.file("file", ""), "is no directory"),
    ];
    for (workspace, reason) in cases {
        machine.context.workspace = workspace.clone();
        let found = mistakes(machine.inline(read(&["${workspace}"])));
        assert!(found[0].contains(reason) && found[0].contains("--cwd"), "{workspace:?} {found:?}");
        // Nothing is refused when no rule mentions it.
        assert!(machine.inline(read(&["/usr"])).is_ok());
    }
    // A link does not hide what it is.
    symlink(&home, machine.top.join("link")).unwrap();
    machine.context.workspace = machine.top.join("link");
    assert!(mistakes(machine.inline(read(&["${workspace}"])))[0].contains("is the home directory"));
}

#[test]
fn a_refused_workspace_hides_no_other_mistake() {
    let mut machine = Machine::new();
    machine.context.workspace = machine.top.join("home");
    let found = mistakes(machine.inline(read(&["${workspace}", "/no/such"])));
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn a_linked_worktree_gets_the_common_git_directory() {
    let machine = Machine::new();
    let own = machine.dir("main/.git/worktrees/ws");
    machine.dir("main/.git/hooks");
    fs::write(own.join("commondir"), "../..\n").unwrap();
    fs::write(own.join("gitdir"), format!("{}\n", machine.workspace(".git").display())).unwrap();
    machine.file("home/ws/.git", &format!("gitdir: {}\n", own.display()));
    let policy = machine.resolve("workspace").unwrap();
    let files = &policy.filesystem;
    assert!(files.may_write(&machine.top.join("main/.git/objects/x")));
    assert!(!files.may_write(&machine.top.join("main/.git/hooks/pre-commit")));
    assert!(!files.may_write(&own.join("commondir")), "it could lead to another configuration");
    assert!(!files.may_write(&machine.workspace(".git")), "so could this");
    assert!(!files.may_read(&machine.top.join("main/file")));
}

#[test]
fn a_forged_worktree_grants_nothing() {
    let machine = Machine::new();
    machine.dir("victim/worktrees/x");
    let own = machine.dir("home/ws/forged/worktrees/x");
    fs::write(own.join("commondir"), format!("{}\n", machine.top.join("victim").display()))
        .unwrap();
    fs::write(own.join("gitdir"), format!("{}\n", machine.workspace(".git").display())).unwrap();
    machine.file("home/ws/.git", &format!("gitdir: {}\n", own.display()));
    let policy = machine.resolve("workspace").unwrap();
    assert!(!policy.filesystem.may_read(&machine.top.join("victim")));
    let found = mistakes(machine.inline(read(&["${git-dir}"])));
    assert!(found[0].contains("is no worktree of"), "{found:?}");
}

#[test]
fn a_context_is_taken_from_the_environment_of_this_process() {
    let context = Context::from_environment(Path::new("/srv"));
    assert_eq!(context.workspace, Path::new("/srv"));
    assert_eq!(context.dir, std::env::current_dir().unwrap());
    assert!(context.home.iter().chain(&context.cache_base).all(|path| path.is_absolute()));
    assert!(context.cache_base.is_none_or(|base| base.ends_with("cofferdam")));
}

#[test]
fn a_writable_path_that_holds_a_file_of_cofferdams_own_is_refused_with_its_place() {
    let mut machine = Machine::new();
    let log = machine.file("audit/log", "");
    machine.context.reserved = vec![log.clone()];
    let folder = machine.top.join("audit");
    for path in [&folder, &log] {
        let grants = Grants { write: vec![path.clone()], ..Grants::default() };
        let found = mistakes(machine.granted(&grants));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("--write: ") && found[0].contains("own `"), "{found:?}");
        // A launcher may leave `protect` out.
        let table = json!({"filesystem": {"write": [path], "protect": [log]}});
        assert!(mistakes(machine.inline(table))[0].contains("Cofferdam's own"));
    }
    // A link to it could be replaced.
    let links = machine.dir("links");
    machine.context.reserved = vec![links.join("log")];
    std::os::unix::fs::symlink(&log, links.join("log")).unwrap();
    for path in [&folder, &links] {
        let grants = Grants { write: vec![path.clone()], ..Grants::default() };
        assert!(mistakes(machine.granted(&grants))[0].contains("own `"), "{path:?}");
    }
    machine.context.workspace = links;
    let found = mistakes(machine.inline(read(&["${workspace}"])));
    assert!(found[0].contains("holds Cofferdam's own"), "{found:?}");
    machine.context.workspace = machine.top.join("home/ws");
    let read = Grants { read: vec![folder.clone()], ..Grants::default() };
    assert!(machine.granted(&read).is_ok());
    let table = json!({"filesystem": {"write": [machine.top.join("home/ws")], "deny": [folder]}});
    assert!(machine.inline(table).is_ok());
}
