//! The filter that tells the host of its refusals, and the way there.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};

use cofferdam_filter::{Filter, Terms};
use cofferdam_launcher::{FilteredCall, LaunchError, RefusalTable, Refusals, RefusedCall};

use crate::launcher::filter_error;

/// A filter, and the one that tells of its refusals, made when a run first wants it.
#[derive(Debug)]
pub(crate) struct Filters {
    plain: Arc<Filter>,
    telling: OnceLock<Arc<Filter>>,
}

impl Filters {
    /// # Errors
    /// As `Landlock::new`.
    pub(crate) fn compile(terms: &Terms) -> Result<Filters, LaunchError> {
        let plain = Filter::compile(terms).map_err(filter_error)?;
        Ok(Filters { plain: Arc::new(plain), telling: OnceLock::new() })
    }

    pub(crate) fn plain(&self) -> &Arc<Filter> {
        &self.plain
    }

    /// # Errors
    /// [`LaunchError::Other`] where the table does not fit.
    pub(crate) fn telling(&self) -> Result<&Arc<Filter>, LaunchError> {
        if let Some(telling) = self.telling.get() {
            return Ok(telling);
        }
        let made = self.plain.telling().map_err(filter_error)?;
        Ok(self.telling.get_or_init(|| Arc::new(made)))
    }
}

/// What a run answers with: the table of the filter that it is under.
struct Table(Arc<Filter>);

impl RefusalTable for Table {
    fn refuse(&self, call: &FilteredCall) -> RefusedCall {
        match self.0.refusal(call.number, &call.args) {
            Some(refusal) => RefusedCall {
                name: refusal.name.to_owned(),
                arguments: refusal.arguments,
                errno: refusal.errno,
                why: refusal.why.to_owned(),
            },
            // The filter passes on nothing that its table does not tell of.
            None => RefusedCall {
                name: format!("call {}", call.number),
                arguments: String::new(),
                errno: libc::ENOSYS,
                why: "the filter does not know it".to_owned(),
            },
        }
    }
}

/// The receiving end for the runner, and the end on which the child sends the listener of `filter`.
///
/// # Errors
/// [`LaunchError::System`] when there is no descriptor left.
pub(crate) fn pair(filter: &Arc<Filter>) -> Result<(Refusals, OwnedFd), LaunchError> {
    let (receiving, sending) = UnixStream::pair()
        .map_err(|source| LaunchError::System { stage: "make the socket for refusals", source })?;
    Ok((Refusals::new(receiving.into(), Arc::new(Table(filter.clone()))), sending.into()))
}
