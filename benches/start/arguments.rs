//! What is asked for on the command line.

use std::path::PathBuf;

pub(crate) struct Arguments {
    pub(crate) rounds: usize,
    /// How many GiB the host holds, one measurement after the other.
    pub(crate) memory: Vec<u64>,
    pub(crate) plot: Option<PathBuf>,
    pub(crate) command: Vec<String>,
}

impl Arguments {
    /// Anything that is no option begins the command; a number before it is that of the rounds.
    pub(crate) fn from_command_line() -> Arguments {
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench").peekable();
        let mut arguments =
            Arguments { rounds: 200, memory: vec![0], plot: None, command: Vec::new() };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--memory" => {
                    let list = words.next().expect("--memory takes numbers of GiB: 0,1,4");
                    let numbers = list.split(',').map(|gib| gib.parse().expect("a number of GiB"));
                    arguments.memory = numbers.collect();
                }
                "--plot" => {
                    let file = words.next().expect("--plot takes a file");
                    let here = std::env::current_dir().unwrap();
                    arguments.plot = Some(here.join(file));
                }
                word if word.parse::<usize>().is_ok() => arguments.rounds = word.parse().unwrap(),
                _ => {
                    arguments.command = std::iter::once(word).chain(words.by_ref()).collect();
                }
            }
        }
        if arguments.command.is_empty() {
            arguments.command = vec!["/bin/true".to_owned()];
        }
        arguments
    }
}
