//! The plan, as the launcher wrote it.

use core::ffi::CStr;

use crate::protocol::{Header, Identity, Limit, Rule, Span, Step};
use crate::report::{Failure, Stage, at};
use crate::{protocol, system};

/// A mapped plan.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    bytes: &'static [u8],
}

/// One instruction of the system call filter, as the kernel takes it.
#[repr(C)]
pub(crate) struct Instruction {
    _code: u16,
    _jumps: [u8; 2],
    _operand: u32,
}

/// The bytes of a header that asks for nothing.
#[repr(align(8))]
struct Blank([u8; size_of::<Header>()]);

impl Plan {
    /// A plan of nothing.
    pub(crate) fn blank() -> Plan {
        static BLANK: Blank = Blank([0; size_of::<Header>()]);
        Plan { bytes: &BLANK.0 }
    }

    /// Maps the plan behind a descriptor and closes it.
    pub(crate) fn read(fd: i32) -> Result<Plan, Failure> {
        let stage = at(protocol::stage::PLAN);
        let length = system::length(fd).stage(stage)?;
        if length < size_of::<Header>() {
            return Err(stage.failed(system::EINVAL));
        }
        let plan = Plan { bytes: system::map(fd, length).stage(stage)? };
        system::close(fd);
        Ok(plan)
    }

    pub(crate) fn header(&self) -> &'static Header {
        // SAFETY: the mapping begins at a page, a blank one is aligned; neither is shorter than a
        // header, which is plain data.
        unsafe { &*self.bytes.as_ptr().cast() }
    }

    pub(crate) fn has(&self, flag: u32) -> bool {
        self.header().flags & flag != 0
    }

    pub(crate) fn steps(&self) -> &'static [Step] {
        self.list(self.header().steps)
    }

    /// The steps on top of the template.
    pub(crate) fn own_steps(&self) -> &'static [Step] {
        self.list(self.header().own)
    }

    /// What the template shows.
    pub(crate) fn sources(&self) -> &'static [Identity] {
        self.list(self.header().sources)
    }

    pub(crate) fn rules(&self) -> &'static [Rule] {
        self.list(self.header().rules)
    }

    pub(crate) fn limits(&self) -> &'static [Limit] {
        self.list(self.header().limits)
    }

    pub(crate) fn filter(&self) -> &'static [Instruction] {
        self.list(self.header().filter)
    }

    /// The filter that tells of what it refuses.
    pub(crate) fn telling(&self) -> &'static [Instruction] {
        self.list(self.header().telling)
    }

    /// A string of the plan.
    pub(crate) fn text(&self, offset: u32) -> &'static CStr {
        match self.bytes.get(offset as usize..).map(CStr::from_bytes_until_nul) {
            Some(Ok(text)) => text,
            _ => c"",
        }
    }

    fn list<T>(&self, span: Span) -> &'static [T] {
        let (offset, count) = (span.offset as usize, span.count as usize);
        let inside = offset + count * size_of::<T>() <= self.bytes.len();
        if !inside || offset % align_of::<T>() != 0 {
            return &[];
        }
        // SAFETY: within the mapping and aligned, as just checked; the types are plain data, which
        // the launcher wrote as such.
        unsafe { core::slice::from_raw_parts(self.bytes.as_ptr().add(offset).cast(), count) }
    }
}
