//! The terminal of whoever started the run is out of reach; terminals of one's own work.

use crate::promise::{Class, Promise, forbidden, works};
use crate::scene::Scene;
use crate::verdict::{Judged, Verdict};
use crate::witness::Terminal;

pub(super) const CLASS: Class = Class {
    name: "terminal",
    about: "nothing is typed into or written to a terminal of the host",
    rules: &[],
    promises: PROMISES,
};

const PROMISES: &[Promise] = &[
    forbidden("nothing_is_typed_into_the_persons_terminal", |scene| {
        typed(scene, "type-into-terminal", &[])
    }),
    forbidden("nothing_is_typed_with_high_bits_in_the_request", |scene| {
        typed(scene, "type-into-terminal", &["1"])
    }),
    forbidden("nothing_is_typed_through_the_three_streams", |scene| {
        typed(scene, "type-into-streams", &[])
    }),
    forbidden("the_console_is_not_asked", |scene| {
        let terminal = Terminal::new()?;
        scene.probe("ask-console").on(terminal.stream()?).run()?.refused()
    }),
    // What a run writes to its own terminal is shown on the person's: that is what it is for.
    forbidden("the_settings_of_the_persons_terminal_are_not_changed", |scene| {
        let terminal = Terminal::new()?;
        let before = terminal.settings()?;
        let report = scene.probe("set-up-terminal").on(terminal.stream()?).run()?;
        report.without(terminal.settings()? != before, "the terminal is another than before")
    }),
    forbidden("another_terminal_of_the_host_is_not_written_to", |scene| {
        let mut terminal = Terminal::new()?;
        let report = scene.probe("write-to-terminal").arg(terminal.path()).run()?;
        report.without(terminal.shows("written by the probe"), "it is on somebody's screen")
    })
    .by(&["pty"]),
    works("a_program_can_have_a_terminal_of_its_own", |scene| {
        scene.probe("use-own-terminal").run()?.did()
    }),
];

/// The runner is started at a terminal, by one whose shell it would be.
fn typed(scene: &Scene<'_>, word: &str, args: &[&str]) -> Judged {
    let terminal = Terminal::new()?;
    let task = args.iter().fold(scene.probe(word), |task, arg| task.arg(arg));
    let report = task.on(terminal.stream()?).run()?;
    let verdict: Verdict = report.refused()?;
    Ok(verdict.unless(terminal.was_typed_into(), "characters are in the terminal's input"))
}
