//! Memory that the host holds, every page of it touched.

use std::fs;

pub(crate) struct Held(Vec<u8>);

impl Held {
    /// `None` where the machine has not twice as much to give: the C program holds as much again.
    pub(crate) fn new(gib: u64) -> Option<Held> {
        let bytes = gib << 30;
        if bytes > 0 && available() < 2 * bytes + (1 << 30) {
            return None;
        }
        let mut held = Vec::<u8>::with_capacity(usize::try_from(bytes).ok()?);
        for page in held.spare_capacity_mut().chunks_mut(4096) {
            page[0].write(1);
        }
        Some(Held(std::hint::black_box(held)))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        std::hint::black_box(&mut self.0);
    }
}

/// In bytes (`proc(5)`, /proc/meminfo).
fn available() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
