//! What the operator wrote, and what can be wrong with it.

use cofferdam_launcher::LaunchError;

/// A wrapper by configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    /// The wrapper's argument vector, its program first.
    ///
    /// `{command}` stands for the absolute path of the resolved program and `{args}` for all
    /// arguments of the command, however many there are: each must be an element of its own.
    /// `{dir}` stands for the working directory and may be a part of an element. Without
    /// `{command}` and `{args}` both are put at the end.
    ///
    /// A placeholder is a word of ASCII letters, digits, `-` and `_` in braces; any other brace is
    /// data (`{}`, `{"a": 1}`, `{{.Names}}`). A word in braces that is meant as data is written
    /// with doubled braces: `{{name}}` becomes `{name}`.
    pub command: Vec<String>,
    /// Whether the wrapper confines the command. The runs then report `sandbox.active`.
    pub sandboxed: bool,
}

/// A wrapper that cannot be used as it is written. The operator's mistake.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The list has no elements.
    #[error("the wrapper's `command` is an empty list: its first element must name a program")]
    Empty,
    /// An element holds a NUL character, which no argument can carry.
    #[error("the element {element:?} of the wrapper's `command` holds a NUL character")]
    Nul {
        /// The element.
        element: String,
    },
    /// The first element is not a program.
    #[error(
        "the first element {element:?} of the wrapper's `command` must name the wrapper's own program: \
         an absolute path, or a name to be found in PATH; placeholders come after it"
    )]
    Program {
        /// The element.
        element: String,
    },
    /// A placeholder that does not exist.
    #[error(
        "the element {element:?} of the wrapper's `command` has the unknown placeholder `{{{word}}}`: \
         valid are `{{command}}`, `{{args}}` and `{{dir}}`; write `{{{{{word}}}}}` where it is meant as text"
    )]
    Unknown {
        /// The element.
        element: String,
        /// The word in braces.
        word: String,
    },
    /// `{command}` or `{args}` as a part of an element.
    #[error(
        "the element {element:?} of the wrapper's `command` has `{{{word}}}` inside it: \
         it must be an element of its own; only `{{dir}}` may be a part of one"
    )]
    Inside {
        /// The element.
        element: String,
        /// The word in braces.
        word: &'static str,
    },
    /// `{command}` or `{args}` more than once.
    #[error("the placeholder `{{{word}}}` stands more than once in the wrapper's `command`")]
    Twice {
        /// The word in braces.
        word: &'static str,
    },
    /// One of `{command}` and `{args}` without the other.
    #[error(
        "the wrapper's `command` has `{{{present}}}` but no `{{{absent}}}`, so a part of the command would be \
         lost: write both, or neither (then both are put at the end)"
    )]
    Alone {
        /// The word that is there.
        present: &'static str,
        /// The word that is not.
        absent: &'static str,
    },
}

impl From<SpecError> for LaunchError {
    fn from(error: SpecError) -> Self {
        LaunchError::Other(error.to_string())
    }
}
