//! What a client is told about the server.

use std::path::{Path, PathBuf};

use super::client::OPEN_FOLDER;

/// The fields of an entry, in the order in which they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    fields: Vec<(&'static str, Field)>,
    command: String,
    args: Vec<String>,
    folder: Option<String>,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field {
    Text(String),
    List(Vec<String>),
}

/// How a client starts the server.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) command: String,
    pub(super) args: Vec<String>,
    /// An absolute path.
    pub(super) folder: PathBuf,
}

impl Entry {
    /// A program and its arguments.
    pub(super) fn new(command: &str, args: Vec<String>) -> Self {
        let fields =
            vec![("command", Field::Text(command.to_owned())), ("args", Field::List(args.clone()))];
        Entry { fields, command: command.to_owned(), args, folder: None }
    }

    /// Says which transport it is, in front.
    pub(super) fn of_type(mut self, name: &str) -> Self {
        self.fields.insert(0, ("type", Field::Text(name.to_owned())));
        self
    }

    /// Says in which folder the client starts it.
    pub(super) fn in_folder(mut self, folder: &str) -> Self {
        self.fields.push(("cwd", Field::Text(folder.to_owned())));
        self.folder = Some(folder.to_owned());
        self
    }

    /// The fields, in order.
    pub(super) fn fields(&self) -> &[(&'static str, Field)] {
        &self.fields
    }

    /// What the client makes of it with this folder open.
    pub(super) fn start(&self, open: &Path) -> Start {
        let fill = |text: &String| text.replace(OPEN_FOLDER, &open.to_string_lossy());
        Start {
            command: self.command.clone(),
            args: self.args.iter().map(fill).collect(),
            folder: self.folder.as_ref().map_or(open.to_owned(), |folder| fill(folder).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_open_folder_is_filled_in_wherever_it_stands() {
        let args = vec!["serve".to_owned(), "--cwd".to_owned(), OPEN_FOLDER.to_owned()];
        let start = Entry::new("/bin/c", args).in_folder(OPEN_FOLDER).start(Path::new("/a b"));
        assert_eq!(start.args, ["serve", "--cwd", "/a b"]);
        assert_eq!(start.folder, Path::new("/a b"));
    }

    #[test]
    fn fields_stand_in_the_order_in_which_people_write_them() {
        let entry = Entry::new("/bin/c", Vec::new()).in_folder("/x").of_type("stdio");
        let names: Vec<_> = entry.fields().iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["type", "command", "args", "cwd"]);
    }
}
