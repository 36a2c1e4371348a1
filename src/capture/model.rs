//! The buffer against a model that keeps everything and computes the promise by its definition.

use proptest::prelude::*;

use super::*;

/// Everything written, and the caps.
struct Model {
    caps: Caps,
    all: Vec<u8>,
    finished: bool,
}

/// What the definition says is kept: `readable[..head_end]` and `readable[tail_start..]`.
struct Kept<'a> {
    readable: &'a [u8],
    head_end: usize,
    tail_start: usize,
}

impl Model {
    /// All that was written, without half a character at the end of an open stream.
    fn readable(&self) -> &[u8] {
        let half = match self.all.utf8_chunks().last().map(|chunk| chunk.invalid()) {
            Some(rest) if !self.finished => match std::str::from_utf8(rest) {
                Err(error) if error.error_len().is_none() => rest.len(),
                _ => 0,
            },
            _ => 0,
        };
        &self.all[..self.all.len() - half]
    }

    fn kept(&self) -> Kept<'_> {
        let readable = self.readable();
        let boundaries = boundaries(readable);
        let head_fits = |&end: &usize| {
            // The last line that fits takes its newline along, and nothing goes beyond it.
            let begun = newlines(&readable[..end.saturating_sub(1)]);
            end == 0 || (end <= self.caps.max_bytes / 4 && begun < self.caps.max_lines / 4)
        };
        let head_end = boundaries.iter().copied().take_while(head_fits).last().unwrap();
        let head = &readable[..head_end];
        if readable.len() <= self.caps.max_bytes && lines(readable) <= self.caps.max_lines {
            return Kept { readable, head_end, tail_start: head_end };
        }
        let tail_start = boundaries
            .into_iter()
            .filter(|&start| start >= head_end)
            .find(|&start| {
                head_end + readable.len() - start <= self.caps.max_bytes
                    && lines(head) + lines(&readable[start..]) <= self.caps.max_lines
            })
            .unwrap();
        Kept { readable, head_end, tail_start }
    }
}

impl Kept<'_> {
    /// What a reader gets who has read `start` bytes.
    fn read_from(&self, start: usize) -> (String, Option<(u64, u64)>) {
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let gap_start = start.max(self.head_end);
        if gap_start >= self.tail_start {
            return (lossy(&self.readable[start..]), None);
        }
        let before = &self.readable[..gap_start];
        let gap = &self.readable[gap_start..self.tail_start];
        let text = format!(
            "{}{}[... {} bytes / {} lines dropped ...]\n{}",
            lossy(&self.readable[start..gap_start]),
            if before.last().is_some_and(|&byte| byte != b'\n') { "\n" } else { "" },
            gap.len(),
            newlines(gap),
            lossy(&self.readable[self.tail_start..]),
        );
        (text, Some((gap.len() as u64, newlines(gap) as u64)))
    }
}

fn newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}

fn lines(bytes: &[u8]) -> usize {
    newlines(bytes) + usize::from(bytes.last().is_some_and(|&byte| byte != b'\n'))
}

/// Where the bytes may be cut: around every character, and around every byte that is in none.
fn boundaries(bytes: &[u8]) -> Vec<usize> {
    let mut boundaries = vec![0];
    let mut end = 0;
    for chunk in bytes.utf8_chunks() {
        let characters = chunk.valid().chars().map(char::len_utf8);
        for length in characters.chain(chunk.invalid().iter().map(|_| 1)) {
            end += length;
            boundaries.push(end);
        }
    }
    boundaries
}

fn counts(dropped: Option<Dropped>) -> Option<(u64, u64)> {
    dropped.map(|dropped| (dropped.bytes, dropped.lines))
}

#[derive(Debug, Clone)]
enum Step {
    Write(Vec<u8>),
    Read,
}

/// Pieces of text and of characters, so that writes end anywhere.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => "[a-c]{0,6}".prop_map(String::into_bytes),
        3 => Just(b"\n".to_vec()),
        1 => Just(b"\r".to_vec()),
        3 => "[é中😀]{1,3}".prop_map(String::into_bytes),
        3 => proptest::sample::select("é中😀".as_bytes().to_vec()).prop_map(|byte| vec![byte]),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
        1 => "[ab\n]{50,90}".prop_map(String::into_bytes),
    ];
    proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![3 => bytes().prop_map(Step::Write), 1 => Just(Step::Read)];
    proptest::collection::vec(step, 0..40)
}

fn caps() -> impl Strategy<Value = Caps> {
    let max_bytes = prop_oneof![0..12_usize, 12..200_usize, Just(usize::MAX)];
    let max_lines = prop_oneof![0..12_usize, 12..60_usize, Just(usize::MAX)];
    (max_bytes, max_lines).prop_map(|(bytes, lines)| Caps::new(bytes, lines))
}

/// A reader who reads now and then, and all that it was told.
#[derive(Default)]
struct Reader {
    position: Position,
    joined: String,
    missed: u64,
}

impl Reader {
    fn read(&mut self, buffer: &Buffer, model: &Model) -> Result<(), TestCaseError> {
        let kept = model.kept();
        let instalment = buffer.read_from(self.position).unwrap();
        let expected = kept.read_from(usize::try_from(self.position.bytes).unwrap());
        prop_assert_eq!((instalment.text.clone(), counts(instalment.dropped)), expected);
        prop_assert_eq!(instalment.next.bytes, kept.readable.len() as u64);
        prop_assert_eq!(instalment.next.lines, newlines(kept.readable) as u64);
        prop_assert_eq!(instalment.eof, model.finished);
        self.joined += &instalment.text;
        self.missed += instalment.dropped.map_or(0, |dropped| dropped.bytes);
        self.position = instalment.next;
        Ok(())
    }
}

fn check_whole(buffer: &Buffer, model: &Model) -> Result<(), TestCaseError> {
    let kept = model.kept();
    let rendered = buffer.render();
    prop_assert_eq!((rendered.text, counts(rendered.dropped)), kept.read_from(0));
    prop_assert_eq!(buffer.head_len(), kept.head_end);
    let [head, tail] = [&kept.readable[..kept.head_end], &kept.readable[kept.tail_start..]];
    prop_assert_eq!(buffer.bytes(), [head, tail].concat());
    prop_assert!(buffer.bytes().len() <= model.caps.max_bytes);
    prop_assert_eq!(buffer.written().bytes, model.all.len() as u64);
    prop_assert_eq!(buffer.written().lines, newlines(&model.all) as u64);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_buffer_keeps_and_tells_what_the_definition_says(caps in caps(), steps in steps()) {
        let mut buffer = Buffer::new(caps);
        let mut model = Model { caps, all: Vec::new(), finished: false };
        let mut reader = Reader::default();
        for step in steps {
            match step {
                Step::Write(bytes) => {
                    buffer.push(&bytes);
                    model.all.extend(bytes);
                }
                Step::Read => reader.read(&buffer, &model)?,
            }
            check_whole(&buffer, &model)?;
        }
        buffer.finish();
        model.finished = true;
        check_whole(&buffer, &model)?;
        reader.read(&buffer, &model)?;
        if reader.missed == 0 {
            prop_assert_eq!(reader.joined, String::from_utf8_lossy(&model.all));
        }
    }

    #[test]
    fn how_the_writes_are_cut_makes_no_difference(
        caps in caps(),
        output in bytes(),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..8),
    ) {
        let mut whole = Buffer::new(caps);
        whole.push(&output);
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(output.len() + 1)).collect();
        cuts.sort_unstable();
        let mut pieces = Buffer::new(caps);
        let mut start = 0;
        for end in cuts.into_iter().chain([output.len()]) {
            pieces.push(&output[start..end]);
            start = end;
        }
        prop_assert_eq!(pieces.render(), whole.render());
    }

    #[test]
    fn any_position_is_answered_or_refused(
        caps in caps(),
        output in bytes(),
        bytes in 0..200_u64,
        lines in 0..30_u64,
        inside_line in any::<bool>(),
    ) {
        let mut buffer = Buffer::new(caps);
        buffer.push(&output);
        if let Ok(instalment) = buffer.read_from(Position { bytes, lines, inside_line }) {
            let written = buffer.written();
            prop_assert!(bytes <= written.bytes && lines <= written.lines);
            prop_assert!(instalment.dropped.is_none_or(|gap| gap.lines <= written.lines - lines));
        }
    }
}
