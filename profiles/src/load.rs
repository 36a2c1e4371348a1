//! Finds the profiles that a source names, reads them, and merges what they extend.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::context::Context;
use crate::draft::Draft;
use crate::mistake::{Cause, Mistake};
use crate::nearest::nearest;
use crate::policy::{Entry, Origin};
use crate::read::{read, read_shipped};
use crate::shipped::{self, shipped};
use crate::source::{INLINE, Source};
use crate::tree::Node;
use crate::user;

/// What a source says, with everything that it extends.
pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) draft: Draft,
    /// The files that were read, physical paths.
    pub(crate) files: Vec<PathBuf>,
}

/// Loads a source.
///
/// # Errors
/// Every mistake of every file.
pub(crate) fn load(source: &Source, context: &Context) -> Result<Loaded, Vec<Mistake>> {
    let mut loader = Loader {
        context,
        mistakes: Vec::new(),
        ring: Vec::new(),
        done: BTreeMap::new(),
        files: Vec::new(),
    };
    let (name, mut draft) = loader.source(source);
    draft.finish(&mut loader.mistakes);
    match loader.mistakes.is_empty() {
        true => Ok(Loaded { name, draft, files: loader.files }),
        false => Err(loader.mistakes),
    }
}

struct Loader<'a> {
    context: &'a Context,
    mistakes: Vec<Mistake>,
    /// The profiles that are being read, outermost first.
    ring: Vec<String>,
    /// What was merged already, so that a profile that many extend is read once.
    done: BTreeMap<String, Draft>,
    files: Vec<PathBuf>,
}

/// Where a name or a path was asked for.
struct Asked {
    origin: Origin,
    key: &'static str,
    /// The directory for relative paths.
    dir: Option<PathBuf>,
}

impl Loader<'_> {
    /// The name and the merged draft of a source; an empty draft where there was a mistake.
    fn source(&mut self, source: &Source) -> (String, Draft) {
        let asked = Asked {
            origin: Origin { source: "settings".into(), ..Origin::default() },
            key: "profile",
            dir: Some(self.context.dir.clone()),
        };
        match source {
            Source::Name(name) => (name.clone(), self.named(name, &asked)),
            Source::Path(path) => {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                (stem, self.at_path(path, &asked))
            }
            Source::Inline(table) => (INLINE.to_owned(), self.inline(table)),
            Source::Many(sources) => self.many(sources, asked),
        }
    }

    fn many(&mut self, sources: &[Source], asked: Asked) -> (String, Draft) {
        if sources.is_empty() {
            let cause = Cause::Invalid {
                what: "an empty list grants nothing, not even the command itself",
                remedy: "name a profile, or leave the setting out for `workspace`",
            };
            self.mistake(&asked, "[]", cause);
        }
        let mut names: Vec<String> = Vec::new();
        let mut descriptions: Vec<String> = Vec::new();
        let mut draft = Draft::default();
        for source in sources {
            let (name, part) = self.source(source);
            descriptions.extend(part.description.iter().map(|entry| entry.value.clone()));
            names.push(name);
            draft.join(part);
        }
        if let Some(description) = &mut draft.description {
            description.value = descriptions.join(" ");
        }
        (names.join("+"), draft)
    }

    fn named(&mut self, name: &str, asked: &Asked) -> Draft {
        let file = user::folder(self.context)
            .filter(|_| user::is_name(name))
            .map(|folder| folder.join(format!("{name}.toml")))
            .filter(|file| file.symlink_metadata().is_ok());
        match (shipped::tree(name), file) {
            (Some(root), None) => self.once(&format!("{name}.toml"), |loader, source| {
                loader.extended_by(read_shipped(root, source), None)
            }),
            (Some(_), Some(path)) => {
                self.mistake(asked, &format!("{name:?}"), Cause::ShippedName { path })
            }
            (None, Some(path)) => self.file(&path, &format!("{name:?}"), asked),
            (None, None) => {
                let known = self.known_names();
                let nearest = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
                self.mistake(asked, &format!("{name:?}"), Cause::NoSuchProfile { nearest, known })
            }
        }
    }

    fn at_path(&mut self, path: &Path, asked: &Asked) -> Draft {
        let value = format!("{path:?}");
        match &asked.dir {
            Some(dir) => self.file(&dir.join(path), &value, asked),
            None if path.is_absolute() => self.file(path, &value, asked),
            None => {
                let cause = Cause::Invalid {
                    what: "a relative path in an inline table has no file to start from",
                    remedy: "write the whole path",
                };
                self.mistake(asked, &value, cause)
            }
        }
    }

    fn file(&mut self, path: &Path, value: &str, asked: &Asked) -> Draft {
        let found = fs::canonicalize(path).and_then(|path| Ok((user::read_file(&path)?, path)));
        let (text, path) = match found {
            Ok(found) => found,
            Err(error) => return self.mistake(asked, value, Cause::Unreadable(error)),
        };
        if !self.files.contains(&path) {
            self.files.push(path.clone());
        }
        self.once(&path.display().to_string(), |loader, source| {
            loader.text(&text, source, path.parent())
        })
    }

    /// Reads a profile unless that was done, or is being done: then they extend each other.
    fn once(&mut self, source: &str, read: impl FnOnce(&mut Self, &str) -> Draft) -> Draft {
        if let Some(draft) = self.done.get(source) {
            return draft.clone();
        }
        self.ring.push(source.to_owned());
        let draft = read(self, source);
        self.ring.pop();
        self.done.insert(source.to_owned(), draft.clone());
        draft
    }

    fn text(&mut self, text: &str, source: &str, dir: Option<&Path>) -> Draft {
        match Node::from_toml(text, source) {
            Ok(root) => self.tree(&root, source, dir),
            Err(mistakes) => {
                self.mistakes.extend(mistakes);
                Draft::default()
            }
        }
    }

    fn inline(&mut self, table: &Json) -> Draft {
        self.tree(&Node::from_json(table), INLINE, None)
    }

    fn tree(&mut self, root: &Node, source: &str, dir: Option<&Path>) -> Draft {
        self.extended_by(read(root, source), dir)
    }

    /// Lays what a file says over what it extends.
    fn extended_by(
        &mut self,
        (draft, mistakes): (Draft, Vec<Mistake>),
        dir: Option<&Path>,
    ) -> Draft {
        self.mistakes.extend(mistakes);
        let mut base = Draft::default();
        for entry in &draft.extends {
            base.join(self.extended(entry, dir));
        }
        draft.inherit(base, &mut self.mistakes)
    }

    fn extended(&mut self, entry: &Entry<String>, dir: Option<&Path>) -> Draft {
        let asked =
            Asked { origin: entry.origin.clone(), key: "extends", dir: dir.map(Path::to_owned) };
        if let Some(start) = self.ring_start(&entry.value, dir) {
            let mut chain = self.ring[start..].to_vec();
            chain.push(self.ring[start].clone());
            return self.mistake(&asked, &format!("{:?}", entry.value), Cause::Cycle { chain });
        }
        match Source::parse(&entry.value) {
            Source::Path(path) => self.at_path(&path, &asked),
            _ => self.named(&entry.value, &asked),
        }
    }

    /// Where in the ring the profile stands that is asked for.
    fn ring_start(&self, name: &str, dir: Option<&Path>) -> Option<usize> {
        let file = match Source::parse(name) {
            Source::Path(path) => dir.map_or(path.clone(), |dir| dir.join(path)),
            _ if shipped::is_shipped(name) => PathBuf::new(),
            _ => user::folder(self.context)?.join(format!("{name}.toml")),
        };
        let source = match fs::canonicalize(file) {
            Ok(path) => path.display().to_string(),
            Err(_) => format!("{name}.toml"),
        };
        self.ring.iter().position(|reading| *reading == source)
    }

    fn known_names(&self) -> Vec<String> {
        let mut names: Vec<String> = shipped().map(|profile| profile.name.to_owned()).collect();
        names.extend(user::user_profiles(self.context).into_iter().map(|profile| profile.name));
        names
    }

    fn mistake(&mut self, asked: &Asked, value: &str, cause: Cause) -> Draft {
        self.mistakes.push(Mistake {
            origin: asked.origin.clone(),
            key: asked.key.to_owned(),
            value: Some(value.to_owned()),
            cause,
        });
        Draft::default()
    }
}
