//! Where an instance records, and what is the same in all of its records.

use std::path::Path;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cofferdam_profiles::Policy;
use sha2::{Digest, Sha256};

use super::file::AuditFile;
use super::{AuditError, Entry, Kind, TARGET};
use crate::config::AuditSettings;
use crate::{Request, outcome};

/// What all records of an instance have in common.
#[derive(Debug, Default, Clone)]
pub(crate) struct Facts {
    /// The key of the instance.
    pub(crate) instance: Option<String>,
    pub(crate) launcher: String,
    pub(crate) profile: Option<String>,
    /// The fingerprint of the policy, where something is recorded.
    pub(crate) policy: Option<String>,
}

impl Facts {
    pub(crate) fn new(instance: Option<String>, launcher: &str, policy: Option<&Policy>) -> Self {
        let profile = policy.map(|policy| policy.name.clone());
        Facts { instance, launcher: launcher.to_owned(), profile, policy: None }
    }
}

/// The same for the same policy, and for no other one.
fn fingerprint(policy: &Policy) -> String {
    let digest = Sha256::digest(policy.to_json().to_string());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The audit of one instance. One that records nowhere is an audit too.
#[derive(Debug, Default)]
pub(crate) struct Book {
    facts: Facts,
    file: Option<Arc<AuditFile>>,
    stderr: bool,
    required: bool,
    /// Whether somebody was told that it does not work.
    told: AtomicBool,
}

impl Book {
    /// Opens what the settings name, for runs under this policy.
    pub(crate) fn open(
        settings: &AuditSettings,
        facts: Facts,
        policy: Option<&Policy>,
    ) -> Result<Self, AuditError> {
        let file = settings.file.as_deref().map(AuditFile::open).transpose()?.map(Arc::new);
        let (stderr, required) = (settings.stderr, settings.required);
        let mut book = Book { facts, file, stderr, required, told: AtomicBool::new(false) };
        book.facts.policy = policy.filter(|_| book.records()).map(fingerprint);
        Ok(book)
    }

    /// Whether anything is written. A program that is started for every command has no time to make what
    /// nobody reads.
    fn records(&self) -> bool {
        self.file.is_some() || self.stderr
    }

    /// The same audit, for runs under another policy.
    #[cfg(feature = "mcp")]
    pub(crate) fn under(&self, policy: &Policy) -> Self {
        Book {
            facts: Facts {
                policy: self.records().then(|| fingerprint(policy)),
                ..self.facts.clone()
            },
            file: self.file.clone(),
            stderr: self.stderr,
            required: self.required,
            told: AtomicBool::new(false),
        }
    }

    /// The file, which no command may write.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.file.as_deref().map(AuditFile::path)
    }

    /// What is the same in all its records.
    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Begins the record of a request.
    pub(crate) fn entry(self: &Arc<Self>, request: &Request, kind: Kind) -> Arc<Entry> {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        if !self.records() {
            return Arc::new(Entry::unrecorded());
        }
        let id = format!("{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Arc::new(Entry::new(self.clone(), id, request, kind))
    }

    /// Whether nothing may run that cannot be recorded.
    pub(super) fn is_required(&self) -> bool {
        self.required
    }

    /// Writes a line everywhere it goes.
    pub(super) fn write(&self, line: &str) -> Result<(), AuditError> {
        if self.stderr {
            tracing::info!(target: TARGET, "{}", line.trim_end());
        }
        self.file.as_ref().map_or(Ok(()), |file| file.append(line))
    }

    /// Writes a line; that it cannot be written is told once, until it can again.
    pub(super) fn write_or_tell(&self, line: &str) {
        match self.write(line) {
            Ok(()) => self.told.store(false, Ordering::Relaxed),
            Err(error) if !self.told.swap(true, Ordering::Relaxed) => {
                let path = self.path().unwrap_or(Path::new(""));
                tracing::error!(
                    target: TARGET,
                    "the audit `{}` cannot be written: {}",
                    path.display(),
                    outcome::chain(&error)
                );
            }
            Err(_) => {}
        }
    }
}
