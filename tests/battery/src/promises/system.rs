//! What programs expect of a system is there.

use crate::promise::{Class, Promise, rule, works};
use crate::scene::Scene;
use crate::verdict::Judged;

pub(super) const CLASS: Class = Class {
    name: "system",
    about: "devices, users, names, certificates and folders that programs expect are there",
    rules: &[],
    promises: PROMISES,
};

const PROMISES: &[Promise] = &[
    works("dev_null_is_there", |scene| did(scene, "use-null")),
    works("dev_zero_is_there", |scene| did(scene, "use-zero")),
    works("dev_full_is_there", |scene| did(scene, "use-full")),
    works("random_numbers_are_there", |scene| did(scene, "use-random")),
    works("the_streams_can_be_opened_by_name", |scene| did(scene, "use-streams")),
    works("the_user_has_a_name", |scene| did(scene, "ask-own-name")),
    works("the_temporary_folder_can_be_written", |scene| variable(scene, "TMPDIR"))
        .by(&[rule::PROFILE]),
    works("the_home_folder_of_the_run_can_be_written", |scene| variable(scene, "HOME")),
    works("the_fixed_temporary_folder_can_be_written", |scene| {
        scene.probe("write-and-remove").arg("/tmp").run()?.did()
    })
    .by(&["ipc"]),
    works("certificates_are_there", |scene| {
        let known = [
            "/etc/ssl/certs/ca-certificates.crt",
            "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/ssl/cert.pem",
        ];
        first(scene, &known)
    }),
    works("names_of_hosts_are_there", |scene| first(scene, &["/etc/hosts"])),
    works("the_order_of_look_ups_is_there", |scene| first(scene, &["/etc/nsswitch.conf"])),
    works("names_of_services_are_there", |scene| first(scene, &["/etc/services"])),
    works("the_time_zone_is_there", |scene| first(scene, &["/etc/localtime"])),
    works("the_name_of_the_system_is_there", |scene| first(scene, &["/etc/os-release"])),
    works("languages_are_there", |scene| {
        let task = scene.probe("run-tool").arg("sh").arg("-c");
        task.arg("test \"$(LC_ALL=C.UTF-8 locale charmap)\" = UTF-8").run()?.did()
    }),
    works("a_process_can_look_at_itself", |scene| did(scene, "look-at-itself")),
    works("the_processors_can_be_counted", |scene| did(scene, "count-processors")),
    works("threads_can_be_started", |scene| did(scene, "start-threads")),
    works("children_can_be_started_and_waited_for", |scene| did(scene, "start-children")),
    works("an_orphan_ends_its_work", |scene| did(scene, "reap-orphan")),
    works("code_can_be_made_at_run_time", |scene| did(scene, "map-executable")),
    works("time_goes_by", |scene| did(scene, "set-timer")),
];

fn did(scene: &Scene<'_>, word: &str) -> Judged {
    scene.probe(word).run()?.did()
}

fn variable(scene: &Scene<'_>, name: &str) -> Judged {
    scene.probe("write-in-variable").arg(name).run()?.did()
}

fn first(scene: &Scene<'_>, paths: &[&str]) -> Judged {
    paths.iter().fold(scene.probe("read-first-of"), |task, path| task.arg(path)).run()?.did()
}
