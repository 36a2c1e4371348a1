//! Git's settings in the private home: the person's name and address, and nothing else of theirs.
//!
//! The person's own file stays closed to a run, since tokens and credential helpers stand in it. The
//! two values are read here, in the host.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes `.gitconfig` into a private home. Every directory is safe for git there: what a repository
/// could start runs inside the sandbox as well.
pub(crate) fn write(home: &Path) -> io::Result<()> {
    let identity = Identity::of_this_user();
    let text = format!(
        "[user]\n\tname = {}\n\temail = {}\n[safe]\n\tdirectory = *\n",
        quote(&identity.name),
        quote(&identity.email)
    );
    fs::write(home.join(".gitconfig"), text)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Identity {
    name: String,
    email: String,
}

impl Identity {
    /// As git would find it: the global files, then a name made from the account.
    fn of_this_user() -> Self {
        let mut identity = Identity::default();
        for file in global_files() {
            // Larger than this it is no settings file of a person.
            const MOST: u64 = 1 << 20;
            if fs::metadata(&file).is_ok_and(|meta| meta.is_file() && meta.len() <= MOST)
                && let Ok(text) = fs::read_to_string(&file)
            {
                identity.take_from(&text);
            }
        }
        // Last: to ask for the account reads files of the system, or asks a service.
        identity.complete_from(account)
    }

    fn complete_from(mut self, account: impl FnOnce() -> String) -> Self {
        if self.name.is_empty() || self.email.is_empty() {
            let account = account();
            let or = |value: String, other: String| if value.is_empty() { other } else { value };
            self.email = or(self.email, format!("{account}@localhost"));
            self.name = or(self.name, account);
        }
        self
    }

    /// Reads `name` and `email` of the `[user]` sections, as `git-config(1)` describes the syntax.
    fn take_from(&mut self, text: &str) {
        let mut in_user = false;
        for line in text.lines().map(str::trim) {
            if let Some(header) = line.strip_prefix('[') {
                let section = header.split(']').next().unwrap_or_default();
                in_user = section.trim().eq_ignore_ascii_case("user");
            } else if let Some((key, value)) = line.split_once('=').filter(|_| in_user) {
                let value = unquote(value);
                match key.trim().to_ascii_lowercase().as_str() {
                    "name" if !value.is_empty() => self.name = value,
                    "email" if !value.is_empty() => self.email = value,
                    _ => {}
                }
            }
        }
    }
}

/// `git-config(1)`, FILES: the second overrides the first.
fn global_files() -> impl Iterator<Item = PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let config = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|config| config.is_absolute())
        .or_else(|| home.as_ref().map(|home| home.join(".config")));
    let xdg = config.map(|config| config.join("git/config"));
    xdg.into_iter().chain(home.map(|home| home.join(".gitconfig")))
}

fn account() -> String {
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten();
    user.map_or_else(|| "user".to_owned(), |user| user.name)
}

/// A value as `git-config(1)` writes it: comments cut off, quotes and escapes undone.
fn unquote(value: &str) -> String {
    let mut text = String::new();
    let mut quoted = false;
    let mut signs = value.trim().chars();
    while let Some(sign) = signs.next() {
        match sign {
            '"' => quoted = !quoted,
            '\\' => text.extend(signs.next().map(|escaped| match escaped {
                'n' => '\n',
                't' => '\t',
                other => other,
            })),
            '#' | ';' if !quoted => break,
            other => text.push(other),
        }
    }
    text.trim_end().to_owned()
}

fn quote(value: &str) -> String {
    let mut text = String::from('"');
    for sign in value.chars() {
        match sign {
            '"' | '\\' => text.extend(['\\', sign]),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            sign if sign.is_control() => {}
            sign => text.push(sign),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, String) {
        let mut identity = Identity { name: "none".to_owned(), email: "none".to_owned() };
        identity.take_from(text);
        (identity.name, identity.email)
    }

    #[test]
    fn only_name_and_address_of_the_user_section_are_taken() {
        let text = "[credential]\n\tname = wrong\n[User]\n\tName = \"Ann \\\"B\\\" C\" # her\n\
                    \temail=ann@example.org ; mail\n[url \"https://token@x\"]\n\temail = no\n";
        assert_eq!(read(text), ("Ann \"B\" C".to_owned(), "ann@example.org".to_owned()));
    }

    #[test]
    fn the_account_stands_in_for_what_is_not_set_and_is_asked_for_only_then() {
        let identity =
            |name: &str, email: &str| Identity { name: name.into(), email: email.into() };
        let ann = || "ann".to_owned();
        assert_eq!(identity("", "").complete_from(ann), identity("ann", "ann@localhost"));
        assert_eq!(identity("A", "").complete_from(ann), identity("A", "ann@localhost"));
        let nobody = || panic!("not to be asked");
        assert_eq!(identity("A", "a@b").complete_from(nobody), identity("A", "a@b"));
    }

    #[test]
    fn a_value_cannot_break_out_of_its_line() {
        assert_eq!(quote("a\"\n[alias]\n\tx = !sh\r"), "\"a\\\"\\n[alias]\\n\\tx = !sh\"");
        assert_eq!(unquote(&quote("a \"b\" \\ c\nd")), "a \"b\" \\ c\nd");
    }
}
