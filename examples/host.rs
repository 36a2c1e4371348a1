//! A host that runs what a model asks for, and lets its own configuration pick the launcher.
//!
//! ```text
//! cargo run --example host -- auto git status
//! cargo run --example host -- landlock sh -c 'echo hi > in.txt; cat in.txt'
//! ```

use std::error::Error;
use std::io::{self, Write};

use cofferdam::config::LauncherChoice;
use cofferdam::{Event, Request, Runner};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(launcher), Some(command)) = (words.next(), words.next()) else {
        return Err("usage: host LAUNCHER COMMAND [ARGUMENT]...".into());
    };

    // Once, when the host starts. What cannot work here is an error now, and not a surprise later.
    let runner = Runner::builder()
        .allow_any()
        .workspace(std::env::current_dir()?)
        .sandbox(LauncherChoice::named(&launcher).ok_or("there is no such launcher")?)
        .build()?;

    // For each command. What comes out of it is shown while it runs; dropping `live` would end it.
    let mut live = runner.spawn(Request::new(command).args(words)).await?;
    while let Some(event) = live.next_event().await {
        match event {
            Event::Stdout(bytes) => io::stdout().write_all(&bytes)?,
            Event::Stderr(bytes) => io::stderr().write_all(&bytes)?,
            Event::Ended(outcome) => {
                let payload = outcome.payload();
                let sandboxed = payload.sandbox.is_some();
                writeln!(io::stderr(), "exit {:?}, sandboxed: {sandboxed}", payload.exit)?;
                if let Some(reason) = outcome.not_started {
                    return Err(reason.into());
                }
            }
            _ => {}
        }
    }
    Ok(())
}
