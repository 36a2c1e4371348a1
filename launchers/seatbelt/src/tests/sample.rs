//! Policies and rules for tests. No file is looked at, but by the resolution of an empty profile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cofferdam_profiles::{Access, Context, Grants, Kind, Origin, Policy, Rule, Source, resolve};
use serde_json::{Value, json};

use super::asked::Asked;
use crate::places::Places;
use crate::profile::Profile;

/// A home with a workspace in it.
pub(crate) fn context(top: &Path) -> Context {
    Context {
        workspace: top.join("work/app"),
        home: Some(top.to_owned()),
        user: Some("ann".to_owned()),
        cache_base: Some(top.join("Library/Caches")),
        config_dir: Some(top.join(".config/cofferdam")),
        dir: top.to_owned(),
        env: BTreeMap::new(),
        reserved: Vec::new(),
    }
}

/// A policy by an inline profile.
pub(crate) fn policy(table: Value) -> Policy {
    let top = Path::new("/Users/ann");
    resolve(&Source::Inline(table), &Grants::default(), &context(top)).unwrap()
}

/// A policy with these file rules, and nothing else.
pub(crate) fn with_rules(mut rules: Vec<Rule>) -> Policy {
    let mut policy = policy(json!({}));
    rules.sort_by(|one, other| (&one.path, one.access).cmp(&(&other.path, other.access)));
    policy.filesystem.rules = rules;
    policy
}

/// A rule for a folder.
pub(crate) fn rule(access: Access, path: impl Into<PathBuf>) -> Rule {
    let path = path.into();
    Rule {
        access,
        written: path.clone(),
        path,
        kind: Kind::Directory,
        links: Vec::new(),
        origin: Origin::default(),
    }
}

/// The profile of a policy whose absent paths are absent still.
pub(crate) fn profile(policy: &Policy) -> Profile {
    Profile::of(policy, &Places::of(&policy.filesystem, &policy.network, None, &|_| false))
}

pub(crate) fn asked(policy: &Policy) -> Asked {
    Asked::of(&profile(policy))
}
