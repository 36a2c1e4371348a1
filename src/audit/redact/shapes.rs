//! Tokens that are known by their form: what their issuers begin them with, so that they are found.

use super::{REDACTED, values};

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

fn base64(sign: char) -> bool {
    dashed(sign) || matches!(sign, '+' | '/' | '=')
}

fn path(sign: char) -> bool {
    dashed(sign) || sign == '/'
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
    shape("glsoat-", 20, dotted),
    shape("glft-", 20, dotted),
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
    // Docker, HashiCorp Vault, age, Atlassian, Tailscale, Shopify, Linear, Groq, xAI, Square, RubyGems
    shape("dckr_pat_", 20, dashed),
    shape("hvs.", 24, dashed),
    shape("hvb.", 24, dashed),
    shape("AGE-SECRET-KEY-1", 50, capital),
    shape("ATATT3", 60, base64),
    shape("tskey-", 20, dashed),
    shape("shpat_", 32, word),
    shape("lin_api_", 32, word),
    shape("gsk_", 40, word),
    shape("xai-", 40, word),
    shape("sq0atp-", 20, dashed),
    shape("sq0csp-", 40, dashed),
    shape("rubygems_", 40, word),
    shape("pul-", 40, word),
    shape("sntrys_", 40, base64),
    // Discord
    shape("discord.com/api/webhooks/", 40, path),
];

/// A word in which of every known token only the beginning is left, which says what it was.
pub(super) fn without_tokens(word: &str) -> String {
    let word = without_json_web_tokens(word);
    let mut clean = String::with_capacity(word.len());
    let mut within = false;
    let mut rest = word.as_str();
    while let Some(sign) = rest.chars().next() {
        // Within a word no token begins.
        match Some(rest).filter(|_| !within).and_then(token) {
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
    /// So much of it is looked at to see whether it is one: there is a digit in each, and early.
    const ENOUGH: usize = 128;
    SHAPES.iter().find_map(|shape| {
        let rest = text.strip_prefix(shape.prefix)?;
        let end = |text: &str| text.find(|sign| !(shape.holds)(sign)).unwrap_or(text.len());
        let shown = values::beginning(rest, ENOUGH);
        let shown = &shown[..end(shown)];
        let is_one =
            shown.len() >= shape.least && shown.contains(|sign: char| sign.is_ascii_digit());
        is_one.then(|| (shape.prefix.len(), shape.prefix.len() + end(rest)))
    })
}

/// Three parts in base64 with dots between them, the first of which is a JSON object.
fn without_json_web_tokens(word: &str) -> String {
    const LEAST: usize = 10;
    let mut clean = String::with_capacity(word.len());
    for run in word.split_inclusive(|sign| !dotted(sign)) {
        let (token, end) = run.split_at(run.trim_end_matches(|sign| !dotted(sign)).len());
        let mut start = 0;
        let begins = token.split('.').zip(token.split('.').skip(1)).find_map(|(part, next)| {
            let at = object(part).filter(|at| part.len() - at >= LEAST && next.len() >= LEAST);
            let found = at.map(|at| start + at);
            start += part.len() + 1;
            found
        });
        match begins {
            Some(at) => {
                clean += &token[..at + OBJECT.len()];
                clean += REDACTED;
            }
            None => clean += token,
        }
        clean += end;
    }
    clean
}

/// How base64 of `{"` begins.
const OBJECT: &str = "eyJ";

/// Where an object in base64 begins, at the first place that is not within a word.
fn object(part: &str) -> Option<usize> {
    let is_outside = |at: &usize| !part[..*at].ends_with(|sign: char| sign.is_ascii_alphanumeric());
    part.match_indices(OBJECT).map(|(at, _)| at).find(is_outside)
}
