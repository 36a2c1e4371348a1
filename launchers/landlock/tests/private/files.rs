//! What a run sees of the host's files.

use std::fs;

use serde_json::json;

use crate::support::{World, users};

#[test]
fn beside_single_settings_the_workspace_stays_writable() {
    for user in users() {
        for name in ["workspace", "strict"] {
            let mut world = World::new(user);
            world.use_profile(name);
            world.sh("echo x > made && echo x > $TMPDIR/made && echo x > /dev/null").succeeded();
            assert!(world.workspace.join("made").exists());
            world.sh("echo x > /etc/passwd").failed();
        }
    }
}

#[test]
fn settings_of_the_system_are_shown_one_by_one() {
    for user in users() {
        let mut world = World::new(user);
        world.set("filesystem.read", json!(["/usr", "/bin", "/lib?", "/lib64?", "/etc/passwd"]));
        let ran = world.sh("cat /etc/passwd");
        assert_eq!(ran.succeeded(), fs::read_to_string("/etc/passwd").unwrap());
        assert_eq!(world.sh("stat -c %a /etc/passwd; ls -A /etc").succeeded(), "644\npasswd\n");
        for script in ["echo x >> /etc/passwd", "chmod 777 /etc/passwd", "rm /etc/passwd"] {
            world.sh(script).failed();
        }
    }
}
