//! Nothing is open in a run but its three streams.

use std::fs::File;
use std::os::fd::AsFd;

use rustix::io::{FdFlags, fcntl_setfd};

use crate::promise::{Class, Promise, forbidden, works};
use crate::scene::Scene;
use crate::verdict::{At, Judged, Trouble, Verdict};

pub(super) const CLASS: Class = Class {
    name: "descriptors",
    about: "nothing is open in a run but its three streams",
    rules: &[],
    promises: PROMISES,
};

const PROMISES: &[Promise] = &[
    forbidden("no_descriptor_but_the_three_streams_is_open", |scene| {
        let _file = inherited(&scene.secret())?;
        scene.probe("list-descriptors").run()?.refused()
    }),
    forbidden("a_file_that_the_runner_has_open_is_not_read", |scene| {
        let _file = inherited(&scene.secret())?;
        scene.probe("read-inherited").run()?.hides(scene.canary())
    }),
    forbidden("a_folder_that_the_runner_has_open_is_no_way_out", |scene| {
        let _folder = inherited(&scene.outside(""))?;
        scene.probe("read-inherited").run()?.hides(scene.canary())
    }),
    works("standard_input_arrives_byte_for_byte", |scene| {
        let report = scene.probe("tell-stdin").stdin(b"a\0\xffb\r\n").run()?;
        told(&report.did()?, "6100ff620d0a")
    }),
    works("an_empty_standard_input_ends_at_once", |scene| scene.probe("tell-stdin").run()?.did()),
    works("standard_output_and_standard_error_stay_apart", separate),
];

/// What the probe said must be this.
fn told(verdict: &Verdict, expected: &str) -> Judged {
    Ok(match verdict {
        Verdict::Held(told) if told == expected => Verdict::Held(told.clone()),
        Verdict::Held(told) => Verdict::Broken(format!("it got {told}, not {expected}")),
        Verdict::Broken(why) => Verdict::Broken(why.clone()),
    })
}

/// Something that every process that this one starts has open from its beginning.
pub(super) fn inherited(path: &std::path::Path) -> Result<File, Trouble> {
    let file = File::open(path).at("open a file")?;
    fcntl_setfd(file.as_fd(), FdFlags::empty()).at("let a descriptor pass")?;
    Ok(file)
}

fn separate(scene: &Scene<'_>) -> Judged {
    let report = scene.probe("write-streams").run()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&report.output.stdout), text(&report.output.stderr));
    let apart = stdout.contains("to-stdout")
        && !stdout.contains("to-stderr")
        && stderr.contains("to-stderr")
        && !stderr.contains("to-stdout");
    match apart {
        true => report.did(),
        false => Ok(Verdict::Broken(format!("stdout has {stdout:?}, stderr has {stderr:?}"))),
    }
}
