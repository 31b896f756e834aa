//! State that determines the content of the page. The link is the part that is stored in the address. The rest is the
//! open models, the messages, and the pointer.

use super::saving::PictureFormat;
use super::{
    message::{Action, Message},
    model_entry::ModelEntry,
};
use crate::{
    analysis::{
        BackendChoice, HeadId, ModelId, ModelSummary, ModelVersion, PositionKind, ScoreInput,
    },
    app::query_client::NamedFile,
    checkpoint::TensorInfo,
    encoding::Kernels,
    figure::Cursor,
    math::AttentionMask,
    model::{ModelOptions, Note},
    undo::UndoHistory,
    url_state::{Link, ModelRef, ParseWarnings, View, default_kernels, disambiguate, typed_name},
};
use leptos::prelude::*;
use lesson_format::Lesson;
use std::sync::Arc;

/// A pending choice of the position table in a file of unknown family.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct Choosing {
    pub(in crate::app) id: ModelId,
    pub(in crate::app) reference: ModelRef,
    pub(in crate::app) name: String,
    /// Reason for the question.
    pub(in crate::app) sentence: String,
    pub(in crate::app) tensors: Arc<Vec<TensorInfo>>,
    /// Options chosen so far.
    pub(in crate::app) choice: ModelOptions,
}

/// The signals of the page.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct PageState {
    /// The state in the address.
    pub(in crate::app) link: RwSignal<Link>,
    /// The model list.
    pub(in crate::app) entries: RwSignal<Vec<ModelEntry>>,
    /// The version of the open model.
    pub(in crate::app) open: RwSignal<Option<ModelVersion>>,
    /// Whether the list of the TISA paper's models is displayed.
    pub(in crate::app) lists_paper: RwSignal<bool>,
    /// The displayed messages, oldest first.
    pub(in crate::app) messages: RwSignal<Vec<Message>>,
    /// Pending choices, oldest first.
    pub(in crate::app) choosing: RwSignal<Vec<Choosing>>,
    /// Cursor under the pointer.
    pub(in crate::app) hover: RwSignal<Option<Cursor>>,
    /// Cursor of a lesson, used while the pointer is in no figure.
    pub(in crate::app) pointed: RwSignal<Option<Cursor>>,
    /// Initial kernels of the sliders, until the user changes them.
    start: StoredValue<Kernels>,
    /// Kernels for Undo and Redo.
    pub(in crate::app) undo: RwSignal<UndoHistory<Kernels>>,
    /// Options of exported pictures.
    pub(in crate::app) pictures: RwSignal<PictureFormat>,
    /// Lessons from files and addresses, by their names in links.
    pub(in crate::app) own_lessons: RwSignal<Vec<(String, Arc<Lesson>)>>,
    /// An image from the user with its name, for the image view.
    pub(in crate::app) own_image: RwSignal<Option<NamedFile>, LocalStorage>,
    /// Summary of the open model.
    summary: Memo<Option<Arc<ModelSummary>>>,
    /// The open head.
    head: Memo<Option<HeadId>>,
    /// Cells of heads and kernels that count.
    cells: Memo<AttentionMask>,
}

impl PageState {
    /// The state of a page opened with a link. Parts of the link that were not understood become a message.
    pub(in crate::app) fn new((link, warnings): (Link, ParseWarnings)) -> Self {
        let message = warnings.message().map(Message::of_link);
        let entries = RwSignal::new(crate::app::state::model_entry::initial(&link));
        let state = Self::of(link, entries);
        state.messages.set(message.into_iter().collect());
        state
    }

    /// A second, hidden state with the same model list and another link. No model is open in it. For prefetching.
    pub(in crate::app) fn beside(self, link: Link) -> Self {
        Self {
            pictures: self.pictures,
            own_lessons: self.own_lessons,
            own_image: self.own_image,
            ..Self::of(link, self.entries)
        }
    }

    fn of(link: Link, entries: RwSignal<Vec<ModelEntry>>) -> Self {
        let link = RwSignal::new(link);
        let open = RwSignal::new(None);
        let summary = Memo::new(move |_| {
            let open: ModelVersion = open.get()?;
            entries.with(|entries| {
                let item = entries.iter().find(|item| item.opened == Some(open));
                item.and_then(|item| item.summary.clone())
            })
        });
        let head = Memo::new(move |_| {
            let model = open.get()?;
            let (layers, heads) = summary.with(|summary| {
                let summary = summary.as_ref()?;
                Some((summary.layers, summary.heads?.0 as usize))
            })?;
            link.with(|link| {
                Some(HeadId {
                    model,
                    input: ScoreInput::Positions(link.heads.mode),
                    layer: link.heads.layer.min(layers.checked_sub(1)?),
                    head: link.heads.head.min(heads.checked_sub(1)?),
                })
            })
        });
        let cells = Memo::new(move |_| {
            let of_model = summary.with(|summary| summary.as_ref().map(|summary| summary.cells));
            let chosen = link.with(|link| link.heads.cells);
            chosen.or(of_model).unwrap_or_default()
        });
        Self {
            link,
            entries,
            open,
            messages: RwSignal::default(),
            lists_paper: RwSignal::new(false),
            choosing: RwSignal::new(Vec::new()),
            hover: RwSignal::new(None),
            pointed: RwSignal::new(None),
            start: StoredValue::new(default_kernels()),
            undo: RwSignal::new(UndoHistory::default()),
            pictures: RwSignal::new(PictureFormat::default()),
            own_lessons: RwSignal::default(),
            own_image: RwSignal::new_local(None),
            summary,
            head,
            cells,
        }
    }

    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Shows a link from the browser's history.
    pub(in crate::app) fn go_to(self, link: Link, warnings: &ParseWarnings) {
        let before = self
            .link
            .with_untracked(|link| link.kernels.kernels.clone());
        if before != link.kernels.kernels {
            // Keeps the previous kernels for Undo.
            self.undo.update(|history| history.record(before, None));
        }
        self.link.set(link);
        // Messages about the previous link are obsolete.
        let before = |message: &Message| !message.of_link;
        self.messages.update(|messages| messages.retain(before));
        if let Some(message) = warnings.message() {
            self.push_message(Message::of_link(message));
        }
    }

    /// Returns the full address of the current state.
    pub(in crate::app) fn address(self) -> String {
        self.link.with_untracked(|link| self.address_of(link))
    }

    /// Returns the full address of a link.
    pub(in crate::app) fn address_of(self, link: &Link) -> String {
        let location = window().location();
        let origin = location.origin().unwrap_or_default();
        let path = location.pathname().unwrap_or_default();
        format!("{origin}{path}?{}", link.query())
    }

    /// Returns a part of the link that notifies only when it changes.
    pub(in crate::app) fn select<T: PartialEq + Send + Sync + 'static>(
        self,
        get: fn(&Link) -> T,
    ) -> Memo<T> {
        Memo::new(move |_| self.link.with(get))
    }

    /// Returns the device for heavy computations.
    pub(in crate::app) fn computing(self) -> BackendChoice {
        self.link.with(|link| link.computing.by)
    }

    /// Returns the current view.
    pub(in crate::app) fn view(self) -> View {
        self.link.with(|link| link.view)
    }

    /// Returns the shared cursor: pinned, under the pointer, or set by a lesson.
    pub(in crate::app) fn cursor(self) -> Option<Cursor> {
        let pinned = self.link.with(|link| link.cursor.pin);
        pinned
            .map(|(i, j)| Cursor::Cell(i, j))
            .or_else(|| self.hover.get())
            .or_else(|| self.pointed.get())
    }

    /// Whether the link's model is being fetched or opened while no model is open.
    pub(in crate::app) fn is_opening(self) -> bool {
        self.open.get().is_none()
            && self.link.with(|link| {
                self.entries.with(|entries| {
                    let mut entries = entries.iter().filter(|item| item.is_called(&link.model));
                    entries.any(ModelEntry::is_coming)
                })
            })
    }

    /// Returns the summary of the open model.
    pub(in crate::app) fn summary(self) -> Option<Arc<ModelSummary>> {
        self.summary.get()
    }

    /// Returns the open head, clamped to the heads of the model.
    pub(in crate::app) fn head(self) -> Option<HeadId> {
        self.head.get()
    }

    /// Returns the open head if its positions form a line. Kernels are functions of k = j − i, which is not meaningful
    /// for image patches.
    pub(in crate::app) fn head_on_line(self) -> Option<HeadId> {
        let on_grid = |summary: &Option<Arc<ModelSummary>>| {
            summary
                .as_ref()
                .is_some_and(|summary| summary.grid.is_some())
        };
        self.head().filter(|_| !self.summary.with(on_grid))
    }

    /// Returns the number of positions of the open head, if kernels can be compared with it.
    pub(in crate::app) fn rows_beside(self) -> Option<usize> {
        self.head_on_line()?;
        Some(self.summary()?.rows)
    }

    /// Returns the length n of kernels: the chosen one, otherwise that of the open head.
    pub(in crate::app) fn kernel_length(self) -> usize {
        let rows = self.rows_beside();
        self.link.with(|link| link.kernels.length_beside(rows))
    }

    /// Returns the number of positions in figures of kernels: n, limited to that of the open head if one is shown.
    pub(in crate::app) fn kernel_positions(self) -> usize {
        let alone = self.link.with(|link| link.kernels.alone);
        let rows = self.rows_beside().filter(|_| !alone);
        self.kernel_length().min(rows.unwrap_or(usize::MAX))
    }

    /// Returns which cells of heads and kernels count: the chosen mask, otherwise that of the open model.
    pub(in crate::app) fn cells(self) -> AttentionMask {
        self.cells.get()
    }

    /// Returns the kind of the open model's positions.
    pub(in crate::app) fn kind(self) -> PositionKind {
        self.summary
            .with(|summary| summary.as_ref().map(|summary| summary.kind))
            .unwrap_or(PositionKind::Table)
    }

    /// Changes the kernels with Undo. Changes with the same gesture number are undone together.
    pub(in crate::app) fn edit_kernels(
        self,
        gesture: Option<u32>,
        change: impl FnOnce(&mut Kernels),
    ) {
        let before = self
            .link
            .with_untracked(|link| link.kernels.kernels.clone());
        let mut after = before.clone();
        change(&mut after);
        if after != before {
            self.undo.update(|history| history.record(before, gesture));
            self.link.update(|link| link.kernels.kernels = after);
        }
    }

    /// Replaces the initial kernels, unless the user has changed the kernels.
    pub(in crate::app) fn start_kernels(self, kernels: &Kernels) {
        let needs_update = self.link.with_untracked(|link| {
            let start = self
                .start
                .with_value(|start| link.kernels.kernels == *start);
            start && link.kernels.kernels != *kernels
        });
        if needs_update {
            self.link
                .update(|link| link.kernels.kernels = kernels.clone());
            self.start.set_value(kernels.clone());
        }
    }

    /// Resets the sliders to these kernels, which become the initial ones.
    pub(in crate::app) fn reset_kernels(self, kernels: &Kernels) {
        self.start.set_value(kernels.clone());
        self.edit_kernels(None, |present| *present = kernels.clone());
    }

    /// Changes the entry of an open model in the model list.
    pub(in crate::app) fn with_item(self, id: ModelId, change: impl FnOnce(&mut ModelEntry)) {
        self.entries.update(|entries| {
            if let Some(item) = entries.iter_mut().find(|item| item.id() == Some(id)) {
                change(item);
            }
        });
    }

    /// Returns a copy of a model's entry, untracked.
    pub(in crate::app) fn item(self, id: ModelId) -> Option<ModelEntry> {
        self.entries
            .with_untracked(|entries| entries.iter().find(|item| item.id() == Some(id)).cloned())
    }

    /// True once a model is open or a message is shown; lazy parts may be loaded from then on.
    pub(in crate::app) fn begun(self) -> Memo<bool> {
        Memo::new(move |before: Option<&bool>| {
            before == Some(&true)
                || self.open.get().is_some()
                || self.messages.with(|messages| !messages.is_empty())
        })
    }

    /// Renames a model. Ignores empty names; makes duplicates unique.
    pub(in crate::app) fn rename(self, id: ModelId, typed: &str) {
        let Some(name) = typed_name(typed) else {
            return;
        };
        self.entries.update(|entries| {
            let taken = |title: &str| {
                let mut others = entries.iter().filter(|item| item.id() != Some(id));
                others.any(|item| item.title == title)
            };
            let (title, namesake) = disambiguate(&name, None, taken);
            let Some(item) = entries.iter_mut().find(|item| item.id() == Some(id)) else {
                return;
            };
            if let Some(summary) = &mut item.summary {
                Arc::make_mut(summary).name.clone_from(&title);
            }
            (item.title, item.namesake) = (title, namesake);
        });
    }

    /// Returns a copy of the open model's entry, untracked.
    pub(in crate::app) fn open_item(self) -> Option<ModelEntry> {
        self.item(self.open.get_untracked()?.id)
    }

    /// Shows a model of the model list.
    pub(in crate::app) fn show(self, reference: &ModelRef) {
        let choice = self.entries.with_untracked(|entries| {
            let item = entries.iter().find(|item| item.reference == *reference);
            item.map(|item| item.choice.clone())
        });
        self.link.update(|link| {
            if link.model != *reference {
                link.model = reference.clone();
                link.choice = choice.unwrap_or_default();
                (link.matrices.window, link.cursor.pin) = (None, None);
            }
        });
    }

    /// Adds a note to a model. Replaces a note with the same title.
    pub(in crate::app) fn add_note(self, model: ModelId, note: &Note) {
        self.with_item(model, |item| {
            if let Some(summary) = &mut item.summary {
                let notes = &mut Arc::make_mut(summary).notes;
                match notes.iter_mut().find(|other| other.title == note.title) {
                    Some(other) => *other = note.clone(),
                    None => notes.push(note.clone()),
                }
            }
        });
    }

    /// Displays a notice.
    pub(in crate::app) fn show_message(self, text: impl Into<String>) {
        self.push_message(Message::new(text));
    }

    /// Displays an error.
    pub(in crate::app) fn warn(self, text: impl Into<String>) {
        self.push_message(Message::new(text).alarming());
    }

    /// Displays a notice with a button.
    pub(in crate::app) fn offer(self, text: impl Into<String>, button: &str, action: Action) {
        self.push_message(Message::new(text).with(button, action));
    }

    /// Displays a message. Removes errors and messages with the same text; a message about the link is joined to an
    /// existing one.
    pub(in crate::app) fn push_message(self, message: Message) {
        self.messages.update(|messages| {
            messages.retain(|other| !other.alarming && other.text != message.text);
            let of_link = messages.iter_mut().find(|other| other.of_link);
            match of_link.filter(|_| message.of_link) {
                Some(existing) => existing.join(message),
                None => messages.push(message),
            }
        });
    }

    /// Removes all error messages, since their cause is resolved.
    pub(in crate::app) fn calm(self) {
        if self
            .messages
            .with_untracked(|messages| messages.iter().any(|message| message.alarming))
        {
            self.messages
                .update(|messages| messages.retain(|message| !message.alarming));
        }
    }
}
