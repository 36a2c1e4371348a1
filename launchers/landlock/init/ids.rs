//! The ids of a run: the caller's own, inside as outside.

use core::ffi::CStr;

use crate::system::{self, Descriptor};

/// The user and the group of a run.
#[derive(Clone, Copy)]
pub(crate) struct Ids {
    user: u32,
    group: u32,
}

impl Ids {
    /// Those of the calling process.
    pub(crate) fn own() -> Ids {
        Ids { user: system::user(), group: system::group() }
    }

    /// Maps them to themselves in the user namespace that the calling process has just made: git and
    /// others compare owners. `host` is the root of the host's files, with its `/proc`.
    pub(crate) fn keep(self, host: &Descriptor) -> Result<(), u32> {
        write_file(host, c"proc/self/setgroups", b"deny")?;
        let mut line = [0; Line::LONGEST];
        write_file(host, c"proc/self/uid_map", Line::of(self.user, &mut line))?;
        write_file(host, c"proc/self/gid_map", Line::of(self.group, &mut line))
    }
}

fn write_file(host: &Descriptor, path: &CStr, text: &[u8]) -> Result<(), u32> {
    let file = system::open_to_write(host.number(), path)?;
    system::write_all(file.number(), text)
}

/// A line of an id map.
struct Line;

impl Line {
    /// Two numbers of ten digits, blanks, and a 1.
    const LONGEST: usize = 24;

    /// `ID ID 1`, written from its end.
    fn of(id: u32, buffer: &mut [u8; Line::LONGEST]) -> &[u8] {
        let mut start = Line::LONGEST;
        let mut put = |byte: u8| {
            start = start.saturating_sub(1);
            if let Some(place) = buffer.get_mut(start) {
                *place = byte;
            }
        };
        put(b'1');
        for _ in 0..2 {
            put(b' ');
            let mut rest = id;
            loop {
                put(b'0' + (rest % 10) as u8);
                rest /= 10;
                if rest == 0 {
                    break;
                }
            }
        }
        buffer.get(start..).unwrap_or_default()
    }
}
