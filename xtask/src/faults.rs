//! Simulated faults of a server's files, for tests.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A simulated fault of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The response has status 404.
    Missing,
    /// The connection ends after half of the body.
    CutOff,
    /// The headers are sent, and nothing after them.
    Silent,
    /// A web page is sent instead, as by a network with a sign-in page.
    WebPage,
}

/// Simulated faults, which may change while a server runs. Clones share one list.
#[derive(Clone, Debug, Default)]
pub struct Faults(Arc<Mutex<FaultList>>);

#[derive(Debug, Default)]
struct FaultList {
    faults: HashMap<String, Fault>,
    /// Faulty files that were requested.
    met: BTreeSet<String>,
}

impl Faults {
    /// Sets `fault` for these files, by path within the folder, and clears all other faults.
    pub fn set(&self, files: impl IntoIterator<Item = String>, fault: Fault) {
        self.list().faults = files.into_iter().map(|file| (file, fault)).collect();
    }

    /// Clears all faults.
    pub fn clear(&self) {
        self.list().faults.clear();
    }

    /// The faulty files that were requested so far.
    #[must_use]
    pub fn requested_faults(&self) -> BTreeSet<String> {
        self.list().met.clone()
    }

    /// The fault of a file that is requested, if it has one.
    pub(crate) fn meet(&self, file: &str) -> Option<Fault> {
        let mut list = self.list();
        let fault = list.faults.get(file).copied()?;
        list.met.insert(file.to_owned());
        Some(fault)
    }

    fn list(&self) -> MutexGuard<'_, FaultList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
