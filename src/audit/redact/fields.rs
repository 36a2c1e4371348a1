//! Values that stand behind their name: `NAME=value`, `Name: value`, `"name": "value"`, `<name>value<`,
//! in arguments, scripts, headers, forms, JSON and YAML.

use super::extent::{LONGEST, end_of_word, in_header, in_json, quoted, spaces, unquoted};
use super::names::{self, Secret};
use super::{REDACTED, values};

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One argument: if it begins with a name and `=`, all of the rest is the value.
    Argument,
    /// Words, as a shell reads them.
    Script,
}

/// A text without the values of what has a secret name.
pub(super) fn without_values(text: &str, form: Form) -> String {
    let mut clean = String::with_capacity(text.len());
    // What is behind `done` has not been written yet, and what is behind `from` has not been read.
    let (mut done, mut from) = (0, 0);
    while let Some(at) = text[from..].find(['=', ':', '>']).map(|at| from + at) {
        let place = Place { text, before: &text[from..at], at, form, is_first: from == 0 };
        from = at + 1;
        if let Some((start, end)) = place.value() {
            clean += &text[done..start];
            clean += REDACTED;
            (done, from) = (end, end);
        }
    }
    clean + &text[done..]
}

/// A sign between a name and its value.
struct Place<'a> {
    text: &'a str,
    /// What stands between the sign and the one before it.
    before: &'a str,
    at: usize,
    form: Form,
    /// Whether it is the first such sign.
    is_first: bool,
}

impl<'a> Place<'a> {
    /// Where the value is, if it is to be hidden.
    fn value(&self) -> Option<(usize, usize)> {
        match self.text.as_bytes()[self.at] {
            b'=' => self.behind_equals(),
            b':' => self.behind_colon(),
            _ => self.behind_tag(),
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at + 1..]
    }

    /// The name with the quote around it, as JSON has one.
    fn name(&self) -> (&'a str, Option<&'a str>) {
        let before = self.before.trim_end();
        let quote = before.len() - usize::from(before.ends_with(['"', '\'']));
        match quote < before.len() {
            true => {
                (names::at_end_of(before[..quote].trim_end_matches('\\')), Some(&before[quote..]))
            }
            false => (names::at_end_of(self.before), None),
        }
    }

    fn behind_equals(&self) -> Option<(usize, usize)> {
        let rest = self.rest();
        let (name, quote) = self.name();
        // Code compares so.
        if quote.is_some() || rest.starts_with(['=', '~', '>']) {
            return None;
        }
        let Some(secret) = names::secret(name) else { return self.behind_spaced_equals() };
        let before = &self.before[..self.before.len() - name.len()];
        let is_whole = self.form == Form::Argument
            && self.is_first
            && !before.contains(|sign: char| sign.is_whitespace() || "?&;,{".contains(sign));
        if is_whole {
            return self.hidden(&secret, unquoted(rest));
        }
        if let Some(value) = quoted(rest) {
            return self.hidden(&secret, value);
        }
        // What opens in front of the name closes behind the value.
        let value = match before.chars().next_back().filter(|sign| matches!(sign, '"' | '\'')) {
            Some(quote) => (0, rest.find(quote).unwrap_or(rest.len())),
            None => (0, end_of_word(rest)),
        };
        self.hidden(&secret, value)
    }

    /// `password = "x"`, as languages and their configurations have it.
    fn behind_spaced_equals(&self) -> Option<(usize, usize)> {
        let before = self.before.trim_end();
        if before.len() == self.before.len() {
            return None;
        }
        let secret = names::secret(names::at_end_of(before))?;
        let space = spaces(self.rest());
        let rest = &self.rest()[space..];
        let value = quoted(rest).or_else(|| {
            let end = end_of_word(rest);
            values::is_opaque(&rest[..end], 4).then_some((0, end))
        })?;
        self.hidden(&secret, (space + value.0, space + value.1))
    }

    fn behind_colon(&self) -> Option<(usize, usize)> {
        let rest = self.rest();
        let is_path = rest.starts_with(':') || self.text[..self.at].ends_with(':');
        if is_path || rest.starts_with("//") {
            return None;
        }
        let (name, quote) = self.name();
        let secret = names::secret(name)?;
        let space = spaces(rest);
        let value = &rest[space..];
        // The string in which the name stands may end here.
        let is_over = quote.is_none()
            && value.chars().next().is_some_and(|sign| {
                matches!(sign, '"' | '\'')
                    && self.before[..self.before.len() - name.len()].ends_with(sign)
            });
        if is_over {
            return None;
        }
        let (start, end) = match quoted(value) {
            Some(value) => value,
            None if quote.is_some() => in_json(value)?,
            None => in_header(&secret, value, space > 0)?,
        };
        self.hidden(&secret, (space + start, space + end))
    }

    /// `<password>x</password>`
    fn behind_tag(&self) -> Option<(usize, usize)> {
        let name = names::at_end_of(self.before);
        if !self.before[..self.before.len() - name.len()].ends_with('<') {
            return None;
        }
        let secret = names::secret(name)?;
        let end = self.rest().find('<')?;
        self.rest()[end..].starts_with("</").then_some(())?;
        self.hidden(&secret, (0, end))
    }

    /// The same place in the whole text, where the value is one that is to be hidden.
    fn hidden(&self, secret: &Secret, (start, end): (usize, usize)) -> Option<(usize, usize)> {
        let begin = self.at + 1;
        // No longer one is a plain word; and it need not be read again for each sign within.
        let hides = end - start > LONGEST || secret.hides(self.rest()[start..end].trim());
        hides.then_some((begin + start, begin + end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> String {
        without_values(text, Form::Script).replace(REDACTED, "*")
    }

    #[test]
    fn a_value_ends_where_its_form_says() {
        for (text, clean) in [
            (r#"{"password":"a b","x":1}"#, r#"{"password":"*","x":1}"#),
            (r#"{"a":{"token": "x\"y"}}"#, r#"{"a":{"token": "*"}}"#),
            (r#"{\"secret\":\"a b\",\"x\":1}"#, r#"{\"secret\":\"*\",\"x\":1}"#),
            ("{'api_key': 'x', 'b': 2}", "{'api_key': '*', 'b': 2}"),
            (r#"{"pin":1,"password":12345}"#, r#"{"pin":1,"password":*}"#),
            (r#"{"tokens": ["a", "b"], "c": 1}"#, r#"{"tokens": [*], "c": 1}"#),
            (r#"{"max_tokens": 4096, "token": null}"#, r#"{"max_tokens": 4096, "token": null}"#),
            ("user=a&password=x&page=2", "user=a&password=*&page=2"),
            ("https://x.org/?page=2&token=abc#top", "https://x.org/?page=2&token=*"),
            ("Server=db;Uid=sa;Pwd=x;Port=1", "Server=db;Uid=sa;Pwd=*;Port=1"),
            ("max_tokens: 4096, api_token: x", "max_tokens: 4096, api_token: *"),
            ("password: swordfish\nuser: bob", "password: *\nuser: bob"),
            ("PASSWORD='a b' run", "PASSWORD='*' run"),
            ("sh -c \"PASSWORD=a b\" x", "sh -c \"PASSWORD=*\" x"),
            ("password = \"a b\"; x = 1", "password = \"*\"; x = 1"),
            ("password: hunter2\nuser: bob", "password: *\nuser: bob"),
            ("X-Api-Key: a b\nAccept: x", "X-Api-Key: *\nAccept: x"),
            ("<user>a</user><password>b c</password>", "<user>a</user><password>*</password>"),
        ] {
            assert_eq!(script(text), clean);
        }
    }

    #[test]
    fn an_argument_that_is_a_name_and_its_value_is_nothing_else() {
        let argument = |text: &str| without_values(text, Form::Argument).replace(REDACTED, "*");
        assert_eq!(argument("PASSWORD=correct horse; battery"), "PASSWORD=*");
        assert_eq!(argument("--password='a b'"), "--password='*'");
        assert_eq!(argument("--header=Authorization: Basic x"), "--header=Authorization: *");
        assert_eq!(argument("--from-literal=password=a&b"), "--from-literal=password=*&b");
        assert_eq!(argument("set PASSWORD=x in it"), "set PASSWORD=* in it");
    }

    #[test]
    fn sentences_code_and_paths_stay() {
        for text in [
            "auth: fix",
            "token: rotate the key",
            "password: hash it with argon2",
            "cookie: allow another site",
            "cargo test auth::login::works",
            "[ \"$token\" = x ]",
            "if token == \"x\"",
            "|token| token=>x",
            "fn get(token: &str)",
            "secret:latest",
            "echo \"password:\" \"next\"",
            "see <token> for more",
        ] {
            assert_eq!(script(text), text);
        }
    }
}
