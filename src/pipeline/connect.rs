//! The pipes between the stages of a pipeline.

use std::io;
use std::os::fd::OwnedFd;

use crate::spawn::{Stream, widen_pipe};

/// The three streams of each of `count` stages, at least one: input goes to the first, the output comes
/// from the last, errors from all. Every descriptor has one owner here, so that each pipe is closed in
/// this process as soon as the stages have their ends.
pub(crate) fn connect(streams: [Stream; 3], count: usize) -> io::Result<Vec<[Stream; 3]>> {
    let [mut input, output, errors] = streams;
    let mut stages = Vec::with_capacity(count);
    for _ in 1..count {
        let (read, write) = io::pipe()?;
        widen_pipe(&write);
        let write = Stream::Given(OwnedFd::from(write));
        let next = Stream::Given(OwnedFd::from(read));
        stages.push([std::mem::replace(&mut input, next), write, errors.try_clone()?]);
    }
    stages.push([input, output, errors]);
    Ok(stages)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Write};

    use super::*;

    fn streams() -> [Stream; 3] {
        [Stream::Inherited, Stream::Inherited, Stream::Inherited]
    }

    fn file(stream: Stream) -> File {
        match stream {
            Stream::Given(fd) => fd.into(),
            Stream::Inherited => panic!("no descriptor of its own"),
        }
    }

    #[test]
    fn one_stage_has_the_streams_of_the_run() {
        let stages = connect(streams(), 1).unwrap();
        let [[Stream::Inherited, Stream::Inherited, Stream::Inherited]] = &stages[..] else {
            panic!("{stages:?}");
        };
    }

    #[test]
    fn the_output_of_each_stage_is_the_input_of_the_next_and_of_no_other() {
        let mut stages = connect(streams(), 3).unwrap().into_iter();
        let [first, second, third] = std::array::from_fn(|_| stages.next().unwrap());
        let [_, first_out, _] = first;
        let [second_in, second_out, _] = second;
        let [third_in, Stream::Inherited, _] = third else { panic!("the last writes elsewhere") };
        for (output, input) in [(first_out, second_in), (second_out, third_in)] {
            file(output).write_all(b"hi").unwrap();
            let mut text = String::new();
            file(input).read_to_string(&mut text).unwrap();
            assert_eq!(text, "hi", "and an end, since nobody else has the writing end");
        }
    }
}
