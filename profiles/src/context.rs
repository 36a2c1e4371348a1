//! What profiles are resolved against: the machine and the user, as the caller sees them.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The surroundings in which a profile becomes a policy.
///
/// Plain data: resolving reads nothing else from the process. Fields that the caller knows better
/// (a `home` from the passwd database, its own files as `reserved`) are set after
/// [`Context::from_environment`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// What `${workspace}` stands for. Absolute, or taken from [`dir`](Context::dir).
    pub workspace: PathBuf,
    /// What `${home}` stands for. With `None`, entries with `${home}` need a `?`.
    pub home: Option<PathBuf>,
    /// What `${user}` stands for.
    pub user: Option<String>,
    /// Where `${cache}` lies: the folder `cache_base/NAME`, with the policy's name. With `None`,
    /// entries with `${cache}` need a `?`.
    pub cache_base: Option<PathBuf>,
    /// Where the user's own profiles lie: `config_dir/profiles/NAME.toml`.
    pub config_dir: Option<PathBuf>,
    /// The directory from which relative paths of options and of a profile's path are taken.
    /// Absolute.
    pub dir: PathBuf,
    /// What `${env:NAME}` looks into.
    pub env: BTreeMap<OsString, OsString>,
    /// Cofferdam's own files (configuration, audit, tokens): neither a workspace nor any other
    /// writable path may hold them.
    pub reserved: Vec<PathBuf>,
}

impl Context {
    /// The context of this process: `HOME`, `USER` or `LOGNAME`, `XDG_CACHE_HOME`,
    /// `XDG_CONFIG_HOME` and the current directory. Nothing is reserved but the configuration
    /// folder. Variables that hold no absolute path count as unset, as the XDG specification says.
    pub fn from_environment(workspace: &Path) -> Self {
        let env: BTreeMap<OsString, OsString> = env::vars_os().collect();
        let path = |name: &str| {
            let value = PathBuf::from(env.get(OsStr::new(name))?);
            value.is_absolute().then_some(value)
        };
        let home = path("HOME");
        let in_home = |folder: &str| home.as_ref().map(|home| home.join(folder));
        let cache = path("XDG_CACHE_HOME").or_else(|| in_home(".cache"));
        let config = path("XDG_CONFIG_HOME").or_else(|| in_home(".config"));
        let user = ["USER", "LOGNAME"]
            .iter()
            .find_map(|name| env.get(OsStr::new(name))?.to_str())
            .filter(|user| !user.is_empty());
        Context {
            workspace: workspace.to_owned(),
            user: user.map(str::to_owned),
            cache_base: cache.map(|cache| cache.join("cofferdam")),
            config_dir: config.map(|config| config.join("cofferdam")),
            // A current directory that was removed: relative paths then fail as missing.
            dir: env::current_dir().unwrap_or_else(|_| PathBuf::from("/nonexistent")),
            reserved: Vec::new(),
            home,
            env,
        }
    }
}
