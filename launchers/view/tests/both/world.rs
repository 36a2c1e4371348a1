//! A machine in small for each test: a workspace, a folder outside of it, scratch folders.

use std::ffi::{CString, OsStr};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use cofferdam_launcher::{Plan, Scratch};
use cofferdam_profiles::{Access, Context, Grants, Policy, Source, resolve};
use serde_json::{Value, json};

use super::run::Ran;
use crate::support::User;

/// What every policy here shows of the system.
const SYSTEM: [&str; 6] = ["/usr", "/bin", "/sbin?", "/lib?", "/lib64?", "/etc"];
const PATH: &str = "PATH=/usr/bin:/bin";

/// Whether a program that a test needs is there. Says so when it is not.
pub(crate) fn has(program: &str) -> bool {
    let found = Path::new("/usr/bin").join(program).exists();
    if !found {
        say(&format!("ignored, because `{program}` is not installed"));
    }
    found
}

#[expect(clippy::print_stdout, reason = "a test that does nothing says why")]
pub(crate) fn say(text: &str) {
    println!("{text}");
}

/// The folders of one test.
pub(crate) struct World {
    /// Who starts the run, and owns everything here.
    pub(crate) user: User,
    /// Writable.
    pub(crate) workspace: PathBuf,
    /// Named by no rule.
    pub(crate) outside: PathBuf,
    pub(crate) scratch: Scratch,
    profile: Value,
    _folder: tempfile::TempDir,
}

impl World {
    /// A workspace below `/var/tmp`: `/tmp` is the run's own.
    pub(crate) fn new(user: User) -> Self {
        World::new_in(user, Path::new("/var/tmp"))
    }

    pub(crate) fn new_in(user: User, parent: &Path) -> Self {
        let folder = tempfile::tempdir_in(parent.canonicalize().unwrap()).unwrap();
        let root = folder.path().to_owned();
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        user.own(&root);
        let make = |name: &str| {
            let path = root.join(name);
            fs::create_dir(&path).unwrap();
            user.own(&path);
            path
        };
        World {
            user,
            workspace: make("workspace"),
            outside: make("outside"),
            scratch: Scratch { tmp: make("tmp"), home: make("home") },
            profile: json!({ "filesystem": {
                "read": SYSTEM, "write": ["${workspace}", "${tmp}"], "deny": [], "protect": [],
            }}),
            _folder: folder,
        }
    }

    /// Adds a rule.
    pub(crate) fn allow(&mut self, access: Access, path: impl AsRef<Path>) {
        let path = path.as_ref().to_str().unwrap();
        let list = &mut self.profile["filesystem"][access.as_str()];
        list.as_array_mut().unwrap().push(path.into());
    }

    /// Sets a key of the profile: `network.mode`.
    pub(crate) fn set(&mut self, key: &str, value: Value) {
        let table = key.split('.').fold(&mut self.profile, |table, key| &mut table[key]);
        *table = value;
    }

    /// Takes a shipped profile instead of the rules so far.
    pub(crate) fn use_profile(&mut self, name: &str) {
        self.profile = name.into();
    }

    /// A file or folder (with a `/` at its end) of the workspace's owner.
    pub(crate) fn make(&self, path: impl AsRef<Path>, text: &str) -> PathBuf {
        let path = self.workspace.join(path);
        let is_folder = path.as_os_str().as_bytes().ends_with(b"/");
        let path: PathBuf = path.components().collect();
        let mut folders: Vec<_> = path.ancestors().skip(1).collect();
        folders.reverse();
        for folder in folders {
            if !folder.exists() {
                fs::create_dir(folder).unwrap();
                self.user.own(folder);
            }
        }
        match is_folder {
            true => fs::create_dir_all(&path).unwrap(),
            false => fs::write(&path, text).unwrap(),
        }
        self.user.own(&path);
        path
    }

    /// Gives a folder and all in it to the user of the run.
    pub(crate) fn own_all(&self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            self.user.own(&path);
            if path.is_dir() {
                self.own_all(&path);
            }
        }
    }

    pub(crate) fn policy(&self) -> Policy {
        let context = Context {
            env: Default::default(),
            home: Some(self.outside.clone()),
            cache_base: Some(self.outside.join("cache")),
            ..Context::from_environment(&self.workspace)
        };
        let source = Source::from_value(self.profile.clone()).unwrap();
        resolve(&source, &Grants::default(), &context).unwrap()
    }

    /// A plan for a program of the system, in the workspace.
    pub(crate) fn plan<A: AsRef<OsStr>>(&self, command: &str, args: &[A]) -> Plan {
        let program = match command.contains('/') {
            true => PathBuf::from(command),
            false => Path::new("/usr/bin").join(command),
        };
        Plan::new(command, program, &self.workspace)
            .with_args(args.iter().map(|arg| arg.as_ref().to_owned()))
            .with_scratch(self.scratch.clone())
    }

    /// Runs a shell script in the workspace.
    pub(crate) fn sh(&self, script: &str) -> Ran {
        self.run(&self.plan("sh", &["-c", script]))
    }

    /// What a runner would give.
    pub(crate) fn environment(&self) -> Vec<CString> {
        let set = |name: &str, path: &Path| {
            CString::new([name.as_bytes(), b"=", path.as_os_str().as_bytes()].concat()).unwrap()
        };
        vec![
            CString::new(PATH).unwrap(),
            set("HOME", &self.scratch.home),
            set("TMPDIR", &self.scratch.tmp),
        ]
    }

    /// Everything below the workspace and the folder outside, with types and sizes.
    pub(crate) fn listing(&self) -> Vec<String> {
        let mut all = Vec::new();
        for root in [&self.workspace, &self.outside, &self.scratch.tmp, &self.scratch.home] {
            list(root, &mut all);
        }
        all
    }
}

fn list(folder: &Path, all: &mut Vec<String>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(Result::unwrap).collect();
    entries.sort_by_key(|entry| entry.path());
    for entry in entries {
        let metadata = entry.path().symlink_metadata().unwrap();
        let size = if metadata.is_dir() { 0 } else { metadata.len() };
        all.push(format!("{:?} {:o} {size}", entry.path(), metadata.permissions().mode()));
        if metadata.is_dir() {
            list(&entry.path(), all);
        }
    }
}
