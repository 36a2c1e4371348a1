//! `launcher`: what wraps every command of an instance.

mod command;
mod list;
mod read;

use std::path::PathBuf;

pub(crate) use command::wrapping;

/// The launcher that the settings name. The registry makes the launcher itself; whether it can work
/// on this system is seen there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LauncherChoice {
    /// `none`: commands run as they are.
    #[default]
    None,
    /// `auto`: the strongest one that works here. It never becomes `none`.
    Auto,
    /// `landlock`, for Linux.
    Landlock(LandlockOptions),
    /// `bubblewrap`, for Linux.
    Bubblewrap(BubblewrapOptions),
    /// `seatbelt`, for macOS.
    Seatbelt,
    /// A program that wraps the command.
    Command(CommandOptions),
    /// Another launcher inside of one or more wrapping programs.
    Inside {
        /// The wrapping programs, outermost first; at least one.
        outer: Vec<CommandOptions>,
        /// What they wrap; neither of this kind nor `landlock`, which confines whatever is exec'd
        /// first and so would confine the outermost wrapper.
        inner: Box<LauncherChoice>,
    },
}

/// The options of the `landlock` launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LandlockOptions {
    /// Whether it makes namespaces of its own.
    pub namespaces: Namespaces,
}

/// Whether the `landlock` launcher makes private namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Namespaces {
    /// `auto`: where the system lets it.
    #[default]
    Auto,
    /// `off`: never.
    Off,
}

/// The options of the `bubblewrap` launcher.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct BubblewrapOptions {
    /// The absolute path of `bwrap`. `None` means that it is looked for where the system installs
    /// it.
    pub program: Option<PathBuf>,
}

/// A wrapping program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CommandOptions {
    /// The program, by a bare name or an absolute path, and its arguments, with placeholders for
    /// what is wrapped. Not empty, and without NULs.
    pub command: Vec<String>,
    /// Whether it confines the command, by the word of whoever wrote the settings.
    pub sandboxed: bool,
}

impl LauncherChoice {
    /// The names of the launchers.
    pub const NAMES: &[&str] = &["none", "auto", "landlock", "bubblewrap", "seatbelt"];

    /// The launcher of this name, with its default options.
    ///
    /// ```
    /// use cofferdam::config::LauncherChoice;
    ///
    /// assert_eq!(LauncherChoice::named("auto"), Some(LauncherChoice::Auto));
    /// assert_eq!(LauncherChoice::named("docker"), None);
    /// ```
    pub fn named(name: &str) -> Option<LauncherChoice> {
        Some(match name {
            "none" => LauncherChoice::None,
            "auto" => LauncherChoice::Auto,
            "landlock" => LauncherChoice::Landlock(LandlockOptions::default()),
            "bubblewrap" => LauncherChoice::Bubblewrap(BubblewrapOptions::default()),
            "seatbelt" => LauncherChoice::Seatbelt,
            _ => return None,
        })
    }

    /// Whether it is said to confine commands.
    pub fn sandboxes(&self) -> bool {
        match self {
            LauncherChoice::None => false,
            LauncherChoice::Auto
            | LauncherChoice::Landlock(_)
            | LauncherChoice::Bubblewrap(_)
            | LauncherChoice::Seatbelt => true,
            LauncherChoice::Command(options) => options.sandboxed,
            LauncherChoice::Inside { outer, inner } => {
                inner.sandboxes() || outer.iter().any(|options| options.sandboxed)
            }
        }
    }

    /// Whether it enforces a profile. A wrapping program has rules of its own instead.
    pub fn takes_profile(&self) -> bool {
        match self {
            LauncherChoice::None | LauncherChoice::Command(_) => false,
            LauncherChoice::Auto
            | LauncherChoice::Landlock(_)
            | LauncherChoice::Bubblewrap(_)
            | LauncherChoice::Seatbelt => true,
            LauncherChoice::Inside { inner, .. } => inner.takes_profile(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_its_launcher() {
        for name in LauncherChoice::NAMES {
            assert!(LauncherChoice::named(name).is_some(), "{name}");
        }
        assert_eq!(LauncherChoice::named("Auto"), None);
    }

    #[test]
    fn a_wrapper_sandboxes_when_it_says_so_and_never_takes_a_profile() {
        let wrapper =
            |sandboxed| CommandOptions { command: vec!["firejail".to_owned()], sandboxed };
        assert!(!LauncherChoice::Command(wrapper(false)).sandboxes());
        assert!(LauncherChoice::Command(wrapper(true)).sandboxes());
        assert!(!LauncherChoice::Command(wrapper(true)).takes_profile());
        let inside = |outer, inner| LauncherChoice::Inside {
            outer: vec![wrapper(outer)],
            inner: Box::new(inner),
        };
        assert!(inside(false, LauncherChoice::Auto).takes_profile());
        assert!(inside(false, LauncherChoice::Auto).sandboxes());
        assert!(inside(true, LauncherChoice::None).sandboxes());
        assert!(!inside(true, LauncherChoice::None).takes_profile());
    }
}
