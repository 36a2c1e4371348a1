//! Takes secrets out of what is recorded. By rules, each in a file of its own, so that ordinary words
//! stay as they are: a record in which `monkey` is hidden is as useless as one in which a password
//! stands.
//!
//! * [`names`]: which names belong to secrets: the value of `--api-key`, `DB_PASSWORD=…`, `Cookie: …`.
//! * [`addresses`]: passwords in URLs, and in the value of `curl -u`.
//! * [`shapes`]: tokens that are known by their form, whatever stands before them.
//! * [`entropy`]: long strings that look like chance.
//!
//! What no rule can see: a secret that is a plain word without a name.

mod addresses;
mod entropy;
mod names;
mod shapes;
#[cfg(test)]
mod tests;

/// What stands in place of a secret.
pub(super) const REDACTED: &str = "[redacted]";

/// The words of a command line without the secrets among them.
pub(super) fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut before = Before::Nothing;
    words.into_iter().map(|word| before.go_on(word)).collect()
}

/// A text without the secrets in it.
pub(super) fn text(text: &str) -> String {
    let text = shapes::without_pem_blocks(text);
    let text = headers(&text);
    let mut before = Before::Nothing;
    let mut clean = String::with_capacity(text.len());
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        clean += &before.go_on_token(word);
        clean += &piece[word.len()..];
    }
    clean
}

/// What the word before a word says about it.
enum Before {
    Nothing,
    /// An option whose value is a secret.
    SecretOption,
    /// An option whose value is a name and a password.
    Login,
}

impl Before {
    fn go_on(&mut self, word: &str) -> String {
        match self {
            // Inside of a script each word has its own before, and nothing of it reaches out.
            Before::Nothing => {
                *self = Before::after(word);
                text(word)
            }
            Before::SecretOption | Before::Login => self.go_on_token(word),
        }
    }

    fn go_on_token(&mut self, word: &str) -> String {
        let quotes: &[char] = &['"', '\'', '`'];
        let bare = word.trim_matches(quotes);
        let before = std::mem::replace(self, Before::after(bare));
        match before {
            // Two options in a row: the first had no value.
            Before::SecretOption if !bare.is_empty() && !bare.starts_with("--") => {
                *self = Before::Nothing;
                word.replace(bare, REDACTED)
            }
            Before::Login => addresses::login(word),
            Before::SecretOption | Before::Nothing => token(word),
        }
    }

    fn after(word: &str) -> Before {
        match word {
            "-u" | "--user" | "--proxy-user" => Before::Login,
            _ if !word.contains('=') => match word.strip_prefix("--") {
                Some(name) if name.chars().all(names::may_hold) && names::is_secret(name) => {
                    Before::SecretOption
                }
                _ => Before::Nothing,
            },
            _ => Before::Nothing,
        }
    }
}

/// One word without white space.
fn token(word: &str) -> String {
    if let Some((name, value)) = word.split_once('=')
        && !value.is_empty()
        && !name.contains("://")
        && names::is_secret(name)
    {
        let quote = value.chars().next().filter(|sign| matches!(sign, '"' | '\''));
        let closed = quote.filter(|quote| value.len() > 1 && value.ends_with(*quote));
        let around = closed.map_or(String::new(), |quote| quote.to_string());
        return format!("{name}={around}{REDACTED}{around}");
    }
    let word = addresses::without_passwords(word);
    entropy::without_chance(&shapes::without_tokens(&word))
}

/// The values of headers with a secret name, up to the end of their line or of the quotes around them.
fn headers(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(colon) = rest.find(':') {
        let (before, value) = (&rest[..colon], &rest[colon + 1..]);
        let start = before
            .rfind(|sign: char| !names::may_hold(sign))
            .map_or(0, |last| last + before[last..].chars().next().map_or(1, char::len_utf8));
        clean += &before[..start];
        let name = &before[start..];
        clean += name;
        clean.push(':');
        rest = value;
        if names::is_secret(name) && !value.starts_with("//") {
            let end = value.find(['"', '\'', '\n', '\r']).unwrap_or(value.len());
            if !value[..end].trim().is_empty() {
                clean += if value.starts_with(' ') { " " } else { "" };
                clean += REDACTED;
                rest = &value[end..];
            }
        }
    }
    clean + rest
}
