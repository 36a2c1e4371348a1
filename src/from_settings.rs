//! From checked settings to a runner.

use std::path::PathBuf;

use crate::capture::Caps;
use crate::config::{Allow, Settings, SettingsError};
use crate::{Runner, RunnerBuilder};

impl Runner {
    /// Builds the runner that settings describe: its launcher is checked, its scratch folders are
    /// made. A workspace that holds one of the `reserved` files is refused: see
    /// [`RunnerBuilder::reserve`].
    ///
    /// ```
    /// use cofferdam::config::{Allow, Settings};
    /// use cofferdam::Runner;
    ///
    /// let settings = Settings::new(Allow::only(["git"]))?;
    /// let runner = Runner::from_settings(&settings, &[])?;
    /// # Ok::<(), cofferdam::SettingsError>(())
    /// ```
    ///
    /// # Errors
    /// As [`RunnerBuilder::build`].
    pub fn from_settings(
        settings: &Settings,
        reserved: &[PathBuf],
    ) -> Result<Runner, SettingsError> {
        Runner::described(settings, reserved).build()
    }

    /// The same for an instance of a configuration, which has a name.
    #[cfg(feature = "mcp")]
    pub(crate) fn from_instance(
        instance: &crate::config::Instance,
        reserved: &[PathBuf],
    ) -> Result<Runner, SettingsError> {
        Runner::described(&instance.settings, reserved).instance(instance.key.as_str()).build()
    }

    fn described(settings: &Settings, reserved: &[PathBuf]) -> RunnerBuilder {
        let mut builder = allowing(settings.allow())
            .workspace(settings.cwd())
            .sandbox(settings.launcher().clone())
            .grants(settings.grants().clone())
            .guard(settings.guard().cloned())
            .isolate_terminal(settings.isolate_terminal())
            .scratch(settings.scratch())
            .timeout(settings.timeout())
            .max_timeout(settings.max_timeout())
            .caps(Caps::new(settings.max_output_bytes(), settings.max_output_lines()))
            .max_file_bytes(settings.max_file_bytes() as u64)
            .on_output_limit(settings.on_output_limit())
            .audit(settings.audit().clone());
        if let Some(profile) = settings.profile() {
            builder = builder.profile(profile.clone());
        }
        if let Some(environment) = settings.environment() {
            builder = builder.environment(environment.clone());
        }
        if let Some(validator) = settings.validator() {
            builder = builder.validator_program(validator.clone());
        }
        let own = settings.own_files();
        reserved.iter().chain(&own).fold(builder, RunnerBuilder::reserve)
    }
}

fn allowing(allow: &Allow) -> RunnerBuilder {
    match allow {
        Allow::Any => Runner::builder().allow_any(),
        Allow::Only(list) => Runner::builder().allow_only(list.clone()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use crate::config::OnOutputLimit;
    use crate::config::{Config, Format};
    use crate::{AllowList, Gate, Request};

    use super::*;

    fn settings(json: &str, base: &Path) -> Settings {
        let text = format!(r#"{{"name": "x", "tools": {{"Shell": {json}}}}}"#);
        let config = Config::from_text(&text, Format::Json, base).unwrap();
        config.instances.into_iter().next().unwrap().settings
    }

    #[test]
    fn every_bound_of_the_settings_reaches_the_runner() {
        let dir = tempfile::tempdir().unwrap();
        let json = r#"{"allow": ["rg", "git"], "cwd": ".", "timeout": 5, "max-timeout": 7.5,
                       "max-output-bytes": 2048, "max-output-lines": 20,
                       "allow-patterns": ["node"], "on-output-limit": "kill", "max-file-bytes": 3000}"#;
        let runner = Runner::from_settings(&settings(json, dir.path()), &[]).unwrap();
        let terms = runner.terms();
        let patterns = ["node".parse().unwrap()];
        let list = AllowList::new(["git", "rg"]).with_patterns(patterns);
        assert_eq!(terms.gate, Gate::Only(list));
        assert_eq!(terms.dir, dir.path().canonicalize().unwrap());
        assert_eq!(terms.timeout, Some(Duration::from_secs(5)));
        assert_eq!(terms.max_timeout, Some(Duration::from_millis(7500)));
        assert_eq!(terms.caps, Caps::new(2048, 20));
        assert_eq!(terms.max_file_bytes, 3000);
        assert_eq!(terms.on_output_limit, OnOutputLimit::Kill);
    }

    #[test]
    fn the_environment_of_the_settings_is_that_of_the_command() {
        let dir = tempfile::tempdir().unwrap();
        let json = r#"{"allow-any": true, "environment": {"pass": ["PATH"], "set": {"A": "b"}}}"#;
        let runner = Runner::from_settings(&settings(json, dir.path()), &[]).unwrap();
        let outcome = runner.run_blocking(Request::new("env")).unwrap();
        let path = std::env::var("PATH").unwrap();
        let mut lines: Vec<_> = outcome.payload().stdout.lines().map(str::to_owned).collect();
        lines.sort();
        assert_eq!(lines, ["A=b".to_owned(), format!("PATH={path}")]);
    }
}
