//! Values as they really look, put together here so that nobody's scanner takes them for real.

mod table;

use super::{Line, REDACTED, text};

fn line(words: &[&str]) -> Vec<String> {
    let mut line = Line::default();
    words.iter().map(|word| line.word(word)).collect()
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
        let clean = line(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(clean.iter().all(|word| !word.contains(&secret[..12])), "{clean:?}");
    }
}

/// None of them may be read by calling oneself, or by looking at the rest again and again: a caller
/// sends what he likes.
#[test]
fn a_text_of_any_length_and_shape_is_read_in_one_go() {
    for piece in [
        "a://",
        "eyJ",
        "-eyJ-",
        "a:b@",
        "token=",
        "token:",
        "\"token\":\"",
        "?a=b&",
        "'",
        "\\\"",
        "-----BEGIN ",
        "-----BEGIN x-----",
        "Authorization:",
        "sk-",
        "=",
        ":",
        "//",
        "@",
        " -u a:",
    ] {
        let long = piece.repeat(32 * 1024 / piece.len());
        let _ = (text(&long), line(&[&long]));
    }
}
