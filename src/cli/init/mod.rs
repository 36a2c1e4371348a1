//! `cofferdam init`: registers this program as a server of an MCP client, once a trial has shown that
//! the client will get confined commands.
//!
//! * `registration` is what is asked for.
//! * `client` knows the clients, and `places` where they keep their files.
//! * `server` is what is registered, `entry` how it is written down; `merge` puts it into a text.
//! * `file` reads and replaces the client's file.
//! * `trial` starts the server as the client would.
//! * `told` is what the person is told; `difference` and `paint` show what changes.

mod client;
mod difference;
mod entry;
mod file;
mod merge;
mod paint;
mod places;
mod registration;
mod server;
mod told;
mod trial;

use super::args::InitArgs;
use super::report::{Failure, print};
use merge::Merged;
use registration::Registration;
use told::Done;

/// Tries the server; then shows what to put into the client's file, or puts it there.
pub(super) fn init(args: InitArgs) -> Result<u8, Failure> {
    let registration = Registration::of(&args)?;
    let file = registration.file()?;
    let merged = registration.merged(&file)?;
    let shown = registration.shown(&file, &merged);
    if args.write && !args.force && matches!(merged, Merged::Replaced(_)) {
        return Err(registration.taken(&file, &shown));
    }
    let held = registration.tried()?;
    let done = match merged {
        Merged::Same => Done::Already,
        Merged::Added(text) | Merged::Replaced(text) if args.write => {
            Done::Written(file.replace(&text, registration.fresh())?)
        }
        Merged::Added(_) => Done::Shown,
        Merged::Replaced(_) => Done::Differs,
    };
    let about = told::told(&registration, &held, &done);
    let title = registration.client.title();
    print(&format!("{title}: {}\n\n{shown}\n{about}", file.path().display()))?;
    Ok(0)
}
