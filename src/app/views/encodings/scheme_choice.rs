//! The choice of encodings and their parameters, shared by the controls and figures of the encodings view. It is stored
//! in the link, in a section that only this view reads.

use crate::{app::state::UrlState, url_state::encodings::EncodingsChoice};
use leptos::prelude::*;

/// The chosen encodings and their parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct SchemeChoice {
    url: UrlState,
    choice: Memo<EncodingsChoice>,
}

impl SchemeChoice {
    /// Provides the choice as context.
    pub(super) fn provide(url: UrlState) -> Self {
        let choice = url.select(|link| link.encodings.choice.clone());
        let schemes = Self { url, choice };
        provide_context(schemes);
        schemes
    }

    pub(super) fn from_context() -> Self {
        expect_context()
    }

    /// Reads the choice and subscribes to all of its changes.
    pub(super) fn with<R>(self, read: impl FnOnce(&EncodingsChoice) -> R) -> R {
        self.choice.with(read)
    }

    /// Returns a memo of a part of the choice.
    pub(super) fn select<T: PartialEq + Send + Sync + 'static>(
        self,
        get: fn(&EncodingsChoice) -> T,
    ) -> Memo<T> {
        Memo::new(move |_| self.choice.with(get))
    }

    /// Changes the choice. If nothing changes, the link is not written.
    pub(super) fn change(self, change: impl FnOnce(&mut EncodingsChoice)) {
        let before = self
            .url
            .link
            .with_untracked(|link| link.encodings.choice.clone());
        let mut chosen = before.clone();
        change(&mut chosen);
        if chosen != before {
            self.url.link.update(|link| link.encodings.choice = chosen);
        }
    }
}
