//! A plan as the bytes that the init reads.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use cofferdam_filter::Instruction;

use super::protocol::{Header, Identity, Limit, Rule, Span, Step};

/// A plan that is being written.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    header: Header,
    steps: Vec<Step>,
    rules: Vec<Rule>,
    limits: Vec<Limit>,
    filter: Vec<u8>,
    filter_count: usize,
    /// Strings, each with a NUL. The first is empty, so that the offset 0 means none.
    strings: Vec<u8>,
}

impl Layout {
    /// A plan with this header; the places of the lists in it are filled in at the end.
    pub(crate) fn new(header: Header) -> Self {
        Layout { header, strings: vec![0], ..Layout::default() }
    }

    /// The working directory of the command.
    pub(crate) fn dir(&mut self, dir: &OsStr) {
        self.header.dir = self.string(dir);
    }

    /// What the program is.
    pub(crate) fn program(&mut self, program: Identity) {
        self.header.program = program;
    }

    pub(crate) fn step(&mut self, what: u32, flags: u32, from: &OsStr, at: &OsStr) {
        let (from, at) = (self.string(from), self.string(at));
        self.steps.push(Step { what, flags, from, at });
    }

    pub(crate) fn rule(&mut self, at: &OsStr, rights: u64, on_file: u64) {
        let at = self.string(at);
        self.rules.push(Rule { rights, on_file, at, unused: 0 });
    }

    pub(crate) fn limit(&mut self, resource: u32, value: u64) {
        self.limits.push(Limit { resource: resource.into(), value });
    }

    pub(crate) fn filter(&mut self, bytes: &[u8]) {
        self.filter_count = bytes.len() / size_of::<Instruction>();
        self.filter = bytes.to_vec();
    }

    /// A string's place among the strings. A NUL cannot be in a path of a policy, and ends the string
    /// of any other.
    fn string(&mut self, text: &OsStr) -> u32 {
        if text.is_empty() {
            return 0;
        }
        let at = self.strings.len();
        self.strings.extend_from_slice(text.as_bytes());
        self.strings.push(0);
        at as u32
    }

    /// All of it.
    pub(crate) fn bytes(mut self) -> Vec<u8> {
        let mut end = size_of::<Header>();
        let mut span = |count: usize, size: usize| {
            let span = Span { offset: end as u32, count: count as u32 };
            end += count * size;
            span
        };
        self.header.steps = span(self.steps.len(), size_of::<Step>());
        self.header.rules = span(self.rules.len(), size_of::<Rule>());
        self.header.limits = span(self.limits.len(), size_of::<Limit>());
        self.header.filter = span(self.filter_count, size_of::<Instruction>());
        let strings = end as u32;
        let moved = |offset: u32| if offset == 0 { strings } else { strings + offset };
        if self.header.dir != 0 {
            self.header.dir += strings;
        }
        let mut bytes = Vec::with_capacity(end + self.strings.len());
        header(&mut bytes, &self.header);
        for step in &self.steps {
            words(&mut bytes, &[step.what, step.flags, moved(step.from), moved(step.at)]);
        }
        for rule in &self.rules {
            longs(&mut bytes, &[rule.rights, rule.on_file]);
            words(&mut bytes, &[moved(rule.at), 0]);
        }
        for limit in &self.limits {
            longs(&mut bytes, &[limit.resource, limit.value]);
        }
        bytes.extend_from_slice(&self.filter);
        bytes.extend_from_slice(&self.strings);
        bytes
    }
}

/// The header's fields in their order, which leaves no gaps.
fn header(bytes: &mut Vec<u8>, header: &Header) {
    words(bytes, &[header.program.major, header.program.minor]);
    longs(bytes, &[header.program.inode, header.governed, header.scopes]);
    words(bytes, &[header.namespaces, header.status, header.flags, header.dir]);
    for span in [header.steps, header.rules, header.limits, header.filter] {
        words(bytes, &[span.offset, span.count]);
    }
}

fn words(bytes: &mut Vec<u8>, values: &[u32]) {
    values.iter().for_each(|value| bytes.extend_from_slice(&value.to_ne_bytes()));
}

fn longs(bytes: &mut Vec<u8>, values: &[u64]) {
    values.iter().for_each(|value| bytes.extend_from_slice(&value.to_ne_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_written_without_gaps() {
        let mut bytes = Vec::new();
        header(&mut bytes, &Header::default());
        assert_eq!(bytes.len(), size_of::<Header>());
        assert_eq!(size_of::<Header>() % 8, 0);
        for size in [size_of::<Step>(), size_of::<Rule>(), size_of::<Limit>()] {
            assert_eq!(size % 8, 0);
        }
    }

    #[test]
    fn strings_are_where_the_entries_say() {
        let mut layout = Layout::new(Header::default());
        layout.dir("/dir".as_ref());
        layout.step(4, 5, "".as_ref(), "/at".as_ref());
        layout.rule("/rule".as_ref(), 6, 7);
        layout.limit(8, 9);
        let bytes = layout.bytes();
        let word = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap());
        let text = |at: u32| {
            let rest = &bytes[at as usize..];
            &rest[..rest.iter().position(|byte| *byte == 0).unwrap()]
        };
        let start = size_of::<Header>();
        assert_eq!(text(word(start - 36)), b"/dir");
        assert_eq!((word(start), word(start + 4)), (4, 5));
        assert_eq!(text(word(start + 8)), b"");
        assert_eq!(text(word(start + 12)), b"/at");
        assert_eq!(text(word(start + 32)), b"/rule");
    }
}
