//! What it costs to start one small program: bare, by a C program that confines it as we do, through
//! the library, and through `cofferdam run`.
//!
//! The ways take turns within every round, so that a slow second of the machine hurts all of them
//! alike, and each round gives a ratio to the bare start of the same round.
//!
//!     cargo bench --bench start                       200 rounds of /bin/true
//!     cargo bench --bench start -- 500 /usr/bin/git --version
//!     cargo bench --bench start -- --memory 0,1,4     the host holds so many GiB
//!     cargo bench --bench start -- --plot benches/start.svg
//!     COFFERDAM_BENCH_PEERS='firejail=firejail --quiet --' cargo bench --bench start
//!
//! `COFFERDAM_BENCH_PEERS` adds whole commands, one a line: `name=words in front of the program`.
#![allow(missing_docs, clippy::print_stdout)]

mod arguments;
mod by_hand;
mod floor;
mod hold;
mod plot;
mod report;
mod rounds;
mod way;

use std::time::Duration;

use arguments::Arguments;
use hold::Held;
use report::Report;
use way::Ways;

fn main() {
    let arguments = Arguments::from_command_line();
    let workspace = tempfile::tempdir_in("/var/tmp").unwrap();
    std::env::set_current_dir(workspace.path()).unwrap();
    let mut ways = Ways::new(workspace.path(), &arguments.command);
    let mut reports = Vec::new();
    for gib in &arguments.memory {
        let Some(_held) = Held::new(*gib) else {
            println!("{gib} GiB: left out, because this machine has too little memory");
            continue;
        };
        ways.hold(*gib);
        let report = Report::new(*gib, rounds::run(&mut ways, &arguments));
        report.print(&arguments);
        reports.push(report);
    }
    if let Some(file) = &arguments.plot {
        std::fs::write(file, plot::svg(&reports)).unwrap();
        println!("\n{} was written", file.display());
    }
}

/// What one start has cost.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    /// From the call to the reaped child.
    wall: Duration,
    /// Until the caller could go on, where that is known.
    blocked: Option<Duration>,
    /// Processor time of the caller and of the child with its children.
    cpu: Duration,
}
