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

    /// Returns the cursor: pinned, otherwise under the pointer, otherwise that of the lesson.
    pub(in crate::app) fn get(self) -> Option<Cursor> {
        let pinned = self.url.link.with(|link| link.cursor.pin);
        pinned
            .map(|(i, j)| Cursor::Cell(i, j))
            .or_else(|| self.hover.get())
            .or_else(|| self.lesson.get())
    }
}
