//! What the launcher says before the first run.

use cofferdam_launcher::Launcher;
use serde_json::json;

use crate::support::{World, users};

#[test]
fn every_shipped_profile_passes_its_check_with_nothing_missing_and_runs() {
    for user in users() {
        for name in ["read-only", "workspace", "build", "online", "strict"] {
            let mut world = World::new(user);
            world.use_profile(name);
            let launcher = world.launcher();
            launcher.check().unwrap();
            // Resolving made the cache folder as the user of the tests.
            world.own_all(&world.outside);
            assert!(launcher.missing().is_empty(), "{name}: {:?}", launcher.missing());
            let ran = world.run(&world.plan("sh", &["-c", "echo ok"]));
            assert_eq!(ran.succeeded(), "ok\n", "{name}");
        }
    }
}

#[test]
fn a_policy_that_shows_no_program_passes_the_check() {
    for user in users() {
        let mut world = World::new(user);
        world.set("filesystem.read", json!([]));
        world.launcher().check().unwrap();
    }
}
