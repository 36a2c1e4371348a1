//! Passwords in URLs, in addresses without a scheme, and in the names with passwords that `curl -u`
//! takes.

use super::{REDACTED, entropy, shapes, values};

/// What stands before an address and is no name: `mailto:bob@example.org`, `npm:react@18.2.0`.
const LABELS: &[&str] = &[
    "acct",
    "assignee",
    "author",
    "bcc",
    "by",
    "cc",
    "committer",
    "contact",
    "domain",
    "email",
    "file",
    "from",
    "git",
    "github",
    "gitlab",
    "group",
    "jsr",
    "link",
    "mail",
    "mailto",
    "maintainer",
    "member",
    "npm",
    "owner",
    "patch",
    "pkg",
    "portal",
    "principal",
    "reviewer",
    "serviceaccount",
    "sip",
    "sips",
    "ssh",
    "to",
    "user",
    "workspace",
    "xmpp",
];

/// A word in which every address is without its password.
pub(super) fn without_passwords(word: &str) -> String {
    let mut clean = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(place) = rest.find("://").map(|place| place + 3) {
        // Before the first scheme there may be an address without one.
        clean += &without_scheme(&rest[..place]);
        rest = &rest[place..];
        let end = authority(rest);
        clean += &without_login(&rest[..end]);
        rest = &rest[end..];
    }
    clean + &without_scheme(rest)
}

/// How long the part of a URL is that holds name, password and host.
fn authority(rest: &str) -> usize {
    let ends = |sign: char| matches!(sign, '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>' | '\\');
    let end = rest.find(ends).unwrap_or(rest.len());
    let authority = match rest[..end].strip_suffix(':') {
        // The scheme of the next address, behind a comma.
        Some(before) if rest[end..].starts_with("//") => {
            before.trim_end_matches(|sign: char| sign.is_ascii_alphanumeric())
        }
        _ => &rest[..end],
    };
    let end = authority.len();
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    match authority.rsplit_once(':') {
        // A password with a slash that nobody has escaped; it ends at the last at-sign.
        Some((host, port)) if !authority.contains('@') && !host.contains('[') && !is_port(port) => {
            let next = rest.find("://").unwrap_or(rest.len());
            rest[..next]
                .rfind('@')
                .map_or(end, |at| at + rest[at..].find(ends).unwrap_or(rest.len() - at))
        }
        _ => end,
    }
}

fn without_login(authority: &str) -> String {
    // A password may hold an `@` that nobody has escaped.
    let Some((login, host)) = authority.rsplit_once('@') else { return authority.to_owned() };
    let clean = match login.split_once(':') {
        Some((name, password)) if !password.is_empty() => format!("{name}:{REDACTED}"),
        _ => without_key(login),
    };
    format!("{clean}@{host}")
}

/// A name that is none, but a key in its place.
fn without_key(name: &str) -> String {
    /// There are names with numbers in them.
    const LEAST: usize = 20;
    let bare = name.trim_end_matches(':');
    let clean = entropy::without_chance(&shapes::without_tokens(bare));
    match clean == bare && values::is_opaque(bare, LEAST) {
        true => format!("{REDACTED}{}", &name[bare.len()..]),
        false => format!("{clean}{}", &name[bare.len()..]),
    }
}

/// `name:password` as the value of an option, without the password; none where it is something else.
pub(super) fn login(word: &str, between: char) -> Option<String> {
    let (name, password) = word.split_once(between)?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if password.is_empty() {
        return Some(without_key(word)).filter(|clean| clean != word);
    }
    // A user and a group, and paths of Windows.
    let is_other = (is_number(name) && is_number(password)) || password.starts_with(['\\', '/']);
    (!is_other).then(|| format!("{name}{between}{REDACTED}"))
}

/// `name:password@host`, as drivers of databases take it.
fn without_scheme(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        let (login, host) = (&rest[..at], &rest[at + 1..]);
        let begins = |sign: char| "=,;'\"`()<>[]{}|".contains(sign);
        let start = login.rfind(begins).map_or(0, |place| place + 1);
        match login[start..].split_once(':') {
            Some((name, password)) if is_login(name, password) && is_host(name, password, host) => {
                clean += &login[..start + name.len() + 1];
                clean += REDACTED;
            }
            _ => clean += login,
        }
        clean.push('@');
        rest = host;
    }
    clean + rest
}

fn is_login(name: &str, password: &str) -> bool {
    let may_hold = |byte: u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte);
    let has_letter = name.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_address =
        password.is_empty() || password.starts_with([':', '\\']) || password.contains('/');
    has_letter && name.bytes().all(may_hold) && !is_address
}

/// Whether what is behind the at-sign is a host.
fn is_host(name: &str, password: &str, rest: &str) -> bool {
    /// The longest name of a host, in bytes (RFC 1035).
    const LONGEST: usize = 255;
    let rest = values::beginning(rest, LONGEST);
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '-' | '_');
    let host = &rest[..rest.find(|sign| !is_part(sign)).unwrap_or(rest.len())];
    let behind = &rest[host.len()..];
    let is_digest = ["sha256", "sha384", "sha512"].contains(&host);
    let is_version = host.trim_start_matches('v').starts_with(|sign: char| sign.is_ascii_digit())
        && host.parse::<std::net::Ipv4Addr>().is_err();
    let has_port = behind
        .strip_prefix(':')
        .is_some_and(|port| port.starts_with(|sign: char| sign.is_ascii_digit()));
    if host.is_empty() || is_digest || is_version {
        return false;
    }
    if has_port || behind.starts_with(['/', '(']) {
        return true;
    }
    let is_label = LABELS.iter().any(|label| name.eq_ignore_ascii_case(label));
    // Coordinates of packages are `group:name:version@kind`.
    !is_label && (host.contains('.') || !password.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_all_but_its_password() {
        for (url, clean) in [
            ("https://bob:hunter2@example.org/x", "https://bob:*@example.org/x"),
            ("postgres://app:p@ss:w@db:5432/main", "postgres://app:*@db:5432/main"),
            ("postgres://app:p/w@db:5432/main", "postgres://app:*@db:5432/main"),
            ("redis://:pw@cache/0", "redis://:*@cache/0"),
            ("mongodb://a:b@h1:27017,h2:27017/x", "mongodb://a:*@h1:27017,h2:27017/x"),
            ("--url=http://a:b@c", "--url=http://a:*@c"),
            ("http://a:b@c,http://d:e@f", "http://a:*@c,http://d:*@f"),
            ("http://a:b@c/,http://d:e@f", "http://a:*@c/,http://d:*@f"),
            ("bob:hunter2@db:5432/main", "bob:*@db:5432/main"),
            ("user:hunter2@db:5432/main", "user:*@db:5432/main"),
            ("DSN=root:pw@tcp(localhost:3306)/x", "DSN=root:*@tcp(localhost:3306)/x"),
            ("bob:p@example.org", "bob:*@example.org"),
            ("https://abc123def456abc123def456@x.org/1", "https://*@x.org/1"),
        ] {
            assert_eq!(without_passwords(url).replace(REDACTED, "*"), clean);
        }
    }

    #[test]
    fn addresses_without_a_password_stay() {
        for text in [
            "ssh://git@github.com/a/b.git",
            "http://localhost:8080/a:b@c",
            "http://[::1]:8080/a@b",
            "git@github.com:a/b.git",
            "git@github.com:a/b@main",
            "nginx:1.25@sha256:e3b0c442",
            "localhost:5000/x@sha256:e3b0c442",
            "npm:react@18.2.0",
            "react:18@18.2.0",
            "mailto:bob@example.org",
            "user:alice@example.org",
            "com.example:lib:1.2@aar",
            "12:30@room",
            "C:\\Users\\bob@corp",
            "std::fs@x",
        ] {
            assert_eq!(without_passwords(text), text);
        }
    }

    #[test]
    fn a_login_keeps_its_name() {
        let login = |word: &str| login(word, ':').map(|clean| clean.replace(REDACTED, "*"));
        assert_eq!(login("bob:hunter2").as_deref(), Some("bob:*"));
        assert_eq!(login("abc123def456abc123def456:").as_deref(), Some("*:"));
        for other in ["1000:1000", "bob", "bob:", "C:\\x"] {
            assert_eq!(login(other), None, "{other}");
        }
    }
}
