//! Reads the keys of a table: each into its type, and none that is not known.

use std::path::PathBuf;

use super::mistake::{Mistakes, Problem};
use super::nearest::nearest;
use super::place::{Place, Placed, Written};
use super::tree::Tree;

/// A table whose keys are all known, to be taken one after the other.
pub(crate) struct Table {
    pub(crate) place: Place,
    entries: Vec<(String, Tree)>,
    known: &'static [&'static str],
}

impl Table {
    /// Opens what should be a table, and notes every key that is not in `known`.
    pub(crate) fn open(
        written: Placed<Tree>,
        known: &'static [&'static str],
        mistakes: &mut Mistakes,
    ) -> Option<Table> {
        let Placed { place, value, shown } = written;
        let Tree::Table(entries) = value else {
            mistakes.add(place, shown, Problem::must("a table of settings"));
            return None;
        };
        let (entries, unknown): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|(key, _)| known.contains(&key.as_str()));
        for (key, value) in unknown {
            let problem = Problem::UnknownKey { nearest: nearest(&key, known), valid: known };
            mistakes.add(place.key(&key), Some(value.shown()), problem);
        }
        Some(Table { place, entries, known })
    }

    /// Takes the value of one of the known keys.
    pub(crate) fn take<T: Readable>(&mut self, key: &str, mistakes: &mut Mistakes) -> Written<T> {
        debug_assert!(self.known.contains(&key), "{key} is not a known key");
        let Some(at) = self.entries.iter().position(|(name, _)| name == key) else {
            return Written::Absent;
        };
        let (_, tree) = self.entries.swap_remove(at);
        Placed::tree(self.place.key(key), tree).read(mistakes)
    }
}

impl Placed<Tree> {
    /// This value as a `T`, or a note that it is none.
    pub(crate) fn read<T: Readable>(self, mistakes: &mut Mistakes) -> Written<T> {
        match T::read(self, mistakes) {
            Some(placed) => Written::Given(placed),
            None => Written::Unreadable,
        }
    }

    fn read_as<T>(
        self,
        must: &'static str,
        mistakes: &mut Mistakes,
        read: impl FnOnce(Tree) -> Option<T>,
    ) -> Option<Placed<T>> {
        let Placed { place, shown, value } = self;
        match read(value) {
            Some(value) => Some(Placed { place, shown, value }),
            None => {
                mistakes.add(place, shown, Problem::must(must));
                None
            }
        }
    }
}

/// A type that a value of a configuration can have.
pub(crate) trait Readable: Sized {
    /// The value as this type; `None` after noting that it is none.
    fn read(written: Placed<Tree>, mistakes: &mut Mistakes) -> Option<Placed<Self>>;
}

impl Readable for Tree {
    fn read(written: Placed<Tree>, _: &mut Mistakes) -> Option<Placed<Self>> {
        Some(written)
    }
}

impl Readable for bool {
    fn read(written: Placed<Tree>, mistakes: &mut Mistakes) -> Option<Placed<Self>> {
        written.read_as("`true` or `false`", mistakes, |tree| match tree {
            Tree::Bool(value) => Some(value),
            _ => None,
        })
    }
}

impl Readable for String {
    fn read(written: Placed<Tree>, mistakes: &mut Mistakes) -> Option<Placed<Self>> {
        written.read_as("text", mistakes, |tree| match tree {
            Tree::String(value) => Some(value),
            _ => None,
        })
    }
}

impl Readable for PathBuf {
    fn read(written: Placed<Tree>, mistakes: &mut Mistakes) -> Option<Placed<Self>> {
        written.read_as("a path, as text", mistakes, |tree| match tree {
            Tree::String(value) => Some(value.into()),
            _ => None,
        })
    }
}

impl Readable for f64 {
    fn read(written: Placed<Tree>, mistakes: &mut Mistakes) -> Option<Placed<Self>> {
        written.read_as("a number", mistakes, |tree| match tree {
            Tree::Integer(value) => Some(value as f64),
            Tree::Float(value) => Some(value),
            _ => None,
        })
    }
}

impl Readable for i128 {
    fn read(written: Placed<Tree>, mistakes: &mut Mistakes) -> Option<Placed<Self>> {
        written.read_as("a whole number", mistakes, |tree| match tree {
            Tree::Integer(value) => Some(value),
            _ => None,
        })
    }
}

/// A list of texts, each with its place.
impl Readable for Vec<Placed<String>> {
    fn read(written: Placed<Tree>, mistakes: &mut Mistakes) -> Option<Placed<Self>> {
        let list = written.read_as("a list of texts", mistakes, |tree| match tree {
            Tree::List(items) => Some(items),
            _ => None,
        })?;
        let items: Vec<_> = (0..)
            .zip(list.value)
            .map(|(index, item)| Placed::tree(list.place.index(index), item))
            .map(|item| String::read(item, mistakes))
            .collect();
        let value = items.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Placed { place: list.place, shown: list.shown, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(json: &str, mistakes: &mut Mistakes) -> Option<Table> {
        let tree = serde_json::from_str(json).unwrap();
        Table::open(Placed::tree(Place::root(), tree), &["name", "size", "list"], mistakes)
    }

    #[test]
    fn every_unknown_key_is_noted_and_the_known_ones_can_still_be_read() {
        let mut mistakes = Mistakes::default();
        let mut table = open(r#"{"nam": 1, "name": "a", "zzz": {}}"#, &mut mistakes).unwrap();
        let name: Written<String> = table.take("name", &mut mistakes);
        assert_eq!(name.given().unwrap().value, "a");
        assert_eq!(
            mistakes.lines(),
            [
                "nam = 1: unknown key; did you mean `name`? valid here: `name`, `size`, `list`",
                "zzz = {}: unknown key; valid here: `name`, `size`, `list`",
            ]
        );
    }

    #[test]
    fn a_key_that_is_not_written_is_absent_and_a_wrong_type_is_unreadable() {
        let mut mistakes = Mistakes::default();
        let mut table = open(r#"{"size": "8", "list": ["a", 1, null]}"#, &mut mistakes).unwrap();
        assert_eq!(table.take::<String>("name", &mut mistakes), Written::Absent);
        assert_eq!(table.take::<i128>("size", &mut mistakes), Written::Unreadable);
        assert_eq!(table.take::<Vec<Placed<String>>>("list", &mut mistakes), Written::Unreadable);
        assert_eq!(
            mistakes.lines(),
            [
                r#"size = "8": must be a whole number"#,
                "list[1] = 1: must be text",
                "list[2] = null: must be text",
            ]
        );
    }

    #[test]
    fn something_else_than_a_table_is_noted() {
        let mut mistakes = Mistakes::default();
        assert!(open("[1]", &mut mistakes).is_none());
        assert_eq!(mistakes.lines(), ["the top level = [1]: must be a table of settings"]);
    }
}
