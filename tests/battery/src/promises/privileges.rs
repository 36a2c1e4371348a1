//! A run has no more power than an ordinary user, and gains none.

use std::path::{Path, PathBuf};

use crate::promise::{Class, Promise, forbidden};
use crate::scene::Scene;
use crate::verdict::{Judged, Trouble};

pub(super) const CLASS: Class = Class {
    name: "privileges",
    about: "no capabilities, no setuid programs, no switches of the kernel",
    rules: &[],
    promises: PROMISES,
};

const PROMISES: &[Promise] = &[
    forbidden("root_has_no_capabilities", |scene| {
        scene.probe("have-capabilities").run()?.refused()
    }),
    forbidden("no_program_gives_new_privileges", |scene| {
        scene.probe("have-new-privileges").run()?.refused()
    }),
    forbidden("a_setuid_program_gains_nothing", |scene| {
        scene.probe("gain-by-setuid").run()?.refused()
    }),
    forbidden("root_does_not_become_another_user", |scene| {
        scene.probe("become").arg("12345").run()?.refused()
    }),
    forbidden("root_gives_no_files_away", |scene| {
        let file = scene.inside("file");
        std::fs::write(&file, "")
            .map_err(|source| Trouble::Scene { stage: "write a file", source })?;
        scene.probe("change-owner").arg(file).arg("12345").run()?.refused()
    }),
    forbidden("the_program_for_core_dumps_is_not_set", |scene| {
        switch(scene, "kernel/core_pattern")
    }),
    forbidden("the_program_for_modules_is_not_set", |scene| switch(scene, "kernel/modprobe")),
    forbidden("the_name_of_the_host_is_not_set", |scene| switch(scene, "kernel/hostname")),
    forbidden("the_settings_of_memory_are_not_set", |scene| switch(scene, "vm/drop_caches")),
    forbidden("the_settings_of_the_network_are_not_set", |scene| {
        switch(scene, "net/ipv4/ip_forward")
    }),
    forbidden("the_number_of_namespaces_is_not_set", |scene| {
        switch(scene, "user/max_user_namespaces")
    }),
    forbidden("programs_are_not_given_to_file_formats", |scene| {
        switch(scene, "fs/binfmt_misc/register")
    }),
    forbidden("the_keys_for_emergencies_are_not_pressed", |scene| {
        writable(scene, "/proc/sysrq-trigger".into())
    }),
    forbidden("interrupts_are_not_steered", |scene| {
        writable(scene, "/proc/irq/default_smp_affinity".into())
    }),
    forbidden("the_kernel_is_not_changed_through_sys", |scene| {
        let known = ["/sys/kernel/uevent_helper", "/sys/power/state", "/sys/kernel/mm/ksm/run"];
        match known.into_iter().find(|path| Path::new(path).exists()) {
            Some(path) => writable(scene, path.into()),
            None => Err(Trouble::unavailable("no switch in /sys is there")),
        }
    }),
    forbidden("a_control_group_is_not_made", |scene| {
        let path = PathBuf::from("/sys/fs/cgroup").join(scene.canary());
        let report = scene.probe("make-folder").arg(&path).run()?;
        let was_made = std::fs::remove_dir(&path).is_ok();
        report.without(was_made, "a control group")
    }),
    forbidden("the_program_of_the_parent_is_not_written_over", |scene| {
        scene.probe("write-own-program").arg("parent").run()?.refused()
    }),
    forbidden("the_program_of_process_1_is_not_written_over", |scene| {
        scene.probe("write-own-program").arg("1").run()?.refused()
    }),
    forbidden("the_runner_is_not_replaced", |scene| {
        // By its path: it is busy, so it is a new file in its place that would do.
        let path = scene.stage.program().with_extension(scene.canary());
        let report = scene.probe("write").arg(&path).run()?;
        let was_made = std::fs::remove_file(&path).is_ok();
        report.without(was_made, "a file beside the runner")
    }),
];

fn switch(scene: &Scene<'_>, name: &str) -> Judged {
    writable(scene, Path::new("/proc/sys").join(name))
}

/// Opened for writing; nothing is written, so that it does no harm where it works.
fn writable(scene: &Scene<'_>, path: PathBuf) -> Judged {
    match path.exists() {
        true => scene.probe("open-for-writing").arg(path).run()?.refused(),
        false => Err(Trouble::unavailable(format!("there is no {}", path.display()))),
    }
}
