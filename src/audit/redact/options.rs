//! Which words of a command line are secrets because of the words before them: `--token x`, `-u a:b`,
//! `mysql -px`, `Bearer x`.

use std::mem;

use super::names::{self, Secret};
use super::programs::{self, Program, Short};
use super::{REDACTED, addresses, values};
use crate::wrapped::{base_name, without_version};

/// What is known of a command line so far.
#[derive(Debug, Default)]
pub(super) struct Options {
    program: Option<&'static Program>,
    /// Whether the program's subcommand was seen.
    has_subcommand: bool,
    expected: Expected,
}

/// What the words so far say about the next one.
#[derive(Debug, Default)]
enum Expected {
    #[default]
    Nothing,
    /// The value of a name.
    Value(Secret),
    /// A secret, whatever it looks like.
    Secret,
    /// A name with a password, and what stands between them.
    Login(char),
    /// A secret, if it looks like one: many words stand behind "Bearer".
    Credentials,
    /// `BY 'password'`, in SQL.
    By,
    /// A string in quotes.
    Quoted,
}

impl Options {
    /// What is known within a word.
    pub(super) fn within(&self) -> Self {
        Options { expected: Expected::Nothing, ..*self }
    }

    /// Whether the next word may be a secret with blanks in it, if it stands in quotes.
    pub(super) fn expects_string(&self) -> bool {
        !matches!(self.expected, Expected::Nothing | Expected::By)
    }

    /// One word without what the words before it and its own beginning say is a secret; of the rest of
    /// it, what `otherwise` leaves.
    pub(super) fn clean(&mut self, word: &str, otherwise: impl FnOnce(&str) -> String) -> String {
        let bare = word.trim_matches(['"', '\'', '`']);
        let hidden = || word.replacen(bare, REDACTED, 1);
        let login =
            |between| addresses::login(bare, between).map(|clean| word.replacen(bare, &clean, 1));
        match mem::take(&mut self.expected) {
            // Two options in a row: the first had no value.
            _ if bare.is_empty() || bare.starts_with("--") => {}
            Expected::Value(secret) if secret.hides(bare) => return hidden(),
            Expected::Secret => return hidden(),
            Expected::Login(between) => {
                let clean = login(between);
                return otherwise(clean.as_deref().unwrap_or(word));
            }
            Expected::Credentials if are_credentials(bare) => return hidden(),
            Expected::Quoted if let Some(quote) = values::opening_quote(word) => {
                let behind = &word[quote.len()..];
                return format!(
                    "{quote}{REDACTED}{}",
                    &behind[values::closing_quote(behind, quote)..]
                );
            }
            Expected::By if bare.eq_ignore_ascii_case("by") => {
                self.expected = Expected::Quoted;
                return word.to_owned();
            }
            _ => {}
        }
        match self.learn(bare) {
            Short::Secret(place) => format!("{}{REDACTED}", &bare[..place]),
            Short::Login(place) => {
                let between = self.program.map_or(':', |program| program.between);
                let login = addresses::login(&bare[place..], between);
                let login = login.unwrap_or_else(|| bare[place..].to_owned());
                otherwise(&format!("{}{login}", &bare[..place]))
            }
            _ => otherwise(word),
        }
    }

    /// Takes note of a word that is no secret; and tells what is one within it.
    fn learn(&mut self, word: &str) -> Short {
        if word.contains(char::is_whitespace) {
            return Short::Nothing;
        }
        if !word.starts_with('-') {
            self.learn_word(word);
            return Short::Nothing;
        }
        let short = self.active().map_or(Short::Nothing, |program| program.short(word));
        match short {
            Short::NextIsSecret => self.expected = Expected::Secret,
            Short::NextIsLogin => self.expected = Expected::Login(self.between()),
            Short::Nothing => return self.learn_option(word),
            Short::Secret(_) | Short::Login(_) => {}
        }
        short
    }

    fn learn_word(&mut self, word: &str) {
        let name =
            without_version(base_name(word.trim_start_matches(['$', '(', '`', '"', '\'', ';'])));
        if let Some(program) = programs::program(name) {
            (self.program, self.has_subcommand) = (Some(program), false);
        } else if self.program.is_some_and(|program| program.subcommand == Some(word)) {
            self.has_subcommand = true;
        }
        self.expected = match word {
            "Bearer" | "bearer" | "Basic" | "basic" | "Token" => Expected::Credentials,
            _ if word.eq_ignore_ascii_case("identified") => Expected::By,
            _ if word.eq_ignore_ascii_case("password") => Expected::Quoted,
            _ if self.active().is_some_and(|program| program.has_settings) => {
                let secret = names::secret(word).filter(Secret::is_certain);
                secret.map_or(Expected::Nothing, Expected::Value)
            }
            _ => Expected::Nothing,
        };
    }

    /// An option that means the same to every program.
    fn learn_option(&mut self, word: &str) -> Short {
        let has_logins = !self.program.is_some_and(|program| program.has_groups);
        if has_logins {
            if ["-u", "--user", "--proxy-user"].contains(&word) {
                self.expected = Expected::Login(self.between());
            }
            let attached =
                ["--user=", "--proxy-user="].iter().find(|name| word.starts_with(**name));
            if let Some(name) = attached {
                return Short::Login(name.len());
            }
        }
        let name = word.trim_start_matches('-');
        // Of one letter there are short options.
        if name.len() > 1
            && name.chars().all(names::may_hold)
            && let Some(secret) = names::secret(name).filter(Secret::has_value)
        {
            self.expected = Expected::Value(secret);
        }
        Short::Nothing
    }

    /// The program, where its short options mean what the table says.
    fn active(&self) -> Option<&'static Program> {
        self.program.filter(|program| program.subcommand.is_none() || self.has_subcommand)
    }

    fn between(&self) -> char {
        self.program.map_or(':', |program| program.between)
    }
}

/// What stands behind the scheme of an `Authorization`.
fn are_credentials(word: &str) -> bool {
    let is_token =
        word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte));
    values::is_opaque(word, 8) || (is_token && (word.len() >= 20 || word.ends_with('=')))
}
