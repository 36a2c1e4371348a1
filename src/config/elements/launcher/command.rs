//! `{"command": […]}`: a program that wraps the command.

use std::path::Path;

use crate::config::keys;
use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::{Placed, Written};
use crate::config::table::Table;
use crate::config::tree::Tree;

use super::CommandOptions;

/// A table with a wrapping program.
pub(super) fn read_command(
    tree: Placed<Tree>,
    base: &Path,
    mistakes: &mut Mistakes,
) -> Option<CommandOptions> {
    let mut table = Table::open(tree, keys::COMMAND, mistakes)?;
    let command: Written<Vec<Placed<String>>> = table.take("command", mistakes);
    let sandboxed: Written<bool> = table.take("sandboxed", mistakes);
    let sandboxed = sandboxed.check(|| false, mistakes, |value| Ok(*value));
    let command = command.check(Vec::new, mistakes, |items| {
        let words: Vec<_> = items.iter().map(|item| item.value.as_str()).collect();
        wrapping(&words, base)
    });
    Some(CommandOptions { command: command?, sandboxed: sandboxed? })
}

/// The words of a wrapping program. Placeholders are for the launcher to judge; here only the path
/// of the program is made absolute, so that it does not depend on the current directory.
pub(crate) fn wrapping(words: &[&str], base: &Path) -> Result<Vec<String>, Problem> {
    let must = "a program and its arguments, without NUL characters";
    let (program, arguments) = match words.split_first() {
        Some((program, arguments)) if !program.is_empty() => (*program, arguments),
        _ => return Err(Problem::must(must)),
    };
    if words.iter().any(|word| word.contains('\0')) {
        return Err(Problem::must(must));
    }
    let program = match program.contains('/') && !program.starts_with('{') {
        true => base
            .join(program)
            .into_os_string()
            .into_string()
            .map_err(|_| Problem::must("an absolute path, since its folder is not UTF-8"))?,
        false => program.to_owned(),
    };
    let arguments = arguments.iter().map(|word| (*word).to_owned());
    Ok(std::iter::once(program).chain(arguments).collect())
}

/// A wrapping program, for tests.
#[cfg(test)]
pub(super) fn wrapper(command: &[&str], sandboxed: bool) -> super::CommandOptions {
    super::CommandOptions {
        command: command.iter().map(|word| (*word).to_owned()).collect(),
        sandboxed,
    }
}

#[cfg(test)]
mod tests {
    use crate::config::LauncherChoice;
    use crate::config::elements::launcher::read::read_json as check;

    use super::wrapper;

    #[test]
    fn a_command_keeps_its_words_and_its_path_becomes_absolute() {
        assert_eq!(
            check(r#"{"command": ["firejail", "--", "{command}", "{args}"], "sandboxed": true}"#),
            Ok(LauncherChoice::Command(wrapper(&["firejail", "--", "{command}", "{args}"], true)))
        );
        assert_eq!(
            check(r#"{"command": ["./wrap me", "a b"]}"#),
            Ok(LauncherChoice::Command(wrapper(&["/srv/app/./wrap me", "a b"], false)))
        );
    }

    #[test]
    fn a_command_without_a_program_is_refused() {
        for command in ["[]", r#"[""]"#, r#"["a", "b\u0000"]"#] {
            let lines = check(&format!(r#"{{"command": {command}}}"#)).unwrap_err();
            assert!(lines[0].contains("must be a program and its arguments"));
        }
        assert_eq!(
            check(r#"{"sandboxed": true}"#).unwrap_err(),
            ["launcher: is missing: a table names a launcher with `name`, or a wrapping program \
                 with `command`"]
        );
    }
}
