//! What the installed bubblewrap can do. Read once, when the launcher is built.

use std::path::Path;

use cofferdam_launcher::{Launch, LaunchError};

use crate::probe::{self, PATIENCE};

/// The oldest version that can do all that is needed: `--disable-userns` and `--perms` for masks.
const OLDEST: (u32, u32) = (0, 8);

/// Options that came later, or that a distribution took over from later versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Features {
    /// `--bind-fd` and `--ro-bind-fd`: sources are descriptors, compared after mounting.
    pub(crate) bind_fd: bool,
}

impl Features {
    /// Asks the program. Its version only guards against one that is too old; what it can do is
    /// taken from its list of options.
    pub(crate) fn ask(program: &Path) -> Result<Self, LaunchError> {
        let version = answer(program, "--version")?;
        match parse_version(&version) {
            Some(version) if version >= OLDEST => {}
            Some((major, minor)) => return Err(too_old(program, &format!("{major}.{minor}"))),
            None => {
                let said = version.lines().next().unwrap_or("nothing").to_owned();
                return Err(LaunchError::unsupported(
                    format!("`{} --version` said `{said}`", program.display()),
                    "give the path of a bubblewrap in the launcher's `program`",
                ));
            }
        }
        // One that has no list has none of the later options.
        Ok(Features::parse(&answer(program, "--help").unwrap_or_default()))
    }

    fn parse(help: &str) -> Self {
        let has = |option| help.split_whitespace().any(|word| word == option);
        Features { bind_fd: has("--bind-fd") && has("--ro-bind-fd") }
    }
}

fn answer(program: &Path, option: &str) -> Result<String, LaunchError> {
    let ran = probe::run(Launch::wrapper(program).arg(option), PATIENCE)
        .map_err(|source| LaunchError::System { stage: "start bubblewrap", source })?;
    match ran.hung {
        true => Err(LaunchError::unsupported(
            format!("`{} {option}` did not end", program.display()),
            "give the path of a bubblewrap in the launcher's `program`",
        )),
        false => Ok(String::from_utf8_lossy(&ran.stdout).into_owned()),
    }
}

/// The first two numbers of `bubblewrap 0.8.0`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().strip_prefix("bubblewrap ")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn too_old(program: &Path, version: &str) -> LaunchError {
    LaunchError::unsupported(
        format!("`{}` is bubblewrap {version}, which is too old", program.display()),
        format!("install bubblewrap {}.{} or later", OLDEST.0, OLDEST.1),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(parse_version("bubblewrap 0.8.0\n"), Some((0, 8)));
        assert!(parse_version("bubblewrap 0.11.0").unwrap() > OLDEST);
        assert!(parse_version("bubblewrap 0.4.1").unwrap() < OLDEST);
        for rubbish in ["", "bwrap 0.8.0", "bubblewrap x.y", "bubblewrap"] {
            assert_eq!(parse_version(rubbish), None, "{rubbish}");
        }
    }

    #[test]
    fn features_are_whole_words_of_the_list_of_options() {
        let features = Features::parse("  --ro-bind-fd FD DEST\n  --bind-fd FD DEST  Bind");
        assert_eq!(features, Features { bind_fd: true });
        assert!(!Features::parse("--ro-bind-fd FD").bind_fd);
    }
}
