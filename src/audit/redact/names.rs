//! Names whose values are secrets. A name is taken apart into its words, so that `author`, `monkey`
//! and `passenger` are none.

use super::nouns::{COUNTS, ENDINGS, FLAGS, KEYS, NOUNS, OFTEN_PROSE, PLAIN_TOKENS, REST};
use super::values;

/// A name whose value is a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Secret {
    /// The words of the name in lower case, as far as they say what it is.
    words: Vec<String>,
}

/// Whether a sign can stand in a name.
pub(super) fn may_hold(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '-' | '_' | '.')
}

/// The name at the end of a text.
pub(super) fn at_end_of(text: &str) -> &str {
    &text[text.trim_end_matches(may_hold).len()..]
}

/// What this names, where that is a secret. `--password-file` names a file, which is none.
pub(super) fn secret(name: &str) -> Option<Secret> {
    /// Longer ones are no names, and need not be taken apart.
    const LONGEST: usize = 200;
    if name.len() > LONGEST {
        return None;
    }
    let mut words = split(name);
    while words.last().is_some_and(|last| REST.contains(&last.as_str())) {
        words.pop();
    }
    let (last, before) = words.split_last()?;
    let before = before.last().map(String::as_str);
    let is_secret = match last.as_str() {
        "key" | "keys" => before.is_some_and(|before| KEYS.contains(&before)),
        "token" | "tokens" => !before.is_some_and(|before| PLAIN_TOKENS.contains(&before)),
        last => NOUNS.contains(&last) || ENDINGS.iter().any(|end| last.ends_with(end)),
    };
    is_secret.then_some(Secret { words })
}

impl Secret {
    /// Whether this value of it is one that must not be seen.
    pub(super) fn hides(&self, value: &str) -> bool {
        let number = values::without_punctuation(value);
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        match self.noun() {
            _ if values::is_plain(value) || (is_number && self.counts()) => false,
            "tokens" => !is_number,
            // How often something passes.
            "pass" if is_number && value.len() < 3 => false,
            // Where a password comes from, as `openssl(1)` writes it.
            "pass" | "passin" | "passout" => {
                !["env:", "fd:", "file:"].iter().any(|source| value.starts_with(source))
            }
            // The directory in which a shell is.
            "pwd" => !value.starts_with(['/', '.', '~', '$', '`']),
            "key" | "keys" => !values::is_path(value),
            _ => true,
        }
    }

    /// Whether an option of this name has a value at all.
    pub(super) fn has_value(&self) -> bool {
        !self.words.first().is_some_and(|first| FLAGS.contains(&first.as_str()))
    }

    /// Whether nothing else has such a name: `X-Api-Key`, and not `token`.
    pub(super) fn is_certain(&self) -> bool {
        (self.words.len() > 1 && !self.counts()) || self.noun() == "authorization"
    }

    fn counts(&self) -> bool {
        self.words.iter().any(|word| COUNTS.contains(&word.as_str()))
    }

    /// Whether it holds pairs, each of a name and a value.
    pub(super) fn is_cookie(&self) -> bool {
        self.noun() == "cookie"
    }

    /// Whether the noun alone is in front of a sentence as well.
    pub(super) fn is_often_prose(&self) -> bool {
        !self.is_certain() && OFTEN_PROSE.contains(&self.noun())
    }

    /// Whether it is one of the words for passwords, which may be short.
    pub(super) fn is_password(&self) -> bool {
        self.noun().starts_with("pass") || ["pw", "pwd"].contains(&self.noun())
    }

    fn noun(&self) -> &str {
        self.words.last().map_or("", String::as_str)
    }
}

/// The words of a name in lower case: `_authToken` is `auth` and `token`, `DB_PASSWORD2` is `db` and
/// `password`.
fn split(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for sign in name.chars() {
        let is_border = !sign.is_alphabetic() || (sign.is_uppercase() && was_lower);
        if is_border {
            words.push(String::new());
        }
        was_lower = sign.is_lowercase();
        if sign.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(sign.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_every_spelling() {
        for name in [
            "token",
            "TOKEN",
            "api-key",
            "apiKey",
            "API_KEY",
            "apikey",
            "AWS_SECRET_ACCESS_KEY",
            "PGPASSWORD",
            "MYSQL_PWD",
            "_authToken",
            "DB_PASSWORD",
            "DB_PASSWORD2",
            "client-secret",
            "GITHUB_TOKEN",
            "Authorization",
            "Proxy-Authorization",
            "X-Api-Key",
            "Set-Cookie",
            "private_key",
            "passphrase",
            "--password",
            "//registry.npmjs.org/:_authToken",
            "secret-value",
            "AccountKey",
            "-passin",
        ] {
            assert!(secret(name).is_some_and(|secret| secret.hides("hunter2")), "{name}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for name in [
            "author",
            "monkey",
            "keyboard",
            "key",
            "keys",
            "KEY",
            "passenger",
            "bypass-cache",
            "compass",
            "password-file",
            "token-file",
            "token-limit",
            "next-token",
            "eos_token",
            "password-stdin",
            "secretary",
            "tokenizer",
            "cookie-jar",
            "authority",
            "passthrough",
            "primary-key",
            "sort-key",
            "",
            "path",
            "user",
        ] {
            assert_eq!(secret(name), None, "{name}");
        }
    }

    #[test]
    fn values_that_are_no_secrets_stay() {
        for (name, value) in [
            ("max-tokens", "4096"),
            ("max_token", "4096"),
            ("tokens", "17"),
            ("PWD", "/home/me"),
            ("auth", "true"),
            ("password", "null"),
            ("pass", "2"),
            ("passin", "file:pw.txt"),
            ("private-key", "./id_ed25519"),
        ] {
            assert!(!secret(name).unwrap().hides(value), "{name} {value}");
        }
        assert!(secret("tokens").unwrap().hides("a1,b2"));
        assert!(secret("PWD").unwrap().hides("hunter2"));
        assert!(!secret("--no-auth").unwrap().has_value());
        assert!(secret("--auth").unwrap().has_value());
    }
}
