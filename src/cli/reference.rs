//! `cofferdam completions` and `cofferdam man`: the command line, described for shells and for `man(1)`.

use clap::CommandFactory;
use clap_mangen::Man;

use super::args::{Arguments, CompletionsArgs, ManArgs};
use super::report::{Failure, print};

/// Prints a shell's completion script.
pub(super) fn completions(args: CompletionsArgs) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "cofferdam", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

/// Prints a manual page: of the program, or of one of its commands.
pub(super) fn man(args: ManArgs) -> Result<u8, Failure> {
    let mut program = Arguments::command();
    // Gives the commands their whole names.
    program.build();
    let wanted = match &args.command {
        None => &program,
        Some(name) => program
            .find_subcommand(name)
            .filter(|command| !command.is_hide_set())
            .ok_or_else(|| unknown(name, &program))?,
    };
    let mut page = Vec::new();
    Man::new(wanted.clone()).render(&mut page)?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(0)
}

fn unknown(name: &str, program: &clap::Command) -> Failure {
    let commands = program.get_subcommands().filter(|command| !command.is_hide_set());
    let names: Vec<_> = commands.map(|command| format!("`{}`", command.get_name())).collect();
    Failure(format!("there is no command `{name}` to describe; there are {}", names.join(", ")))
}
