//! How long a test waits for something that happens at once on an idle machine.

use std::thread;
use std::time::{Duration, Instant};

/// Generous, since machines that run tests are busy. Only a failing test waits so long.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// Waits until the condition holds, and says whether it ever did.
pub(crate) fn eventually(mut condition: impl FnMut() -> bool) -> bool {
    const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
    let end = Instant::now() + LIMIT;
    loop {
        if condition() {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        thread::sleep(BETWEEN_LOOKS);
    }
}
