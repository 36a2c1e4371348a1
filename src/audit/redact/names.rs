//! Names whose values are secrets. A name is taken apart into its words, so that `author`, `monkey`
//! and `passenger` are none.

/// The last words of names of secrets.
const NOUNS: &[&str] = &[
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "credentials",
    "jwt",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "pwd",
    "secret",
    "secrets",
    "token",
    "tokens",
];

/// Names are also written without anything between their words: `PGPASSWORD`, `authtoken`.
const ENDINGS: &[&str] = &["apikey", "passphrase", "passwd", "password", "secret", "token"];

/// A `key` is a secret after one of these: `--key` alone sorts a file by its second column.
const KEYS: &[&str] = &[
    "access",
    "account",
    "admin",
    "api",
    "auth",
    "client",
    "encryption",
    "master",
    "private",
    "secret",
    "service",
    "shared",
    "signing",
    "storage",
];

/// Words behind the noun that change nothing.
const REST: &[&str] = &["plain", "string", "text", "value"];

/// Whether a sign can stand in a name.
pub(super) fn may_hold(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '-' | '_' | '.')
}

/// Whether what this names is a secret. `--password-file` names a file, which is none.
pub(super) fn is_secret(name: &str) -> bool {
    // The directory in which a shell is, and the one before.
    if matches!(name, "PWD" | "OLDPWD") {
        return false;
    }
    let mut words = split(name);
    while words.last().is_some_and(|last| REST.contains(&last.as_str())) {
        words.pop();
    }
    let Some(last) = words.pop() else { return false };
    match last.as_str() {
        "key" | "keys" => words.last().is_some_and(|before| KEYS.contains(&before.as_str())),
        last => NOUNS.contains(&last) || ENDINGS.iter().any(|end| last.ends_with(end)),
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
        ] {
            assert!(is_secret(name), "{name}");
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
            "password-stdin",
            "secretary",
            "PWD",
            "OLDPWD",
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
            assert!(!is_secret(name), "{name}");
        }
    }
}
