//! From a launcher's name to the launcher: the one place that knows them all, and the one that knows
//! which exist on this platform.

#[cfg(any(feature = "command", all(feature = "bubblewrap", target_os = "linux")))]
use std::ffi::OsString;
use std::sync::Arc;

use cofferdam_launcher::{LaunchError, Launcher, Plain};
use cofferdam_profiles::Policy;

use crate::config::{
    BubblewrapOptions, CommandOptions, LandlockOptions, LauncherChoice, SettingsError,
};

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
];

/// Builds the chosen launcher and checks that it works here.
///
/// `policy` is there exactly where [`LauncherChoice::takes_profile`] says so.
pub(crate) fn build(
    choice: &LauncherChoice,
    policy: Option<&Arc<Policy>>,
) -> Result<Chosen, SettingsError> {
    let chosen = match choice {
        LauncherChoice::Auto => auto(required(policy)?)?,
        LauncherChoice::Inside { outer, inner } => {
            let mut chosen = build(inner, policy)?;
            for wrapper in outer.iter().rev() {
                chosen.launcher = around(wrapper, chosen.launcher).map_err(|source| {
                    SettingsError::launcher(&wrapper.command.join(" "), source)
                })?;
            }
            chosen
        }
        other => {
            let launcher = one(other, policy)?;
            Chosen { launcher, passed_over: Vec::new() }
        }
    };
    let launcher = &chosen.launcher;
    launcher.check().map_err(|source| SettingsError::launcher(launcher.name(), source))?;
    Ok(chosen)
}

/// The launcher that enforces most of this policy here; the earlier one of two equals. Never none.
fn auto(policy: &Arc<Policy>) -> Result<Chosen, SettingsError> {
    let mut passed_over = Vec::new();
    let mut best: Option<(&'static str, Arc<dyn Launcher>)> = None;
    for name in CONFINING {
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

/// One of [`CONFINING`], built with its default options and checked.
pub(crate) fn confining(
    name: &str,
    policy: &Arc<Policy>,
) -> Result<Arc<dyn Launcher>, LaunchError> {
    let launcher = match name {
        "landlock" => landlock(&LandlockOptions::default(), policy)?,
        "bubblewrap" => bubblewrap(&BubblewrapOptions::default(), policy)?,
        other => return Err(absent(other)),
    };
    launcher.check()?;
    Ok(launcher)
}

/// A launcher that is named directly, not checked yet.
fn one(
    choice: &LauncherChoice,
    policy: Option<&Arc<Policy>>,
) -> Result<Arc<dyn Launcher>, SettingsError> {
    let named = |name: &str, built: Result<Arc<dyn Launcher>, LaunchError>| {
        built.map_err(|source| SettingsError::launcher(name, source))
    };
    match choice {
        LauncherChoice::None => Ok(Arc::new(Plain)),
        LauncherChoice::Landlock(options) => {
            named("landlock", landlock(options, required(policy)?))
        }
        LauncherChoice::Bubblewrap(options) => {
            named("bubblewrap", bubblewrap(options, required(policy)?))
        }
        LauncherChoice::Command(options) => named(&options.command.join(" "), command(options)),
        LauncherChoice::Seatbelt => named("seatbelt", Err(absent("seatbelt"))),
        LauncherChoice::Auto | LauncherChoice::Inside { .. } => Ok(build(choice, policy)?.launcher),
    }
}

fn required(policy: Option<&Arc<Policy>>) -> Result<&Arc<Policy>, SettingsError> {
    policy.ok_or(SettingsError::NoProfile)
}

/// A launcher of another platform, or one that this build leaves out.
fn absent(name: &str) -> LaunchError {
    let here = CONFINING.join(", ");
    LaunchError::unsupported(
        format!("the {name} launcher is not available on this system ({})", std::env::consts::OS),
        format!("use one of: auto, {here}"),
    )
}

#[cfg(all(feature = "landlock", target_os = "linux"))]
fn landlock(
    options: &LandlockOptions,
    policy: &Arc<Policy>,
) -> Result<Arc<dyn Launcher>, LaunchError> {
    use crate::config::Namespaces as Chosen;
    use cofferdam_landlock::{Landlock, Namespaces, Options};
    let namespaces = match options.namespaces {
        Chosen::Auto => Namespaces::Auto,
        Chosen::Off => Namespaces::Off,
    };
    let options = Options::default().namespaces(namespaces);
    Ok(Arc::new(Landlock::new(options, policy.clone())?))
}

#[cfg(not(all(feature = "landlock", target_os = "linux")))]
fn landlock(_: &LandlockOptions, _: &Arc<Policy>) -> Result<Arc<dyn Launcher>, LaunchError> {
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
