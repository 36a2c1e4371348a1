//! The numbers that hold where nothing else is written, and the limits of what may be written. Each
//! stands here once.

use std::time::Duration;

use super::elements::Limit;

/// `timeout`: how long a foreground run may take. Most commands are done in a second; clients give
/// up on a call after 60 seconds, and half of that leaves the answer time to be useful.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// `validator.timeout`: how long a validator may take. A rule is looked up in milliseconds; one that
/// asks over the network gets a few tries, and a call is still answered within its own timeout.
pub const VALIDATOR_TIMEOUT: Duration = Duration::from_secs(5);

/// `job-ttl`: how long a finished job can still be polled. Ten minutes, since a model may think, or
/// wait for its person, between two polls.
pub const JOB_TTL: Duration = Duration::from_secs(600);

/// The longest time that any setting or argument can mean; longer ones are taken as this. Thirty
/// years added to the present never overflow a clock, and no run lasts as long.
pub const LONGEST: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// `max-output-bytes`, for each of the two streams.
///
/// The default is about 4,000 tokens, so that a run with both streams full fits any model's window
/// a dozen times. Below the floor, head, marker and tail hold no line worth reading. The ceiling is
/// what a server can keep for every job at once and a client still takes as one message.
pub const MAX_OUTPUT_BYTES: Limit = Limit {
    default: 16 * 1024,
    least: 1024,
    most: 64 * 1024 * 1024,
    what: "a whole number of bytes",
};

/// `max-output-lines`, for each of the two streams.
///
/// The default lets lines of eight bytes use up the default of [`MAX_OUTPUT_BYTES`]. The floor
/// leaves a head of two lines. A line has at least one byte, so the ceiling is that of the bytes.
pub const MAX_OUTPUT_LINES: Limit = Limit {
    default: 2000,
    least: 10,
    most: MAX_OUTPUT_BYTES.most,
    what: "a whole number of lines",
};

/// `max-file-bytes`: how large a file may become that takes the output of a run.
///
/// The default is what no log of a build exceeds, and a disk has room for. Below the floor a file is no
/// better than an answer. The ceiling is what most file systems can hold in one file.
pub const MAX_FILE_BYTES: Limit = Limit {
    default: 64 * 1024 * 1024,
    least: 1024,
    most: 1024 * 1024 * 1024 * 1024,
    what: "a whole number of bytes",
};

/// `max-jobs`: how many background jobs run at once.
///
/// Eight are more than a model follows at a time, and few enough that leaked ones are noticed. A job
/// needs about five descriptors, and systems hand out a few thousand to a process.
pub const MAX_JOBS: Limit = Limit { default: 8, least: 1, most: 1024, what: "a whole number" };

/// `max-finished-jobs`: how many finished jobs keep their output.
///
/// Four rounds of the default of [`MAX_JOBS`]. A finished job holds no descriptors, but its output.
pub const MAX_FINISHED_JOBS: Limit =
    Limit { default: 32, least: 1, most: 4096, what: "a whole number" };

/// The prefix of the tools' names where none is written.
pub const PREFIX: &str = "sh";

/// The longest name of a tool, in characters, its prefix included. Clients put their own prefix and
/// the server's name in front, and drop what is then longer than 60 characters.
pub const LONGEST_TOOL_NAME: usize = 40;

/// The server's name where the command line makes the configuration.
pub const SERVER_NAME: &str = "cofferdam";

/// `profile`: work in one directory, read the system, no network. It holds where a launcher takes a
/// profile and none is written.
pub const PROFILE: &str = "workspace";
