//! What a start with private namespaces costs, beside the bare start and beside a C program that makes
//! the same calls (`floor/namespaces.c`, built with `cc` when there is one).
//!
//!     cargo bench --bench namespaces                  200 rounds, profile workspace
//!     cargo bench --bench namespaces -- 500 strict
//!
//! On a busy machine put `nice -n -20` or `chrt --fifo 1` in front of it, and read the minima.
#![allow(missing_docs, clippy::print_stdout)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cofferdam::config::LauncherChoice;
use cofferdam::{Request, Runner};
use cofferdam_landlock::{Landlock, Options};
use cofferdam_launcher::{Launcher, Plan};
use cofferdam_profiles::{Context, Grants, Source, resolve};

const PROGRAM: &str = "/bin/true";

/// One way to start the program. Returns how long it took.
type Way = Box<dyn FnMut() -> Duration>;

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench").peekable();
    let rounds = words.next_if(|word| word.parse::<u32>().is_ok());
    let rounds: u32 = rounds.and_then(|word| word.parse().ok()).unwrap_or(200);
    let profile = words.next().unwrap_or_else(|| "workspace".to_owned());
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let workspace = folder.path().join("workspace");
    std::fs::create_dir(&workspace).unwrap();
    std::env::set_current_dir(&workspace).unwrap();

    let mut ways: Vec<(&str, Way)> = vec![("posix_spawn", Box::new(bare))];
    ways.push(("library, none", later_run("none", &profile, &workspace)));
    ways.push(("landlock, first run", first_run(&profile, &workspace)));
    ways.push(("landlock, later run", later_run("landlock", &profile, &workspace)));
    match Floor::build(folder.path(), &view(&profile, &workspace)) {
        Ok(mut floor) => ways.push(("C, the same calls", Box::new(move || floor.start()))),
        Err(reason) => println!("C, the same calls: left out, because {reason}"),
    }
    measure(rounds, &profile, &mut ways);
}

/// `std` starts by `posix_spawn(3)`, which is vfork-like.
fn bare() -> Duration {
    let begin = Instant::now();
    let status = Command::new(PROGRAM).stdout(Stdio::null()).status();
    assert!(status.unwrap().success());
    begin.elapsed()
}

fn runner(launcher: &str, profile: &str, workspace: &Path) -> Runner {
    let choice = LauncherChoice::named(launcher).expect("a launcher's name");
    let mut builder = Runner::builder().allow_any().workspace(workspace).sandbox(choice);
    if launcher != "none" {
        builder = builder.profile(Source::from_value(profile.into()).expect("a profile's name"));
    }
    builder.build().expect("the launcher works here")
}

fn run(events: &tokio::runtime::Runtime, runner: &Runner) -> Duration {
    let begin = Instant::now();
    let outcome = events.block_on(runner.run(Request::new(PROGRAM))).unwrap();
    let time = begin.elapsed();
    assert_eq!(outcome.exit.number(), Some(0), "{:?}", outcome.payload());
    time
}

fn events() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// The first run of a tool: its view is built for it alone. Making the tool is not counted.
fn first_run(profile: &str, workspace: &Path) -> Way {
    let (profile, workspace, events) = (profile.to_owned(), workspace.to_owned(), events());
    Box::new(move || run(&events, &runner("landlock", &profile, &workspace)))
}

/// Any run after the second of a tool.
fn later_run(launcher: &str, profile: &str, workspace: &Path) -> Way {
    let (runner, events) = (runner(launcher, profile, workspace), events());
    for _ in 0..3 {
        run(&events, &runner);
    }
    Box::new(move || run(&events, &runner))
}

/// What the launcher shows to a run, one thing a line.
fn view(profile: &str, workspace: &Path) -> String {
    let source = Source::from_value(profile.into()).unwrap();
    let policy =
        resolve(&source, &Grants::default(), &Context::from_environment(workspace)).unwrap();
    let launcher = Landlock::new(Options::default(), Arc::new(policy)).unwrap();
    let text = launcher.explain(&Plan::new(PROGRAM, PROGRAM, workspace)).unwrap();
    let mounts = text.lines().filter_map(|line| line.strip_prefix("mount"));
    let line = |line: &str| {
        let (path, what) = line.trim_start().split_once("  ")?;
        match what.split_once("link to ") {
            Some((_, target)) => Some(format!("l {path} {target}\n")),
            None if ["read", "write"].contains(&what) => Some(format!("{} {path}\n", &what[..1])),
            None => None,
        }
    };
    mounts.filter_map(line).collect()
}

/// The C program. It makes a template of its own, and starts the program once for every line that it
/// is sent.
struct Floor {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Floor {
    fn build(folder: &Path, view: &str) -> Result<Floor, String> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/floor/namespaces.c");
        let program: PathBuf = folder.join("floor");
        let mut compiler = Command::new("cc");
        compiler.args(["-O2", "-static", "-o"]).arg(&program).arg(source);
        match compiler.status() {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("cc failed: {status}")),
            Err(error) => return Err(format!("there is no cc: {error}")),
        }
        let list = folder.join("view");
        std::fs::write(&list, view).map_err(|error| error.to_string())?;
        let mut child = Command::new(&program)
            .arg(&list)
            .arg(PROGRAM)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut floor = Floor { child, answers };
        match floor.answer().as_str() {
            "ready" => Ok(floor),
            _ => Err("it could not make its template".to_owned()),
        }
    }

    fn start(&mut self) -> Duration {
        self.child.stdin.as_mut().expect("a pipe").write_all(b"\n").unwrap();
        let answer = self.answer();
        Duration::from_nanos(answer.parse().expect("the time of a start"))
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// The ways take turns within every round, so that a slow second of the machine hurts all alike.
fn measure(rounds: u32, profile: &str, ways: &mut [(&str, Way)]) {
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); ways.len()];
    for round in 0..rounds + 2 {
        for (way, times) in ways.iter_mut().zip(&mut times) {
            let time = way.1();
            // The first rounds fill the caches.
            if round >= 2 {
                times.push(time.as_secs_f64() * 1e6);
            }
        }
    }
    println!("{rounds} rounds of {PROGRAM}, profile {profile}");
    println!("{:<24} {:>8} {:>8} {:>8} {:>8}", "", "min us", "tenth", "median", "ratio");
    for ((name, _), own) in ways.iter().zip(&times) {
        let ratios = own.iter().zip(&times[0]).map(|(own, bare)| own / bare).collect();
        let at = |part| rank(own.clone(), part);
        let ratio = rank(ratios, 0.5);
        println!("{name:<24} {:>8.0} {:>8.0} {:>8.0} {ratio:>8.2}", at(0.0), at(0.1), at(0.5));
    }
}

fn rank(mut values: Vec<f64>, part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(part * values.len() as f64) as usize]
}
