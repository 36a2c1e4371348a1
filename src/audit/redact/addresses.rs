//! Passwords in URLs, and in the names with passwords that `curl -u` takes.

use super::{REDACTED, names};

/// A word in which every URL is without its password and without the secrets of its query.
pub(super) fn without_passwords(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    // A password may hold an `@` that nobody has escaped.
    let authority = match authority.rsplit_once('@') {
        Some((login, host)) => format!("{}@{host}", without_password(login)),
        None => authority.to_owned(),
    };
    // There may be another one behind a comma, or within the query.
    format!("{scheme}://{authority}{}", query(&without_passwords(path)))
}

/// `name:password` as the value of an option.
pub(super) fn login(word: &str) -> String {
    without_password(word)
}

fn without_password(login: &str) -> String {
    match login.split_once(':') {
        Some((name, password)) if !password.is_empty() => format!("{name}:{REDACTED}"),
        _ => login.to_owned(),
    }
}

fn query(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else { return path.to_owned() };
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, value)) if !value.is_empty() && names::is_secret(name) => {
            format!("{name}={REDACTED}")
        }
        _ => pair.to_owned(),
    });
    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_keeps_all_but_its_password() {
        for (url, clean) in [
            ("https://bob:hunter2@example.org/x", "https://bob:[redacted]@example.org/x"),
            ("postgres://app:p@ss:w@db:5432/main", "postgres://app:[redacted]@db:5432/main"),
            ("redis://:pw@cache/0", "redis://:[redacted]@cache/0"),
            ("https://x.org/a?page=2&token=abc", "https://x.org/a?page=2&token=[redacted]"),
            ("--url=http://a:b@c", "--url=http://a:[redacted]@c"),
            ("ssh://git@github.com/a/b.git", "ssh://git@github.com/a/b.git"),
            ("http://localhost:8080/a:b@c", "http://localhost:8080/a:b@c"),
            ("git@github.com:a/b.git", "git@github.com:a/b.git"),
        ] {
            assert_eq!(without_passwords(url), clean);
        }
    }
}
