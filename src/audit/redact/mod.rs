//! Takes secrets out of what is recorded. By rules, each in a file of its own, so that ordinary words
//! stay as they are: a record in which `monkey` is hidden is as useless as one in which a password
//! stands.
//!
//! * [`names`]: which names belong to secrets: `api-key`, `DB_PASSWORD`, `Cookie`; [`nouns`]: the words
//!   in them.
//! * [`fields`]: values behind their names, in `NAME=value`, headers, forms, JSON; [`extent`]: how far
//!   they go.
//! * [`options`]: values that are words of their own, behind `--token`, `-u`, `Bearer`; [`programs`]:
//!   short options of some programs.
//! * [`addresses`]: passwords in URLs and other addresses.
//! * [`shapes`]: tokens that are known by their form, whatever stands before them; [`pem`]: PEM blocks.
//! * [`entropy`]: long strings that look like chance. [`values`]: what else values look like.
//!
//! What no rule can see: a secret that is a plain word without a name.
//!
//! Texts come from callers. Each rule reads a text once, from its beginning to its end, and none calls
//! itself.

mod addresses;
mod entropy;
mod extent;
mod fields;
mod names;
mod nouns;
mod options;
mod pem;
mod programs;
mod shapes;
#[cfg(test)]
mod tests;
mod values;

use fields::Form;
use options::Options;

/// What stands in place of a secret.
pub(super) const REDACTED: &str = "[redacted]";

/// A command line, of which one word after the other is read.
#[derive(Debug, Default)]
pub(super) struct Line {
    options: Options,
    /// Whether the word before said that this one is a script.
    is_script: bool,
}

impl Line {
    /// The next word, without the secrets in it.
    pub(super) fn word(&mut self, word: &str) -> String {
        let form = if self.is_script { Form::Script } else { Form::Argument };
        self.is_script = begins_script(word);
        let within = self.options.within();
        self.options.clean(word, |word| clean(word, form, within))
    }
}

/// Whether the argument behind this one is a script, as in `sh -ec '…'`.
fn begins_script(word: &str) -> bool {
    /// More letters are a word.
    const MOST: usize = 5;
    word.len() <= MOST && word.ends_with('c') && word.starts_with('-') && !word.starts_with("--")
}

/// A text without the secrets in it.
pub(super) fn text(text: &str) -> String {
    clean(text, Form::Script, Options::default())
}

/// Inside of a text each word has its own before, and nothing of it reaches out.
fn clean(text: &str, form: Form, mut options: Options) -> String {
    let text = pem::without_blocks(text);
    let text = fields::without_values(&text, form);
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (blank, behind) = rest.split_at(rest.len() - rest.trim_start().len());
        let (word, behind) = behind.split_at(end_of_word(behind, &options));
        clean += blank;
        clean += &options.clean(word, token);
        rest = behind;
    }
    clean
}

/// Where a word ends: at a blank, or at the end of a string if it may be a secret as a whole.
fn end_of_word(text: &str, options: &Options) -> usize {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let Some(quote) = values::opening_quote(text).filter(|_| options.expects_string()) else {
        return end;
    };
    let string = quote.len() + values::closing_quote(&text[quote.len()..], quote);
    text[string..].find(char::is_whitespace).map_or(text.len(), |more| string + more)
}

/// One word without white space.
fn token(word: &str) -> String {
    let word = addresses::without_passwords(word);
    entropy::without_chance(&shapes::without_tokens(&word))
}
