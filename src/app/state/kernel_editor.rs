//! The kernels on the sliders, which the link contains, with Undo.

use super::{OpenHead, UrlState};
use crate::{encoding::Kernels, undo::UndoHistory, url_state::default_kernels};
use leptos::prelude::*;

/// Edits the kernels of the link.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct KernelEditor {
    url: UrlState,
    open_head: OpenHead,
    /// Initial kernels of the sliders, until the user changes them.
    start: StoredValue<Kernels>,
    /// Kernels for Undo and Redo.
    pub(in crate::app) undo: RwSignal<UndoHistory<Kernels>>,
}

impl KernelEditor {
    pub(super) fn new(url: UrlState, open_head: OpenHead) -> Self {
        Self {
            url,
            open_head,
            start: StoredValue::new(default_kernels()),
            undo: RwSignal::new(UndoHistory::default()),
        }
    }

    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Returns the length n of kernels: the chosen one, otherwise that of the open head.
    pub(in crate::app) fn length(self) -> usize {
        let rows = self.open_head.rows_on_line();
        self.url.link.with(|link| link.kernels.length_beside(rows))
    }

    /// Returns the number of positions in figures of kernels: n, limited to that of the open head if one is shown.
    pub(in crate::app) fn positions(self) -> usize {
        let alone = self.url.link.with(|link| link.kernels.alone);
        let rows = self.open_head.rows_on_line().filter(|_| !alone);
        self.length().min(rows.unwrap_or(usize::MAX))
    }

    /// Changes the kernels with Undo. Changes with the same gesture number are undone together.
    pub(in crate::app) fn edit(self, gesture: Option<u32>, change: impl FnOnce(&mut Kernels)) {
        let before = self
            .url
            .link
            .with_untracked(|link| link.kernels.kernels.clone());
        let mut after = before.clone();
        change(&mut after);
        if after != before {
            self.undo.update(|history| history.record(before, gesture));
            self.url.link.update(|link| link.kernels.kernels = after);
        }
    }

    /// Replaces the initial kernels, unless the user has changed the kernels.
    pub(in crate::app) fn start_with(self, kernels: &Kernels) {
        let needs_update = self.url.link.with_untracked(|link| {
            let is_start = self
                .start
                .with_value(|start| link.kernels.kernels == *start);
            is_start && link.kernels.kernels != *kernels
        });
        if needs_update {
            self.url
                .link
                .update(|link| link.kernels.kernels = kernels.clone());
            self.start.set_value(kernels.clone());
        }
    }

    /// Resets the sliders to these kernels, which become the initial ones.
    pub(in crate::app) fn reset(self, kernels: &Kernels) {
        self.start.set_value(kernels.clone());
        self.edit(None, |present| *present = kernels.clone());
    }
}
