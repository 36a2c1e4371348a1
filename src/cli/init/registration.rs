//! What is asked for: one server, for one client, in one of its files.

use std::path::PathBuf;

use cofferdam_profiles::Grants;

use super::client::{self, Client};
use super::difference::difference;
use super::entry::Entry;
use super::file::{ClientFile, Fresh};
use super::merge::{self, Merged};
use super::paint::Paint;
use super::places::{Places, Scope};
use super::server::Server;
use super::trial::{self, Held};
use crate::builder;
use crate::cli::args::InitArgs;
use crate::cli::report::Failure;
use crate::cli::terms::source;

/// One server, for one client, in one of its files.
pub(super) struct Registration {
    pub(super) client: &'static dyn Client,
    pub(super) scope: Scope,
    /// The project: the current directory, without links.
    pub(super) open: PathBuf,
    /// A project that holds the program, and may be open some day; `None` if none is known of.
    pub(super) exposed: Option<PathBuf>,
    places: Places,
    name: String,
    entry: Entry,
}

impl Registration {
    /// What the arguments ask for, in the current directory. A profile that makes no sense here, and a
    /// program that its own sandbox could replace, are told now.
    pub(super) fn of(args: &InitArgs) -> Result<Self, Failure> {
        let client = client::named(args.client);
        let open = builder::workspace(None)?;
        let profile = source(&args.profile);
        let policy = builder::policy(&open, &profile, &Grants::default(), Vec::new())?;
        let server = Server::running(&policy, &args.profile)?;
        let scope = if args.user { Scope::User } else { Scope::Project };
        let places = Places::of(open.clone(), |name| std::env::var_os(name));
        let exposed = match scope {
            // Any other project may be open here; this one has been looked at.
            Scope::User => server.repository(places.home().ok()),
            Scope::Project => None,
        };
        Ok(Registration {
            client,
            scope,
            open,
            exposed,
            places,
            name: args.name.clone(),
            entry: client.entry(&server),
        })
    }

    /// The client's file as it is.
    pub(super) fn file(&self) -> Result<ClientFile, Failure> {
        Ok(ClientFile::open(&self.client.file(self.scope, &self.places)?)?)
    }

    /// What the text of the file comes to.
    pub(super) fn merged(&self, file: &ClientFile) -> Result<Merged, Failure> {
        let Registration { client, name, entry, .. } = self;
        merge::merge(client.format(), file.text(), client.servers(), name, entry).map_err(|error| {
            Failure(format!("`{}` is left as it is: {error}", file.path().display()))
        })
    }

    /// What a person sees of that: the entry, or what would change in the one that is there.
    pub(super) fn shown(&self, file: &ClientFile, merged: &Merged) -> String {
        let Registration { client, name, entry, .. } = self;
        match merged {
            Merged::Replaced(text) => difference(file.text(), text, Paint::of_stdout()),
            Merged::Added(_) | Merged::Same => {
                merge::snippet(client.format(), client.servers(), name, entry)
            }
        }
    }

    /// The refusal to write over another entry of that name.
    pub(super) fn taken(&self, file: &ClientFile, difference: &str) -> Failure {
        Failure(format!(
            "`{}` has another entry `{}`; nothing was written. `--force` replaces it, `--name` adds \
             one beside it. What would change:\n{difference}",
            file.path().display(),
            self.name
        ))
    }

    /// Has the server run a command, as the client would.
    pub(super) fn tried(&self) -> Result<Held, Failure> {
        trial::trial(self.client, &self.entry.start(&self.open), &self.open).map_err(|error| {
            let Failure(reason) = Failure::from(error);
            Failure(format!(
                "{} would get no confined commands from this server, so nothing was written: {reason}",
                self.client.title()
            ))
        })
    }

    /// Who may read the file if it is new.
    pub(super) fn fresh(&self) -> Fresh {
        match self.scope {
            Scope::Project => Fresh::Shared,
            Scope::User => Fresh::Own,
        }
    }
}
