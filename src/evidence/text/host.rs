//! The host in a line about the network.

use std::net::IpAddr;

/// Words after which a host stands.
const BEFORE: &[&str] =
    &["host", "hostname", "host:", "to", "eai_again", "enotfound", "lookup", "resolve", "proxy:"];

/// The host that a line names, with its port where that is known.
pub(super) fn of(line: &str) -> Option<(String, Option<u16>)> {
    in_url(line).or_else(|| in_call(line)).or_else(|| after_word(line))
}

/// `https://HOST:PORT/`
fn in_url(line: &str) -> Option<(String, Option<u16>)> {
    let (_, rest) = line.split_once("://")?;
    let authority = rest.split(|sign: char| "/?#'\"` ,)>".contains(sign)).next()?;
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    host_and_port(authority.trim_end_matches(['.', ':']))
}

/// `host='HOST', port=PORT`
fn in_call(line: &str) -> Option<(String, Option<u16>)> {
    let (_, rest) = line.split_once("host='")?;
    let (host, rest) = rest.split_once('\'')?;
    let port = rest.strip_prefix(", port=").map(digits).and_then(|port| port.parse().ok());
    is_host(host).then(|| (host.to_owned(), port))
}

/// `resolve host: HOST`, `connect to host HOST port PORT`
fn after_word(line: &str) -> Option<(String, Option<u16>)> {
    let clean = |word: &str| word.trim_matches(|sign| "()[]<>,;\"'`".contains(sign)).to_owned();
    let words: Vec<String> = line.split_whitespace().map(clean).collect();
    let after = |at: usize| {
        let is_before = BEFORE.contains(&words[at].to_lowercase().as_str());
        let word = words.get(at + 1)?.trim_end_matches([':', '.']);
        let (host, port) = host_and_port(word).filter(|_| is_before)?;
        let next = |word: &&String| word.as_str() == "port";
        let named =
            words.get(at + 2).filter(next).and_then(|_| digits(words.get(at + 3)?).parse().ok());
        Some((host, port.or(named)))
    };
    (0..words.len()).find_map(after)
}

fn host_and_port(text: &str) -> Option<(String, Option<u16>)> {
    if is_host(text) {
        return Some((text.to_owned(), None));
    }
    let (host, port) = text.rsplit_once(':')?;
    let host = host.trim_matches(['[', ']']);
    is_host(host).then(|| (host.to_owned(), port.parse().ok()))
}

/// A name with a dot, `localhost`, or an address.
fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '-' || sign == '_')
    };
    text == "localhost"
        || text.parse::<IpAddr>().is_ok()
        || (text.len() <= 253 && text.contains('.') && text.split('.').all(is_label))
}

fn digits(text: &str) -> &str {
    text.split(|sign: char| !sign.is_ascii_digit()).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_found_however_programs_write_it() {
        for (line, host, port) in [
            ("curl: (6) Could not resolve host: example.org", "example.org", None),
            ("unable to access 'https://u@example.org:8443/x/': y", "example.org", Some(8443)),
            ("ssh: Could not resolve hostname example.org: Temporary failure", "example.org", None),
            ("ssh: connect to host 10.0.0.1 port 22: Network is unreachable", "10.0.0.1", Some(22)),
            ("npm ERR! request to https://registry.npmjs.org/x failed", "registry.npmjs.org", None),
            ("getaddrinfo EAI_AGAIN registry.npmjs.org", "registry.npmjs.org", None),
            ("HTTPSConnectionPool(host='pypi.org', port=443): x", "pypi.org", Some(443)),
            ("dial tcp: lookup proxy.golang.org: no such host", "proxy.golang.org", None),
            ("Failed to connect to localhost port 5432 after 0 ms", "localhost", Some(5432)),
            ("connect to [::1]:80: x", "::1", Some(80)),
        ] {
            assert_eq!(of(line), Some((host.to_owned(), port)), "{line}");
        }
        assert_eq!(of("gaierror: [Errno -3] Temporary failure in name resolution"), None);
        assert_eq!(of("failed to run main.rs: Connection refused"), None);
    }
}
