//! A plan as the bytes that the init reads.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use cofferdam_filter::Instruction;

use crate::limits;

use super::protocol::{Header, Identity, Limit, Rule, Span, Step, what};

/// A plan that is being written.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    header: Header,
    steps: Vec<Step>,
    own: Vec<Step>,
    sources: Vec<u8>,
    rules: Vec<Rule>,
    limits: Vec<Limit>,
    filter: Vec<u8>,
    telling: Vec<u8>,
    /// Strings, each with a NUL. The first is empty, so that the offset 0 means none.
    strings: Vec<u8>,
}

impl Layout {
    /// A plan with this header; the places of the lists in it are filled in at the end.
    pub(crate) fn new(header: Header) -> Self {
        Layout { header, strings: vec![0], ..Layout::default() }
    }

    pub(crate) fn step(&mut self, what: u32, flags: u32, from: &OsStr, at: &OsStr) {
        let (from, at) = (self.string(from), self.string(at));
        self.steps.push(Step { what, flags, from, at });
    }

    /// A step on top of the template.
    pub(crate) fn own_step(&mut self, what: u32, flags: u32, from: &OsStr, at: &OsStr) {
        let (from, at) = (self.string(from), self.string(at));
        self.own.push(Step { what, flags, from, at });
    }

    /// What the template shows, as the init told it.
    pub(crate) fn sources(&mut self, identities: &[u8]) {
        self.sources = identities.to_vec();
    }

    pub(crate) fn rule(&mut self, at: &OsStr, rights: u64, on_file: u64) {
        let at = self.string(at);
        self.rules.push(Rule { rights, on_file, at, unused: 0 });
    }

    pub(crate) fn limit(&mut self, limit: &limits::Limit) {
        let &limits::Limit { resource, soft, hard, .. } = limit;
        self.limits.push(Limit { resource: resource.into(), soft, hard });
    }

    pub(crate) fn filter(&mut self, bytes: &[u8]) {
        self.filter = bytes.to_vec();
    }

    /// The filter that tells of what it refuses.
    pub(crate) fn telling(&mut self, bytes: Vec<u8>) {
        self.telling = bytes;
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

    /// All of it, for any number of runs.
    pub(crate) fn draft(mut self) -> Draft {
        let mut end = size_of::<Header>();
        let mut span = |count: usize, size: usize| {
            let span = Span { offset: end as u32, count: count as u32 };
            end += count * size;
            span
        };
        self.header.steps = span(self.steps.len(), size_of::<Step>());
        self.header.rules = span(self.rules.len(), size_of::<Rule>());
        self.header.limits = span(self.limits.len(), size_of::<Limit>());
        self.header.sources =
            span(self.sources.len() / size_of::<Identity>(), size_of::<Identity>());
        self.header.own = span(self.own.len(), size_of::<Step>());
        let instruction = size_of::<Instruction>();
        self.header.filter = span(self.filter.len() / instruction, instruction);
        self.header.telling = span(self.telling.len() / instruction, instruction);
        let strings = end as u32;
        let moved = |offset: u32| if offset == 0 { strings } else { strings + offset };
        let mut bytes = Vec::with_capacity(end + self.strings.len());
        header(&mut bytes, &self.header);
        let step = |bytes: &mut Vec<u8>, step: &Step| {
            words(bytes, &[step.what, step.flags, moved(step.from), moved(step.at)]);
        };
        self.steps.iter().for_each(|it| step(&mut bytes, it));
        for rule in &self.rules {
            longs(&mut bytes, &[rule.rights, rule.on_file]);
            words(&mut bytes, &[moved(rule.at), 0]);
        }
        for limit in &self.limits {
            longs(&mut bytes, &[limit.resource, limit.soft, limit.hard]);
        }
        bytes.extend_from_slice(&self.sources);
        self.own.iter().for_each(|it| step(&mut bytes, it));
        bytes.extend_from_slice(&self.filter);
        bytes.extend_from_slice(&self.telling);
        bytes.extend_from_slice(&self.strings);
        let shows_host = |step: &&Step| [what::BIND, what::READ].contains(&step.what);
        let sources = self.steps.iter().filter(shows_host).count();
        Draft { header: self.header, bytes, sources }
    }
}

/// A plan but for what is each run's own.
#[derive(Debug)]
pub(crate) struct Draft {
    header: Header,
    bytes: Vec<u8>,
    sources: usize,
}

/// What is each run's own.
#[derive(Debug, Default)]
pub(crate) struct Particulars<'a> {
    /// The number of the descriptor for records.
    pub(crate) status: u32,
    /// The number of the template's descriptor. 0: there is none.
    pub(crate) template: u32,
    /// The number of the socket for refusals. 0: there is none.
    pub(crate) refusals: u32,
    pub(crate) program: Identity,
    /// The working directory.
    pub(crate) dir: &'a OsStr,
}

impl Draft {
    /// How many of the steps show something of the host.
    pub(crate) fn sources(&self) -> usize {
        self.sources
    }

    /// The plan of one run.
    pub(crate) fn bytes(&self, run: &Particulars<'_>) -> Vec<u8> {
        let own = Header {
            status: run.status,
            template: run.template,
            refusals: run.refusals,
            program: run.program,
            dir: self.bytes.len() as u32,
            ..self.header
        };
        let mut bytes = Vec::with_capacity(self.bytes.len() + run.dir.len() + 1);
        header(&mut bytes, &own);
        bytes.extend_from_slice(self.bytes.get(bytes.len()..).unwrap_or_default());
        bytes.extend_from_slice(run.dir.as_bytes());
        bytes.push(0);
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
    words(bytes, &[header.template, header.refusals]);
    for span in [header.own, header.sources, header.telling] {
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
        layout.step(4, 5, "".as_ref(), "/at".as_ref());
        layout.rule("/rule".as_ref(), 6, 7);
        layout.limit(&limits::Limit { resource: 8, soft: 9, hard: 9, key: "stack" });
        let run = Particulars { dir: "/dir".as_ref(), ..Particulars::default() };
        let bytes = layout.draft().bytes(&run);
        let word = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap());
        let text = |at: u32| {
            let rest = &bytes[at as usize..];
            &rest[..rest.iter().position(|byte| *byte == 0).unwrap()]
        };
        let start = size_of::<Header>();
        assert_eq!(text(word(std::mem::offset_of!(Header, dir))), b"/dir");
        assert_eq!((word(start), word(start + 4)), (4, 5));
        assert_eq!(text(word(start + 8)), b"");
        assert_eq!(text(word(start + 12)), b"/at");
        assert_eq!(text(word(start + 32)), b"/rule");
    }

    #[test]
    fn two_runs_of_a_draft_differ_in_what_is_their_own_only() {
        let draft = Layout::new(Header { scopes: 3, ..Header::default() }).draft();
        let of = |status, dir: &str| {
            draft.bytes(&Particulars { status, dir: dir.as_ref(), ..Particulars::default() })
        };
        let (one, other) = (of(7, "/a"), of(9, "/a"));
        let differing: Vec<_> = (0..one.len()).filter(|at| one[*at] != other[*at]).collect();
        assert_eq!(differing, [std::mem::offset_of!(Header, status)]);
        assert!(of(7, "/a b").ends_with(b"/a b\0"));
    }
}
