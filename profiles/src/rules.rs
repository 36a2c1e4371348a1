//! From entries to rules: each path is looked up once, here.

use std::io;
use std::path::{Path, PathBuf};

use crate::draft::{Draft, List};
use crate::grants::Grants;
use crate::look::Looks;
use crate::mistake::{Cause, Mistake};
use crate::policy::{Access, Entry, Kind, Origin, Rule};
use crate::settle::merged;
use crate::template::{Template, Variable};
use crate::values::Values;
use crate::walk::walk_by;
use crate::wildcard;

/// What an entry begins with that names something of the workspace's own repository.
const OWN_REPOSITORY: &str = "${workspace}/.git/";

/// Makes rules, and records what went wrong.
pub(crate) struct RuleMaker<'a> {
    pub(crate) values: &'a Values<'a>,
    pub(crate) looks: Looks,
    pub(crate) mistakes: Vec<Mistake>,
}

/// A path to look up.
struct Wanted {
    access: Access,
    path: PathBuf,
    optional: bool,
    origin: Origin,
}

impl RuleMaker<'_> {
    /// The rules of `[filesystem]` in `draft`, and the ad hoc ones; not yet in order.
    pub(crate) fn filesystem(&mut self, draft: &Draft, grants: &Grants, dir: &Path) -> Vec<Rule> {
        let lists = [
            (List::Read, Access::Read, "--read", &grants.read),
            (List::Write, Access::Write, "--write", &grants.write),
            (List::Deny, Access::Deny, "--deny", &grants.deny),
        ];
        let mut rules = self.list(draft, List::Protect, Access::Protect);
        for (list, access, option, paths) in lists {
            rules.extend(self.list(draft, list, access));
            rules.extend(self.ad_hoc(option, access, paths, dir));
        }
        rules
    }

    /// The rules of one list.
    pub(crate) fn list(&mut self, draft: &Draft, list: List, access: Access) -> Vec<Rule> {
        let mut rules = Vec::new();
        for entry in draft.list(list) {
            for wanted in self.wanted(list, access, entry) {
                rules.extend(self.rule(list.key(), wanted));
            }
            if list == List::Protect {
                rules.extend(self.in_repositories(entry));
            }
        }
        rules
    }

    /// What is protected of the workspace's repository, of those below it.
    fn in_repositories(&mut self, entry: &Entry<String>) -> Vec<Rule> {
        let Some(rest) = entry.value.strip_prefix(OWN_REPOSITORY) else { return Vec::new() };
        let rest = rest.trim_end_matches('?');
        let values = self.values;
        let rule = |folder: &PathBuf| {
            let (path, origin) = (folder.join(rest), entry.origin.clone());
            self.rule(
                List::Protect.key(),
                Wanted { access: Access::Protect, path, optional: true, origin },
            )
        };
        values.repositories().iter().filter_map(rule).collect()
    }

    /// Device files: they must lie in `/dev`, by name and in truth.
    pub(crate) fn devices(&mut self, draft: &Draft) -> Vec<Rule> {
        let mut devices = self.list(draft, List::Devices, Access::Write);
        let in_dev = |path: &Path| path.starts_with("/dev") && path != Path::new("/dev");
        devices.retain(|rule| {
            let is_device = in_dev(&rule.path) && in_dev(&rule.written);
            if !is_device {
                let cause = Cause::Invalid {
                    what: "not a device in `/dev`",
                    remedy: "name devices like `/dev/dri`; other files belong in \
                             `filesystem.read` or `filesystem.write`",
                };
                self.mistake(List::Devices.key(), &rule.origin, &rule.written, cause);
            }
            is_device
        });
        merged(devices)
    }

    /// The rules of one option.
    pub(crate) fn ad_hoc(
        &mut self,
        option: &'static str,
        access: Access,
        paths: &[PathBuf],
        dir: &Path,
    ) -> Vec<Rule> {
        let mut rules = Vec::new();
        for path in paths {
            let origin = Origin { source: option.into(), ..Origin::default() };
            let path = dir.join(path);
            rules.extend(self.rule(option, Wanted { access, path, optional: false, origin }));
        }
        rules
    }

    /// The directories of `environment.path` that exist.
    pub(crate) fn search_path(&mut self, draft: &Draft) -> Vec<Entry<PathBuf>> {
        let mut dirs = Vec::new();
        for entry in draft.list(List::Path) {
            for wanted in self.wanted(List::Path, Access::Read, entry) {
                if wanted.path.as_os_str().as_encoded_bytes().contains(&b':') {
                    let cause = Cause::Invalid {
                        what: "a colon in a directory of `PATH`",
                        remedy: "`PATH` cannot hold it; use a link with another name",
                    };
                    self.mistake(List::Path.key(), &wanted.origin, &wanted.path, cause);
                } else if wanted.path.is_dir() {
                    dirs.push(Entry { value: wanted.path, origin: wanted.origin });
                }
            }
        }
        dirs
    }

    /// The paths that an entry stands for.
    fn wanted(&mut self, list: List, access: Access, entry: &Entry<String>) -> Vec<Wanted> {
        match self.paths(list, &entry.value) {
            Ok((paths, optional)) => {
                let origin = &entry.origin;
                let wanted = |path| Wanted { access, path, optional, origin: origin.clone() };
                paths.into_iter().map(wanted).collect()
            }
            Err(cause) => {
                self.mistake(list.key(), &entry.origin, Path::new(&entry.value), cause);
                Vec::new()
            }
        }
    }

    /// The paths of an entry, wildcards expanded, and whether they may be missing.
    fn paths(&self, list: List, entry: &str) -> Result<(Vec<PathBuf>, bool), Cause> {
        let mut template = Template::parse(entry)?;
        template.optional |= list.is_lenient();
        let optional = template.optional;
        if template.is_tmp() {
            return Ok((Vec::new(), optional)); // known only to the run
        }
        if list == List::Write && template.variables().any(|name| *name == Variable::Cache) {
            self.values.make_cache()?;
            self.looks.forget_absent();
        }
        let Some(path) = self.values.path(&template)? else {
            return Ok((Vec::new(), optional));
        };
        if !template.text_contains('*') {
            return Ok((vec![path], optional));
        }
        let stars = |text: &[u8]| text.iter().filter(|byte| **byte == b'*').count();
        if stars(path.as_os_str().as_encoded_bytes()) > stars(entry.as_bytes()) {
            return Err(Cause::Invalid {
                what: "a wildcard beside a variable whose value holds a `*`",
                remedy: "write the names out",
            });
        }
        match wildcard::expand(&path, &self.looks) {
            paths if paths.is_empty() && !optional => Err(Cause::Missing { path }),
            paths => Ok((paths, optional)),
        }
    }

    fn rule(&mut self, key: &str, wanted: Wanted) -> Option<Rule> {
        match look_up(&wanted, &self.looks) {
            Ok(rule) => rule,
            Err(cause) => {
                self.mistake(key, &wanted.origin, &wanted.path, cause);
                None
            }
        }
    }

    /// Records a mistake; its value is the entry as it was written.
    fn mistake(&mut self, key: &str, origin: &Origin, path: &Path, cause: Cause) {
        let value = match &origin.text {
            Some(text) => format!("{text:?}"),
            None => format!("{path:?}"),
        };
        let (origin, key) = (origin.clone(), key.to_owned());
        self.mistakes.push(Mistake { origin, key, value: Some(value), cause });
    }
}

/// Follows a path. `None` where it is optional and missing.
fn look_up(wanted: &Wanted, looks: &Looks) -> Result<Option<Rule>, Cause> {
    let grants = wanted.access.grants();
    let is_option = wanted.origin.text.is_none();
    let (path, kind, links) = match walk_by(&wanted.path, looks) {
        Ok(found) => match (found.kind, found.blocked) {
            (Kind::Absent, _) if grants && wanted.optional => return Ok(None),
            (Kind::Absent, _) if grants || is_option => {
                return Err(Cause::Missing { path: found.path });
            }
            // Only replacing the file could bring the path about: `.git/hooks`, where `.git` is
            // the file of a linked worktree.
            (Kind::Absent, Some(file)) if wanted.access == Access::Protect => {
                (file, Kind::File, found.links)
            }
            // To read a socket is to connect to it, which `read` does not open.
            _ if found.is_socket && wanted.access == Access::Read => {
                return Err(Cause::Invalid {
                    what: "a socket, which is connected to and not read",
                    remedy: "list it in `network.unix-sockets`, or name it with `--socket`",
                });
            }
            (kind, _) => (found.path, kind, found.links),
        },
        // What this user cannot reach, the run cannot reach either.
        Err(Cause::Unseen { path, source }) if source.kind() == io::ErrorKind::PermissionDenied => {
            match grants {
                true if wanted.optional => return Ok(None),
                true => return Err(Cause::Unseen { path, source }),
                false => (path, Kind::Absent, Vec::new()),
            }
        }
        Err(cause) => return Err(cause),
    };
    let (written, origin) = (wanted.path.clone(), wanted.origin.clone());
    Ok(Some(Rule { access: wanted.access, path, kind, links, written, origin }))
}
