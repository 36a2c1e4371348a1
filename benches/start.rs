//! What it costs to start one small program: bare, through the library, and through `cofferdam run`.
//!
//! The ways take turns within every round, so that a slow second of the machine hurts all of them
//! alike, and each round gives a ratio to the bare start of the same round.
//!
//!     cargo bench --bench start                       200 rounds of /bin/true
//!     cargo bench --bench start -- 500 /usr/bin/git --version
//!     COFFERDAM_BENCH_PEERS='bwrap=bwrap --ro-bind / / --' cargo bench --bench start
//!
//! `COFFERDAM_BENCH_PEERS` adds whole commands, one a line: `name=words in front of the program`.
#![allow(missing_docs, clippy::print_stdout)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cofferdam::config::LauncherChoice;
use cofferdam::{Request, Runner};

type Way = Box<dyn FnMut(&[String])>;

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench").peekable();
    let rounds = words.next_if(|word| word.parse::<u32>().is_ok());
    let rounds: u32 = rounds.and_then(|word| word.parse().ok()).unwrap_or(200);
    let command: Vec<String> = words.collect();
    let command = if command.is_empty() { vec!["/bin/true".to_owned()] } else { command };
    let workspace = tempfile::tempdir_in("/var/tmp").unwrap();

    let mut ways: Vec<(String, Way)> = vec![("posix_spawn".to_owned(), Box::new(bare))];
    for name in ["none", "landlock", "bubblewrap"] {
        library(name, workspace.path(), &mut ways);
    }
    for name in ["none", "landlock", "bubblewrap"] {
        let front = ["run", "--launcher", name, "--"].map(str::to_owned);
        let program = env!("CARGO_BIN_EXE_cofferdam").to_owned();
        wrapped(
            format!("cofferdam run, {name}"),
            [vec![program], front.to_vec()].concat(),
            &mut ways,
        );
    }
    for line in std::env::var("COFFERDAM_BENCH_PEERS").unwrap_or_default().lines() {
        if let Some((name, front)) = line.split_once('=') {
            let front = front.split_whitespace().map(str::to_owned).collect();
            wrapped(name.to_owned(), front, &mut ways);
        }
    }
    std::env::set_current_dir(workspace.path()).unwrap();
    measure(rounds, &command, &mut ways);
}

/// `std` starts by `posix_spawn(3)`, which is vfork-like.
fn bare(command: &[String]) {
    let status = Command::new(&command[0]).args(&command[1..]).stdout(Stdio::null()).status();
    assert!(status.unwrap().success());
}

/// A runner in this process, on one event loop, as a server has it. Captures the output.
fn library(name: &str, workspace: &std::path::Path, ways: &mut Vec<(String, Way)>) {
    let choice = LauncherChoice::named(name).expect("a launcher's name");
    let runner = Runner::builder().allow_any().workspace(workspace).sandbox(choice).build();
    let runner = match runner {
        Ok(runner) => runner,
        Err(error) => return println!("library, {name}: left out, because {error}"),
    };
    let events = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let run = move |command: &[String]| {
        let request = Request::new(&command[0]).args(&command[1..]);
        let outcome = events.block_on(runner.run(request)).unwrap();
        assert_eq!(outcome.exit.number(), Some(0), "{:?}", outcome.payload());
    };
    ways.push((format!("library, {name}"), Box::new(run)));
}

/// A whole command in front of the program.
fn wrapped(name: String, front: Vec<String>, ways: &mut Vec<(String, Way)>) {
    let run = move |command: &[String]| {
        let words = [front.as_slice(), command].concat();
        bare(&words);
    };
    ways.push((name, Box::new(run)));
}

fn measure(rounds: u32, command: &[String], ways: &mut [(String, Way)]) {
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); ways.len()];
    for round in 0..rounds + 2 {
        for (way, times) in ways.iter_mut().zip(&mut times) {
            let begin = Instant::now();
            way.1(command);
            // The first rounds fill the caches.
            if round >= 2 {
                times.push(begin.elapsed());
            }
        }
    }
    println!("{rounds} rounds of {}", command.join(" "));
    println!("{:<28} {:>9} {:>9} {:>7}", "", "min us", "median us", "ratio");
    for ((name, _), own) in ways.iter().zip(&times) {
        let ratios =
            own.iter().zip(&times[0]).map(|(own, bare)| own.as_secs_f64() / bare.as_secs_f64());
        let ratio = median(ratios.collect());
        let micros: Vec<f64> = own.iter().map(|time| time.as_secs_f64() * 1e6).collect();
        let least = micros.iter().copied().fold(f64::INFINITY, f64::min);
        println!("{name:<28} {least:>9.0} {:>9.0} {ratio:>7.2}", median(micros.clone()));
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
