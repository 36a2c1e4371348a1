//! From a launcher's name to the launcher: the one place that knows them all, and the one that knows
//! which exist on this platform.

#[cfg(any(feature = "command", all(feature = "bubblewrap", target_os = "linux")))]
use std::ffi::OsString;
use std::sync::Arc;

use cofferdam_launcher::{LaunchError, Launcher, Plain};
use cofferdam_profiles::{Policy, Promise};

use crate::cgroup::left_to_launcher;
use crate::config::{
    BubblewrapOptions, CommandOptions, LandlockOptions, LauncherChoice, SettingsError,
};

/// What a launcher is built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Purpose {
    /// Any number of runs: it is tried before the first one.
    #[default]
    Runs,
    /// A single run, which tells as well as a trial whether it works here, and in half the time.
    /// Where that run does not begin, the launcher has to be built again for [`Purpose::Runs`].
    OneRun,
    /// To tell people: every launcher is tried, also after the best one is found.
    Survey,
}

/// A launcher that works here.
pub(crate) struct Chosen {
    pub(crate) launcher: Arc<dyn Launcher>,
    /// For `auto`: who was passed over, and why.
    #[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "`check` shows it"))]
    pub(crate) passed_over: Vec<PassedOver>,
}

/// A launcher that `auto` did not take.
pub(crate) struct PassedOver {
    pub(crate) name: &'static str,
    pub(crate) why: Why,
}

/// Why `auto` did not take a launcher.
pub(crate) enum Why {
    /// It does not work here, or cannot enforce the profile.
    Unusable(LaunchError),
    /// It works, and leaves more of the profile unenforced than the one that was taken, or as much.
    Weaker {
        #[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "`check` shows it"))]
        missing: Vec<String>,
    },
}

/// Every launcher that confines by a profile and exists on this platform, by name. Where two leave
/// the same number of rules unenforced, `auto` takes the earlier one, which starts faster.
pub(crate) const CONFINING: &[&str] = &[
    #[cfg(all(feature = "landlock", target_os = "linux"))]
    "landlock",
    #[cfg(all(feature = "bubblewrap", target_os = "linux"))]
    "bubblewrap",
    #[cfg(all(feature = "seatbelt", target_os = "macos"))]
    "seatbelt",
];

/// The launchers of other systems, and the one that each works on.
pub(crate) const ELSEWHERE: &[(&str, &str)] = &[
    #[cfg(not(target_os = "linux"))]
    ("landlock", "Linux"),
    #[cfg(not(target_os = "linux"))]
    ("bubblewrap", "Linux"),
    #[cfg(not(target_os = "macos"))]
    ("seatbelt", "macOS"),
];

/// Builds the chosen launcher and checks that it works here, unless it is for a single run.
///
/// `policy` is there exactly where [`LauncherChoice::takes_profile`] says so.
pub(crate) fn build(
    choice: &LauncherChoice,
    policy: Option<&Arc<Policy>>,
    purpose: Purpose,
) -> Result<Chosen, SettingsError> {
    let chosen = match choice {
        // What it takes has been checked.
        LauncherChoice::Auto => return auto(required(policy)?, purpose),
        LauncherChoice::Inside { outer, inner } => {
            let mut chosen = build(inner, policy, purpose)?;
            for wrapper in outer.iter().rev() {
                chosen.launcher = around(wrapper, chosen.launcher).map_err(|source| {
                    SettingsError::launcher(&wrapper.command.join(" "), source)
                })?;
            }
            chosen
        }
        other => {
            let launcher = one(other, policy, purpose)?;
            Chosen { launcher, passed_over: Vec::new() }
        }
    };
    if purpose == Purpose::OneRun {
        return Ok(chosen);
    }
    let launcher = &chosen.launcher;
    launcher.check().map_err(|source| SettingsError::launcher(launcher.name(), source))?;
    Ok(chosen)
}

/// The launcher that enforces most of this policy here; the earlier one of two equals. Never none.
fn auto(policy: &Arc<Policy>, purpose: Purpose) -> Result<Chosen, SettingsError> {
    if purpose == Purpose::OneRun
        && let Some(name) = CONFINING.first()
        && let Ok(launcher) = untried(name, policy, purpose)
        && leaves_nothing(launcher.as_ref())
    {
        return Ok(Chosen { launcher, passed_over: Vec::new() });
    }
    let mut passed_over = Vec::new();
    let mut best: Option<(&'static str, Arc<dyn Launcher>)> = None;
    for name in CONFINING {
        // One that leaves nothing unenforced stays the best, so the others need no trial.
        let is_found = best.as_ref().is_some_and(|(_, held)| leaves_nothing(held.as_ref()));
        if is_found && purpose != Purpose::Survey {
            break;
        }
        match confining(name, policy) {
            Err(error) => passed_over.push(PassedOver { name, why: Why::Unusable(error) }),
            Ok(launcher) => {
                let weaker = match &best {
                    Some((_, held)) if held.missing().len() <= launcher.missing().len() => {
                        Some((*name, launcher))
                    }
                    _ => best.replace((name, launcher)),
                };
                passed_over.extend(weaker.map(|(name, launcher)| PassedOver {
                    name,
                    why: Why::Weaker { missing: launcher.missing().to_vec() },
                }));
            }
        }
    }
    match best {
        Some((_, launcher)) => Ok(Chosen { launcher, passed_over }),
        None => Err(SettingsError::NoLauncher {
            tried: passed_over
                .into_iter()
                .filter_map(|passed| match passed.why {
                    Why::Unusable(error) => Some((passed.name.to_owned(), error)),
                    Why::Weaker { .. } => None,
                })
                .collect(),
        }),
    }
}

/// Whether no other launcher could enforce more: of what a policy was not searched for, none can.
fn leaves_nothing(launcher: &dyn Launcher) -> bool {
    launcher.missing().iter().all(|rule| rule == Promise::Repositories.as_str())
}

/// One of [`CONFINING`], built with its default options and checked.
pub(crate) fn confining(
    name: &str,
    policy: &Arc<Policy>,
) -> Result<Arc<dyn Launcher>, LaunchError> {
    let launcher = untried(name, policy, Purpose::Runs)?;
    launcher.check()?;
    Ok(launcher)
}

/// One of [`CONFINING`], built with its default options.
fn untried(
    name: &str,
    policy: &Arc<Policy>,
    purpose: Purpose,
) -> Result<Arc<dyn Launcher>, LaunchError> {
    let policy = &left_to_launcher(policy);
    match name {
        "landlock" => landlock(&LandlockOptions::default(), policy, purpose),
        "bubblewrap" => bubblewrap(&BubblewrapOptions::default(), policy),
        "seatbelt" => seatbelt(policy),
        other => Err(absent(other)),
    }
}

/// A launcher that is named directly, not checked yet.
fn one(
    choice: &LauncherChoice,
    policy: Option<&Arc<Policy>>,
    purpose: Purpose,
) -> Result<Arc<dyn Launcher>, SettingsError> {
    let named = |name: &str, built: Result<Arc<dyn Launcher>, LaunchError>| {
        built.map_err(|source| SettingsError::launcher(name, source))
    };
    match choice {
        LauncherChoice::None => Ok(Arc::new(Plain)),
        LauncherChoice::Landlock(options) => {
            named("landlock", landlock(options, &asked(policy)?, purpose))
        }
        LauncherChoice::Bubblewrap(options) => {
            named("bubblewrap", bubblewrap(options, &asked(policy)?))
        }
        LauncherChoice::Command(options) => named(&options.command.join(" "), command(options)),
        LauncherChoice::Seatbelt => named("seatbelt", seatbelt(&asked(policy)?)),
        LauncherChoice::Auto | LauncherChoice::Inside { .. } => {
            Ok(build(choice, policy, purpose)?.launcher)
        }
    }
}

fn required(policy: Option<&Arc<Policy>>) -> Result<&Arc<Policy>, SettingsError> {
    policy.ok_or(SettingsError::NoProfile)
}

/// What a launcher is asked to enforce of it.
fn asked(policy: Option<&Arc<Policy>>) -> Result<Arc<Policy>, SettingsError> {
    required(policy).map(left_to_launcher)
}

/// A launcher of another platform, or one that this build leaves out.
fn absent(name: &str) -> LaunchError {
    let here = CONFINING.join(", ");
    let elsewhere = ELSEWHERE.iter().find(|(launcher, _)| *launcher == name);
    let what = match elsewhere {
        Some((_, system)) => {
            format!("the {name} launcher is not available: it works on {system} only")
        }
        None => format!("the {name} launcher is not available: this build leaves it out"),
    };
    LaunchError::unsupported(what, format!("use one of: auto, {here}"))
}

#[cfg(all(feature = "landlock", target_os = "linux"))]
fn landlock(
    options: &LandlockOptions,
    policy: &Arc<Policy>,
    purpose: Purpose,
) -> Result<Arc<dyn Launcher>, LaunchError> {
    use crate::config::Namespaces as Chosen;
    use cofferdam_landlock::{Landlock, Namespaces, Options};
    let namespaces = match options.namespaces {
        Chosen::Auto => Namespaces::Auto,
        Chosen::Off => Namespaces::Off,
    };
    let options = Options::default().namespaces(namespaces);
    let options = if purpose == Purpose::OneRun { options.once() } else { options };
    Ok(Arc::new(Landlock::new(options, policy.clone())?))
}

#[cfg(not(all(feature = "landlock", target_os = "linux")))]
fn landlock(
    _: &LandlockOptions,
    _: &Arc<Policy>,
    _: Purpose,
) -> Result<Arc<dyn Launcher>, LaunchError> {
    Err(absent("landlock"))
}

#[cfg(all(feature = "bubblewrap", target_os = "linux"))]
fn bubblewrap(
    options: &BubblewrapOptions,
    policy: &Arc<Policy>,
) -> Result<Arc<dyn Launcher>, LaunchError> {
    use cofferdam_bubblewrap::{Bubblewrap, Options};
    let options = Options { program: options.program.clone() };
    Ok(Arc::new(Bubblewrap::new(options, policy.clone(), &host_path())?))
}

#[cfg(not(all(feature = "bubblewrap", target_os = "linux")))]
fn bubblewrap(_: &BubblewrapOptions, _: &Arc<Policy>) -> Result<Arc<dyn Launcher>, LaunchError> {
    Err(absent("bubblewrap"))
}

#[cfg(all(feature = "seatbelt", target_os = "macos"))]
fn seatbelt(policy: &Arc<Policy>) -> Result<Arc<dyn Launcher>, LaunchError> {
    Ok(Arc::new(cofferdam_seatbelt::Seatbelt::new(policy.clone())))
}

#[cfg(not(all(feature = "seatbelt", target_os = "macos")))]
fn seatbelt(_: &Arc<Policy>) -> Result<Arc<dyn Launcher>, LaunchError> {
    Err(absent("seatbelt"))
}

#[cfg(feature = "command")]
fn wrapper(options: &CommandOptions) -> Result<cofferdam_command::Command, LaunchError> {
    use cofferdam_command::{Command, Spec};
    let spec = Spec { command: options.command.clone(), sandboxed: options.sandboxed };
    Command::new(spec, &host_path())
}

#[cfg(feature = "command")]
fn command(options: &CommandOptions) -> Result<Arc<dyn Launcher>, LaunchError> {
    Ok(Arc::new(wrapper(options)?))
}

#[cfg(feature = "command")]
fn around(
    options: &CommandOptions,
    inner: Arc<dyn Launcher>,
) -> Result<Arc<dyn Launcher>, LaunchError> {
    Ok(Arc::new(wrapper(options)?.around(inner)))
}

#[cfg(not(feature = "command"))]
fn command(_: &CommandOptions) -> Result<Arc<dyn Launcher>, LaunchError> {
    Err(absent("command"))
}

#[cfg(not(feature = "command"))]
fn around(_: &CommandOptions, _: Arc<dyn Launcher>) -> Result<Arc<dyn Launcher>, LaunchError> {
    Err(absent("command"))
}

/// The host's `PATH`, for the launchers' own programs. They refuse what a run could have planted.
#[cfg(any(feature = "command", all(feature = "bubblewrap", target_os = "linux")))]
fn host_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into())
}
