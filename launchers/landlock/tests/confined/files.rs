use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use cofferdam_launcher::{LaunchError, Launcher, Plan, Scratch};
use serde_json::json;

use crate::support::{Place, User, users};

#[test]
fn the_workspace_and_the_scratch_folders_can_be_written() {
    for user in users() {
        let place = Place::new(user);
        place
            .sh("echo a > f && mkdir -p d/e && mv f d/e/g && ln d/e/g h && cat h \
                 && echo b > $TMPDIR/x && echo c > $HOME/y && rm -r d && echo done")
            .printed("a\ndone");
        assert_eq!(place.read("work/h"), "a\n");
    }
}

#[test]
fn scratch_folders_behind_a_link_can_be_written() {
    let place = Place::new(User::Own);
    symlink(place.path(""), place.path("link")).unwrap();
    let folder = |name: &str| place.path("link").join(name);
    let scratch = Scratch { tmp: folder("tmp"), home: folder("home") };
    let plan = Plan::new("true", "/bin/true", place.path("work")).with_scratch(scratch);
    let text = place.launcher().explain(&plan).unwrap();
    let granted = format!("{}  read,list,execute,write", place.path("tmp").display());
    assert!(text.contains(&granted), "{text}");
}

#[test]
fn a_secret_outside_cannot_be_read_by_any_name() {
    for user in users() {
        let place = Place::new(user);
        symlink(place.path("outside/secret"), place.path("work/was-there")).unwrap();
        let secret = place.path("outside/secret");
        let secret = secret.display();
        for name in [
            format!("{secret}"),
            "../outside/secret".to_owned(),
            format!("/proc/self/root{secret}"),
            "/proc/self/cwd/../outside/secret".to_owned(),
            "was-there".to_owned(),
        ] {
            place.run(["/bin/cat", &name]).failed_with("Permission denied");
        }
        place.sh(&format!("ln -s {secret} made; cat made")).failed_with("Permission denied");
        place.run(["/bin/ls", "../outside"]).failed_with("Permission denied");
    }
}

#[test]
fn an_o_path_descriptor_is_no_way_round() {
    for user in users() {
        let place = Place::new(user);
        let program = format!(
            "import os\nfd = os.open({:?}, os.O_PATH)\nopen(f'/proc/self/fd/{{fd}}').read()",
            place.path("outside/secret")
        );
        place.python(&program).failed_with("PermissionError");
    }
}

#[test]
fn nothing_outside_can_be_changed() {
    for user in users() {
        let place = Place::new(user);
        let outside = place.path("outside");
        let outside = outside.display();
        for script in [
            format!("echo x > {outside}/secret"),
            format!("echo x >> {outside}/secret"),
            format!("echo x > {outside}/new"),
            format!("truncate -s 0 {outside}/secret"),
            format!("rm {outside}/secret"),
            format!("mkdir {outside}/d"),
            format!("mkfifo {outside}/p"),
            format!("ln -s x {outside}/l"),
            format!("mv {outside}/secret stolen"),
            format!("ln {outside}/secret alias && cat alias"),
            format!("touch mine && mv mine {outside}/theirs"),
            "echo x > /etc/cofferdam-test".to_owned(),
        ] {
            let ran = place.sh(&script);
            assert_ne!(ran.code, Some(0), "{script}: {ran:?}");
        }
        assert_eq!(place.read("outside/secret"), "TOP-SECRET");
        assert_eq!(fs::read_dir(place.path("outside")).unwrap().count(), 1);
    }
}

#[test]
fn device_files_cannot_be_made_and_raw_devices_cannot_be_opened() {
    for user in users() {
        let place = Place::new(user);
        assert_ne!(place.sh("mknod disk b 8 0").code, Some(0));
        assert_ne!(place.sh("mknod null c 1 3").code, Some(0));
        place.sh("mkfifo pipe && echo made").printed("made");
        for device in ["/dev/kmsg", "/dev/mem", "/dev/tty", "/dev/fuse", "/dev/loop-control"] {
            let ran = place.sh(&format!(": < {device}"));
            assert_ne!(ran.code, Some(0), "{device}: {ran:?}");
        }
    }
}

#[test]
fn a_write_root_that_was_given_through_a_link_is_the_real_directory() {
    for user in users() {
        let place = Place::new(user);
        symlink(place.path("work"), place.path("link")).unwrap();
        let link = place.path("link");
        let place = place.with_paths("write", &[&link]);
        let real = place.path("work").display().to_string();
        place.sh("pwd -P; touch f").printed(&real);
        assert!(place.path("work/f").exists());
    }
}

#[test]
fn odd_directory_names_are_bytes_like_any_others() {
    for user in users() {
        let place = Place::new(user);
        let odd = place.path("work/a\nb \"q\" 'x' (y) é #$%");
        fs::create_dir(&odd).unwrap();
        fs::set_permissions(&odd, fs::Permissions::from_mode(0o777)).unwrap();
        let place = place.with_paths("write", &[&odd]);
        let script = "cd \"$1\" && touch f && echo inside; touch ../f || echo outside";
        let argument = odd.to_str().unwrap();
        place.run(["/bin/sh", "-c", script, "sh", argument]).printed("inside\noutside");
        assert!(odd.join("f").exists());
    }
}

#[test]
fn a_path_that_became_a_link_after_the_policy_was_resolved_is_an_error() {
    let place = Place::new(User::Own);
    let launcher = place.launcher();
    let plan = Plan::new("true", "/bin/true", place.path("outside"));
    assert!(launcher.wrap(&plan).is_ok());

    fs::rename(place.path("work"), place.path("moved")).unwrap();
    let work = place.path("work");
    let error = launcher.wrap(&plan).unwrap_err();
    assert!(matches!(&error, LaunchError::Path { path, .. } if *path == work), "{error:?}");

    symlink(place.path("outside"), &work).unwrap();
    let error = launcher.wrap(&plan).unwrap_err();
    assert!(matches!(&error, LaunchError::Path { path, .. } if *path == work), "{error:?}");

    // Another directory under the name is what the policy means now.
    fs::remove_file(&work).unwrap();
    fs::create_dir(&work).unwrap();
    assert!(launcher.wrap(&plan).is_ok());
}

#[test]
fn mounts_below_a_granted_path_follow_it() {
    if !nix::unistd::getuid().is_root() {
        println!("ignored, because only root can mount");
        return;
    }
    let place = Place::new(User::Own);
    fs::create_dir(place.path("outside/mnt")).unwrap();
    let mnt = place.path("outside/mnt");
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "tmpfs"])
        .arg(&mnt)
        .status()
        .unwrap();
    if !mounted.success() {
        println!("ignored, because mounting is not permitted here");
        return;
    }
    place.write("outside/mnt/a", "mounted");
    let script = format!("cat {0}/a && touch {0}/b && echo written", mnt.display());
    let place = place.and(json!({"filesystem": {"read": [mnt.parent()]}}));
    let ran = place.sh(&script);
    assert_eq!(ran.stdout, "mounted");
    ran.failed_with("Permission denied");
    let place = place.and(json!({"filesystem": {"write": [mnt]}}));
    place.sh(&script).printed("mountedwritten");
    let unmounted = std::process::Command::new("umount").arg(&mnt).status().unwrap();
    assert!(unmounted.success());
}
