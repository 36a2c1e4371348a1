//! What the options ask of a runner.

use std::sync::Arc;

use cofferdam_profiles::{Grants, Policy, Source};

use super::args::{GrantArgs, PolicyArgs, SandboxArgs};
use super::report::Failure;
use crate::Runner;
use crate::builder;
use crate::capture::Caps;
use crate::config::defaults::PROFILE;
use crate::config::{LauncherChoice, SettingsError};
use crate::registry::Purpose;

impl SandboxArgs {
    /// A runner for one command: no gate, no caps and no timeout, since a person typed it.
    pub(super) fn runner(&self, purpose: Purpose) -> Result<Runner, Failure> {
        let launcher = LauncherChoice::from_option(&self.launcher)?;
        let mut builder =
            Runner::builder().allow_any().caps(Caps::NONE).purpose(purpose).isolation_untried();
        if launcher.takes_profile() {
            builder = builder.profile(self.policy.source()).grants(self.policy.grants.grants());
        } else if let Some(option) = self.policy.first_option() {
            return Err(Failure(format!(
                "`{option}` has no effect with the launcher `{}`, which enforces no profile; leave \
                 it out, or use another launcher",
                self.launcher
            )));
        }
        if let Some(dir) = &self.policy.cwd {
            builder = builder.workspace(dir);
        }
        Ok(builder.sandbox(launcher).build()?)
    }
}

impl PolicyArgs {
    /// The profiles that are named, or the default.
    pub(super) fn source(&self) -> Source {
        source(&self.profile)
    }

    /// The resolved policy, and its workspace.
    pub(super) fn policy(&self) -> Result<Arc<Policy>, SettingsError> {
        let dir = builder::workspace(self.cwd.as_deref())?;
        builder::policy(&dir, &self.source(), &self.grants.grants(), Vec::new())
    }

    /// The first of the options that only a profile gives a meaning.
    pub(super) fn first_option(&self) -> Option<&'static str> {
        let grants = &self.grants;
        let given = [
            ("--profile", !self.profile.is_empty()),
            ("--read", !grants.read.is_empty()),
            ("--write", !grants.write.is_empty()),
            ("--deny", !grants.deny.is_empty()),
            ("--net", grants.net),
            ("--env", !grants.env.is_empty()),
            ("--socket", !grants.socket.is_empty()),
        ];
        given.into_iter().find_map(|(option, is_given)| is_given.then_some(option))
    }
}

/// Profiles by their names or paths; the default where there are none.
pub(super) fn source(names: &[String]) -> Source {
    match names {
        [] => Source::parse(PROFILE),
        [name] => Source::parse(name),
        names => Source::Many(names.iter().map(|name| Source::parse(name)).collect()),
    }
}

impl GrantArgs {
    /// As the profiles take them.
    pub(super) fn grants(&self) -> Grants {
        Grants {
            read: self.read.clone(),
            write: self.write.clone(),
            deny: self.deny.clone(),
            net: self.net,
            env: self.env.clone(),
            sockets: self.socket.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::args::{Arguments, Command};

    fn sandbox(words: &[&str]) -> SandboxArgs {
        let line = ["cofferdam", "run"].iter().chain(words).chain(&["true"]);
        match Arguments::try_parse_from(line).unwrap().command {
            Command::Run(args) => args.sandbox,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_only_a_profile_gives_a_meaning_is_refused_without_one() {
        let refused = |option: &[&str]| {
            let words: Vec<_> = ["--launcher", "none"].iter().chain(option).copied().collect();
            sandbox(&words).runner(Purpose::Runs).unwrap_err().0
        };
        for option in [
            vec!["--profile", "strict"],
            vec!["--read", "/etc"],
            vec!["--write", "/etc"],
            vec!["--deny", "/etc"],
            vec!["--net"],
            vec!["--env", "A=1"],
            vec!["--socket", "/run/x"],
        ] {
            let reason = refused(&option);
            assert!(reason.starts_with(&format!("`{}` has no effect", option[0])), "{reason}");
        }
        assert!(sandbox(&["--launcher", "none"]).runner(Purpose::Runs).is_ok());
    }

    #[test]
    fn profiles_are_names_or_paths_and_one_is_no_list() {
        assert_eq!(sandbox(&[]).policy.source(), Source::Name("workspace".to_owned()));
        assert_eq!(sandbox(&["-p", "build"]).policy.source(), Source::Name("build".to_owned()));
        let many =
            Source::Many(vec![Source::Name("build".into()), Source::Path("./a.toml".into())]);
        assert_eq!(sandbox(&["-p", "build", "-p", "./a.toml"]).policy.source(), many);
    }

    #[test]
    fn a_launcher_that_nobody_knows_is_refused_with_the_nearest_one() {
        let reason = sandbox(&["--launcher", "bwrap"]).runner(Purpose::Runs).unwrap_err().0;
        assert!(reason.contains("did you mean `bubblewrap`?"), "{reason}");
    }
}
