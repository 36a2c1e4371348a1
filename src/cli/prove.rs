//! `cofferdam check --prove`: tries on this machine whether a launcher keeps what it promises.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cofferdam_battery::{CLASSES, Class, Found, Kind, Promise, Stage, Subject, attempt, rule};
use cofferdam_profiles::{Access, NetworkMode, Policy, UnixSockets};

use super::args::{CheckArgs, GrantArgs, PolicyArgs};
use super::exit;
use super::proof::{Proof, Tried};
use super::report::{Failure, print, print_json};
use crate::builder;
use crate::config::LauncherChoice;
use crate::registry::{self, Purpose};

/// Tries every promise, and tells.
pub(super) fn prove(args: &CheckArgs) -> Result<u8, Failure> {
    let option = args.launcher.as_deref().unwrap_or("auto");
    let choice = LauncherChoice::from_option(option)?;
    let takes_profile = choice.takes_profile();
    if let Some(useless) = args.policy.first_option().filter(|_| !takes_profile) {
        return Err(Failure(format!(
            "`{useless}` has no effect with the launcher `{option}`, which enforces no profile; leave \
             it out, or use another launcher",
        )));
    }
    let policy = takes_profile.then(|| args.policy.policy()).transpose()?;
    let launcher = registry::build(&choice, policy.as_ref(), Purpose::Runs)?.launcher;
    let mut lacking: BTreeSet<String> = launcher.missing().iter().cloned().collect();
    if let Some(policy) = &policy {
        lacking.extend(not_asked_for(policy)?);
    }
    let subject = Subject::new(launcher.name(), options(option, &args.policy), takes_profile);
    let stage = Stage::new().map_err(|error| {
        Failure(format!("could not copy this program to where a run can start it: {error}"))
    })?;
    let proof = Proof {
        launcher: launcher.name().to_owned(),
        claims: choice.sandboxes(),
        profile: policy.as_ref().map(|policy| policy.name.clone()),
        missing: launcher.missing().to_vec(),
        tried: try_all(&subject, &stage, &lacking),
    };
    match args.json {
        true => print_json(&proof.payload())?,
        false => print(&proof.render())?,
    }
    Ok(if proof.is_kept() { 0 } else { exit::FAILURE })
}

/// The rules of the battery that this profile does not have.
fn not_asked_for(policy: &Policy) -> Result<Vec<String>, Failure> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let workspace = builder::workspace(None)?;
    let files = &policy.filesystem;
    let open = [
        (rule::NETWORK, policy.network.mode == NetworkMode::On),
        (rule::SOCKETS, policy.network.unix_sockets == UnixSockets::None),
        (rule::WORKSPACE, !files.may_write(&workspace)),
        (rule::HOME, home.is_some_and(|home| files.may_read(&home))),
        (rule::PROTECTED, files.with_access(Access::Protect).next().is_none()),
        (rule::SYSCALLS, !policy.syscalls.is_empty()),
    ];
    Ok(open.into_iter().filter(|(_, open)| *open).map(|(name, _)| name.to_owned()).collect())
}

/// What `run` has to be given to do the same.
fn options(launcher: &str, policy: &PolicyArgs) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["--launcher".into(), launcher.into()];
    let mut add = |option: &str, value: OsString| words.extend([option.into(), value]);
    for profile in &policy.profile {
        add("--profile", absolute(profile));
    }
    let GrantArgs { read, write, deny, net, env, socket } = &policy.grants;
    for (option, paths) in
        [("--read", read), ("--write", write), ("--deny", deny), ("--socket", socket)]
    {
        for path in paths {
            add(option, std::path::absolute(path).unwrap_or_else(|_| path.clone()).into());
        }
    }
    for variable in env {
        add("--env", variable.into());
    }
    if *net {
        words.push("--net".into());
    }
    words
}

/// A profile by its path is found from everywhere.
fn absolute(profile: &str) -> OsString {
    match profile.contains('/') {
        true => std::path::absolute(profile).map_or_else(|_| profile.into(), Into::into),
        false => profile.into(),
    }
}

/// All promises, several at a time, in their own order.
fn try_all(subject: &Subject, stage: &Stage, lacking: &BTreeSet<String>) -> Vec<Tried> {
    /// More at a time would find each other's load rather than be done sooner.
    const MOST: usize = 4;
    let all: Vec<(&Class, &Promise)> = CLASSES
        .iter()
        .flat_map(|class| class.promises.iter().map(move |promise| (class, promise)))
        .collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(all.len())));
    let count = thread::available_parallelism().map_or(1, usize::from).min(MOST);
    thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(|| {
                while let Some((class, promise)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = attempt(class, promise, subject, stage, lacking);
                    let tried = Tried { class, promise, found: result };
                    if let Ok(mut found) = found.lock() {
                        found.push(tried);
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_default();
    let place = |tried: &Tried| all.iter().position(|(_, one)| one.name == tried.promise.name);
    found.sort_by_key(place);
    found
}

impl Tried {
    /// Whether this is a promise that was not kept, or of which nothing is known although it was
    /// tried.
    pub(super) fn is_broken(&self) -> bool {
        matches!(self.found, Found::Broken(_) | Found::Failed(_))
    }

    /// What it is called when it is not kept.
    pub(super) fn fault(&self) -> &'static str {
        match (&self.found, self.promise.kind) {
            (Found::Failed(_), _) => "not proven",
            (_, Kind::Forbidden) => "BROKEN",
            (_, Kind::Works) => "does not work",
        }
    }
}
