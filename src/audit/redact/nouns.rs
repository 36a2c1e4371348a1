//! The words of which names of secrets are made, in lower case.

/// The last words of names of secrets.
pub(super) const NOUNS: &[&str] = &[
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "credentials",
    "jwt",
    "otp",
    "pass",
    "passcode",
    "passin",
    "passout",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "psk",
    "pw",
    "pwd",
    "secret",
    "secrets",
    "token",
    "tokens",
];

/// Names are also written without anything between their words: `PGPASSWORD`, `authtoken`.
pub(super) const ENDINGS: &[&str] = &[
    "accesskey",
    "apikey",
    "authkey",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "secret",
    "secretkey",
    "token",
];

/// A `key` is a secret after one of these: `--key` alone sorts a file by its second column.
pub(super) const KEYS: &[&str] = &[
    "access",
    "account",
    "admin",
    "api",
    "app",
    "auth",
    "client",
    "encryption",
    "license",
    "master",
    "private",
    "secret",
    "service",
    "shared",
    "signing",
    "storage",
];

/// Tokens that are none: of pages of a list, and of the language of models.
pub(super) const PLAIN_TOKENS: &[&str] = &[
    "bos",
    "continuation",
    "continue",
    "end",
    "eos",
    "mask",
    "next",
    "pad",
    "page",
    "sep",
    "special",
    "start",
    "starting",
    "stop",
    "sync",
    "unk",
];

/// Words behind the noun that change nothing.
pub(super) const REST: &[&str] = &["plain", "string", "text", "value"];

/// Where one of these stands in a name its value is a number.
pub(super) const COUNTS: &[&str] =
    &["count", "limit", "max", "maximum", "min", "minimum", "num", "total"];

/// What an option begins with that has no value: `--ask-pass`, `--no-auth`.
pub(super) const FLAGS: &[&str] =
    &["ask", "disable", "hide", "no", "prompt", "show", "skip", "without"];

/// Nouns of which people write sentences: after `auth: ` there is more often one than a secret.
pub(super) const OFTEN_PROSE: &[&str] = &["auth", "bearer", "pass", "tokens"];
