//! The state that is stored in the address.

use crate::{
    analysis::BackendChoice,
    url_state::{Link, View},
};
use leptos::prelude::*;

/// The link of the page.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct UrlState {
    /// The state in the address.
    pub(in crate::app) link: RwSignal<Link>,
}

impl UrlState {
    pub(super) fn new(link: Link) -> Self {
        Self {
            link: RwSignal::new(link),
        }
    }

    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Returns a part of the link that notifies only when it changes.
    pub(in crate::app) fn select<T: PartialEq + Send + Sync + 'static>(
        self,
        get: fn(&Link) -> T,
    ) -> Memo<T> {
        Memo::new(move |_| self.link.with(get))
    }

    /// Returns the device for heavy computations.
    pub(in crate::app) fn backend(self) -> BackendChoice {
        self.link.with(|link| link.backend.by)
    }

    /// Returns the current view.
    pub(in crate::app) fn view(self) -> View {
        self.link.with(|link| link.view)
    }

    /// Returns the full address of the current state.
    pub(in crate::app) fn address(self) -> String {
        self.link.with_untracked(address_of)
    }
}

/// Returns the full address of a link.
pub(in crate::app) fn address_of(link: &Link) -> String {
    let location = window().location();
    let origin = location.origin().unwrap_or_default();
    let path = location.pathname().unwrap_or_default();
    format!("{origin}{path}?{}", link.query())
}
