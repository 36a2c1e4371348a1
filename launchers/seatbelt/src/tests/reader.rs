//! Reads a profile back, as Scheme has its expressions: words, texts with escapes, patterns, lists,
//! comments.

/// One expression, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Read {
    Word(String),
    Text(String),
    Pattern(String),
    List(Vec<Read>),
}

impl Read {
    /// The word, or nothing.
    pub(crate) fn word(&self) -> &str {
        match self {
            Read::Word(word) => word,
            other => panic!("{other:?} is no word"),
        }
    }

    pub(crate) fn list(&self) -> &[Read] {
        match self {
            Read::List(items) => items,
            other => panic!("{other:?} is no list"),
        }
    }
}

/// All expressions of a text. Panics where it is not well formed.
pub(crate) fn read(text: &str) -> Vec<Read> {
    let mut rest = text.chars().peekable();
    let mut lists = vec![Vec::new()];
    while let Some(next) = rest.next() {
        let read = match next {
            ' ' | '\n' => continue,
            ';' => {
                rest.by_ref().find(|next| *next == '\n');
                continue;
            }
            '(' => {
                lists.push(Vec::new());
                continue;
            }
            ')' => Read::List(lists.pop().unwrap()),
            '"' => Read::Text(quoted(&mut rest)),
            '#' => {
                assert_eq!(rest.next(), Some('"'));
                Read::Pattern(quoted(&mut rest))
            }
            first => {
                let mut word = String::from(first);
                while let Some(next) = rest.next_if(|next| !" \n()\";".contains(*next)) {
                    word.push(next);
                }
                Read::Word(word)
            }
        };
        lists.last_mut().expect("every list that ends has begun").push(read);
    }
    assert_eq!(lists.len(), 1, "every list that begins ends");
    lists.remove(0)
}

fn quoted(rest: &mut impl Iterator<Item = char>) -> String {
    let mut text = String::new();
    loop {
        match rest.next().expect("every text that begins ends") {
            '"' => return text,
            '\\' => text.push(rest.next().unwrap()),
            other => text.push(other),
        }
    }
}

#[test]
fn a_text_with_everything_in_it_is_read() {
    let word = |word: &str| Read::Word(word.to_owned());
    let text = "; (no)\n(a \"b (\\\" c\" (d) #\"^e$\")f";
    let list = vec![
        word("a"),
        Read::Text("b (\" c".to_owned()),
        Read::List(vec![word("d")]),
        Read::Pattern("^e$".to_owned()),
    ];
    assert_eq!(read(text), [Read::List(list), word("f")]);
}
