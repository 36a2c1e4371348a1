//! The wrapper's arguments with their placeholders, parsed once and filled in for every run.

use std::ffi::{OsStr, OsString};

use cofferdam_launcher::Plan;

use crate::SpecError;

/// Parsed arguments. In hand, it holds the command and its arguments exactly once each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(Vec<Element>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Element {
    /// The path of the program that runs.
    Command,
    /// All its arguments; none where there are none.
    Args,
    /// One argument, put together.
    Text(Vec<Piece>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Dir,
}

impl Template {
    /// Parses the elements after the wrapper's own program.
    pub(crate) fn parse(elements: &[String]) -> Result<Self, SpecError> {
        let mut parsed = Vec::with_capacity(elements.len() + 2);
        for element in elements {
            parsed.push(parse_element(element)?);
        }
        let commands = count(&parsed, &Element::Command);
        let args = count(&parsed, &Element::Args);
        match (commands, args) {
            (0, 0) => parsed.extend([Element::Command, Element::Args]),
            (1, 1) => {}
            (2.., _) => return Err(SpecError::Twice { word: "command" }),
            (_, 2..) => return Err(SpecError::Twice { word: "args" }),
            (1, 0) => return Err(alone("command", "args")),
            (0, 1) => return Err(alone("args", "command")),
        }
        Ok(Template(parsed))
    }

    /// The arguments for one run.
    pub(crate) fn fill(&self, plan: &Plan) -> Vec<OsString> {
        let mut filled = Vec::with_capacity(self.0.len() + plan.args().len());
        for element in &self.0 {
            match element {
                Element::Command => filled.push(plan.program().as_os_str().to_owned()),
                Element::Args => filled.extend_from_slice(plan.args()),
                Element::Text(pieces) => filled.push(join(pieces, plan.dir().as_os_str())),
            }
        }
        filled
    }
}

/// Whether an element has a placeholder in it, known or not.
pub(crate) fn has_placeholder(element: &str) -> bool {
    !matches!(parse_element(element), Ok(Element::Text(pieces))
        if pieces.iter().all(|piece| matches!(piece, Piece::Text(_))))
}

fn parse_element(element: &str) -> Result<Element, SpecError> {
    match element {
        "{command}" => return Ok(Element::Command),
        "{args}" => return Ok(Element::Args),
        _ => {}
    }
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = element;
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        rest = &rest[open..];
        if let Some(word) = rest.strip_prefix('{').and_then(|after| escaped(after)) {
            text.push_str(&format!("{{{word}}}"));
            rest = &rest[word.len() + 4..];
        } else if let Some(word) = word_in_braces(rest) {
            known(element, word)?;
            pieces.extend([Piece::Text(std::mem::take(&mut text)), Piece::Dir]);
            rest = &rest[word.len() + 2..];
        } else {
            text.push('{');
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    pieces.push(Piece::Text(text));
    Ok(Element::Text(pieces))
}

/// The word of `{word}}…`, what follows the first brace of a doubled pair.
fn escaped(after: &str) -> Option<&str> {
    let word = word_in_braces(after)?;
    after[word.len() + 2..].starts_with('}').then_some(word)
}

/// The word of `{word}…`, where it could be the name of a placeholder.
fn word_in_braces(text: &str) -> Option<&str> {
    let (word, _) = text.strip_prefix('{')?.split_once('}')?;
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (!word.is_empty() && word.bytes().all(is_word)).then_some(word)
}

/// Accepts `{dir}`, the one placeholder that may be a part of an element.
fn known(element: &str, word: &str) -> Result<(), SpecError> {
    let element = element.to_owned();
    match word {
        "dir" => Ok(()),
        "command" => Err(SpecError::Inside { element, word: "command" }),
        "args" => Err(SpecError::Inside { element, word: "args" }),
        _ => Err(SpecError::Unknown { element, word: word.to_owned() }),
    }
}

fn join(pieces: &[Piece], dir: &OsStr) -> OsString {
    let mut joined = OsString::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => joined.push(text),
            Piece::Dir => joined.push(dir),
        }
    }
    joined
}

fn count(elements: &[Element], wanted: &Element) -> usize {
    elements.iter().filter(|element| *element == wanted).count()
}

fn alone(present: &'static str, absent: &'static str) -> SpecError {
    SpecError::Alone { present, absent }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use proptest::prelude::*;

    use super::*;

    fn parse(elements: &[&str]) -> Result<Template, SpecError> {
        Template::parse(&elements.iter().map(|text| text.to_string()).collect::<Vec<_>>())
    }

    fn fill(elements: &[&str]) -> Vec<OsString> {
        let plan = Plan::new("tool", "/usr/bin/tool", "/srv/a b").with_args(["-n", "{dir}"]);
        parse(elements).unwrap().fill(&plan)
    }

    #[test]
    fn placeholders_are_replaced_where_they_stand() {
        assert_eq!(
            fill(&["--chdir={dir}", "{command}", "--", "{args}", "end"]),
            ["--chdir=/srv/a b", "/usr/bin/tool", "--", "-n", "{dir}", "end"]
        );
    }

    #[test]
    fn without_placeholders_the_command_comes_last() {
        assert_eq!(fill(&["-n", "5"]), ["-n", "5", "/usr/bin/tool", "-n", "{dir}"]);
        assert_eq!(fill(&[]), ["/usr/bin/tool", "-n", "{dir}"]);
    }

    #[test]
    fn a_command_without_arguments_leaves_no_empty_element() {
        let plan = Plan::new("tool", "/usr/bin/tool", "/");
        let filled = parse(&["{command}", "{args}"]).unwrap().fill(&plan);
        assert_eq!(filled, ["/usr/bin/tool"]);
    }

    #[test]
    fn a_directory_that_is_not_text_is_passed_as_it_is() {
        let dir = OsString::from_vec(b"/srv/\xff\n".to_vec());
        let plan = Plan::new("tool", "/usr/bin/tool", dir);
        let filled = parse(&["-C", "{dir}/x"]).unwrap().fill(&plan);
        assert_eq!(filled[1], OsString::from_vec(b"/srv/\xff\n/x".to_vec()));
    }

    #[test]
    fn braces_that_enclose_no_word_are_data() {
        for data in ["{}", "{\"a\": 1}", "{{.Names}}", "a{", "}b", "{a b}", "{{}}", "{{{"] {
            assert_eq!(fill(&[data])[0], data);
        }
    }

    #[test]
    fn doubled_braces_are_a_word_in_braces() {
        assert_eq!(fill(&["${{HOME}} {{dir}} {dir}"])[0], "${HOME} {dir} /srv/a b");
    }

    #[test]
    fn an_unknown_placeholder_names_itself_and_the_valid_ones() {
        let text = parse(&["--run={cmd}"]).unwrap_err().to_string();
        for part in ["--run={cmd}", "`{cmd}`", "`{command}`", "`{args}`", "`{dir}`", "`{{cmd}}`"] {
            assert!(text.contains(part), "{part} is not in: {text}");
        }
    }

    #[test]
    fn a_template_that_would_lose_or_repeat_a_part_is_refused() {
        assert_eq!(parse(&["{args}"]), Err(alone("args", "command")));
        assert_eq!(parse(&["{command}"]), Err(alone("command", "args")));
        let twice = ["{command}", "{args}", "{args}"];
        assert_eq!(parse(&twice), Err(SpecError::Twice { word: "args" }));
        let twice = ["{command}", "{command}", "{args}"];
        assert_eq!(parse(&twice), Err(SpecError::Twice { word: "command" }));
    }

    #[test]
    fn the_command_inside_an_element_is_refused() {
        assert!(matches!(
            parse(&["sh -c {command}"]),
            Err(SpecError::Inside { word: "command", .. })
        ));
    }

    proptest! {
        #[test]
        fn text_without_braces_is_never_changed(text in "[^{}]*") {
            prop_assert_eq!(&fill(&[&text])[0], &OsString::from(text));
        }

        #[test]
        fn every_argument_arrives_once_and_in_order(args in prop::collection::vec(".*", 0..8)) {
            let plan = Plan::new("tool", "/usr/bin/tool", "/").with_args(args.clone());
            let filled = parse(&["-x", "{command}", "{args}"]).unwrap().fill(&plan);
            prop_assert_eq!(&filled[2..], args.into_iter().map(OsString::from).collect::<Vec<_>>());
        }
    }
}
