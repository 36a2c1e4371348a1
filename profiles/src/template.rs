//! An entry as it is written: text, variables, and a `?` at the end.

use std::fmt;

use crate::mistake::Cause;
use crate::nearest::nearest;

/// An entry taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template<'a> {
    pub(crate) pieces: Vec<Part<'a>>,
    /// It ended in `?`: what it names may be missing.
    pub(crate) optional: bool,
}

/// A part of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    Text(&'a str),
    Variable(Variable),
}

/// A variable that profiles can use as `${…}`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variable {
    /// The directory to work in.
    Workspace,
    /// The user's home directory.
    Home,
    /// The user's name.
    User,
    /// A variable of the environment in which the policy is resolved.
    Env(String),
    /// The git directory of the workspace: `.git`, or where that leads to.
    GitDir,
    /// A linked worktree's own folder in the common git directory.
    GitWorktree,
    /// The run's scratch folder.
    Tmp,
    /// The policy's own cache folder.
    Cache,
}

impl Variable {
    /// The names as they are written between the braces.
    pub(crate) const NAMES: &[&str] =
        &["cache", "env:NAME", "git-dir", "git-worktree", "home", "tmp", "user", "workspace"];

    fn parse(name: &str) -> Result<Self, Cause> {
        Ok(match name {
            "workspace" => Variable::Workspace,
            "home" => Variable::Home,
            "user" => Variable::User,
            "git-dir" => Variable::GitDir,
            "git-worktree" => Variable::GitWorktree,
            "tmp" => Variable::Tmp,
            "cache" => Variable::Cache,
            _ => match name.strip_prefix("env:") {
                Some(name) if !name.is_empty() && !name.contains(['=', '\0']) => {
                    Variable::Env(name.to_owned())
                }
                _ => {
                    return Err(Cause::UnknownVariable {
                        name: name.to_owned(),
                        nearest: nearest(name, Variable::NAMES.iter().copied()).map(str::to_owned),
                    });
                }
            },
        })
    }

    /// Whether its value is found by way of the workspace.
    pub(crate) fn needs_workspace(&self) -> bool {
        matches!(self, Variable::Workspace | Variable::GitDir | Variable::GitWorktree)
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Workspace => f.write_str("workspace"),
            Variable::Home => f.write_str("home"),
            Variable::User => f.write_str("user"),
            Variable::Env(name) => write!(f, "env:{name}"),
            Variable::GitDir => f.write_str("git-dir"),
            Variable::GitWorktree => f.write_str("git-worktree"),
            Variable::Tmp => f.write_str("tmp"),
            Variable::Cache => f.write_str("cache"),
        }
    }
}

impl<'a> Template<'a> {
    /// Takes an entry apart. A `$` that no `{` follows is text.
    pub(crate) fn parse(entry: &'a str) -> Result<Self, Cause> {
        let (mut rest, optional) = match entry.strip_suffix('?') {
            Some(rest) => (rest, true),
            None => (entry, false),
        };
        let mut pieces = Vec::new();
        while let Some(start) = variable(rest) {
            let (text, variable) = rest.split_at(start);
            let Some((name, after)) = variable["${".len()..].split_once('}') else {
                return Err(Cause::Invalid {
                    what: "`${` without a `}`",
                    remedy: "write variables as `${home}`",
                });
            };
            if !text.is_empty() {
                pieces.push(Part::Text(text));
            }
            pieces.push(Part::Variable(Variable::parse(name)?));
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Part::Text(rest));
        }
        Ok(Template { pieces, optional })
    }

    /// Whether it is `${tmp}` and nothing else.
    pub(crate) fn is_tmp(&self) -> bool {
        self.pieces == [Part::Variable(Variable::Tmp)]
    }

    /// The variables in it.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.pieces.iter().filter_map(|part| match part {
            Part::Variable(variable) => Some(variable),
            Part::Text(_) => None,
        })
    }

    /// Whether the written text, and not only some variable's value, holds this character.
    pub(crate) fn text_contains(&self, character: char) -> bool {
        self.pieces.iter().any(|part| matches!(part, Part::Text(text) if text.contains(character)))
    }
}

/// Where the first variable begins. To look for one sign and then at the next is several times as fast
/// as to look for both, and each policy does it some five hundred times.
fn variable(text: &str) -> Option<usize> {
    let is_variable = |(start, _): &(usize, &str)| text[*start..].starts_with("${");
    text.match_indices('$').find(is_variable).map(|(start, _)| start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_variables_are_taken_apart() {
        let template = Template::parse("a${home}/b$c${env:X}?").unwrap();
        assert!(template.optional);
        assert_eq!(
            template.pieces,
            [
                Part::Text("a"),
                Part::Variable(Variable::Home),
                Part::Text("/b$c"),
                Part::Variable(Variable::Env("X".into())),
            ]
        );
    }

    #[test]
    fn an_unknown_variable_names_the_nearest() {
        let cause = Template::parse("${worksapce}/x").unwrap_err();
        assert!(cause.remedy().unwrap().starts_with("did you mean `workspace`?"));
    }

    #[test]
    fn an_open_brace_and_an_empty_name_are_refused() {
        for text in ["${home", "${}", "${env:}", "${env:A=B}", "${"] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_listed_name_is_a_variable_and_prints_as_itself() {
        for name in Variable::NAMES {
            assert_eq!(Variable::parse(name).unwrap().to_string(), *name);
        }
    }
}
