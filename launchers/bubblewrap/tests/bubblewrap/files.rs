//! What a run sees of the host's files.

use std::fs;

use serde_json::json;

use crate::support::{World, users};

#[test]
fn settings_of_the_system_are_copies_with_their_modes() {
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
