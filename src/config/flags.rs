//! The options of a command line, written like a configuration file.

use std::path::PathBuf;

use cofferdam_profiles::Grants;

use super::defaults::SERVER_NAME;
use super::elements::{AuditSettings, Key, LauncherChoice};
use super::file::{WrittenConfig, WrittenInstance, WrittenSettings};
use super::mistake::{Mistakes, Problem};
use super::place::{Place, Placed, Written};
use super::tool_flag::write_tools;
use super::tree::Tree;

/// The options that make a configuration without a file: either tool instances as JSON, or one
/// instance, option by option.
///
/// ```
/// use cofferdam::config::{Config, Flags};
///
/// let config = Config::from_flags(Flags {
///     allow: vec!["git".to_owned(), "rg".to_owned()],
///     timeout: Some(10.0),
///     ..Flags::default()
/// })?;
/// assert_eq!(config.instances[0].settings.timeout().as_secs(), 10);
/// # Ok::<(), cofferdam::config::SettingsError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// `--name`: what the server calls itself; `cofferdam` without it.
    pub name: Option<String>,
    /// `--version`: the version it tells clients; the program's without it.
    pub version: Option<String>,
    /// `--instructions`: what it tells models about its tools; a text of Cofferdam's own without it.
    pub instructions: Option<String>,
    /// `--tool 'Shell#git={…}'`: whole instances. Nothing else goes together with it.
    pub tools: Vec<String>,
    /// `--allow PROGRAM`, repeated.
    pub allow: Vec<String>,
    /// `--allow-pattern REGEX`, repeated.
    pub allow_patterns: Vec<String>,
    /// `--allow-any`.
    pub allow_any: bool,
    /// `--launcher`: a name, or the JSON of a file's `launcher`.
    pub launcher: Option<String>,
    /// `--profile`, repeated: names, or paths.
    pub profile: Vec<String>,
    /// `--cwd DIR`.
    pub cwd: Option<PathBuf>,
    /// `--timeout SECONDS`.
    pub timeout: Option<f64>,
    /// `--audit`, repeated: `stderr`, or a path.
    pub audit: Vec<String>,
    /// `--audit-required`.
    pub audit_required: bool,
    /// `--read`, `--write`, `--deny`, `--net`, `--env`, `--socket`.
    pub grants: Grants,
}

impl Flags {
    /// The same as a configuration file would say it.
    pub(crate) fn write(mut self, mistakes: &mut Mistakes) -> WrittenConfig {
        let text = |key: &str, text: Option<String>| match text {
            Some(text) => Written::Given(Placed::value(Place::options().key(key), text)),
            None => Written::Absent,
        };
        let name = self.name.take().unwrap_or_else(|| SERVER_NAME.to_owned());
        let name = text("name", Some(name));
        let version = text("version", self.version.take());
        let instructions = text("instructions", self.instructions.take());
        let tool = Place::options().key("tool");
        let instances = if self.tools.is_empty() {
            vec![self.write_instance(mistakes)]
        } else {
            self.refuse_others(&tool, mistakes);
            write_tools(self.tools, &tool, mistakes)
        };
        // Each that is left out was noted.
        let tools = match instances.is_empty() {
            true => Written::Unreadable,
            false => Written::Given(Placed { place: tool, shown: None, value: instances }),
        };
        WrittenConfig { name, version, instructions, tools }
    }

    /// One instance, option by option.
    fn write_instance(self, mistakes: &mut Mistakes) -> WrittenInstance {
        let place = Place::options();
        let mut settings = WrittenSettings::nothing(place.clone());
        if !self.allow.is_empty() {
            settings.allow.list = Written::Given(Placed::list(place.key("allow"), self.allow));
        }
        if !self.allow_patterns.is_empty() {
            let place = place.key("allow-pattern");
            settings.allow.patterns = Written::Given(Placed::list(place, self.allow_patterns));
        }
        if self.allow_any {
            settings.allow.any = Written::Given(Placed::value(place.key("allow-any"), true));
        }
        if let Some(launcher) = self.launcher {
            settings.launcher = LauncherChoice::written(place.key("launcher"), &launcher, mistakes);
        }
        let mut profiles: Vec<_> = self.profile.into_iter().map(Tree::String).collect();
        if let Some(last) = profiles.pop() {
            let tree = match profiles.is_empty() {
                true => last,
                false => Tree::List(profiles.into_iter().chain([last]).collect()),
            };
            settings.profile = Written::Given(Placed::tree(place.key("profile"), tree));
        }
        if let Some(cwd) = self.cwd {
            settings.cwd = Written::Given(Placed::value(place.key("cwd"), cwd));
        }
        if let Some(timeout) = self.timeout {
            settings.timeout = Written::Given(Placed::value(place.key("timeout"), timeout));
        }
        settings.audit = AuditSettings::written(place.key("audit"), self.audit);
        if self.audit_required {
            let required = Placed::value(place.key("audit-required"), true);
            settings.audit_required = Written::Given(required);
        }
        settings.grants = self.grants;
        WrittenInstance {
            key: Placed { place, shown: None, value: Key::default().as_str().to_owned() },
            prefix: Written::Absent,
            names: Written::Absent,
            settings,
        }
    }

    /// Notes the options that would be without effect beside `--tool`.
    fn refuse_others(&self, tool: &Place, mistakes: &mut Mistakes) {
        let others: Vec<_> = [
            ("--allow", !self.allow.is_empty()),
            ("--allow-pattern", !self.allow_patterns.is_empty()),
            ("--allow-any", self.allow_any),
            ("--launcher", self.launcher.is_some()),
            ("--profile", !self.profile.is_empty()),
            ("--cwd", self.cwd.is_some()),
            ("--timeout", self.timeout.is_some()),
            ("--audit", !self.audit.is_empty()),
            ("--audit-required", self.audit_required),
            ("ad hoc grants", self.grants != Grants::default()),
        ]
        .into_iter()
        .filter_map(|(option, is_given)| is_given.then_some(option))
        .collect();
        if !others.is_empty() {
            let why = format!(
                "does not go together with {}; write these into the JSON of the tool",
                others.join(", ")
            );
            mistakes.add_at(tool.clone(), Problem::conflict(why));
        }
    }
}

/// The lines of the message for these options, without the heading, for tests.
#[cfg(test)]
pub(crate) fn message_lines(flags: Flags) -> Vec<String> {
    let error = super::Config::from_flags(flags).unwrap_err().to_string();
    assert!(error.starts_with("the command line has "), "{error}");
    error.lines().skip(1).map(|line| line.trim_start().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use crate::config::{Allow, Config, LauncherChoice};

    use super::message_lines as lines;

    use super::*;

    #[test]
    fn options_make_one_instance() {
        let config = Config::from_flags(Flags {
            allow: vec!["git".to_owned()],
            launcher: Some("auto".to_owned()),
            profile: vec!["./site.toml".to_owned()],
            cwd: Some("/usr".into()),
            grants: Grants { net: true, ..Grants::default() },
            ..Flags::default()
        })
        .unwrap();
        assert_eq!(config.name, "cofferdam");
        let [instance] = &config.instances[..] else {
            panic!("{config:?}");
        };
        assert_eq!(instance.tool_names().next().as_deref(), Some("sh_run"));
        let settings = &instance.settings;
        assert_eq!(*settings.allow(), Allow::only(["git"]));
        assert_eq!(*settings.launcher(), LauncherChoice::Auto);
        assert!(settings.grants().net);
        let path = std::env::current_dir().unwrap().join("./site.toml");
        assert_eq!(settings.profile(), Some(&cofferdam_profiles::Source::Path(path)));
    }

    #[test]
    fn mistakes_name_the_option() {
        assert_eq!(
            lines(Flags {
                allow: vec![String::new()],
                timeout: Some(-1.0),
                cwd: Some("/nowhere".into()),
                launcher: Some("bwrap".to_owned()),
                ..Flags::default()
            }),
            [
                "--allow[0] = \"\": must be the name or path of a program, without NUL characters",
                "--cwd = \"/nowhere\": must be an existing directory: No such file or directory \
                 (os error 2)",
                "--timeout = -1.0: must be a number of seconds greater than 0, such as 30 or 0.5",
                "--launcher = \"bwrap\": there is no such launcher; did you mean `bubblewrap`? \
                 valid here: `none`, `auto`, `landlock`, `bubblewrap`, `seatbelt`",
            ]
        );
        let missing = lines(Flags::default());
        assert!(missing[0].starts_with("--allow: is missing: "), "{missing:?}");
    }

    #[test]
    fn a_server_says_who_it_is_beside_either_kind_of_options() {
        for (allow_any, tools) in [(true, vec![]), (false, vec![r#"Shell={"allow-any": true}"#])] {
            let config = Config::from_flags(Flags {
                name: Some("dev-tools".to_owned()),
                version: Some("1.2".to_owned()),
                instructions: Some("Git only.".to_owned()),
                allow_any,
                tools: tools.into_iter().map(str::to_owned).collect(),
                ..Flags::default()
            })
            .unwrap();
            assert_eq!(config.name, "dev-tools");
            assert_eq!(config.version.as_deref(), Some("1.2"));
            assert_eq!(config.instructions.as_deref(), Some("Git only."));
        }
        let empty = |name: &str| Some(name.to_owned());
        let flags =
            Flags { name: empty(" "), version: empty(""), allow_any: true, ..Flags::default() };
        assert_eq!(
            lines(flags),
            [
                "--name = \" \": must be text that is not empty",
                "--version = \"\": must be text that is not empty"
            ]
        );
    }

    #[test]
    fn a_directory_need_not_be_utf_8() {
        use std::os::unix::ffi::OsStrExt;
        let dir = tempfile::tempdir().unwrap();
        let cwd = dir.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
        std::fs::create_dir(&cwd).unwrap();
        let flags = Flags { allow_any: true, cwd: Some(cwd.clone()), ..Flags::default() };
        let config = Config::from_flags(flags).unwrap();
        assert_eq!(config.instances[0].settings.cwd(), cwd.canonicalize().unwrap());
    }

    #[test]
    fn tools_do_not_go_together_with_options_that_would_have_no_effect() {
        let flags = Flags {
            allow_any: true,
            timeout: Some(1.0),
            tools: vec![r#"Shell={"allow-any": true}"#.to_owned()],
            ..Flags::default()
        };
        assert_eq!(
            lines(flags),
            ["--tool: does not go together with --allow-any, --timeout; write these into the \
                 JSON of the tool"]
        );
    }
}
