//! What this launcher does not promise.

use cofferdam_battery::Unpromised;

/// Everywhere.
pub(crate) const ALL: &[Unpromised] = &[
    limits("no_more_memory_is_taken"),
    limits("no_more_files_are_opened"),
    limits("no_larger_file_is_written"),
    limits("no_more_processor_time_is_taken"),
    limits("no_more_processes_are_started"),
    limits("what_is_within_the_limits_works"),
    Unpromised {
        promise: "a_command_knows_the_name_by_which_it_was_called",
        because: "bubblewrap calls a program by its path; `--argv0` came with 0.9",
        instead: "landlock",
    },
];

const fn limits(promise: &'static str) -> Unpromised {
    Unpromised { promise, because: "a profile with `[limits]` is refused", instead: "landlock" }
}
