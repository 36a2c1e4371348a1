//! Makes [`Settings`] of what was written: every key by itself, and then those that depend on each
//! other.

use std::path::Path;

use super::defaults::{
    JOB_TTL, MAX_FILE_BYTES, MAX_FINISHED_JOBS, MAX_JOBS, MAX_OUTPUT_BYTES, MAX_OUTPUT_LINES,
    TIMEOUT,
};
use super::elements::{
    Allow, AuditSettings, Compression, Environment, Escalate, LauncherChoice, OnOutputLimit,
    ScratchMode, ToolName, ValidatorSettings, WrittenAllow, duration, guard, longest_timeout,
    profile, working_directory,
};
use super::error::unless_mistaken;
use super::file::WrittenSettings;
use super::mistake::Mistakes;
use super::place::{Place, Placed, Written};
use super::{Origin, Settings, SettingsError, together};

impl Settings {
    /// The defaults, for a program that uses this library: no launcher, the current directory, all
    /// six tools.
    ///
    /// ```
    /// use cofferdam::config::{Allow, Settings};
    ///
    /// let settings = Settings::new(Allow::only(["git", "rg"]))?;
    /// assert_eq!(settings.timeout().as_secs(), 30);
    /// assert!(Settings::new(Allow::only([""])).is_err());
    /// # Ok::<(), cofferdam::config::SettingsError>(())
    /// ```
    ///
    /// # Errors
    /// [`SettingsError::Mistakes`] when `allow` lists nothing, or an empty name, or one with a NUL,
    /// and when the current directory is gone.
    pub fn new(allow: Allow) -> Result<Settings, SettingsError> {
        let place = Place::root();
        let mut written = WrittenSettings::nothing(place.clone());
        match allow {
            Allow::Any => {
                written.allow.any = Written::Given(Placed::value(place.key("allow-any"), true));
            }
            Allow::Only(list) => written.allow = WrittenAllow::of(&place, &list),
        }
        Settings::from_program(written)
    }

    /// Checks what a program wrote; relative paths start at the current directory.
    pub(crate) fn from_program(written: WrittenSettings) -> Result<Settings, SettingsError> {
        let mut mistakes = Mistakes::default();
        // Where the current directory is gone, what starts at it is reported as missing.
        let base = std::env::current_dir().unwrap_or_default();
        let settings = Settings::check(written, &base, &mut mistakes);
        unless_mistaken(settings, Origin::Program, mistakes)
    }

    /// Checks settings; relative paths in them start at `base`. What is returned is good only when no
    /// mistake was noted: some mistakes leave nothing to return, and others concern two keys that
    /// are fine by themselves.
    pub(crate) fn check(
        written: WrittenSettings,
        base: &Path,
        mistakes: &mut Mistakes,
    ) -> Option<Settings> {
        let place = &written.place;
        let allow = written.allow.check(place, mistakes);
        let cwd = working_directory(place, written.cwd, base, mistakes);
        let timeout = duration(written.timeout, TIMEOUT, mistakes);
        let max_timeout = longest_timeout(written.max_timeout, timeout, mistakes);
        let max_output_bytes = MAX_OUTPUT_BYTES.check(written.max_output_bytes, mistakes);
        let max_output_lines = MAX_OUTPUT_LINES.check(written.max_output_lines, mistakes);
        let max_file_bytes = MAX_FILE_BYTES.check(written.max_file_bytes, mistakes);
        let on_output_limit = OnOutputLimit::check(written.on_output_limit, mistakes);
        let max_jobs = MAX_JOBS.check(written.max_jobs, mistakes);
        let max_finished_jobs = MAX_FINISHED_JOBS.check(written.max_finished_jobs, mistakes);
        let job_ttl = duration(written.job_ttl, JOB_TTL, mistakes);
        let names_launcher = written.launcher != Written::Absent;
        let launcher = LauncherChoice::check(written.launcher, base, mistakes);
        if let Some(launcher) = &launcher {
            together::terminal(launcher, &written.isolate_terminal, mistakes);
            together::profile(launcher, &written.profile, mistakes);
            together::grants(launcher, place, &written.grants, mistakes);
            together::escalate(launcher, &written.escalate, mistakes);
        }
        let isolate_terminal =
            written.isolate_terminal.check(|| true, mistakes, |isolate| Ok(*isolate));
        let profile = profile(written.profile, base, mistakes);
        let environment = Environment::check(written.environment, mistakes);
        if let (Some(launcher), Some(Some(environment))) = (&launcher, &environment) {
            together::environment(launcher, &place.key("environment"), environment, mistakes);
        }
        let tools = ToolName::check(written.tools, mistakes);
        let scratch = ScratchMode::check(written.scratch, mistakes);
        let shape = written.shape.check(mistakes);
        let compression = Compression::check(
            written.compress,
            written.compress_filters,
            (base, cwd.as_deref()),
            tools.as_ref(),
            mistakes,
        );
        let guard = guard(written.guard, written.guard_except, mistakes);
        let audit = AuditSettings::check(written.audit, written.audit_required, base, mistakes);
        let validator = ValidatorSettings::check(written.validator, base, mistakes);
        let escalate = Escalate::check(written.escalate, mistakes);
        let launcher = launcher?;
        Some(Settings {
            allow: allow?,
            cwd: cwd?,
            isolate_terminal: isolate_terminal?,
            timeout: timeout?,
            max_timeout: max_timeout?,
            max_output_bytes: max_output_bytes?,
            max_output_lines: max_output_lines?,
            max_file_bytes: max_file_bytes?,
            on_output_limit: on_output_limit?,
            max_jobs: max_jobs?,
            max_finished_jobs: max_finished_jobs?,
            job_ttl: job_ttl?,
            profile: launcher.takes_profile().then_some(profile?),
            launcher,
            names_launcher,
            grants: written.grants,
            environment: environment?,
            tools: tools?,
            scratch: scratch?,
            shape: shape?,
            compression: compression?,
            guard: guard?,
            audit: audit?,
            validator: validator?,
            escalate: escalate?,
        })
    }
}

/// Checks the settings of one instance, for tests.
#[cfg(test)]
pub(crate) fn check_json(json: &str) -> Result<Settings, Vec<String>> {
    use super::file::WrittenInstance;
    let mut mistakes = Mistakes::default();
    let tree = serde_json::from_str(json).unwrap();
    let entry = WrittenInstance::read(Place::root(), "Shell".to_owned(), tree, &mut mistakes);
    let settings = Settings::check(entry.unwrap().settings, Path::new("/"), &mut mistakes);
    match mistakes.lines() {
        lines if lines.is_empty() => Ok(settings.unwrap()),
        lines => Err(lines),
    }
}

#[cfg(test)]
mod tests {
    use super::check_json as check;
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_contract() {
        let settings = check(r#"{"allow": ["git"]}"#).unwrap();
        assert_eq!(*settings.allow(), Allow::only(["git"]));
        assert_eq!(settings.cwd(), std::env::current_dir().unwrap().canonicalize().unwrap());
        assert!(settings.isolate_terminal());
        assert_eq!(settings.timeout().as_secs(), 30);
        assert_eq!(settings.max_timeout(), None);
        assert_eq!(settings.max_output_bytes(), 16_384);
        assert_eq!(settings.max_output_lines(), 2000);
        assert_eq!(settings.max_file_bytes(), 64 << 20);
        assert_eq!(settings.on_output_limit(), OnOutputLimit::Truncate);
        assert_eq!(settings.max_jobs(), 8);
        assert_eq!(settings.max_finished_jobs(), 32);
        assert_eq!(settings.job_ttl().as_secs(), 600);
        assert_eq!(*settings.launcher(), LauncherChoice::None);
        assert!(!settings.names_launcher());
        assert_eq!(settings.profile(), None);
        assert_eq!(settings.environment(), None);
        assert_eq!(settings.tools().len(), 6);
        assert_eq!(settings.scratch(), ScratchMode::Instance);
    }

    #[test]
    fn every_setting_arrives_at_its_own_place() {
        let settings = check(
            r#"{"allow-any": true, "cwd": "/usr", "isolate-terminal": false, "timeout": 1,
                "max-timeout": 2, "max-output-bytes": 1025, "max-output-lines": 11,
                "max-file-bytes": 1026,
                "on-output-limit": "kill", "max-jobs": 3,
                "max-finished-jobs": 4, "job-ttl": 5.5, "launcher": {"command": ["nice"]},
                "environment": {"pass": ["PATH"]}, "tools": ["run"], "scratch": "run"}"#,
        )
        .unwrap();
        assert_eq!(*settings.allow(), Allow::Any);
        assert_eq!(settings.cwd(), Path::new("/usr"));
        assert!(!settings.isolate_terminal());
        assert_eq!(settings.timeout().as_secs(), 1);
        assert_eq!(settings.max_timeout().unwrap().as_secs(), 2);
        assert_eq!(settings.max_output_bytes(), 1025);
        assert_eq!(settings.max_output_lines(), 11);
        assert_eq!(settings.max_file_bytes(), 1026);
        assert_eq!(settings.on_output_limit(), OnOutputLimit::Kill);
        assert_eq!(settings.max_jobs(), 3);
        assert_eq!(settings.max_finished_jobs(), 4);
        assert_eq!(settings.job_ttl().as_millis(), 5500);
        assert!(matches!(settings.launcher(), LauncherChoice::Command(_)));
        assert_eq!(settings.environment().unwrap().pass, ["PATH"]);
        assert_eq!(settings.tools().first(), Some(&ToolName::Run));
        assert_eq!(settings.scratch(), ScratchMode::Run);
    }

    #[test]
    fn a_launcher_that_enforces_a_profile_has_one() {
        for launcher in ["\"auto\"", "\"landlock\"", r#"["nice", "bubblewrap"]"#] {
            let json = format!(r#"{{"allow-any": true, "launcher": {launcher}}}"#);
            assert!(check(&json).unwrap().profile().is_some(), "{launcher}");
        }
    }
}
