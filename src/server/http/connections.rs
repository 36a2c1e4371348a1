//! The open connections. There are never more than a fixed number, so that nobody takes the
//! descriptors away that runs need; and no client is kept out by connections that do nothing.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use super::usage::{InUse, Usage};

/// The connections of a server.
#[derive(Debug)]
pub(super) struct Connections {
    most: usize,
    open: Mutex<Vec<Arc<Entry>>>,
}

#[derive(Debug)]
struct Entry {
    usage: Arc<Usage>,
    evicted: CancellationToken,
}

impl Connections {
    /// None yet, and never more than `most`.
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Connections { most, open: Mutex::default() })
    }

    /// Makes place for another connection, by closing the one that has been idle for the longest time
    /// where there are too many. `None` when all of them are in use.
    pub(super) fn admit(self: &Arc<Self>) -> Option<Place> {
        let mut open = self.open();
        if open.len() >= self.most {
            let idle = open.iter().enumerate();
            let idle = idle.filter_map(|(at, entry)| Some((entry.usage.idle_since()?, at)));
            let (_, longest) = idle.min()?;
            open.swap_remove(longest).evicted.cancel();
        }
        let entry = Arc::new(Entry { usage: Usage::new(), evicted: CancellationToken::new() });
        open.push(entry.clone());
        Some(Place { connections: self.clone(), entry })
    }

    fn open(&self) -> MutexGuard<'_, Vec<Arc<Entry>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place that one connection takes for as long as the value lives.
#[derive(Debug)]
pub(super) struct Place {
    connections: Arc<Connections>,
    entry: Arc<Entry>,
}

impl Place {
    /// The connection carries a request that may be answered, as long as the value lives.
    pub(super) fn begin(&self) -> InUse {
        self.entry.usage.begin()
    }

    /// Resolves when the connection is to be closed, since its place is needed.
    pub(super) async fn evicted(&self) {
        self.entry.evicted.cancelled().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.open().retain(|entry| !Arc::ptr_eq(entry, &self.entry));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_evicted(place: &Place) -> bool {
        place.entry.evicted.is_cancelled()
    }

    #[test]
    fn the_one_that_was_idle_longest_makes_place() {
        let connections = Connections::new(2);
        let busy = connections.admit().unwrap();
        let request = busy.begin();
        let idle = connections.admit().unwrap();
        let next = connections.admit().unwrap();
        assert!(is_evicted(&idle) && !is_evicted(&busy) && !is_evicted(&next));
        drop(idle);
        drop(request);
        let _last = connections.admit().unwrap();
        assert!(is_evicted(&next) && !is_evicted(&busy));
    }

    #[test]
    fn nobody_is_admitted_while_all_are_in_use() {
        let connections = Connections::new(1);
        let only = connections.admit().unwrap();
        let request = only.begin();
        assert!(connections.admit().is_none());
        drop(request);
        assert!(connections.admit().is_some());
        assert!(is_evicted(&only));
    }

    #[test]
    fn a_connection_that_ends_leaves_its_place() {
        let connections = Connections::new(1);
        let first = connections.admit().unwrap();
        let request = first.begin();
        drop((first, request));
        let second = connections.admit().unwrap();
        assert!(!is_evicted(&second));
    }
}
