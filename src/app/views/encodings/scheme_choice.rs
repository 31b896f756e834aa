//! What is chosen in this view: one place for the controls and the figures. It lives in the link, in a section
//! that this view alone reads.

use crate::{app::state::page::PageState, url_state::encodings::EncodingsChoice};
use leptos::prelude::*;

/// The schemes that are chosen, and the numbers they are made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct SchemeChoice {
    state: PageState,
    choice: Memo<EncodingsChoice>,
}

impl SchemeChoice {
    /// Puts what is chosen into the context.
    pub(super) fn provide(state: PageState) -> Self {
        let choice = state.part(|link| link.encodings.get().chosen.clone());
        let schemes = Self { state, choice };
        provide_context(schemes);
        schemes
    }

    /// The view's.
    pub(super) fn from_context() -> Self {
        expect_context()
    }

    /// What is chosen; whoever reads it follows every choice.
    pub(super) fn with<R>(self, read: impl FnOnce(&EncodingsChoice) -> R) -> R {
        self.choice.with(read)
    }

    /// A part of what is chosen that is heard of only when it changes.
    pub(super) fn part<T: PartialEq + Send + Sync + 'static>(
        self,
        get: fn(&EncodingsChoice) -> T,
    ) -> Memo<T> {
        Memo::new(move |_| self.choice.with(get))
    }

    /// Chooses something else. A change that changes nothing is none, and writes nothing into the address.
    pub(super) fn change(self, change: impl FnOnce(&mut EncodingsChoice)) {
        let before = self
            .state
            .link
            .with_untracked(|link| link.encodings.get().chosen.clone());
        let mut chosen = before.clone();
        change(&mut chosen);
        if chosen != before {
            self.state
                .link
                .update(|link| link.encodings.change(|section| section.chosen = chosen));
        }
    }
}
