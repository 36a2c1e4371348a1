//! The filters on what real programs printed, and what holds for every text.
//!
//! `testdata/index.txt` tells the exit and the command line of each capture. What a stream becomes
//! stands in `testdata/short`; where nothing stands there, it stays as it is. Run with
//! `COMPRESS_WRITE=1` to write these files anew, and read the difference.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::filter::{WrittenFilters, is_kept_always};
use super::load::SHIPPED;
use super::*;

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/compress/testdata")
}

/// What a program printed.
struct Capture {
    name: String,
    succeeded: bool,
    recipe: Recipe,
    streams: [String; 2],
}

const STREAMS: [&str; 2] = ["stdout", "stderr"];

fn captures() -> Vec<Capture> {
    let index = fs::read_to_string(testdata().join("index.txt")).unwrap();
    let read = |line: &str| {
        let (name, rest) = line.split_once(" exit ").unwrap();
        let (exit, command) = rest.split_once(" : ").unwrap();
        let mut words = command.split(' ').map(OsString::from);
        let program = words.next().unwrap();
        let streams = STREAMS.map(|stream| {
            fs::read_to_string(testdata().join(format!("{name}.{stream}"))).unwrap_or_default()
        });
        let recipe = Compressor::default().recipe(&program, &words.collect::<Vec<_>>());
        Capture { name: name.to_owned(), succeeded: exit == "0", recipe, streams }
    };
    index.lines().map(read).collect()
}

impl Capture {
    /// Both streams as they come out.
    fn short(&self) -> [String; 2] {
        let [out, err] = &self.streams;
        match self.recipe.compress(self.succeeded, out, err) {
            Some(short) => [short.stdout, short.stderr],
            None => self.streams.clone(),
        }
    }
}

#[test]
fn what_real_programs_print_becomes_what_is_written_down() {
    for capture in captures() {
        for ((stream, long), short) in STREAMS.iter().zip(&capture.streams).zip(capture.short()) {
            let expected = testdata().join(format!("short/{}.{stream}", capture.name));
            if std::env::var_os("COMPRESS_WRITE").is_some() && *long != short {
                fs::create_dir_all(expected.parent().unwrap()).unwrap();
                fs::write(&expected, &short).unwrap();
            }
            let expected = fs::read_to_string(&expected).unwrap_or_else(|_| long.clone());
            assert_eq!(short, expected, "{} {stream}", capture.name);
        }
    }
}

#[test]
fn each_filter_has_seen_success_failure_and_silence() {
    let captures = captures();
    for program in ["cargo", "git", "make", "npm", "pip", "pytest"] {
        let of_program =
            || captures.iter().filter(|one| one.name.starts_with(&format!("{program}/")));
        assert!(of_program().any(|one| one.succeeded && one.short() != one.streams), "{program}");
        assert!(of_program().any(|one| !one.succeeded), "{program}");
        let is_silent = |one: &Capture| one.streams.iter().any(String::is_empty);
        assert!(of_program().any(is_silent), "{program}");
    }
}

#[test]
fn no_pattern_of_the_shipped_filters_is_dead() {
    let lines: Vec<String> = captures()
        .iter()
        .flat_map(|capture| capture.streams.clone())
        .flat_map(|text| {
            let plain = escapes::strip(&text).replace('\r', "\n");
            plain.lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    for (file, text) in SHIPPED {
        let written: WrittenFilters = toml::from_str(text).unwrap();
        for filter in written.filters {
            let is_alive = |pattern: &str, counts: fn(&str) -> bool| {
                let pattern =
                    regex::bytes::RegexBuilder::new(pattern).unicode(false).build().unwrap();
                lines.iter().any(|line| counts(line) && pattern.is_match(line.as_bytes()))
            };
            // What stays anyway is dropped by none.
            for pattern in filter.progress.iter().chain(&filter.chatter) {
                assert!(is_alive(pattern, |line| !is_kept_always(line)), "{file}: {pattern}");
            }
            for pattern in &filter.keep {
                assert!(is_alive(pattern, |_| true), "{file}: {pattern}");
            }
        }
    }
}

/// All lines of a text, one frame each.
fn frames(text: &str) -> BTreeSet<String> {
    let plain = escapes::strip(text);
    plain.split(['\n', '\r']).map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn the_answer_stays_in_every_capture() {
    let answers = [
        ("cargo/test", "test result: ok. 4 passed; 0 failed; 1 ignored"),
        ("cargo/test", "test tests::slow ... ignored"),
        ("cargo/test-failed", "tests::two_and_two"),
        ("cargo/build-failed", "src/lib.rs:17:14"),
        ("git/log", "commit 0629373dbf87248db90a71c3bf5488d81151a784"),
        ("git/diff", "diff --git a/src/a.txt b/src/a.txt"),
        ("git/status", "new.txt"),
        ("git/pull", "src/g10.txt"),
        ("git/push", "[new branch]"),
        ("git/push-failed", "refusing to update checked out branch"),
        ("git/merge-conflict", "CONFLICT (content): Merge conflict in src/a.txt"),
        ("make/failed", "make[1]: *** [Makefile:4: a.o] Error 1"),
        ("make/failed", "Entering directory '/home/ada/mk/lib'"),
        ("make/nothing", "make: 'app' is up to date."),
        ("make/up-to-date", "make[1]: 'liba.a' is up to date."),
        ("make/nothing-below", "make[1]: Nothing to be done for 'all'."),
        ("npm/install", "added 49 packages"),
        ("npm/install-failed", "No matching version found for left-pad@99.0.0."),
        ("npm/test", "# pass 1"),
        ("pip/install", "Successfully installed iniconfig-2.3.1"),
        ("pip/install-again", "Requirement already satisfied: pytest in"),
        ("pip/install-failed", "No matching distribution found for iniconfig==999"),
        ("pytest/passed", "271 passed, 1 skipped, 1 warning"),
        ("pytest/failed", "FAILED test_bad.py::test_raises"),
        ("pytest/verbose", "test_skip.py::test_warns PASSED"),
        ("pytest/nothing", "no tests ran"),
    ];
    let captures = captures();
    for (name, answer) in answers {
        let capture = captures.iter().find(|capture| capture.name == name).unwrap();
        assert!(capture.short().iter().any(|text| text.contains(answer)), "{name}: {answer}");
    }
}

#[test]
fn no_word_is_put_in_and_nothing_that_speaks_becomes_silent() {
    for capture in captures() {
        let says_nothing =
            |streams: &[String; 2]| streams.iter().all(|text| text.trim().is_empty());
        assert_eq!(
            says_nothing(&capture.streams),
            says_nothing(&capture.short()),
            "{}",
            capture.name
        );
        for (long, short) in capture.streams.iter().zip(capture.short()) {
            let (before, after) = (frames(long), frames(&short));
            let new: Vec<_> = after.difference(&before).collect();
            assert!(new.iter().all(|line| line.starts_with("[... the line above")), "{new:?}");
        }
    }
}

#[test]
fn after_a_failure_only_progress_is_missing() {
    // What these captures hold of it, told apart by hand and not by the filters.
    let is_progress = |line: &str| {
        line.is_empty()
            || line.contains("% (")
            || ["Enumerating", "Delta compression", "Total ", "Compiling ", "remote:", "Rebasing"]
                .iter()
                .any(|word| line.trim_start().trim_end().starts_with(word))
    };
    for capture in captures().into_iter().filter(|capture| !capture.succeeded) {
        for (long, short) in capture.streams.iter().zip(capture.short()) {
            let (before, after) = (frames(long), frames(&short));
            let missing: Vec<_> =
                before.difference(&after).filter(|line| !is_progress(line)).collect();
            assert!(missing.is_empty(), "{}: {missing:?}", capture.name);
        }
    }
}

#[test]
fn the_output_of_a_program_without_a_filter_goes_through_the_generic_stages() {
    let recipe = Compressor::default().recipe("./mine".as_ref(), &[]);
    let text = "1%\r2%\r3%\n\n\n\n\u{1b}[31mred\u{1b}[0m\n";
    assert_eq!(recipe.compress(true, text, "").unwrap().stdout, "3%\n\nred\n");
    assert_eq!(recipe.compress(false, text, "").unwrap().stdout, "3%\n\n\n\nred\n");
    assert_eq!(recipe.compress(true, "as short as can be\n", ""), None);
}

#[test]
fn filters_of_the_operator_come_first() {
    let dir = tempfile::tempdir().unwrap();
    let text = "programs = [\"git\", \"mine\"]\n[[filter]]\nsubcommands = [\"log\", \"go\"]\n\
                progress = ['^tick']\nkeep = ['tock']\n";
    fs::write(dir.path().join("mine.toml"), text).unwrap();
    let compressor = Compressor::with_filters(dir.path(), Path::new("/nowhere")).unwrap();
    let long = "tick 1\ntick tock\nend\n";
    for line in [["git", "log"], ["mine", "go"]] {
        let recipe = compressor.recipe(line[0].as_ref(), &[line[1].into()]);
        assert_eq!(recipe.compress(false, long, "").unwrap().stdout, "tick tock\nend\n");
    }
    let shipped = compressor.recipe("git".as_ref(), &["diff".into()]);
    assert_eq!(shipped.compress(true, "a\n\n\n\nb\n", ""), None);
}

/// Texts made of what programs print, whole and in pieces.
fn any_text() -> impl Strategy<Value = String> {
    let lines: Vec<String> = captures()
        .into_iter()
        .flat_map(|capture| capture.streams)
        .flat_map(|text| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>())
        .filter(|line| line.len() < 400)
        .collect();
    const PIECES: &[&str] =
        &["\n", "\r", "\r\n", "\u{1b}[", "\u{1b}", "31m", " ", "error", "\u{9b}", "é"];
    let piece = prop_oneof![
        4 => proptest::sample::select(lines),
        2 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let repeated = (piece, 1..5_usize).prop_map(|(piece, times)| piece.repeat(times));
    proptest::collection::vec(repeated, 0..30).prop_map(|pieces| pieces.concat())
}

#[test]
fn a_count_goes_with_the_line_that_it_counts() {
    let recipe = Compressor::default().recipe("cargo".as_ref(), &["test".into()]);
    let line = "    Updating example.org index\n";
    let folded = format!("{line}[... the line above 2 more times ...]\n");
    // Nothing but progress stays, shorter, and stays so.
    let short = recipe.compress(false, &line.repeat(3), "").unwrap();
    assert_eq!(short.stdout, folded);
    assert_eq!(recipe.compress(false, &folded, ""), None);
    let short = recipe.compress(false, &format!("{folded}what matters\n"), "").unwrap();
    assert_eq!(short.stdout, "what matters\n");
}

proptest! {
    #[test]
    fn it_is_never_longer_keeps_what_must_stay_and_is_done_after_one_time(
        text in any_text(),
        program in proptest::sample::select(&["cargo test", "git fetch", "make", "npm ci", "pip install", "pytest", "x"][..]),
        succeeded: bool,
    ) {
        let mut words = program.split(' ');
        let command = words.next().unwrap();
        let args: Vec<OsString> = words.map(OsString::from).collect();
        let recipe = Compressor::default().recipe(command.as_ref(), &args);
        let short = recipe.compress(succeeded, &text, "").map_or(text.clone(), |short| short.stdout);
        prop_assert!(short.len() <= text.len());
        prop_assert_eq!(escapes::strip(&text).trim().is_empty(), short.trim().is_empty());
        let after = frames(&short);
        for line in frames(&text) {
            prop_assert!(!recipe.keeps(&line) || after.contains(&line), "{line:?} is lost");
        }
        prop_assert_eq!(recipe.compress(succeeded, &short, ""), None);
    }
}
