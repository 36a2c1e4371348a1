//! Reads one profile: the tree of a file or an inline table becomes a draft. Every mistake is
//! recorded, and reading goes on.

mod check;
mod keys;
mod size;

use std::sync::Arc;

use crate::draft::{Draft, Limit, List, Sockets};
use crate::mistake::{Cause, Mistake};
use crate::policy::{Entry, NetworkMode, Origin};
use crate::tree::{Field, Node, Tree};

pub(crate) use check::{NOT_ABSOLUTE, NUL, PARENT, check_pass, check_set_name};

/// Reads a tree. `source` is the name of its file for people.
pub(crate) fn read(root: &Node, source: &str) -> (Draft, Vec<Mistake>) {
    Reader::new(source, false).read(root)
}

/// Reads the tree of a shipped profile, each entry of which a test has checked.
pub(crate) fn read_shipped(root: &Node, source: &str) -> (Draft, Vec<Mistake>) {
    Reader::new(source, true).read(root)
}

struct Reader {
    source: Arc<str>,
    is_checked: bool,
    draft: Draft,
    mistakes: Vec<Mistake>,
}

impl Reader {
    fn new(source: &str, is_checked: bool) -> Self {
        let draft = Draft::new(source);
        Reader { source: source.into(), is_checked, draft, mistakes: Vec::new() }
    }

    fn read(mut self, root: &Node) -> (Draft, Vec<Mistake>) {
        self.profile(root);
        (self.draft, self.mistakes)
    }

    fn profile(&mut self, root: &Node) {
        for (key, field) in self.fields(root, "") {
            match key.as_str() {
                "description" => self.draft.description = self.text(&key, &field.node),
                "extends" => self.draft.extends = self.extends(&key, &field.node),
                "best-effort" => self.list(List::BestEffort, &field.node),
                "filesystem" => self.filesystem(&field.node),
                "network" => self.network(&field.node),
                "environment" => self.environment(&field.node),
                "syscalls" => self.syscalls(&field.node),
                "limits" => self.limits(&field.node),
                _ => self.unknown_key(key, field, keys::PROFILE),
            }
        }
    }

    fn filesystem(&mut self, node: &Node) {
        for (key, field) in self.fields(node, "filesystem") {
            match &*field.key {
                "read" => self.list(List::Read, &field.node),
                "write" => self.list(List::Write, &field.node),
                "deny" => self.list(List::Deny, &field.node),
                "protect" => self.list(List::Protect, &field.node),
                "devices" => self.list(List::Devices, &field.node),
                _ => self.unknown_key(key, field, keys::FILESYSTEM),
            }
        }
    }

    fn network(&mut self, node: &Node) {
        for (key, field) in self.fields(node, "network") {
            match &*field.key {
                "mode" => {
                    let words = [("off", NetworkMode::Off), ("on", NetworkMode::On)];
                    self.draft.mode = self.word(&key, &field.node, &words);
                }
                "unix-sockets" => self.sockets(&key, &field.node),
                _ => self.unknown_key(key, field, keys::NETWORK),
            }
        }
    }

    fn sockets(&mut self, key: &str, node: &Node) {
        if let Tree::List(_) = node.value {
            self.list(List::Sockets, node);
            self.draft.sockets = Some(self.entry(node, Sockets::Listed));
        } else {
            let words =
                [("none", Sockets::None), ("inside", Sockets::Inside), ("all", Sockets::All)];
            self.draft.sockets = self.word(key, node, &words);
        }
    }

    fn environment(&mut self, node: &Node) {
        for (key, field) in self.fields(node, "environment") {
            match &*field.key {
                "path" => self.list(List::Path, &field.node),
                "pass" => self.list(List::Pass, &field.node),
                "set" => self.set(&field.node),
                _ => self.unknown_key(key, field, keys::ENVIRONMENT),
            }
        }
    }

    fn set(&mut self, node: &Node) {
        for (key, field) in self.fields(node, "environment.set") {
            if let Err(cause) = check_set_name(&field.key) {
                self.mistake(field.line, key, None, cause);
                continue;
            }
            let Some(entry) = self.text(&key, &field.node) else { continue };
            match check::check_set_value(&entry.value) {
                Ok(()) => drop(self.draft.set.insert(field.key.to_string(), entry)),
                Err(cause) => self.mistake_at(key, &field.node, cause),
            }
        }
    }

    fn syscalls(&mut self, node: &Node) {
        for (key, field) in self.fields(node, "syscalls") {
            match &*field.key {
                "allow" => self.list(List::Syscalls, &field.node),
                _ => self.unknown_key(key, field, keys::SYSCALLS),
            }
        }
    }

    fn limits(&mut self, node: &Node) {
        for (key, field) in self.fields(node, "limits") {
            let (limit, is_size, least) = match &*field.key {
                "memory" => (Limit::Memory, true, 1),
                "file-size" => (Limit::FileSize, true, 0),
                "processes" => (Limit::Processes, false, 1),
                "open-files" => (Limit::OpenFiles, false, 1),
                "cpu-seconds" => (Limit::CpuSeconds, false, 1),
                _ => {
                    self.unknown_key(key, field, keys::LIMITS);
                    continue;
                }
            };
            match size::limit(&field.node, is_size, least) {
                Ok(value) => {
                    let entry = self.entry(&field.node, value);
                    self.draft.limits.insert(limit, entry);
                }
                Err(cause) => self.mistake_at(key, &field.node, cause),
            }
        }
    }

    fn extends(&mut self, key: &str, node: &Node) -> Vec<Entry<String>> {
        match &node.value {
            Tree::Text(_) => self.text(key, node).into_iter().collect(),
            Tree::List(items) => items.iter().filter_map(|item| self.text(key, item)).collect(),
            _ => {
                let expected = "a string or a list of strings";
                self.wrong_type(key.to_owned(), node, expected);
                Vec::new()
            }
        }
    }

    /// A list of strings, each checked by the rules of its list.
    fn list(&mut self, list: List, node: &Node) {
        let Tree::List(items) = &node.value else {
            return self.wrong_type(list.key().to_owned(), node, "a list of strings");
        };
        let mut entries = Vec::new();
        for item in &**items {
            let Some(entry) = self.text(list.key(), item) else { continue };
            let checked = match self.is_checked {
                true => Ok(()),
                false => check::check_entry(list, &entry.value),
            };
            match checked {
                Ok(()) => entries.push(entry),
                Err(cause) => self.mistake_at(list.key().to_owned(), item, cause),
            }
        }
        self.draft.lists.insert(list, entries);
    }

    /// One of a few words.
    fn word<T: Copy>(
        &mut self,
        key: &str,
        node: &Node,
        words: &[(&'static str, T)],
    ) -> Option<Entry<T>> {
        let text = self.text(key, node)?;
        match words.iter().find(|(word, _)| *word == text.value) {
            Some((_, value)) => Some(self.entry(node, *value)),
            None => {
                let cause = check::unknown_word(&text.value, words.iter().map(|(word, _)| *word));
                self.mistake_at(key.to_owned(), node, cause);
                None
            }
        }
    }

    fn text(&mut self, key: &str, node: &Node) -> Option<Entry<String>> {
        match &node.value {
            Tree::Text(text) => Some(self.entry(node, text.to_string())),
            _ => {
                self.wrong_type(key.to_owned(), node, "a string");
                None
            }
        }
    }

    /// The fields of a table, each with its full key.
    fn fields<'n>(&mut self, node: &'n Node, place: &str) -> Vec<(String, &'n Field)> {
        let Tree::Table(fields) = &node.value else {
            self.wrong_type(place.to_owned(), node, "a table");
            return Vec::new();
        };
        let full = |key: &str| match place {
            "" => key.to_owned(),
            place => format!("{place}.{key}"),
        };
        fields.iter().map(|field| (full(&field.key), field)).collect()
    }

    fn entry<T>(&self, node: &Node, value: T) -> Entry<T> {
        let text = match &node.value {
            Tree::Text(text) => Some((&**text).into()),
            _ => None,
        };
        Entry { value, origin: Origin { source: Arc::clone(&self.source), line: node.line, text } }
    }

    fn unknown_key(&mut self, key: String, field: &Field, valid: &[&'static str]) {
        let cause = keys::unknown(&field.key, valid);
        self.mistake(field.line, key, None, cause);
    }

    fn wrong_type(&mut self, key: String, node: &Node, expected: &'static str) {
        let cause = Cause::WrongType { found: node.kind(), expected };
        self.mistake_at(key, node, cause);
    }

    fn mistake_at(&mut self, key: String, node: &Node, cause: Cause) {
        self.mistake(node.line, key, Some(node.to_string()), cause);
    }

    fn mistake(&mut self, line: Option<u32>, key: String, value: Option<String>, cause: Cause) {
        let origin = Origin { source: Arc::clone(&self.source), line, text: None };
        self.mistakes.push(Mistake { origin, key, value, cause });
    }
}

#[cfg(test)]
mod tests;
