//! The C program beside this one: built with `cc` where there is one, and spoken to over pipes.

use std::cell::RefCell;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use crate::Cost;
use crate::by_hand;

/// A running floor program. Clones speak to the same one.
#[derive(Clone)]
pub(crate) struct Floor(Rc<RefCell<Talk>>);

struct Talk {
    child: Child,
    words: ChildStdin,
    answers: BufReader<ChildStdout>,
    rules: usize,
}

impl Floor {
    /// `None`, with a word, where it cannot be built or started.
    pub(crate) fn build(folder: &Path, command: &[String]) -> Option<Floor> {
        let program = folder.join("floor");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/floor/floor.c");
        let built = Command::new("cc").args(["-O2", "-o"]).arg(&program).arg(source).status();
        if !built.is_ok_and(|status| status.success()) {
            println!("the C floors: left out, because there is no `cc` that builds them");
            return None;
        }
        let [filter, rules, line] = ["filter", "rules", "line"].map(|name| folder.join(name));
        let opened = by_hand::paths(folder);
        fs::write(&filter, by_hand::filter()).unwrap();
        fs::write(&rules, opened.join("\n")).unwrap();
        fs::write(&line, by_hand::bwrap_line(&filter, command).join("\n")).unwrap();
        let mut child = Command::new(program)
            .args([filter, rules, line])
            .arg("--")
            .args(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let (words, answers) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        Some(Floor(Rc::new(RefCell::new(Talk { child, words, answers, rules: opened.len() }))))
    }

    /// How many path rules a policy like ours has.
    pub(crate) fn rules(&self) -> usize {
        self.0.borrow().rules
    }

    /// One start in this way. `None` where it does not work.
    pub(crate) fn start(&self, way: &str) -> Option<Cost> {
        let talk = &mut *self.0.borrow_mut();
        writeln!(talk.words, "{way}").ok()?;
        let mut answer = String::new();
        talk.answers.read_line(&mut answer).ok()?;
        let numbers: Vec<f64> =
            answer.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [wall, blocked, cpu] = numbers[..] else { return None };
        let time = |micros: f64| Duration::from_secs_f64(micros / 1e6);
        Some(Cost { wall: time(wall), blocked: Some(time(blocked)), cpu: time(cpu) })
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
