//! What a run sees of the file system: links, mounts, and places of its own.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::support::{confined, finish, ignored, no_mounts};

#[test]
fn the_resolver_is_read_through_its_link() {
    if let Some(why) = no_mounts() {
        return ignored(why);
    }
    confined(|setup| {
        let upper = setup.place.text("upper");
        let overlay = format!(
            "mkdir -p {upper}/etc {upper}/work\n\
             mount -t overlay -o lowerdir=/etc,upperdir={upper}/etc,workdir={upper}/work o /etc\n\
             mount -t tmpfs t /run && mkdir /run/x && chmod 755 /run /run/x\n\
             ln -sf ../run/x/resolv.conf /etc/resolv.conf"
        );
        let there = format!("{overlay}\necho '# by the link' > /run/x/resolv.conf");
        let run = setup.run_command(&["--profile", "online"], ["cat", "/etc/resolv.conf"]);
        finish(setup.with_mounts(&there, &run).spawn().unwrap()).printed("# by the link\n");
        let run = setup.run_command(&["--profile", "online"], ["true"]);
        finish(setup.with_mounts(&overlay, &run).spawn().unwrap()).printed("");
    });
}

#[test]
fn the_short_names_of_a_merged_system_work_in_every_profile() {
    confined(|setup| {
        for profile in ["workspace", "build", "online", "read-only", "strict"] {
            let script = "echo ok";
            for shell in ["/bin/sh", "bash"] {
                let ran = setup.run(&["--profile", profile], [shell, "-c", script]);
                if ran.code == Some(125) {
                    ran.said(&[setup.launcher.name(), "cannot enforce"]);
                    ignored(format!("{} refuses the profile {profile} here", setup.launcher));
                    break;
                }
                ran.printed("ok\n");
            }
        }
    });
}

#[test]
fn a_mount_below_a_root_follows_the_rules_of_its_place() {
    if let Some(why) = no_mounts() {
        return ignored(why);
    }
    confined(|setup| {
        let mount = setup.place.folder("mount");
        let mount = mount.to_str().unwrap();
        let script = format!("mount -t tmpfs -o mode=777 t {mount}; echo hi > {mount}/a");
        let run = |options: &[&str], words: &[&str]| {
            let command = setup.run_command(options, words);
            finish(setup.with_mounts(&script, &command).spawn().unwrap())
        };
        let (a, b) = (format!("{mount}/a"), format!("{mount}/b"));
        run(&["--read", mount], &["cat", &a]).printed("hi\n");
        run(&["--read", mount], &["touch", &b]).exited(1).said(&[&b]);
        run(&["--write", mount], &["touch", &b]).printed("");
        run(&[], &["cat", &a]).exited(1).said(&[&a]);
    });
}

#[test]
fn shared_memory_is_private_or_named_as_missing() {
    confined(|setup| {
        let name = setup.place.path("").file_name().unwrap().to_str().unwrap().to_owned();
        let payload = setup.payload(&[], ["touch", &format!("/dev/shm/{name}")]);
        let leaked = std::path::Path::new("/dev/shm").join(&name);
        let is_missing = payload["sandbox"]["missing"]
            .as_array()
            .is_some_and(|missing| missing.contains(&json!("ipc")));
        match is_missing {
            true => ignored(format!("{} does not promise `ipc`, and says so", setup.launcher)),
            false => assert!(payload["exit"] == 0 && !leaked.exists(), "{payload}"),
        }
        let _ = fs::remove_file(leaked);
    });
}

#[test]
fn a_granted_link_opens_what_it_leads_to() {
    confined(|setup| {
        setup.place.file("outside/real/text", "hello\n");
        setup.place.file("outside/secret", "SECRET\n");
        let link = setup.place.path("link");
        symlink(setup.place.path("outside/real"), &link).unwrap();
        let link = link.to_str().unwrap();
        let ran = setup.run(&["--read", link], ["cat", &format!("{link}/text")]);
        ran.printed("hello\n");
        let secret = setup.place.text("outside/secret");
        let ran = setup.run(&["--read", link], ["cat", &secret]);
        assert_eq!(ran.exited(1).said(&[&secret]).stdout, "");
    });
}

#[test]
fn a_link_in_the_workspace_is_no_way_out() {
    confined(|setup| {
        setup.place.file("outside/text", "SECRET\n");
        symlink(setup.place.path("outside"), setup.place.path("work/link")).unwrap();
        let ran =
            setup.sh("cat link/text; ln -s \"$PWD/../outside/text\" t; cat t; echo x > link/x");
        assert_eq!(ran.said(&["link/text", "t: ", "link/x"]).stdout, "");
        assert!(!setup.place.has("outside/x"));
    });
}
