//! One view per kind of policy, as text.

use super::*;
use crate::samples::{files, rule, rule_by_link};

use Access::{Deny, Protect, Read, Write};

/// The view as lines, without what every run has of its own.
fn text(rules: impl IntoIterator<Item = Rule>) -> String {
    lines(&View::compile(&files(rules), &UnixSockets::Inside))
}

fn lines(view: &View) -> String {
    let own = |place: &&Place| !matches!(place.show, Show::Own(Own::Proc | Own::Dev));
    let places = view.places().iter().filter(own).map(|place| {
        let show = match place.show {
            Show::Read => "read".to_owned(),
            Show::Write => "write".to_owned(),
            Show::Device => "device".to_owned(),
            Show::Hide { search: true } => "hide, but for what is below,".to_owned(),
            Show::Hide { search: false } => "hide".to_owned(),
            Show::Own(own) => format!("own {own:?}").to_lowercase(),
        };
        let pins: Vec<_> = place.pins.iter().map(|pin| format!(" pin {}", pin.display())).collect();
        format!("{show} {}{}\n", place.path.display(), pins.concat())
    });
    let links = view.links().iter();
    let links =
        links.map(|link| format!("link {} {}\n", link.path.display(), link.target.display()));
    places.chain(links).collect()
}

#[test]
fn a_workspace_lies_beside_the_system() {
    let rules = [
        rule_by_link(Read, "/usr/bin", ("/bin", "usr/bin")),
        rule(Read, "/usr"),
        rule(Write, "/home/ann/work"),
    ];
    assert_eq!(text(rules), "own tmp /tmp\nread /usr\nwrite /home/ann/work\nlink /bin usr/bin\n");
}

#[test]
fn what_is_closed_below_a_writable_folder_keeps_its_way() {
    let rules = [
        rule(Write, "/w"),
        rule(Protect, "/w/.git/hooks"),
        rule(Deny, "/w/a/b/secret"),
        rule(Read, "/w/vendor"),
    ];
    assert_eq!(
        text(rules),
        "own tmp /tmp\nwrite /w\nread /w/vendor\nread /w/.git/hooks pin /w/.git\n\
         hide /w/a/b/secret pin /w/a pin /w/a/b\n"
    );
}

#[test]
fn below_a_readable_folder_no_way_has_to_be_kept() {
    let rules = [rule(Read, "/r"), rule(Deny, "/r/a/secret"), rule(Protect, "/r/b")];
    assert_eq!(text(rules), "own tmp /tmp\nread /r\nhide /r/a/secret\n");
}

#[test]
fn what_is_hidden_by_itself_needs_no_mask() {
    let rules = [rule(Read, "/usr"), rule(Deny, "/home/ann/.ssh"), rule(Protect, "/srv/x")];
    assert_eq!(text(rules), "own tmp /tmp\nread /usr\n");
}

#[test]
fn a_grant_below_a_hidden_folder_can_be_reached() {
    let rules = [rule(Read, "/h"), rule(Deny, "/h/.ssh"), rule(Read, "/h/.ssh/known_hosts")];
    assert_eq!(
        text(rules),
        "own tmp /tmp\nread /h\nhide, but for what is below, /h/.ssh\nread /h/.ssh/known_hosts\n"
    );
}

#[test]
fn at_one_path_the_strongest_word_decides() {
    let rules = [rule(Write, "/w"), rule(Protect, "/w"), rule(Read, "/r"), rule(Write, "/r")];
    assert_eq!(text(rules), "own tmp /tmp\nwrite /r\nread /w\n");
    assert_eq!(text([rule(Write, "/w"), rule(Deny, "/w")]), "own tmp /tmp\n");
}

#[test]
fn a_rule_that_says_nothing_new_makes_no_border() {
    let rules = [rule(Write, "/w"), rule(Write, "/w/a"), rule(Read, "/r"), rule(Read, "/r/b")];
    assert_eq!(text(rules), "own tmp /tmp\nread /r\nwrite /w\n");
}

#[test]
fn over_the_whole_tree_the_run_and_temporary_folders_are_its_own() {
    let rules = [rule(Read, "/"), rule(Write, "/w"), rule(Read, "/run/resolve.conf")];
    assert_eq!(
        text(rules),
        "read /\nown tmp /tmp\nown run /run\nwrite /w\nread /run/resolve.conf\n"
    );
}

#[test]
fn folders_that_a_rule_names_are_the_hosts() {
    let rules = [rule(Read, "/"), rule(Read, "/run"), rule(Write, "/tmp")];
    assert_eq!(text(rules), "read /\nwrite /tmp\n");
}

#[test]
fn processes_and_devices_are_never_the_hosts() {
    let rules = [rule(Read, "/proc"), rule(Write, "/dev/shm"), rule(Deny, "/proc/cmdline")];
    assert_eq!(text(rules), "own tmp /tmp\nhide /proc/cmdline\n");
}

#[test]
fn devices_and_sockets_are_shown_one_by_one() {
    let mut files = files([rule(Write, "/w")]);
    files.devices = vec![rule(Read, "/dev/dri")];
    let sockets = vec![rule(Write, "/run/user/1000/keys"), rule(Write, "/w/own")];
    let view = View::compile(&files, &UnixSockets::Paths(sockets));
    assert_eq!(lines(&view), "own tmp /tmp\nwrite /w\ndevice /dev/dri\nread /run/user/1000/keys\n");
}

#[test]
fn a_link_that_lies_in_a_place_is_there_by_itself() {
    let rules = [
        rule(Read, "/usr"),
        rule_by_link(Read, "/opt/jdk-21", ("/usr/lib/jvm", "/opt/jdk-21")),
        rule_by_link(Read, "/opt/node", ("/srv/node", "../opt/node")),
    ];
    assert_eq!(
        text(rules),
        "own tmp /tmp\nread /usr\nread /opt/jdk-21\nread /opt/node\nlink /srv/node ../opt/node\n"
    );
}

#[test]
fn what_is_shown_and_what_is_covered_up_are_told_apart() {
    let view = View::compile(
        &files([rule(Read, "/"), rule(Deny, "/home"), rule(Write, "/home/ann/w")]),
        &UnixSockets::Inside,
    );
    for (path, shown) in [
        ("/usr/bin/git", true),
        ("/home/ann/w/x", true),
        ("/home/ann", false),
        ("/tmp/x", false),
        ("/run", false),
        ("/proc/1", false),
    ] {
        assert_eq!(view.shows(Path::new(path)), shown, "{path}");
        assert_eq!(view.covers_up(Path::new(path)), !shown, "{path}");
    }
    let small = View::compile(&files([rule(Read, "/usr")]), &UnixSockets::Inside);
    assert!(!small.shows(Path::new("/")) && !small.covers_up(Path::new("/bin")));
}
