//! A profile as it is written, read and checked but not yet fitted to a machine; and how one is laid
//! over another.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::mistake::{Cause, Mistake};
use crate::nearest::nearest;
use crate::policy::{Entry, NetworkMode};
use crate::source::INLINE;

/// What one file says, or what several say together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    pub(crate) description: Option<Entry<String>>,
    pub(crate) extends: Vec<Entry<String>>,
    pub(crate) lists: BTreeMap<List, Vec<Entry<String>>>,
    pub(crate) mode: Option<Entry<NetworkMode>>,
    pub(crate) sockets: Option<Entry<Sockets>>,
    pub(crate) set: BTreeMap<String, Entry<String>>,
    pub(crate) limits: BTreeMap<Limit, Entry<u64>>,
    /// What a profile that extends nothing takes away from those it is added to.
    removals: Vec<(List, Entry<String>)>,
    /// The files whose values are in here. Inline tables are not among them: nobody inherits one.
    sources: BTreeSet<String>,
}

/// A list of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum List {
    BestEffort,
    Read,
    Write,
    Deny,
    Protect,
    Devices,
    Sockets,
    Path,
    Pass,
    Syscalls,
}

/// The word at `unix-sockets`, or that a list of paths stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sockets {
    None,
    Inside,
    All,
    Listed,
}

/// A key of `[limits]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Limit {
    Memory,
    Processes,
    OpenFiles,
    FileSize,
    CpuSeconds,
}

impl List {
    /// The key with its table.
    pub(crate) fn key(self) -> &'static str {
        match self {
            List::BestEffort => "best-effort",
            List::Read => "filesystem.read",
            List::Write => "filesystem.write",
            List::Deny => "filesystem.deny",
            List::Protect => "filesystem.protect",
            List::Devices => "filesystem.devices",
            List::Sockets => "network.unix-sockets",
            List::Path => "environment.path",
            List::Pass => "environment.pass",
            List::Syscalls => "syscalls.allow",
        }
    }

    /// Whether `*` stands for names that exist: where the list grants. In the lists that take away
    /// it would miss what comes later.
    pub(crate) fn has_wildcards(self) -> bool {
        matches!(self, List::Read | List::Devices | List::Path)
    }

    /// Whether a missing path is left out even without a `?`.
    pub(crate) fn is_lenient(self) -> bool {
        self == List::Path
    }
}

impl Draft {
    /// An empty draft for what `source` says.
    pub(crate) fn new(source: &str) -> Self {
        let sources = match source {
            INLINE => BTreeSet::new(),
            file => BTreeSet::from([file.to_owned()]),
        };
        Draft { sources, ..Draft::default() }
    }

    /// The entries of one list.
    pub(crate) fn list(&self, list: List) -> &[Entry<String>] {
        self.lists.get(&list).map_or(&[], Vec::as_slice)
    }

    /// Adds what another profile says to what this one has: tables merge, lists append, and of two
    /// scalars the other's is taken.
    ///
    /// With one exception: a scalar that the other one merely inherits, from a profile that is in
    /// here already, decides nothing new. So `["online", "build"]` has the network that `online`
    /// switches on, although both stand on one profile that leaves it off.
    pub(crate) fn join(&mut self, other: Draft) {
        let seen = std::mem::take(&mut self.sources);
        let had_sockets = self.sockets.clone();
        lay(&mut self.description, other.description, &seen);
        lay(&mut self.mode, other.mode, &seen);
        lay(&mut self.sockets, other.sockets, &seen);
        if self.sockets != had_sockets && !self.lists_sockets() {
            self.lists.remove(&List::Sockets);
        }
        lay_all(&mut self.set, other.set, &seen);
        lay_all(&mut self.limits, other.limits, &seen);
        for (list, entries) in other.lists {
            if list == List::Sockets && !self.lists_sockets() {
                continue;
            }
            append(self.lists.entry(list).or_default(), entries);
        }
        self.removals.extend(other.removals);
        self.sources = seen;
        self.sources.extend(other.sources);
    }

    /// Lays what a file says itself over what it inherits: as [`Draft::join`], and `!ENTRY` removes
    /// an inherited entry. A fragment, which extends nothing, removes it from what it is added to.
    pub(crate) fn inherit(mut self, mut base: Draft, mistakes: &mut Vec<Mistake>) -> Draft {
        base.settle();
        let is_fragment = self.extends.is_empty();
        for (list, entries) in &mut self.lists {
            let inherited = base.lists.entry(*list).or_default();
            let own: BTreeSet<String> = entries.iter().map(|entry| entry.value.clone()).collect();
            entries.retain(|entry| match entry.value.strip_prefix('!') {
                None => true,
                Some(removed) if is_fragment && !own.contains(removed) => {
                    self.removals.push((*list, entry.clone()));
                    false
                }
                Some(removed) => {
                    if !remove(inherited, removed) {
                        mistakes.push(not_inherited(inherited, *list, entry));
                    }
                    false
                }
            });
        }
        // A file's own scalars always count, even when it is met a second time.
        base.sources.retain(|source| !self.sources.contains(source));
        self.extends.clear();
        base.join(self);
        base
    }

    /// Takes away what the fragments in here take away, and keeps those removals that find nothing.
    fn settle(&mut self) {
        let lists = &mut self.lists;
        self.removals.retain(|(list, entry)| {
            let removed = entry.value.trim_start_matches('!');
            !lists.get_mut(list).is_some_and(|entries| remove(entries, removed))
        });
    }

    /// The last step: takes away what fragments take away. A fragment that is shipped is for many
    /// profiles, some of which have nothing of that; anybody else's is mistaken.
    pub(crate) fn finish(&mut self, mistakes: &mut Vec<Mistake>) {
        self.settle();
        for (list, entry) in std::mem::take(&mut self.removals) {
            if !entry.origin.is_shipped() {
                mistakes.push(not_inherited(self.list(list), list, &entry));
            }
        }
    }

    fn lists_sockets(&self) -> bool {
        self.sockets.as_ref().is_some_and(|sockets| sockets.value == Sockets::Listed)
    }
}

/// Removes an entry from a list, and tells whether it stood there.
fn remove(inherited: &mut Vec<Entry<String>>, removed: &str) -> bool {
    let before = inherited.len();
    inherited.retain(|entry| entry.value != removed);
    inherited.len() < before
}

/// A removal that finds nothing.
fn not_inherited(inherited: &[Entry<String>], list: List, by: &Entry<String>) -> Mistake {
    let known = inherited.iter().map(|entry| entry.value.as_str());
    let nearest = nearest(by.value.trim_start_matches('!'), known);
    Mistake {
        origin: by.origin.clone(),
        key: list.key().to_owned(),
        value: Some(format!("{:?}", by.value)),
        cause: Cause::NotInherited { nearest: nearest.map(str::to_owned) },
    }
}

/// Appends what is not there yet; of two equal entries the first keeps its origin.
fn append(entries: &mut Vec<Entry<String>>, more: Vec<Entry<String>>) {
    let mut present = HashSet::with_capacity(entries.len() + more.len());
    present.extend(entries.iter().map(|entry| entry.value.as_str()));
    let is_new: Vec<bool> = more.iter().map(|entry| present.insert(entry.value.as_str())).collect();
    entries
        .extend(more.into_iter().zip(is_new).filter_map(|(entry, is_new)| is_new.then_some(entry)));
}

fn lay<T>(present: &mut Option<Entry<T>>, other: Option<Entry<T>>, seen: &BTreeSet<String>) {
    if let Some(other) = other
        && (present.is_none() || !seen.contains(&*other.origin.source))
    {
        *present = Some(other);
    }
}

fn lay_all<K: Ord, T>(
    present: &mut BTreeMap<K, Entry<T>>,
    others: BTreeMap<K, Entry<T>>,
    seen: &BTreeSet<String>,
) {
    for (key, other) in others {
        if !present.contains_key(&key) || !seen.contains(&*other.origin.source) {
            present.insert(key, other);
        }
    }
}
