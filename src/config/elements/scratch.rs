//! `scratch`: how long the private folders of commands live.

use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::Written;

/// Whose the private `TMPDIR` and `HOME` are that a profile gives to commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ScratchMode {
    /// One for all runs of the instance, removed at shutdown: what one command leaves in a temporary
    /// file, the next can read.
    #[default]
    Instance,
    /// A fresh one for every run.
    Run,
}

impl ScratchMode {
    pub(crate) const NAMES: &[&str] = &["instance", "run"];

    /// The mode that was written, or the default.
    pub(crate) fn check(written: Written<String>, mistakes: &mut Mistakes) -> Option<ScratchMode> {
        written.check(ScratchMode::default, mistakes, |name| match name.as_str() {
            "instance" => Ok(ScratchMode::Instance),
            "run" => Ok(ScratchMode::Run),
            _ => Err(Problem::unknown("scratch mode", name, ScratchMode::NAMES)),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::config::place::{Place, Placed};
    use crate::config::tree::Tree;

    use super::*;

    #[test]
    fn every_name_is_a_mode_and_other_names_are_refused() {
        let check = |name: &str| {
            let mut mistakes = Mistakes::default();
            let tree = Tree::String(name.to_owned());
            let written = Placed::tree(Place::root().key("scratch"), tree).read(&mut mistakes);
            ScratchMode::check(written, &mut mistakes).ok_or_else(|| mistakes.lines())
        };
        assert_eq!(check("instance"), Ok(ScratchMode::Instance));
        assert_eq!(check("run"), Ok(ScratchMode::Run));
        assert_eq!(
            check("runs").unwrap_err(),
            [
                r#"scratch = "runs": there is no such scratch mode; did you mean `run`? valid here: `instance`, `run`"#
            ]
        );
    }
}
