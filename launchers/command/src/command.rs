//! The launcher itself.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use cofferdam_launcher::{Launch, LaunchError, Launcher, Plan};

use crate::template::{Template, has_placeholder};
use crate::{Spec, SpecError, Stacked, program};

/// Wraps commands in another program.
#[derive(Debug, Clone)]
pub struct Command {
    name: String,
    program: PathBuf,
    template: Template,
    sandboxed: bool,
}

impl Command {
    /// Checks `spec` and finds its program: an absolute path, or a bare name in the absolute
    /// entries of `path`, the value of `PATH`. It is looked up here and never again.
    ///
    /// # Errors
    /// [`LaunchError::Other`] with the text of a [`SpecError`] for a list that makes no sense, and
    /// [`LaunchError::WrapperMissing`] for a program that is not there or not executable.
    pub fn new(spec: Spec, path: &OsStr) -> Result<Self, LaunchError> {
        let (first, rest) = spec.command.split_first().ok_or(SpecError::Empty)?;
        if let Some(element) = spec.command.iter().find(|text| text.contains('\0')) {
            return Err(SpecError::Nul { element: element.clone() }.into());
        }
        if has_placeholder(first) {
            return Err(SpecError::Program { element: first.clone() }.into());
        }
        let template = Template::parse(rest)?;
        let program = program::resolve(first, path)?;
        Ok(Command {
            name: format!("command:{}", program.file_name().unwrap_or_default().display()),
            program,
            template,
            sandboxed: spec.sandboxed,
        })
    }

    /// Puts this wrapper outside of another launcher: it then wraps what that one returns.
    pub fn around(self, inner: Arc<dyn Launcher>) -> Stacked {
        Stacked::new(self, inner)
    }
}

impl Launcher for Command {
    /// `command:` and the file name of the wrapper's program.
    fn name(&self) -> &str {
        &self.name
    }

    /// The program is still there. What it does with a command is not tried: a wrapper may queue,
    /// bill or notify.
    fn check(&self) -> Result<(), LaunchError> {
        match program::is_executable(&self.program) {
            true => Ok(()),
            false => Err(program::missing(&self.program.display().to_string())),
        }
    }

    fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        let launch = Launch::wrapper(&self.program).args(self.template.fill(plan));
        Ok(match self.sandboxed {
            true => launch.sandboxed(),
            false => launch,
        })
    }
}

#[cfg(test)]
mod tests {
    use cofferdam_launcher::{Ended, WrapperEnd};

    use super::*;

    fn spec(command: &[&str], sandboxed: bool) -> Spec {
        Spec { command: command.iter().map(|text| text.to_string()).collect(), sandboxed }
    }

    fn build(command: &[&str]) -> Result<Command, LaunchError> {
        Command::new(spec(command, false), "/usr/bin:/bin".as_ref())
    }

    fn run(command: &[&str], args: &[&str]) -> String {
        let plan = Plan::new("printf", "/usr/bin/printf", "/").with_args(args);
        let launch = build(command).unwrap().wrap(&plan).unwrap();
        let output = std::process::Command::new(launch.program())
            .args(&launch.argv()[1..])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn transparent_wrappers_pass_every_argument_untouched() {
        let args = ["%s|", "a b", "$x", "", "--", "{dir}"];
        for wrapper in
            [&["env"][..], &["nice", "-n", "5"], &["env", "A=b  c", "{command}", "{args}"]]
        {
            assert_eq!(run(wrapper, &args), "a b|$x||--|{dir}|", "{wrapper:?}");
        }
    }

    #[test]
    fn the_claim_is_the_operators_word() {
        let plan = Plan::new("true", "/bin/true", "/");
        for claim in [true, false] {
            let launcher = Command::new(spec(&["env"], claim), "/usr/bin:/bin".as_ref()).unwrap();
            assert_eq!(launcher.wrap(&plan).unwrap().is_sandboxed(), claim);
        }
    }

    #[test]
    fn lists_that_make_no_sense_are_refused_when_the_launcher_is_built() {
        for (command, part) in [
            (&[][..], "empty list"),
            (&["env", "a\0b"], "NUL"),
            (&["{command}", "{args}"], "\"{command}\""),
            (&["env", "{cmd}"], "`{cmd}`"),
            (&["./env"], "\"./env\""),
        ] {
            let error = build(command).unwrap_err().to_string();
            assert!(error.contains(part), "{part:?} is not in: {error}");
        }
    }

    #[test]
    fn a_wrapper_that_vanished_fails_the_check() {
        let folder = tempfile::tempdir().unwrap();
        let wrapper = folder.path().join("wrap");
        std::fs::copy("/usr/bin/env", &wrapper).unwrap();
        let launcher = build(&[wrapper.to_str().unwrap()]).unwrap();
        assert_eq!(launcher.name(), "command:wrap");
        launcher.check().unwrap();
        std::fs::remove_file(&wrapper).unwrap();
        let error = launcher.check().unwrap_err();
        assert!(error.remedy().unwrap().contains("wrap"), "{error:?}");
    }

    #[test]
    fn a_failed_run_is_never_blamed_on_the_wrapper() {
        let end = WrapperEnd {
            ended: Ended::Exited(126),
            status: b"",
            stderr: b"env: the sandbox could not be set up",
        };
        assert!(build(&["env"]).unwrap().blame(&end).is_none());
    }
}
