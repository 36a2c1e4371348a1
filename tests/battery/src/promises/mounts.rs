//! What paths mean cannot be changed, nor what hides them taken away.

use std::fs;

use crate::promise::{Class, Promise, forbidden, rule};
use crate::scene::Scene;
use crate::verdict::{At, Judged};
use crate::witness::{Snapshot, Victim};

pub(super) const CLASS: Class = Class {
    name: "mounts",
    about: "mounts, roots and namespaces stay as they are",
    rules: &["syscalls"],
    promises: PROMISES,
};

const PROMISES: &[Promise] = &[
    forbidden("no_user_namespace_is_made", |scene| namespace(scene, "make-namespace", "user")),
    forbidden("no_mount_namespace_is_made", |scene| namespace(scene, "make-namespace", "mount")),
    forbidden("no_network_namespace_is_made", |scene| namespace(scene, "make-namespace", "net")),
    forbidden("no_process_namespace_is_made", |scene| namespace(scene, "make-namespace", "pid")),
    forbidden("no_ipc_namespace_is_made", |scene| namespace(scene, "make-namespace", "ipc")),
    forbidden("no_host_name_namespace_is_made", |scene| namespace(scene, "make-namespace", "uts")),
    forbidden("no_cgroup_namespace_is_made", |scene| namespace(scene, "make-namespace", "cgroup")),
    forbidden("no_time_namespace_is_made", |scene| namespace(scene, "make-namespace", "time")),
    forbidden("no_process_starts_in_a_new_user_namespace", |scene| {
        namespace(scene, "clone-namespace", "user")
    }),
    forbidden("no_process_starts_in_a_new_mount_namespace", |scene| {
        namespace(scene, "clone-namespace", "mount")
    }),
    forbidden("the_network_namespace_of_another_process_is_not_entered", |scene| {
        enter(scene, "net")
    }),
    forbidden("the_mount_namespace_of_another_process_is_not_entered", |scene| enter(scene, "mnt")),
    forbidden("the_user_namespace_of_another_process_is_not_entered", |scene| enter(scene, "user")),
    forbidden("a_namespace_is_not_entered_by_a_pidfd", |scene| {
        let victim = Victim::start(scene)?;
        scene.probe("enter-namespace-by-pidfd").arg(victim.id()).run()?.refused()
    }),
    forbidden("the_namespaces_of_the_parent_are_not_entered", |scene| {
        scene.probe("enter-namespace").arg("parent").arg("net").run()?.refused()
    }),
    forbidden("nothing_is_mounted_over_a_folder", |scene| {
        fs::create_dir(scene.inside("point")).at("make a folder")?;
        scene.probe("mount-tmpfs").arg("point").run()?.refused()
    }),
    forbidden("a_folder_outside_is_not_bound_into_sight", |scene| {
        let task = scene.probe("mount-over-and-read").arg(scene.outside("")).arg("secret");
        task.run()?.hides(scene.canary())
    }),
    forbidden("no_view_of_the_processes_is_mounted", |scene| {
        scene.probe("mount-proc").run()?.refused()
    }),
    forbidden("nothing_is_mounted_by_the_new_calls", |scene| {
        fs::create_dir(scene.inside("point")).at("make a folder")?;
        scene.probe("new-mount").arg("point").run()?.refused()
    }),
    forbidden("no_tree_of_mounts_is_copied", |scene| {
        scene.probe("clone-tree").arg("/usr").run()?.refused()
    }),
    forbidden("the_root_is_not_exchanged", |scene| scene.probe("pivot").run()?.refused()),
    forbidden("a_new_root_is_no_way_out", |scene| {
        let task = scene.probe("change-root-and-leave").arg(scene.secret());
        task.run()?.hides(scene.canary())
    }),
    forbidden("what_hides_a_denied_folder_is_not_taken_off", |scene| {
        let folder = scene.inside("denied");
        fs::create_dir(&folder).at("make a folder")?;
        fs::write(folder.join("secret"), scene.world.text()).at("write a file")?;
        let task = scene.probe("unmount-and-read").arg(folder.join("secret"));
        task.rule("--deny", folder).run()?.hides(scene.canary())
    })
    .by(&["deny", rule::PROFILE]),
    forbidden("what_hides_a_denied_file_is_not_taken_off", |scene| {
        let file = scene.inside("denied");
        fs::write(&file, scene.world.text()).at("write a file")?;
        let task = scene.probe("unmount-and-read").arg(&file).rule("--deny", &file);
        task.run()?.hides(scene.canary())
    })
    .by(&["deny", rule::PROFILE]),
    forbidden("a_read_only_folder_is_not_mounted_writable", |scene| {
        let secret = scene.secret();
        let before = Snapshot::of(&secret);
        let task = scene.probe("remount-and-write").arg(&secret).rule("--read", scene.outside(""));
        task.run()?.without(before.changed(), "the file was changed")
    })
    .by(&[rule::PROFILE]),
];

fn namespace(scene: &Scene<'_>, word: &str, kind: &str) -> Judged {
    scene.probe(word).arg(kind).run()?.refused()
}

fn enter(scene: &Scene<'_>, kind: &str) -> Judged {
    let victim = Victim::start(scene)?;
    scene.probe("enter-namespace").arg(victim.id()).arg(kind).run()?.refused()
}
