//! What a run sees of the host's files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use cofferdam_profiles::Access;

use crate::support::{World, say, users};

#[test]
fn a_run_writes_in_its_workspace() {
    for user in users() {
        let world = World::new(user);
        world.sh("echo text > made && mkdir -p a/b && mv made a/b/moved").succeeded();
        assert_eq!(fs::read_to_string(world.workspace.join("a/b/moved")).unwrap(), "text\n");
    }
}

#[test]
fn writing_outside_fails_and_leaves_nothing() {
    for user in users() {
        let world = World::new(user);
        let before = world.listing();
        let outside = world.outside.display();
        for script in [
            &format!("echo x > {outside}/x"),
            "echo x > /usr/x",
            "echo x > /x",
            "mkdir /home",
            "rm /bin",
            "touch /etc/x",
        ] {
            world.sh(script).failed();
        }
        assert_eq!(world.listing(), before);
        assert!(!Path::new("/usr/x").exists() && !Path::new("/etc/x").exists());
    }
}

#[test]
fn what_no_rule_names_is_not_there() {
    for user in users() {
        let world = World::new(user);
        fs::write(world.outside.join("secret"), "password").unwrap();
        let outside = world.outside.display();
        for path in [
            format!("{outside}/secret"),
            "../outside/secret".to_owned(),
            format!("/proc/self/root{outside}/secret"),
            "/proc/self/cwd/../outside/secret".to_owned(),
            format!("/proc/1/root{outside}/secret"),
        ] {
            let ran = world.sh(&format!("cat {path}"));
            assert!(!ran.failed().stdout.contains("password"), "{path}");
        }
        let ran = world.sh("ls -A /home /root /var /mnt /srv; ls /");
        assert!(!ran.stdout.contains("home"), "{}", ran.stdout);
    }
}

#[test]
fn the_links_at_the_root_are_made_anew() {
    for user in users() {
        let world = World::new(user);
        let links = world.sh("readlink /bin /lib || true; /bin/sh -c 'echo ok'");
        assert!(links.succeeded().ends_with("ok\n"));
    }
}

#[test]
fn a_link_out_of_the_workspace_leads_nowhere() {
    for user in users() {
        let world = World::new(user);
        fs::write(world.outside.join("secret"), "password").unwrap();
        symlink(world.outside.join("secret"), world.workspace.join("link")).unwrap();
        let ran = world.sh("cat link; echo x > link");
        assert!(!ran.failed().stdout.contains("password"));
        assert_eq!(fs::read_to_string(world.outside.join("secret")).unwrap(), "password");
    }
}

#[test]
fn a_grant_through_a_link_is_a_grant_for_both_names() {
    for user in users() {
        let mut world = World::new(user);
        let real = world.outside.join("real");
        fs::create_dir(&real).unwrap();
        fs::write(real.join("f"), "text").unwrap();
        let link = world.outside.join("link");
        symlink("real", &link).unwrap();
        world.allow(Access::Read, &link);
        let script = format!("cat {}/f {}/f", link.display(), real.display());
        assert_eq!(world.sh(&script).succeeded(), "texttext");
    }
}

#[test]
fn scratch_folders_last_from_run_to_run_and_tmp_is_one_of_them() {
    for user in users() {
        let world = World::new(user);
        world.sh("echo 1 > /tmp/a && echo 2 > $TMPDIR/b && echo 3 > $HOME/c").succeeded();
        assert_eq!(world.sh("cat $TMPDIR/a /tmp/b ~/c").succeeded(), "1\n2\n3\n");
        assert!(world.scratch.tmp.join("a").exists());
    }
}

#[test]
fn a_workspace_below_tmp_leaves_nothing_in_the_scratch_folder() {
    for user in users() {
        let world = World::new_in(user, Path::new("/tmp"));
        let before = world.listing();
        world.sh("echo x > /tmp/private && test -w $TMPDIR && test -w . && ls /tmp").succeeded();
        assert_eq!(world.listing(), before);
    }
}

#[test]
fn over_the_whole_tree_only_the_workspace_is_writable() {
    for user in users() {
        let mut world = World::new(user);
        world.allow(Access::Read, "/");
        fs::write(world.outside.join("readable"), "text").unwrap();
        let outside = world.outside.display();
        assert_eq!(world.sh(&format!("cat {outside}/readable")).succeeded(), "text");
        world.sh(&format!("echo x > {outside}/x")).failed();
        world.sh("touch /usr/x").failed();
        world.sh("echo x > made && echo x > /tmp/made && echo x > /dev/shm/made").succeeded();
        assert_eq!(world.sh("ls -A /run").succeeded(), "");
        assert!(!Path::new("/dev/shm/made").exists());
    }
}

#[test]
fn odd_names_are_names() {
    for user in users() {
        for name in ["a\nb \"q\" (x) é #$%", " --bind ", "it's", "\\n\t"] {
            let mut world = World::new(user);
            let odd = world.make(format!("{name}/"), "");
            world.workspace = odd.clone();
            world.sh("touch f && pwd -P").succeeded();
            assert!(odd.join("f").exists(), "{name:?}");
        }
    }
}

#[test]
fn a_mount_below_a_readable_folder_is_read_only() {
    for user in users() {
        let mut world = World::new(user);
        let Some(mount) = Mounted::in_folder(&world.outside) else {
            return;
        };
        let outside = world.outside.clone();
        world.allow(Access::Read, &outside);
        let path = mount.0.display();
        assert_eq!(world.sh(&format!("cat {path}/f")).succeeded(), "text");
        world.sh(&format!("touch {path}/g")).failed();
        world.allow(Access::Write, &mount.0);
        world.sh(&format!("touch {path}/g")).succeeded();
    }
}

/// A file system in memory with a file `f`, unmounted at the end.
struct Mounted(PathBuf);

impl Mounted {
    fn in_folder(folder: &Path) -> Option<Self> {
        let path = folder.join("mount");
        fs::create_dir(&path).unwrap();
        let options = ["-t", "tmpfs", "-o", "mode=777", "tmpfs"];
        let output = Command::new("mount").args(options).arg(&path).output();
        if !output.is_ok_and(|output| output.status.success()) {
            say("ignored, because this user may not mount");
            return None;
        }
        fs::write(path.join("f"), "text").unwrap();
        Some(Mounted(path))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let status = Command::new("umount").arg(&self.0).status();
        assert!(status.is_ok_and(|status| status.success()), "{:?} is still mounted", self.0);
    }
}

/// Has a launcher refuse a folder that may be written and is gone by the time of the run, with its name.
fn refused_when_gone(then: impl Fn(&Path)) {
    for user in users() {
        let mut world = World::new(user);
        let granted = world.outside.join("granted");
        fs::create_dir(&granted).unwrap();
        world.allow(Access::Write, &granted);
        let launcher = world.launcher();
        fs::remove_dir(&granted).unwrap();
        then(&granted);
        let refusal = world.refusal(&launcher, &world.plan("true", &[""; 0]));
        assert!(refusal.contains("outside/granted"), "{refusal}");
    }
}

#[test]
fn a_granted_path_that_became_a_link_is_refused() {
    refused_when_gone(|granted| symlink("/etc", granted).unwrap());
}

#[test]
fn a_writable_path_that_is_gone_is_named() {
    refused_when_gone(|_| {});
}
