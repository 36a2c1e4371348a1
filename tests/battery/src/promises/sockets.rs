//! Programs of the host that listen on Unix sockets are not asked to do what the run cannot.

use crate::promise::{Class, Promise, forbidden, rule, works};
use crate::scene::Scene;
use crate::verdict::{Judged, Verdict};
use crate::witness::{Datagrams, FileGiver, Listener};

pub(super) const CLASS: Class = Class {
    name: "sockets",
    about: "Unix sockets of the host are out of reach; one's own work",
    rules: &[],
    promises: PROMISES,
};

const PROMISES: &[Promise] = &[
    forbidden("a_socket_file_is_not_connected_to", |scene| {
        file(scene, scene.outside("socket"), "connect-to-file")
    }),
    forbidden("a_socket_in_the_home_folder_is_not_connected_to", |scene| {
        file(scene, scene.home(".gnupg/S.gpg-agent"), "connect-to-file")
    }),
    forbidden("a_socket_is_not_connected_to_through_a_link", |scene| {
        let listener = Listener::file(&scene.outside("socket"))?;
        std::os::unix::fs::symlink(scene.outside("socket"), scene.inside("link"))
            .map_err(|source| crate::verdict::Trouble::Scene { stage: "make a link", source })?;
        let report = scene.probe("connect-to-file").arg("link").run()?;
        report.without(listener.reached(), "somebody connected")
    }),
    forbidden("an_abstract_socket_is_not_connected_to", |scene| {
        let listener = Listener::name(scene.canary())?;
        let report = scene.probe("connect-to-name").arg(scene.canary()).run()?;
        report.without(listener.reached(), "somebody connected")
    }),
    forbidden("no_datagram_is_sent_to_a_socket_file", |scene| datagram(scene, "send-to-file")),
    forbidden("no_datagram_is_sent_from_a_pair_to_a_socket_file", |scene| {
        datagram(scene, "send-by-pair")
    }),
    forbidden("no_datagram_is_sent_to_an_abstract_socket", |scene| {
        let listener = Datagrams::name(scene.canary())?;
        let report = scene.probe("send-to-name").arg(scene.canary()).run()?;
        report.without(listener.reached(), "a datagram came")
    }),
    forbidden("no_descriptor_is_handed_over_by_a_helper_outside", |scene| {
        let _giver = FileGiver::new(&scene.outside("socket"), &scene.secret())?;
        let task = scene.probe("take-descriptor-from-file").arg(scene.outside("socket"));
        task.run()?.hides(scene.canary())
    }),
    forbidden("an_ssh_agent_is_not_found_by_the_environment", |scene| {
        agent(scene, "SSH_AUTH_SOCK", "")
    }),
    forbidden("the_session_bus_is_not_found_by_the_environment", |scene| {
        agent(scene, "DBUS_SESSION_BUS_ADDRESS", "unix:path=")
    }),
    forbidden("a_container_engine_is_not_found_by_the_environment", |scene| {
        agent(scene, "DOCKER_HOST", "unix://")
    }),
    forbidden("a_display_is_not_found_by_the_environment", |scene| {
        agent(scene, "WAYLAND_DISPLAY", "")
    }),
    works("a_listener_in_the_workspace_can_be_connected_to", |scene| {
        scene.probe("talk-by-file").arg("own.sock").run()?.did()
    })
    .by(&[rule::SOCKETS, "loopback", rule::WORKSPACE]),
    works("a_pair_of_sockets_can_be_talked_over", |scene| scene.probe("talk-by-pair").run()?.did()),
];

fn file(scene: &Scene<'_>, path: std::path::PathBuf, word: &str) -> Judged {
    let listener = Listener::file(&path)?;
    let report = scene.probe(word).arg(&path).run()?;
    report.without(listener.reached(), "somebody connected")
}

fn datagram(scene: &Scene<'_>, word: &str) -> Judged {
    let path = scene.outside("socket");
    let listener = Datagrams::file(&path)?;
    let report = scene.probe(word).arg(&path).run()?;
    report.without(listener.reached(), "a datagram came")
}

/// The runner has the variable, and a listener is where it leads.
fn agent(scene: &Scene<'_>, variable: &str, before: &str) -> Judged {
    let path = scene.outside("agent");
    let listener = Listener::file(&path)?;
    let value = format!("{before}{}", path.display());
    let task = scene.probe("ask-agent").arg(variable).arg(before).env(variable, value);
    let report = task.run()?;
    let verdict: Verdict = report.refused()?;
    Ok(verdict.unless(listener.reached(), "somebody connected"))
}
