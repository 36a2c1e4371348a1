//! Values as they really look, put together here so that nobody's scanner takes them for real.

use super::{REDACTED, text, words};

fn line(words_: &[&str]) -> Vec<String> {
    words(words_.iter().copied())
}

#[test]
fn the_value_after_an_option_with_a_secret_name_goes() {
    assert_eq!(line(&["login", "--token", "hunter2", "x"]), ["login", "--token", REDACTED, "x"]);
    assert_eq!(line(&["--password=hunter2"]), ["--password=[redacted]"]);
    assert_eq!(line(&["--api-key", "k", "--verbose"]), ["--api-key", REDACTED, "--verbose"]);
    // It had no value.
    assert_eq!(line(&["--password", "--verbose", "x"]), ["--password", "--verbose", "x"]);
    assert_eq!(line(&["-p", "8080"]), ["-p", "8080"]);
    assert_eq!(line(&["curl", "-u", "bob:hunter2"]), ["curl", "-u", "bob:[redacted]"]);
    assert_eq!(line(&["sort", "--key", "2"]), ["sort", "--key", "2"]);
    assert_eq!(line(&["--token", "a b c"]), ["--token", REDACTED]);
}

#[test]
fn the_value_of_a_variable_with_a_secret_name_goes() {
    assert_eq!(line(&["env", "DB_PASSWORD=x", "A=b"]), ["env", "DB_PASSWORD=[redacted]", "A=b"]);
    assert_eq!(text("export TOKEN='a' && run"), "export TOKEN='[redacted]' && run");
    assert_eq!(line(&["PWD=/home/me", "PASSWORD="]), ["PWD=/home/me", "PASSWORD="]);
}

#[test]
fn headers_with_a_secret_name_keep_their_name() {
    for (header, clean) in [
        ("Authorization: Bearer abc", "Authorization: [redacted]"),
        ("authorization: Basic Ym9iOmh1bnRlcjI=", "authorization: [redacted]"),
        ("Cookie: id=1; theme=dark", "Cookie: [redacted]"),
        ("X-Api-Key:abc", "X-Api-Key:[redacted]"),
        ("Accept: text/html", "Accept: text/html"),
        ("Content-Type: application/json", "Content-Type: application/json"),
    ] {
        assert_eq!(line(&["-H", header]), ["-H", clean]);
    }
    let script = "curl -H \"Authorization: Bearer abc\" https://a:b@c/ -H 'Accept: x'";
    assert_eq!(
        text(script),
        "curl -H \"Authorization: [redacted]\" https://a:[redacted]@c/ -H 'Accept: x'"
    );
}

/// So many signs of a token: all kinds, and never the same run as in a real one.
fn signs(count: usize) -> String {
    "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA".chars().cycle().take(count).collect()
}

#[test]
fn tokens_are_known_by_their_form_and_say_what_they_were() {
    for (prefix, rest) in [
        ("ghp_", signs(36)),
        ("gho_", signs(36)),
        ("ghs_", signs(36)),
        ("github_pat_", signs(82)),
        ("glpat-", signs(20)),
        ("xoxb-", format!("123456789012-{}", signs(24))),
        ("xapp-", format!("1-A1-{}", signs(24))),
        ("AKIA", "IOSFODNN7EXAMPLE".to_owned()),
        ("ASIA", "IOSFODNN7EXAMPLE".to_owned()),
        ("AIza", signs(35)),
        ("ya29.", signs(60)),
        ("sk_live_", signs(24)),
        ("rk_test_", signs(24)),
        ("whsec_", signs(32)),
        ("sk-", format!("proj-{}", signs(48))),
        ("sk-ant-", format!("api03-{}", signs(93))),
        ("npm_", signs(36)),
        ("pypi-", format!("AgEIcHlwaS5vcmc{}", signs(60))),
        ("eyJ", format!("{}.eyJzdWIiOiIxMjM0In0.{}", "hbGciOiJIUzI1NiJ9", signs(43))),
        ("hf_", signs(34)),
    ] {
        let token = format!("{prefix}{rest}");
        let clean = format!("{prefix}[redacted]");
        assert_eq!(line(&[&token]).join(" "), clean, "{token}");
        assert_eq!(line(&["push", &format!("x={token},y")]), ["push", &format!("x={clean},y")]);
        assert_eq!(text(&format!("echo {token} | cat")), format!("echo {clean} | cat"));
        // As somebody's name at a host.
        let url = line(&[&format!("https://{token}@example.org/x")]);
        assert_eq!(url, [format!("https://{clean}@example.org/x")]);
    }
}

#[test]
fn of_a_private_key_only_what_it_is_stays() {
    let body = signs(64);
    for end in ["\n", "\\n"] {
        let key = format!(
            "-----BEGIN RSA PRIVATE KEY-----{end}{body}{end}{body}{end}-----END RSA PRIVATE KEY-----"
        );
        let clean = line(&["echo", &key, "next"]);
        assert_eq!(
            clean,
            [
                "echo",
                "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----",
                "next"
            ]
        );
        // One that is cut off is hidden to its end.
        assert!(!text(&key[..80]).contains(&body[..20]));
    }
}

#[test]
fn long_strings_that_look_like_chance_go() {
    for secret in [
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzT9q4Lw0p",
        "Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3A",
        "h8Fj2KqL0sVx7Tn4Rb9Wm3Yc6Pd1Gz5",
    ] {
        let mut words = vec![secret.to_owned(), format!("--data={secret}")];
        // Behind a path a slash more is a path.
        words.extend((!secret.contains('/')).then(|| format!("/tmp/{secret}")));
        let clean = super::words(words.iter().map(String::as_str));
        assert!(clean.iter().all(|word| !word.contains(&secret[..12])), "{clean:?}");
    }
}

#[test]
fn ordinary_words_stay_as_they_are() {
    let ordinary = [
        "monkey",
        "--author=bob",
        "keyboard.txt",
        "git",
        "log",
        "--oneline",
        "3dcc78c0f1e2d3c4b5a69788796a5b4c3d2e1f00",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "123e4567-e89b-12d3-a456-426614174000",
        "/usr/share/doc/libstdc++-12-dev/copyright",
        "src/components/UserProfile2/UserProfileSettingsView3.tsx",
        "./target/debug/deps/cofferdam-3f2a9b8c7d6e5f40",
        "aGVsbG8gd29ybGQ=",
        "s/secret/public/g",
        "SELECT id, name FROM users WHERE id = 42",
        "the token is in the file",
        "--format=%H %an",
        "sk-learn",
        "npm_config_cache=/tmp/npm",
        "https://example.org:8443/a/b?page=2",
        "user@example.org",
        "-p",
        "http://localhost:8080",
        "a=b",
        "TestHandlerReturns404WhenUserIsMissing",
        "x86_64-unknown-linux-gnu",
        "2026-11-30T17:59:25.123Z",
    ];
    assert_eq!(line(&ordinary), ordinary);
}
