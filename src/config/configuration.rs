//! A whole configuration: what a server is called and which tool instances it has.

use std::path::{self, Path};

use super::error::unless_mistaken;
use super::file::WrittenConfig;
use super::flags::Flags;
use super::instance::{self, Instance};
use super::mistake::{Mistakes, Problem};
use super::place::{Place, Written};
use super::read::read;
use super::syntax::{Format, parse};
use super::{Origin, SettingsError};

/// A checked configuration of a server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// What the server calls itself. Not empty.
    pub name: String,
    /// The version it tells clients. `None` is the version of the program.
    pub version: Option<String>,
    /// What it tells clients about its use.
    pub instructions: Option<String>,
    /// Its tool instances: at least one, and no two with a tool of the same name.
    pub instances: Vec<Instance>,
}

impl Config {
    /// Reads a file: TOML when its name ends in `.toml`, else JSON. Relative paths in it start at its
    /// folder.
    ///
    /// # Errors
    /// [`SettingsError`] when the file cannot be read, is not of its language, or holds a mistake.
    pub fn from_file(path: &Path) -> Result<Config, SettingsError> {
        let text = read(path)?;
        // A bare file name has an empty parent.
        let folder = Path::new(".").join(path.parent().unwrap_or(path));
        Config::from_origin(&text, Format::of(path), &folder, Origin::file(path))
    }

    /// Reads a text. Relative paths in it start at `base`.
    ///
    /// ```
    /// use std::path::Path;
    /// use cofferdam::config::{Config, Format};
    ///
    /// let json = r#"{"name": "dev-tools", "tools": {"Shell#git": {"allow": ["git"], "prefix": "git"}}}"#;
    /// let config = Config::from_text(json, Format::Json, Path::new("."))?;
    /// assert_eq!(config.instances[0].tool_names().next().as_deref(), Some("git_run"));
    ///
    /// let wrong = json.replace("prefix", "prefx");
    /// let error = Config::from_text(&wrong, Format::Json, Path::new(".")).unwrap_err();
    /// assert!(error.to_string().contains("did you mean `prefix`?"));
    /// # Ok::<(), cofferdam::config::SettingsError>(())
    /// ```
    ///
    /// # Errors
    /// [`SettingsError`] when the text is not of its language, or holds a mistake.
    pub fn from_text(text: &str, format: Format, base: &Path) -> Result<Config, SettingsError> {
        Config::from_origin(text, format, base, Origin::Program)
    }

    /// Makes a configuration of the options of a command line. Relative paths start at the current
    /// directory.
    ///
    /// # Errors
    /// [`SettingsError::Mistakes`] when the options make no sense, or not together.
    pub fn from_flags(flags: Flags) -> Result<Config, SettingsError> {
        let mut mistakes = Mistakes::default();
        let written = flags.write(&mut mistakes);
        Config::check(written, Path::new("."), Origin::CommandLine, mistakes)
    }

    fn from_origin(
        text: &str,
        format: Format,
        base: &Path,
        origin: Origin,
    ) -> Result<Config, SettingsError> {
        let tree = match parse(text, format) {
            Ok(tree) => tree,
            Err(error) => {
                return Err(SettingsError::Syntax { origin, format, error });
            }
        };
        let mut mistakes = Mistakes::default();
        let written = WrittenConfig::read(tree, &mut mistakes);
        Config::check(written, base, origin, mistakes)
    }

    fn check(
        written: WrittenConfig,
        base: &Path,
        origin: Origin,
        mut mistakes: Mistakes,
    ) -> Result<Config, SettingsError> {
        // Where the current directory is gone, what starts at it is reported as missing.
        let base = path::absolute(base).unwrap_or_else(|_| base.to_owned());
        let name = required_name(written.name, &mut mistakes);
        let version = optional_text(written.version, &mut mistakes);
        let instructions = optional_text(written.instructions, &mut mistakes);
        let instances = match written.tools {
            Written::Given(tools) if tools.value.is_empty() => {
                tools.wrong(Problem::Missing { what: TOOLS }, &mut mistakes);
                None
            }
            Written::Given(tools) => instance::check_all(tools.value, &base, &mut mistakes),
            Written::Unreadable => None,
            Written::Absent => {
                let place = Place::root().key("tools");
                mistakes.add_at(place, Problem::Missing { what: TOOLS });
                None
            }
        };
        let config = (|| {
            Some(Config {
                name: name?,
                version: version?,
                instructions: instructions?,
                instances: instances?,
            })
        })();
        unless_mistaken(config, origin, mistakes)
    }
}

const TOOLS: &str = "at least one tool instance, such as {\"Shell\": {\"allow\": [\"git\"]}}";

fn required_name(written: Written<String>, mistakes: &mut Mistakes) -> Option<String> {
    if written == Written::Absent {
        let what = "what the server calls itself, such as \"dev-tools\"";
        mistakes.add_at(Place::root().key("name"), Problem::Missing { what });
        return None;
    }
    written.check(String::new, mistakes, |name| non_empty(name))
}

fn optional_text(written: Written<String>, mistakes: &mut Mistakes) -> Option<Option<String>> {
    written.check(|| None, mistakes, |text| non_empty(text).map(Some))
}

fn non_empty(text: &str) -> Result<String, Problem> {
    match text.trim().is_empty() {
        true => Err(Problem::must("text that is not empty")),
        false => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn json(text: &str) -> Result<Config, SettingsError> {
        Config::from_text(text, Format::Json, Path::new("/"))
    }

    #[test]
    fn a_whole_file_is_read_with_paths_from_its_own_folder() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("src")).unwrap();
        let path = dir.path().join("mcp.json");
        fs::write(
            &path,
            r#"{"$schema": "https://example.org/x", "name": "dev-tools", "version": "1.2",
                "instructions": "Git only.", "tools": {
                "Shell#git": {"allow": ["git"], "cwd": "src", "prefix": "git"},
                "Shell#search": {"allow": ["rg"], "prefix": "rg", "timeout": 10}}}"#,
        )
        .unwrap();
        let config = Config::from_file(&path).unwrap();
        assert_eq!(config.name, "dev-tools");
        assert_eq!(config.version.as_deref(), Some("1.2"));
        assert_eq!(config.instructions.as_deref(), Some("Git only."));
        let [git, search] = &config.instances[..] else {
            panic!("{config:?}");
        };
        assert_eq!(git.key.as_str(), "Shell#git");
        assert_eq!(git.names.prefix().as_str(), "git");
        assert_eq!(git.settings.cwd(), dir.path().canonicalize().unwrap().join("src"));
        assert_eq!(search.settings.timeout().as_secs(), 10);
    }

    #[test]
    fn toml_says_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mcp.toml");
        fs::write(
            &path,
            "name = \"x\"\n\
             # why this tool is here\n\
             [tools.\"Shell#git\"]\n\
             allow = [\"git\"]\n\
             timeout = 0.5\n\
             launcher = { name = \"landlock\", namespaces = \"off\" }\n\
             cwd = \".\"\n",
        )
        .unwrap();
        let config = Config::from_file(&path).unwrap();
        assert_eq!(config.version, None);
        let settings = &config.instances[0].settings;
        assert_eq!(settings.timeout().as_millis(), 500);
        assert!(settings.launcher().takes_profile());
        assert_eq!(settings.cwd(), dir.path().canonicalize().unwrap());
    }

    #[test]
    fn a_file_that_is_not_of_its_language_is_named_with_line_and_column() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mcp.json");
        fs::write(&path, "{\n  \"name\": \"x\",\n}").unwrap();
        let error = Config::from_file(&path).unwrap_err().to_string();
        let path = path.display();
        assert_eq!(
            error,
            format!(
                "the configuration `{path}` is not valid JSON: line 3, column 1: trailing comma"
            )
        );
    }

    #[test]
    fn name_and_tools_are_required() {
        assert_eq!(
            json("{}").unwrap_err().to_string(),
            "the configuration has 2 mistakes:\n  \
             name: is missing: what the server calls itself, such as \"dev-tools\"\n  \
             tools: is missing: at least one tool instance, such as {\"Shell\": {\"allow\": \
             [\"git\"]}}"
        );
        let error = json(r#"{"name": " ", "version": "", "tools": {}}"#).unwrap_err().to_string();
        assert!(error.contains("name = \" \": must be text that is not empty"), "{error}");
        assert!(error.contains("version = \"\": must be text that is not empty"), "{error}");
        assert!(error.contains("tools = {}: is missing: at least one"), "{error}");
    }

    #[test]
    fn a_text_that_is_no_table_is_one_mistake() {
        assert_eq!(
            json("[1]").unwrap_err().to_string(),
            "the configuration has a mistake:\n  the top level = [1]: must be a table of settings"
        );
    }
}
