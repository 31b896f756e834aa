//! The cursor that all figures share.

use super::UrlState;
use crate::figure::Cursor;
use leptos::prelude::*;

/// The shared cursor: pinned in the link, under the pointer, or set by a lesson.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct CursorState {
    url: UrlState,
    /// Cursor under the pointer.
    pub(in crate::app) hover: RwSignal<Option<Cursor>>,
    /// Cursor of a lesson, used while the pointer is in no figure.
    pub(in crate::app) lesson: RwSignal<Option<Cursor>>,
}

impl CursorState {
    pub(super) fn new(url: UrlState) -> Self {
        Self {
            url,
            hover: RwSignal::new(None),
            lesson: RwSignal::new(None),
        }
    }

    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Returns the cursor: pinned, otherwise under the pointer, otherwise that of the lesson. A pair of a rotary head
    /// cannot be pinned and has no cell, so a pinned cell does not cover it.
    pub(in crate::app) fn get(self) -> Option<Cursor> {
        let pair = self.pair();
        let pinned = self.url.link.with(|link| link.cursor.pin);
        let pinned = pinned.filter(|_| pair.is_none());
        pinned
            .map(|(i, j)| Cursor::Cell(i, j))
            .or_else(|| self.hover.get())
            .or_else(|| self.lesson.get())
    }

    /// Returns the pair of a rotary head at the cursor.
    pub(in crate::app) fn pair(self) -> Option<Cursor> {
        let is_pair = |cursor: &Cursor| matches!(cursor, Cursor::Pair { .. });
        self.hover.get().filter(is_pair)
    }
}
