//! The launcher itself.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cofferdam_launcher::{Launch, LaunchError, Launcher, Plan, Scratch, WrapperEnd};
use cofferdam_profiles::{NetworkMode, Policy};
use cofferdam_view::gaps::{Gap, accept, missing};

use crate::gaps;
use crate::places::Places;
use crate::profile::Profile;
use crate::trial::SANDBOX_EXEC;
use crate::{NAME, blame, format, inside, services, trial};

/// Runs commands under `/usr/bin/sandbox-exec`.
#[derive(Debug)]
pub struct Seatbelt {
    policy: Arc<Policy>,
    gaps: Vec<Gap>,
    missing: Arc<[String]>,
}

impl Seatbelt {
    /// A launcher for this policy. Whether it can enforce it here is for [`Launcher::check`] to tell.
    pub fn new(policy: Arc<Policy>) -> Self {
        let gaps = gaps::of(&policy);
        Seatbelt { missing: missing(&gaps).into(), gaps, policy }
    }

    /// The policy that it enforces.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// The places of one run. What is to be protected and has come to be since the policy was read is
    /// among them.
    pub(crate) fn places(&self, scratch: Option<&Scratch>) -> Places {
        let exists = |path: &Path| path.symlink_metadata().is_ok();
        Places::of(&self.policy.filesystem, &self.policy.network, scratch, &exists)
    }

    /// The places and the profile of a command that can run under them.
    fn prepare(&self, plan: &Plan) -> Result<Profile, LaunchError> {
        let scratch = plan.scratch().map(physical).transpose()?;
        let places = self.places(scratch.as_ref());
        inside::admit(plan, &places)?;
        Ok(Profile::of(&self.policy, &places))
    }

    /// The profile of a run without folders of its own.
    fn plain_profile(&self) -> Profile {
        Profile::of(&self.policy, &self.places(None))
    }
}

/// The folders of a run without links: on macOS the usual place for them, `/var`, is one.
fn physical(scratch: &Scratch) -> Result<Scratch, LaunchError> {
    let real = |path: &PathBuf| {
        path.canonicalize().map_err(|source| LaunchError::Path { path: path.clone(), source })
    };
    Ok(Scratch { tmp: real(&scratch.tmp)?, home: real(&scratch.home)? })
}

impl Launcher for Seatbelt {
    fn name(&self) -> &str {
        NAME
    }

    /// Runs `true` under the profile of a real run, and sees to it that the policy asks for nothing
    /// that cannot be done here.
    fn check(&self) -> Result<(), LaunchError> {
        trial::run(&self.plain_profile())?;
        accept(NAME, &self.gaps, &self.policy.best_effort)
    }

    fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        accept(NAME, &self.gaps, &self.policy.best_effort)?;
        let profile = self.prepare(plan)?;
        format::admit(plan.program())?;
        Ok(Launch::wrapper(SANDBOX_EXEC)
            .args(profile.options())
            .arg(plan.program())
            .args(plan.args())
            .missing(Arc::clone(&self.missing))
            .sandboxed())
    }

    fn blame(&self, end: &WrapperEnd<'_>) -> Option<LaunchError> {
        blame::judge(end, || trial::run(&self.plain_profile()))
    }

    fn missing(&self) -> &[String] {
        &self.missing
    }

    fn explain(&self, plan: &Plan) -> Result<String, LaunchError> {
        let profile = self.prepare(plan)?;
        let mut text = format!("{SANDBOX_EXEC} -p PROFILE");
        // Writing to a string cannot fail.
        for definition in profile.definitions() {
            let _ = write!(text, " \\\n  -D {definition:?}");
        }
        let _ = write!(text, " \\\n  -- {:?}", plan.program());
        for arg in plan.args() {
            let _ = write!(text, " {arg:?}");
        }
        let _ = write!(text, "\n\nPROFILE:\n{}Mach services in it:\n", profile.text());
        for service in services::open(self.policy.network.mode == NetworkMode::On) {
            let _ = writeln!(text, "  {}: {}", service.name, service.reason);
        }
        Ok(text)
    }
}
