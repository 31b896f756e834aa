//! The models of the page, open or not, and the one that figures show.

use super::{UrlState, model_entry::ModelEntry};
use crate::{
    analysis::{ModelId, ModelSummary, ModelVersion, PositionKind},
    figure::{RowMark, row_marks},
    model::Note,
    url_state::{ModelRef, disambiguate, typed_name},
};
use leptos::prelude::*;
use std::sync::Arc;

/// The model list, and the open model.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct ModelList {
    url: UrlState,
    /// The entries of the list.
    pub(in crate::app) entries: RwSignal<Vec<ModelEntry>>,
    /// The version of the open model.
    pub(in crate::app) open: RwSignal<Option<ModelVersion>>,
    /// Whether the gallery of models is displayed.
    pub(in crate::app) is_gallery_open: RwSignal<bool>,
    /// Summary of the open model.
    pub(super) summary: Memo<Option<Arc<ModelSummary>>>,
}

impl ModelList {
    /// A list with these entries. No model is open.
    pub(super) fn new(url: UrlState, entries: RwSignal<Vec<ModelEntry>>) -> Self {
        let open = RwSignal::new(None);
        let summary = Memo::new(move |_| {
            let open: ModelVersion = open.get()?;
            entries.with(|entries| {
                let item = entries.iter().find(|item| item.version == Some(open));
                item.and_then(|item| item.summary.clone())
            })
        });
        Self {
            url,
            entries,
            open,
            is_gallery_open: RwSignal::new(false),
            summary,
        }
    }

    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Returns the summary of the open model.
    pub(in crate::app) fn summary(self) -> Option<Arc<ModelSummary>> {
        self.summary.get()
    }

    /// Returns the kind of the open model's positions.
    pub(in crate::app) fn kind(self) -> PositionKind {
        self.summary
            .with(|summary| summary.as_ref().map(|summary| summary.kind))
            .unwrap_or(PositionKind::Table)
    }

    /// Returns whether the open model rotates queries and keys.
    pub(in crate::app) fn has_rotation(self) -> bool {
        let summary = self
            .summary
            .with(|summary| summary.as_ref().map(|summary| summary.has_rotation));
        summary.unwrap_or_default()
    }

    /// Returns whether the heads of the open model have sinks.
    pub(in crate::app) fn has_sinks(self) -> bool {
        self.summary
            .with(|summary| summary.as_ref().is_some_and(|summary| summary.has_sinks))
    }

    /// Returns the marks of the breaks of the open model's position table.
    pub(in crate::app) fn row_marks(self) -> Vec<RowMark> {
        self.summary.with(|summary| {
            let summary = summary.as_ref();
            summary.map_or_else(Vec::new, |summary| row_marks(&summary.breaks))
        })
    }

    /// Whether the link's model is being fetched or opened while no model is open.
    pub(in crate::app) fn is_opening(self) -> bool {
        self.open.get().is_none()
            && self.url.link.with(|link| {
                self.entries.with(|entries| {
                    let mut entries = entries.iter().filter(|item| item.is_called(&link.model));
                    entries.any(ModelEntry::is_coming)
                })
            })
    }

    /// Returns a copy of a model's entry, untracked.
    pub(in crate::app) fn entry(self, id: ModelId) -> Option<ModelEntry> {
        self.entries
            .with_untracked(|entries| entries.iter().find(|item| item.id() == Some(id)).cloned())
    }

    /// Returns a copy of the open model's entry, untracked.
    pub(in crate::app) fn open_entry(self) -> Option<ModelEntry> {
        self.entry(self.open.get_untracked()?.id)
    }

    /// Changes the entry of an open model.
    pub(in crate::app) fn update_entry(self, id: ModelId, change: impl FnOnce(&mut ModelEntry)) {
        self.entries.update(|entries| {
            if let Some(item) = entries.iter_mut().find(|item| item.id() == Some(id)) {
                change(item);
            }
        });
    }

    /// Renames a model. Ignores empty names; makes duplicates unique.
    pub(in crate::app) fn rename(self, id: ModelId, typed: &str) {
        let Some(name) = typed_name(typed) else {
            return;
        };
        self.entries.update(|entries| {
            let is_taken = |title: &str| {
                let mut others = entries.iter().filter(|item| item.id() != Some(id));
                others.any(|item| item.title == title)
            };
            let (title, namesake) = disambiguate(&name, None, is_taken);
            let Some(item) = entries.iter_mut().find(|item| item.id() == Some(id)) else {
                return;
            };
            if let Some(summary) = &mut item.summary {
                Arc::make_mut(summary).name.clone_from(&title);
            }
            (item.title, item.namesake) = (title, namesake);
        });
    }

    /// Shows a model of the list.
    pub(in crate::app) fn show(self, reference: &ModelRef) {
        let choice = self.entries.with_untracked(|entries| {
            let item = entries.iter().find(|item| item.reference == *reference);
            item.map(|item| item.choice.clone())
        });
        self.url.link.update(|link| {
            if link.model != *reference {
                link.model = reference.clone();
                link.choice = choice.unwrap_or_default();
                (link.matrices.window, link.cursor.pin) = (None, None);
            }
        });
    }

    /// Adds a note to a model. Replaces a note with the same title.
    pub(in crate::app) fn add_note(self, model: ModelId, note: &Note) {
        self.update_entry(model, |item| {
            if let Some(summary) = &mut item.summary {
                let notes = &mut Arc::make_mut(summary).notes;
                match notes.iter_mut().find(|other| other.title == note.title) {
                    Some(other) => *other = note.clone(),
                    None => notes.push(note.clone()),
                }
            }
        });
    }
}
