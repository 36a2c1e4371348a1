//! The ways to start a program that are compared.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cofferdam::config::LauncherChoice;
use cofferdam::{Request, Runner};
use nix::sys::resource::{UsageWho, getrusage};

use crate::Cost;
use crate::by_hand;
use crate::floor::Floor;

/// What a way belongs to, for the table and the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The bare start, to which all are compared.
    Bare,
    /// A C program.
    Floor,
    /// Ours.
    Own,
    /// Somebody else's.
    Peer,
}

pub(crate) struct Way {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    run: Run,
}

/// Starts a command from this process and waits for its end.
type Call = Box<dyn FnMut(&[String])>;

enum Run {
    Here(Call),
    Floor(Floor, String),
}

impl Way {
    /// Starts the command once. A command that does not succeed ends the measurement.
    pub(crate) fn start(&mut self, command: &[String]) -> Cost {
        match &mut self.run {
            Run::Floor(floor, word) => floor.start(word).expect("what worked once works again"),
            Run::Here(run) => {
                let (cpu, begin) = (processor_time(), Instant::now());
                run(command);
                Cost { wall: begin.elapsed(), blocked: None, cpu: processor_time() - cpu }
            }
        }
    }
}

/// All ways that work here; the first one is the bare start.
pub(crate) struct Ways {
    ways: Vec<Way>,
    floor: Option<Floor>,
}

impl Ways {
    pub(crate) fn new(workspace: &Path, command: &[String]) -> Ways {
        let mut ways = Ways { ways: Vec::new(), floor: Floor::build(workspace, command) };
        ways.add("posix_spawn", Kind::Bare, Box::new(bare));
        ways.floors();
        for (name, choice) in choices() {
            ways.through_library(name, choice, workspace);
        }
        for (name, option) in [
            ("none", "none"),
            ("landlock, no namespaces", by_hand::NO_NAMESPACES),
            ("landlock", "landlock"),
            ("bubblewrap", "bubblewrap"),
        ] {
            let front = ["run", "--launcher", option, "--"];
            let front = std::iter::once(by_hand::PROGRAM).chain(front).map(str::to_owned);
            ways.wrapped(format!("cofferdam run, {name}"), Kind::Own, front.collect(), command);
        }
        for line in std::env::var("COFFERDAM_BENCH_PEERS").unwrap_or_default().lines() {
            if let Some((name, front)) = line.split_once('=') {
                let front = front.split_whitespace().map(str::to_owned).collect();
                ways.wrapped(name.to_owned(), Kind::Peer, front, command);
            }
        }
        ways
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Way> {
        self.ways.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Way> {
        self.ways.iter_mut()
    }

    /// Lets the C program hold as much memory as this one.
    pub(crate) fn hold(&mut self, gib: u64) {
        if let Some(floor) = &mut self.floor {
            let _ = floor.start(&format!("hold {gib}"));
        }
    }

    fn add(&mut self, name: &str, kind: Kind, run: Call) {
        self.ways.push(Way { name: name.to_owned(), kind, run: Run::Here(run) });
    }

    fn floors(&mut self) {
        let Some(floor) = &mut self.floor else { return };
        let all = floor.rules();
        let rows = [
            ("C: posix_spawn".to_owned(), "spawn".to_owned(), Kind::Floor),
            ("C: fork".to_owned(), "fork".to_owned(), Kind::Floor),
            ("C: vfork".to_owned(), "vfork".to_owned(), Kind::Floor),
            ("C: vfork, 30 rules, filter".to_owned(), "confined 30".to_owned(), Kind::Floor),
            (format!("C: vfork, {all} rules, filter"), format!("confined {all}"), Kind::Floor),
            ("bwrap by hand".to_owned(), "bwrap".to_owned(), Kind::Peer),
        ];
        for (name, word, kind) in rows {
            match floor.start(&word) {
                Some(_) => {
                    self.ways.push(Way { name, kind, run: Run::Floor(floor.clone(), word) });
                }
                None => println!("{name}: left out, because it does not work here"),
            }
        }
    }

    /// A runner in this process, on one event loop, as a server has it. Captures the output.
    fn through_library(&mut self, name: &str, choice: LauncherChoice, workspace: &Path) {
        let name = format!("library, {name}");
        let runner = Runner::builder().allow_any().workspace(workspace).sandbox(choice).build();
        let runner = match runner {
            Ok(runner) => runner,
            Err(error) => return println!("{name}: left out, because {error}"),
        };
        let events = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let run = move |command: &[String]| {
            let request = Request::new(&command[0]).args(&command[1..]);
            let outcome = events.block_on(runner.run(request)).unwrap();
            assert_eq!(outcome.exit.number(), Some(0), "{:?}", outcome.payload());
        };
        self.add(&name, Kind::Own, Box::new(run));
    }

    /// A whole command in front of the program.
    fn wrapped(&mut self, name: String, kind: Kind, front: Vec<String>, command: &[String]) {
        let words = [front.as_slice(), command].concat();
        match silent(&words).status() {
            Ok(status) if status.success() => {}
            failed => return println!("{name}: left out, because it does not work: {failed:?}"),
        }
        let run = move |command: &[String]| bare(&[front.as_slice(), command].concat());
        self.add(&name, kind, Box::new(run));
    }
}

/// The launchers through the library.
fn choices() -> [(&'static str, LauncherChoice); 4] {
    let named = |name| LauncherChoice::named(name).expect("a launcher's name");
    [
        ("none", named("none")),
        ("landlock, no namespaces", by_hand::without_namespaces()),
        ("landlock", named("landlock")),
        ("bubblewrap", named("bubblewrap")),
    ]
}

/// `std` starts by `posix_spawn(3)`, which is vfork-like.
fn bare(command: &[String]) {
    let status = silent(command).status();
    assert!(status.unwrap().success(), "{command:?}");
}

fn silent(command: &[String]) -> Command {
    let mut silent = Command::new(&command[0]);
    silent.args(&command[1..]).stdin(Stdio::null()).stdout(Stdio::null());
    silent
}

/// Of this process and of all children that it has waited for.
fn processor_time() -> Duration {
    let of = |who| {
        let usage = getrusage(who).unwrap();
        let micros = |time: nix::sys::time::TimeVal| {
            time.tv_sec().unsigned_abs() * 1_000_000 + time.tv_usec().unsigned_abs()
        };
        Duration::from_micros(micros(usage.user_time()) + micros(usage.system_time()))
    };
    of(UsageWho::RUSAGE_SELF) + of(UsageWho::RUSAGE_CHILDREN)
}
