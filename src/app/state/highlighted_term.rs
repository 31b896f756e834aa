//! The highlighted term of formulas.

use crate::figure::FormulaTerm;
use leptos::prelude::*;

/// The term of formulas that the pointer or the keyboard is on, in a formula or in a picture that stands for it. All
/// formulas and pictures of the page highlight it.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct HighlightedTerm(RwSignal<Option<FormulaTerm>>);

impl HighlightedTerm {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(None))
    }

    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    pub(in crate::app) fn get(self) -> Option<FormulaTerm> {
        self.0.get()
    }

    pub(in crate::app) fn get_untracked(self) -> Option<FormulaTerm> {
        self.0.get_untracked()
    }

    /// Returns whether a term is highlighted.
    pub(in crate::app) fn is(self, term: FormulaTerm) -> bool {
        self.0.get() == Some(term)
    }

    /// Changes the term; `None` if the pointer and the keyboard are elsewhere.
    pub(in crate::app) fn set(self, term: Option<FormulaTerm>) {
        if self.0.get_untracked() != term {
            self.0.set(term);
        }
    }

    /// Removes every term when a formula or a picture leaves the page. The page itself may be gone by then.
    pub(in crate::app) fn clear(self) {
        if self.0.try_get_untracked().flatten().is_some() {
            // Ignored: there is nothing to remove without the signal.
            let _ = self.0.try_set(None);
        }
    }

    /// Removes a term, unless another one is highlighted by now.
    pub(in crate::app) fn remove(self, term: FormulaTerm) {
        if self.0.get_untracked() == Some(term) {
            self.0.set(None);
        }
    }
}
