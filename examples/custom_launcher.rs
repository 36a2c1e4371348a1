//! A launcher of one's own: commands that can gain no privileges by a set-user-ID program, and only
//! as many of them as it was told to allow.
//!
//! It shows the three things that a launcher does: it looks once whether it can work here, it wraps
//! each command or refuses, and it claims only what it has done. A refusal is a run that failed; there
//! is no way from it to an unwrapped command.
//!
//! ```text
//! cargo run --example custom_launcher
//! ```

use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use cofferdam::launcher::{Launch, LaunchError, Launcher, Plan};
use cofferdam::{Request, Runner};

/// Wraps commands with `setpriv`, as often as it was told to.
struct Rationed {
    setpriv: PathBuf,
    left: AtomicUsize,
}

impl Rationed {
    fn new(runs: usize) -> Self {
        Rationed { setpriv: PathBuf::from("/usr/bin/setpriv"), left: AtomicUsize::new(runs) }
    }
}

impl Launcher for Rationed {
    fn name(&self) -> &str {
        "rationed"
    }

    fn check(&self) -> Result<(), LaunchError> {
        match self.setpriv.exists() {
            true => Ok(()),
            false => Err(LaunchError::wrapper_missing("setpriv", "install util-linux")),
        }
    }

    fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        let take = |left: usize| left.checked_sub(1);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            return Err(LaunchError::unsupported("the ration is used up", "come back tomorrow"));
        }
        // This is no sandbox, so there is no `.sandboxed()` here.
        Ok(Launch::wrapper(&self.setpriv)
            .args(["--no-new-privs", "--"])
            .arg(plan.program())
            .args(plan.args()))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let runner = Runner::builder()
        .allow(["grep"])
        .workspace(Path::new("/"))
        .launcher(Rationed::new(1))
        .build()?;
    let request = Request::new("grep").args(["NoNewPrivs", "/proc/self/status"]);
    for _ in 0..2 {
        let payload = runner.run_blocking(request.clone())?.payload();
        writeln!(io::stdout(), "{:?}: {}{}", payload.exit, payload.stdout, payload.stderr)?;
    }
    Ok(())
}
