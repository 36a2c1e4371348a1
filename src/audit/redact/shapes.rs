//! Tokens that are known by their form: what their issuers begin them with, so that they are found.

use super::REDACTED;

/// A form of tokens: how they begin, and how many signs of which kind follow at least.
struct Shape {
    prefix: &'static str,
    least: usize,
    holds: fn(char) -> bool,
}

const fn shape(prefix: &'static str, least: usize, holds: fn(char) -> bool) -> Shape {
    Shape { prefix, least, holds }
}

fn word(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

fn dashed(sign: char) -> bool {
    word(sign) || sign == '-'
}

fn dotted(sign: char) -> bool {
    dashed(sign) || sign == '.'
}

fn capital(sign: char) -> bool {
    sign.is_ascii_uppercase() || sign.is_ascii_digit()
}

fn path(sign: char) -> bool {
    word(sign) || sign == '/'
}

/// The longer of two beginnings stands first.
const SHAPES: &[Shape] = &[
    // GitHub
    shape("ghp_", 30, word),
    shape("gho_", 30, word),
    shape("ghu_", 30, word),
    shape("ghs_", 30, word),
    shape("ghr_", 30, word),
    shape("github_pat_", 22, word),
    // GitLab
    shape("glpat-", 20, dotted),
    shape("gldt-", 20, dotted),
    shape("glrt-", 20, dotted),
    shape("glcbt-", 20, dotted),
    shape("glptt-", 20, dotted),
    shape("gloas-", 20, dotted),
    // Slack
    shape("xoxb-", 10, dashed),
    shape("xoxp-", 10, dashed),
    shape("xoxa-", 10, dashed),
    shape("xoxr-", 10, dashed),
    shape("xoxs-", 10, dashed),
    shape("xoxe.", 10, dotted),
    shape("xapp-", 10, dashed),
    shape("hooks.slack.com/services/", 20, path),
    // AWS, long-lived and temporary
    shape("AKIA", 16, capital),
    shape("ASIA", 16, capital),
    // Google
    shape("AIza", 35, dashed),
    shape("ya29.", 20, dotted),
    shape("GOCSPX-", 20, dashed),
    // Stripe; those with `pk_` are public
    shape("sk_live_", 16, word),
    shape("sk_test_", 16, word),
    shape("rk_live_", 16, word),
    shape("rk_test_", 16, word),
    shape("whsec_", 16, word),
    // Anthropic, OpenAI
    shape("sk-ant-", 20, dashed),
    shape("sk-", 32, dashed),
    // npm, PyPI
    shape("npm_", 36, word),
    shape("pypi-", 40, dashed),
    // Hugging Face, DigitalOcean, SendGrid
    shape("hf_", 30, word),
    shape("dop_v1_", 40, word),
    shape("SG.", 40, dotted),
];

/// A word in which of every known token only the beginning is left, which says what it was.
pub(super) fn without_tokens(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut within = false;
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        match token(rest).filter(|_| !within) {
            Some((kept, end)) => {
                clean += &rest[..kept];
                clean += REDACTED;
                rest = &rest[end..];
                within = true;
            }
            None => {
                clean.push(sign);
                rest = &rest[sign.len_utf8()..];
                within = sign.is_ascii_alphanumeric();
            }
        }
    }
    clean
}

/// How much is kept of the token with which this text begins, and where it ends.
fn token(text: &str) -> Option<(usize, usize)> {
    let known = SHAPES.iter().find_map(|shape| {
        let rest = text.strip_prefix(shape.prefix)?;
        let length = rest.find(|sign| !(shape.holds)(sign)).unwrap_or(rest.len());
        (length >= shape.least).then_some((shape.prefix.len(), shape.prefix.len() + length))
    });
    known.or_else(|| json_web_token(text))
}

/// Three parts in base64, the first of which is a JSON object.
fn json_web_token(text: &str) -> Option<(usize, usize)> {
    text.strip_prefix("eyJ")?;
    let end = text.find(|sign| !dotted(sign)).unwrap_or(text.len());
    let mut parts = text[..end].split('.');
    let long = |part: Option<&str>| part.is_some_and(|part| part.len() >= 10);
    // The signature is missing in those that nobody has signed.
    (long(parts.next()) && long(parts.next())).then_some((3, end))
}

/// A text without what stands in PEM blocks, be their line ends real ones or written as `\n`.
pub(super) fn without_pem_blocks(text: &str) -> String {
    let (begin, end) = ("-----BEGIN ", "-----END ");
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(begin) {
        let (before, block) = rest.split_at(start);
        clean += before;
        let Some(label) = block[begin.len()..].find("-----").map(|at| at + begin.len() + 5) else {
            break;
        };
        clean += &block[..label];
        clean += REDACTED;
        rest = block[label..].find(end).map_or("", |at| &block[label + at..]);
    }
    clean + rest
}
