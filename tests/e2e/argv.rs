//! The command and its arguments: a vector, from the call to the program.

use std::process::Stdio;

use serde_json::json;

use crate::support::{Launcher, everywhere, finish};

#[test]
fn a_relative_command_belongs_to_the_directory_of_the_call() {
    everywhere(|setup| {
        setup.place.script("work/tool.sh", "#!/bin/sh\necho top\n");
        setup.place.script("work/sub/tool.sh", "#!/bin/sh\necho sub\n");
        let mut client = setup.serve(json!({ "allow": ["./tool.sh"] }));
        let sub = setup.place.path("work/sub");
        client.run(json!({ "command": "./tool.sh", "cwd": sub })).printed("sub\n");
        client.run(json!({ "command": "./tool.sh" })).printed("top\n");
    });
}

#[test]
fn a_program_in_the_directory_is_not_found_by_its_bare_name() {
    everywhere(|setup| {
        setup.place.script("work/git", "#!/bin/sh\necho planted\n");
        setup.place.script("work/own-tool", "#!/bin/sh\necho planted\n");
        let mut client = setup.serve(json!({}));
        let answer = client.run(json!({ "command": "git", "args": ["--version"] }));
        let version = answer.exited(0)["stdout"].as_str().unwrap();
        assert!(version.starts_with("git version"), "{version}");
        client.run(json!({ "command": "own-tool" })).not_started(&["own-tool"]);
    });
}

#[test]
fn signs_of_a_shell_are_data() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let echo = |args: &[&str]| json!({ "command": "echo", "args": args });
        client.run(echo(&["a|b", "|", "c|", "text"])).printed("a|b | c| text\n");
        client.run(echo(&["$HOME; rm -rf /", "*", "`id`"])).printed("$HOME; rm -rf / * `id`\n");
        let grep = json!({
            "command": "grep", "args": ["-E", "error|warning"], "stdin": "x\nwarning\n",
        });
        client.run(grep).printed("warning\n");
    });
}

#[test]
fn arguments_that_look_like_options_of_a_wrapper_reach_the_command() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let args = json!(["--bind", "/", "/", "--", "-n"]);
        client.run(json!({ "command": "echo", "args": args })).printed("--bind / / -- -n\n");
    });
}

#[test]
fn a_program_may_be_named_like_an_option() {
    everywhere(|setup| {
        for name in ["--version", "--bind", "--dev", "-n"] {
            setup.place.script(&format!("bin/{name}"), "#!/bin/sh\nprintf '%s|' ran \"$@\"\n");
        }
        let bin = setup.place.text("bin");
        let options: &[&str] = match setup.launcher {
            Launcher::None => &[],
            _ => &["--read", &bin],
        };
        for name in ["--version", "--bind", "--dev", "-n"] {
            let mut command = setup.run_command(options, [name, "/", "/"]);
            command.env("PATH", format!("{bin}:/usr/bin:/bin"));
            finish(command.spawn().unwrap()).printed("ran|/|/|");
        }
    });
}

#[test]
fn every_argument_arrives_byte_for_byte() {
    everywhere(|setup| {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let odd: [&[u8]; 7] = [b"", b" ", b"a\nb", b"\"q'", b"\\", b"\xff\xfe", "中".as_bytes()];
        let mut words = vec![OsStr::new("printf"), OsStr::new("<%s>")];
        words.extend(odd.iter().map(|word| OsStr::from_bytes(word)));
        let mut command = setup.run_command(&[], words);
        let output = command.stdin(Stdio::null()).output().unwrap();
        let expected: Vec<u8> = odd.iter().flat_map(|word| [b"<", *word, b">"].concat()).collect();
        assert_eq!(output.stdout, expected, "{output:?}");
    });
}

#[test]
fn a_program_sees_the_name_by_which_it_was_called() {
    everywhere(|setup| {
        std::os::unix::fs::symlink("/bin/sh", setup.place.path("work/other-name")).unwrap();
        let ran = setup.run(&[], ["./other-name", "-c", "echo \"$0\""]);
        assert!(ran.exited(0).stdout.trim_end().ends_with("other-name"), "{ran:?}");
    });
}
