//! `cofferdam init`: a client gets a server that confines, or its file stays as it is.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{
    Client, Era, Launcher, Ran, Setup, Terminal, User, finish, ignored, touch, under, users,
};

/// A client, the flag, its file in the place of a test, and the key that holds the servers.
const FILES: [(&str, &str, &str, &str); 8] = [
    ("claude", "--project", "work/.mcp.json", "mcpServers"),
    ("claude", "--user", "home/.claude.json", "mcpServers"),
    ("codex", "--project", "work/.codex/config.toml", "mcp_servers"),
    ("codex", "--user", "home/.codex/config.toml", "mcp_servers"),
    ("cursor", "--project", "work/.cursor/mcp.json", "mcpServers"),
    ("cursor", "--user", "home/.cursor/mcp.json", "mcpServers"),
    ("vscode", "--project", "work/.vscode/mcp.json", "servers"),
    ("vscode", "--user", "home/.config/Code/User/mcp.json", "servers"),
];

/// As every user, with what `auto` takes.
fn everyone(test: impl Fn(&Setup)) {
    under(&[Launcher::Auto], &users(), test);
}

fn init(setup: &Setup, words: &[&str]) -> Ran {
    finish(setup.cofferdam([&["init"], words].concat()).spawn().unwrap())
}

/// Asserts success, and that each of these words was told.
#[track_caller]
fn told(ran: &Ran, words: &[&str]) {
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran:?}");
    for word in words {
        assert!(ran.stdout.contains(word), "`{word}` is missing: {}", ran.stdout);
    }
}

fn servers(setup: &Setup, file: &str, key: &str) -> Value {
    let text = setup.place.read(file);
    let whole: Value = match file.ends_with(".toml") {
        true => toml::from_str(&text).unwrap(),
        false => serde_json::from_str(&text).unwrap(),
    };
    whole[key].clone()
}

/// Starts the server as a client does that has the workspace open.
fn started(setup: &Setup, entry: &Value) -> Client {
    let open = setup.place.text("work");
    let filled = |value: &Value| value.as_str().unwrap().replace("${workspaceFolder}", &open);
    let mut command = Command::new(entry["command"].as_str().unwrap());
    setup.prepared(&mut command);
    command.args(entry["args"].as_array().unwrap().iter().map(filled));
    // Where the client has a word for it, the server is started elsewhere.
    command.current_dir(match (&entry["cwd"], entry["args"].to_string().contains("--cwd")) {
        (Value::Null, true) => setup.place.path("home"),
        (Value::Null, false) => setup.place.path("work"),
        (folder, _) => filled(folder).into(),
    });
    Client::start(command, Era::Legacy)
}

#[test]
fn every_client_gets_a_server_that_confines() {
    everyone(|setup| {
        for (client, scope, file, key) in FILES {
            let ran = init(setup, &[client, scope, "--write"]);
            let path = setup.place.text(file);
            told(&ran, &[&path, "`true` ran confined", "profile workspace", "written    yes"]);
            let entry = &servers(setup, file, key)["cofferdam"];
            let args: Vec<_> = entry["args"].as_array().unwrap().iter().take(4).collect();
            assert_eq!(args, ["serve", "--allow-any", "--launcher", "auto"]);
            let mut server = started(setup, entry);
            let payload = server.run(touch());
            assert_eq!(payload.exited(0)["sandbox"]["active"], true, "{client}: {payload:?}");
            server.sh("echo x > /usr/owned || exit 7").exited(7);
            server.closed().exited(0);
            assert!(setup.place.has("work/ran"), "{client} {scope}");
            fs::remove_file(setup.place.path("work/ran")).unwrap();

            let before = setup.place.path(file).metadata().unwrap();
            let mode = if scope == "--user" { 0o600 } else { before.mode() & 0o777 };
            assert_eq!(before.permissions().mode() & 0o777, mode, "{client} {scope}");
            told(&init(setup, &[client, scope, "--write"]), &["already set up"]);
            let after = setup.place.path(file).metadata().unwrap();
            assert_eq!((before.ino(), before.mtime_nsec()), (after.ino(), after.mtime_nsec()));
        }
        let left: Vec<_> = [setup.place.list("work"), setup.place.list("home")].concat();
        let stray = |name: &&String| name.contains(".bak-") || name.contains(".new-");
        assert_eq!(left.iter().find(stray), None, "{left:?}");
    });
}

#[test]
fn without_write_nothing_is_written() {
    everyone(|setup| {
        for (client, scope, file, key) in FILES {
            let ran = init(setup, &[client, scope]);
            told(&ran, &[&setup.place.text(file), key, "`true` ran confined", "`--write`"]);
            assert!(!ran.stdout.contains('\u{1b}'), "{ran:?}");
        }
        assert!(setup.place.list("work").is_empty(), "{:?}", setup.place.list("work"));
        assert!(setup.place.list("home").is_empty(), "{:?}", setup.place.list("home"));
    });
}

#[test]
fn everything_else_in_the_file_stays_and_the_old_text_is_kept() {
    everyone(|setup| {
        let old = "// ours\n{\n\t\"inputs\": [],\n\t\"servers\": {\n\
            \t\t\"other\": { \"url\": \"x\" }, // first\n\t},\n}\n";
        let file = setup.place.file("work/.vscode/mcp.json", old);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        // An older backup is somebody's.
        setup.place.file("work/.vscode/mcp.json.bak-1", "older");
        let ran = init(setup, &["vscode", "--write", "--name", "shell", "--profile", "online"]);
        told(&ran, &["profile online", "mcp.json.bak-2"]);
        let new = setup.place.read("work/.vscode/mcp.json");
        let lines: Vec<_> = new.lines().collect();
        for line in old.lines() {
            assert!(lines.contains(&line), "{line}: {new}");
        }
        assert!(new.starts_with("// ours\n{\n\t\"inputs\": [],\n"), "{new}");
        assert!(new.contains("\t\t\"shell\": {\n\t\t\t\"type\": \"stdio\",\n"), "{new}");
        assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o640);
        assert_eq!(setup.place.read("work/.vscode/mcp.json.bak-2"), old);
        assert_eq!(setup.place.read("work/.vscode/mcp.json.bak-1"), "older");
    });
}

#[test]
fn another_entry_of_that_name_is_shown_and_replaced_only_by_force() {
    everyone(|setup| {
        let old = "model = \"m\" # mine\n\n[mcp_servers.cofferdam]\ncommand = \"/old\"\n\
            args = []\n\n[z]\na = 1\n";
        setup.place.file("home/.codex/config.toml", old);
        let changes = ["- command = \"/old\"", "+ args = [\"serve\""];
        let ran = init(setup, &["codex", "--user", "--write"]);
        ran.exited(1).said(&["another entry `cofferdam`", "--force"]).said(&changes);
        assert_eq!(setup.place.read("home/.codex/config.toml"), old);
        told(&init(setup, &["codex", "--user"]), &[&changes[..], &["`--write --force`"]].concat());
        assert_eq!(setup.place.list("home"), [".codex", ".codex/config.toml"]);

        told(&init(setup, &["codex", "--user", "--write", "--force"]), &["config.toml.bak-1"]);
        let new = setup.place.read("home/.codex/config.toml");
        assert!(new.starts_with("model = \"m\" # mine\n\n[mcp_servers.cofferdam]\n"), "{new}");
        assert!(new.ends_with("\"auto\"]\n\n[z]\na = 1\n"), "{new}");
        assert_eq!(setup.place.read("home/.codex/config.toml.bak-1"), old);
    });
}

#[test]
fn a_file_with_a_mistake_is_refused_by_line_and_column_and_stays() {
    let setup = Setup::plain();
    for (client, file, text, place) in [
        ("claude", "work/.mcp.json", "{\n  \"mcpServers\": {,}\n}", "line 2, column 18"),
        ("claude", "work/.mcp.json", "{ \"mcpServers\": [] }", "no table"),
        ("codex", "work/.codex/config.toml", "a = 1\nb =\n", "line 2, column 4"),
        ("cursor", "work/.cursor/mcp.json", "{\"mcpServers\": {}}x", "line 1, column 19"),
    ] {
        setup.place.file(file, text);
        for options in [vec![client], vec![client, "--write", "--force"]] {
            init(&setup, &options).exited(1).said(&[&setup.place.text(file), place]);
            assert_eq!(setup.place.read(file), text);
        }
    }
    let left = setup.place.list("work");
    assert!(left.iter().all(|name| !name.contains(".bak-")), "{left:?}");
}

#[test]
fn where_the_trial_fails_nothing_is_written() {
    everyone(|setup| {
        // A server started here would have the home directory for its workspace.
        let mut command = setup.cofferdam(["init", "claude", "--write"]);
        command.env("HOME", setup.place.path("work"));
        let ran = finish(command.spawn().unwrap());
        ran.exited(1).said(&["is the home directory", "project"]);
        // No launcher enforces all of `strict` here.
        if let Some(hindrance) = Launcher::Bubblewrap.hindrance(setup.user) {
            return ignored(hindrance);
        }
        let command = setup.cofferdam(["init", "claude", "--write", "--profile", "strict"]);
        let ran = finish(setup.without_user_namespaces(&command).spawn().unwrap());
        ran.exited(1).said(&["no confined commands", "nothing was written", "no launcher works"]);
        assert!(setup.place.list("work").is_empty(), "{:?}", setup.place.list("work"));
        // The default starts all the same, and says what is missing.
        let command = setup.cofferdam(["init", "claude"]);
        let ran = finish(setup.without_user_namespaces(&command).spawn().unwrap());
        told(&ran, &["held by    landlock", "processes", "not enforced here"]);
    });
}

#[test]
fn a_program_that_a_run_could_replace_is_not_registered() {
    let setup = Setup::plain();
    let program = setup.place.path("work/cofferdam");
    fs::copy(env!("CARGO_BIN_EXE_cofferdam"), &program).unwrap();
    let mut command = Command::new(&program);
    command.args(["init", "claude", "--write"]);
    setup.prepared(&mut command);
    let ran = finish(command.spawn().unwrap());
    ran.exited(1).said(&["work/cofferdam", "could replace the program"]);
    assert!(!setup.place.has("work/.mcp.json"));
}

#[test]
fn a_program_in_another_project_is_registered_for_all_with_a_warning() {
    let setup = Setup::plain();
    setup.place.folder("outside/.git");
    let program = setup.place.path("outside/cofferdam");
    fs::copy(env!("CARGO_BIN_EXE_cofferdam"), &program).unwrap();
    for (scope, is_warned) in [("--user", true), ("--project", false)] {
        let mut command = Command::new(&program);
        command.args(["init", "claude", scope]);
        setup.prepared(&mut command);
        let ran = finish(command.spawn().unwrap());
        told(&ran, &["ran confined"]);
        assert_eq!(ran.stdout.contains("\nwarning "), is_warned, "{ran:?}");
    }
}

#[test]
fn a_folder_of_another_user_is_left_alone() {
    if users() == [User::Own] {
        return ignored("only root can give folders away");
    }
    let setup = Setup::plain();
    let other = |path: &Path| chown(path, Some(65534), Some(65534)).unwrap();
    let theirs = setup.place.folder("home/.cursor");
    other(&theirs);
    init(&setup, &["cursor", "--user", "--write"])
        .exited(1)
        .said(&["home/.cursor", "belongs to user 65534"]);
    // By a link of one's own as well.
    std::os::unix::fs::symlink(&theirs, setup.place.path("work/.vscode")).unwrap();
    init(&setup, &["vscode", "--write"]).exited(1).said(&["belongs to user 65534"]);
    let file = setup.place.file("work/.mcp.json", "{}");
    other(&file);
    init(&setup, &["claude", "--write"]).exited(1).said(&["belongs to user 65534"]);
    assert_eq!(setup.place.read("work/.mcp.json"), "{}");
    assert!(setup.place.list("home/.cursor").is_empty());
}

#[test]
fn only_a_terminal_gets_colours() {
    let setup = Setup::plain();
    setup
        .place
        .file("work/.mcp.json", "{\"mcpServers\": {\"cofferdam\": {\"command\": \"/old\"}}}\n");
    for (variables, colour) in [(vec![], true), (vec![("NO_COLOR", "1")], false)] {
        let mut terminal = Terminal::new();
        let mut command = setup.cofferdam(["init", "claude"]);
        command.envs(variables);
        let mut child = terminal.start(User::Own, &command);
        let shown = terminal.shows("written");
        assert_eq!(shown.contains("\u{1b}[31m- "), colour, "{shown:?}");
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn the_trial_sees_only_what_codex_passes_on() {
    let setup = Setup::plain();
    // A profile that cannot be resolved without this variable.
    let profile = setup.place.file(
        "profile.toml",
        "extends = [\"workspace\"]\n[filesystem]\nread = [\"${env:ROOT}\"]\n",
    );
    let profile = profile.to_str().unwrap();
    for (client, words) in [("claude", None), ("codex", Some("ROOT"))] {
        let mut command = setup.cofferdam(["init", client, "--profile", profile]);
        command.env("ROOT", setup.place.path("outside")).stdin(Stdio::null());
        let ran = finish(command.spawn().unwrap());
        match words {
            None => told(&ran, &["ran confined"]),
            Some(words) => {
                ran.exited(1).said(&["no confined commands", words]);
            }
        }
    }
}

#[test]
fn a_client_that_nobody_knows_is_a_mistake_on_the_command_line() {
    let setup = Setup::plain();
    init(&setup, &["emacs"]).exited(2).said(&["claude", "codex", "cursor", "vscode"]);
    init(&setup, &["claude", "--name", "a b"]).exited(2).said(&["letters"]);
    let ran = init(&setup, &["claude", "--profile", "onlin"]);
    ran.exited(1).said(&["onlin", "online"]);
    assert_eq!(json!(setup.place.list("work")), json!([]));
}
