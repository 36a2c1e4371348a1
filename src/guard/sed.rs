//! Whether a sed script is one of those that only print. Scripts are told by what is known to be
//! harmless, and not by what is known to be harmful: `e`, `w`, `r` and the flags of `s` hide well.

use super::words::Word;

/// What may be a script among the arguments of sed: the values of `-e` wherever they stand, and, unless
/// one of them stands before any `--`, the first word.
pub(super) fn scripts<'a>(args: &[&'a str], operands: &[Word<'a>]) -> Vec<&'a str> {
    let mut scripts = Vec::new();
    let (mut is_given, mut ended) = (false, false);
    let mut args = args.iter().copied();
    while let Some(arg) = args.next() {
        ended |= arg == "--";
        let Some(attached) = expression(arg) else { continue };
        scripts.extend(attached.or_else(|| args.next()));
        is_given |= !ended;
    }
    if !is_given {
        scripts.extend(operands.first().map(|(_, script)| *script));
    }
    scripts
}

/// The script in an option `-e`, where it is one: `None` inside where it is the next argument.
fn expression(arg: &str) -> Option<Option<&str>> {
    if let Some(long) = arg.strip_prefix("--") {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        return (!name.is_empty() && "expression".starts_with(name)).then_some(value);
    }
    let (before, script) = arg.strip_prefix('-')?.split_once('e')?;
    // Behind `-l` stands a number.
    (!before.contains('l')).then_some(Some(script).filter(|script| !script.is_empty()))
}

/// Whether the script is made of addresses and the commands `p`, `d`, `q`, `=` and `s` alone.
pub(super) fn only_prints(script: &str) -> bool {
    Script(script).read_all()
}

struct Script<'a>(&'a str);

impl<'a> Script<'a> {
    /// Reads all commands; false at the first that is not plain.
    fn read_all(mut self) -> bool {
        loop {
            self.skip(|sign| matches!(sign, ' ' | '\t' | '\n' | ';' | '}'));
            if self.0.is_empty() {
                return true;
            }
            if !self.addresses() || !self.command() {
                return false;
            }
        }
    }

    /// Up to two addresses and a negation.
    fn addresses(&mut self) -> bool {
        if self.address() == Some(false) {
            return false;
        }
        if self.takes(',') {
            self.skip(|sign| sign == ' ');
            // A distance, a multiple, or an address of its own.
            let _ = self.takes('+') || self.takes('~');
            if self.address() != Some(true) {
                return false;
            }
        }
        self.skip(|sign| matches!(sign, ' ' | '!'));
        true
    }

    /// One address: `None` where there is none, false where it is not plain.
    fn address(&mut self) -> Option<bool> {
        match self.0.chars().next()? {
            '0'..='9' => {
                self.skip(|sign| sign.is_ascii_digit() || sign == '~');
                Some(true)
            }
            '$' => {
                self.skip(|sign| sign == '$');
                Some(true)
            }
            '/' => {
                self.0 = &self.0[1..];
                let is_plain = self.part('/');
                self.skip(|sign| matches!(sign, 'I' | 'M'));
                Some(is_plain)
            }
            _ => None,
        }
    }

    fn command(&mut self) -> bool {
        if self.takes('{') {
            return true;
        }
        if self.takes('s') {
            return self.substitution() && self.ends();
        }
        if self.takes('q') {
            self.skip(|sign| sign.is_ascii_digit() || sign == ' ');
            return self.ends();
        }
        (self.takes('p') || self.takes('d') || self.takes('=')) && self.ends()
    }

    /// `/regular expression/replacement/flags`, with any sign for the slash.
    fn substitution(&mut self) -> bool {
        let Some(sign) = self.0.chars().next() else { return false };
        if sign.is_alphanumeric() || matches!(sign, '\\' | '\n' | '[' | ';') {
            return false;
        }
        self.0 = &self.0[sign.len_utf8()..];
        let is_plain = self.part(sign) && self.part(sign);
        self.skip(|sign| sign.is_ascii_digit() || matches!(sign, 'g' | 'p' | 'i' | 'I'));
        is_plain
    }

    /// Everything up to the next `end` that has no backslash before it. Where that sign stands between
    /// brackets, readers of sed differ about it, so it is not plain; nor is a line break.
    fn part(&mut self, end: char) -> bool {
        let (mut escaped, mut bracket) = (false, false);
        for (place, sign) in self.0.char_indices() {
            match sign {
                '\n' => return false,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if sign == end => {
                    self.0 = &self.0[place + end.len_utf8()..];
                    return !bracket;
                }
                '[' => bracket = true,
                ']' => bracket = false,
                _ => {}
            }
        }
        false
    }

    /// Whether the command is over here.
    fn ends(&mut self) -> bool {
        self.skip(|sign| sign == ' ');
        self.0.is_empty() || self.0.starts_with([';', '\n', '}'])
    }

    fn takes(&mut self, sign: char) -> bool {
        match self.0.strip_prefix(sign) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn skip(&mut self, signs: impl Fn(char) -> bool) {
        self.0 = self.0.trim_start_matches(signs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_print_are_plain() {
        for script in [
            "1,5p",
            "$p",
            "/a/,/b/p",
            "/^x/I d",
            "s/a/b/g",
            "s|/usr|/opt|2p",
            "1d;$d",
            "/x/!d",
            "2q",
            "/a/{s/b/c/;p}",
            "s/\\/x/y/",
            "0~4p",
            "/a/,+3p",
            "=",
            "",
        ] {
            assert!(only_prints(script), "{script}");
        }
    }

    #[test]
    fn scripts_that_may_do_more_are_not() {
        for script in [
            "1e touch x",
            "e",
            "w out",
            "1w out",
            "s/a/b/w out",
            "s/a/touch x/e",
            "s/a/b/ge",
            "r x",
            "R x",
            "W x",
            "p\nw x",
            "s/[/]/w x/",
            "s;a;b;w x;",
            "1,5{w x\n}",
            "F",
            "i\\\nx",
            "y/a/b/",
            "\\%a%p",
            "s/a\nb/c/",
            "s\\a\\b\\",
            "s/a/b",
            "s/a/b/}w x",
        ] {
            assert!(!only_prints(script), "{script:?}");
        }
    }

    #[test]
    fn scripts_are_found_wherever_they_stand() {
        let found = |line: &str| {
            let args: Vec<_> = line.split(' ').collect();
            scripts(&args, &[(0, "first")]).join(" ")
        };
        assert_eq!(found("-n first file"), "first");
        assert_eq!(found("-ne a -eb --expression=c --exp d file"), "a b c d");
        assert_eq!(found("-- first -ep"), "p first");
        assert_eq!(found("-e -- file"), "--");
    }
}
