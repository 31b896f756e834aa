//! Everything that decides what is on the page. The link is the part that goes into the address; the rest
//! is what is open, what is said, and where the pointer is.

use crate::{
    analysis::{BackendChoice, HeadId, ModelId, ModelSummary, ModelVersion, PositionKind},
    app::{
        figure::saving::request::PictureFormat,
        models::entry::ModelEntry,
        query_client::NamedFile,
        shell::message::{Action, Message},
    },
    checkpoint::TensorInfo,
    encoding::Kernels,
    figure::Cursor,
    math::AttentionMask,
    model::{ModelOptions, Note},
    undo::UndoHistory,
    url_state::{
        LazySection, Link, LinkSection, ModelRef, ParseWarnings, View, default_kernels,
        disambiguate, typed_name,
    },
};
use leptos::prelude::*;
use lesson_format::Lesson;
use std::sync::Arc;

/// A file of unknown family, waiting for its position table to be chosen.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct Choosing {
    pub(in crate::app) id: ModelId,
    pub(in crate::app) reference: ModelRef,
    pub(in crate::app) name: String,
    /// Why it is asked.
    pub(in crate::app) sentence: String,
    pub(in crate::app) tensors: Arc<Vec<TensorInfo>>,
    /// What is chosen so far.
    pub(in crate::app) choice: ModelOptions,
}

/// The page's signals.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct PageState {
    /// What goes into the address.
    pub(in crate::app) link: RwSignal<Link>,
    /// Models at hand.
    pub(in crate::app) shelf: RwSignal<Vec<ModelEntry>>,
    /// The open one.
    pub(in crate::app) open: RwSignal<Option<ModelVersion>>,
    /// Whether the list of the TISA paper's models is shown, to choose from.
    pub(in crate::app) lists_paper: RwSignal<bool>,
    /// What is said.
    pub(in crate::app) messages: RwSignal<Vec<Message>>,
    /// What is asked, the first first.
    pub(in crate::app) choosing: RwSignal<Vec<Choosing>>,
    /// Where the pointer is.
    pub(in crate::app) hover: RwSignal<Option<Cursor>>,
    /// Where a lesson points while the pointer is in no figure.
    pub(in crate::app) pointed: RwSignal<Option<Cursor>>,
    /// The kernels that stand on the sliders unless somebody has touched them.
    start: StoredValue<Kernels>,
    /// Kernels before and after the present ones, for Undo and Redo.
    pub(in crate::app) undo: RwSignal<UndoHistory<Kernels>>,
    /// How pictures are saved.
    pub(in crate::app) pictures: RwSignal<PictureFormat>,
    /// Lessons that somebody handed over, or agreed to fetch, by their names in links.
    pub(in crate::app) own_lessons: RwSignal<Vec<(String, Arc<Lesson>)>>,
    /// An image that somebody handed over, by its name, for the view of images.
    pub(in crate::app) own_image: RwSignal<Option<NamedFile>, LocalStorage>,
    /// What is known of the open model.
    summary: Memo<Option<Arc<ModelSummary>>>,
    /// The open head.
    head: Memo<Option<HeadId>>,
    /// Which cells of heads and kernels count.
    cells: Memo<AttentionMask>,
}

impl PageState {
    /// The state of a page that is opened with a link; what was not understood of it becomes a message.
    pub(in crate::app) fn new((link, misread): (Link, ParseWarnings)) -> Self {
        let said = misread.message().map(Message::of_link);
        let shelf = RwSignal::new(crate::app::models::entry::initial(&link));
        let state = Self::of(link, shelf);
        state.messages.set(said.into_iter().collect());
        state
    }

    /// Another state of this page, which is not shown: with the same models at hand, and none of them open.
    pub(in crate::app) fn beside(self, link: Link) -> Self {
        Self {
            pictures: self.pictures,
            own_lessons: self.own_lessons,
            own_image: self.own_image,
            ..Self::of(link, self.shelf)
        }
    }

    fn of(link: Link, shelf: RwSignal<Vec<ModelEntry>>) -> Self {
        let link = RwSignal::new(link);
        let open = RwSignal::new(None);
        let summary = Memo::new(move |_| {
            let open: ModelVersion = open.get()?;
            shelf.with(|shelf| {
                let item = shelf.iter().find(|item| item.opened == Some(open));
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
                    mode: link.heads.mode,
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
            shelf,
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

    /// The page's.
    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Shows a link that came with the browser's history.
    pub(in crate::app) fn go_to(self, link: Link, misread: &ParseWarnings) {
        let before = self
            .link
            .with_untracked(|link| link.kernels.kernels.clone());
        if before != link.kernels.kernels {
            // The kernels of before are not lost to Undo.
            self.undo.update(|history| history.record(before, None));
        }
        self.link.set(link);
        // What was said of another link does not hold of this one.
        let before = |message: &Message| !message.of_link;
        self.messages.update(|messages| messages.retain(before));
        if let Some(message) = misread.message() {
            self.tell(Message::of_link(message));
        }
    }

    /// Says once what of a section was not understood, now that its view reads it, and leaves that out of
    /// the link.
    pub(in crate::app) fn settle<S: LinkSection + Clone + Send + Sync>(
        self,
        section: fn(&mut Link) -> &mut LazySection<S>,
    ) {
        let mut link = self.link.get_untracked();
        let section = section(&mut link);
        if let Some(message) = section.message() {
            section.change(|_| ());
            self.link.set(link);
            self.tell(Message::of_link(message));
        }
    }

    /// The address of what is shown, in full.
    pub(in crate::app) fn address(self) -> String {
        self.link.with_untracked(|link| self.address_of(link))
    }

    /// The address of a link, in full.
    pub(in crate::app) fn address_of(self, link: &Link) -> String {
        let location = window().location();
        let origin = location.origin().unwrap_or_default();
        let path = location.pathname().unwrap_or_default();
        format!("{origin}{path}?{}", link.query())
    }

    /// A part of the link that is heard of only when it changes.
    pub(in crate::app) fn part<T: PartialEq + Send + Sync + 'static>(
        self,
        get: fn(&Link) -> T,
    ) -> Memo<T> {
        Memo::new(move |_| self.link.with(get))
    }

    /// Who computes what is heavy.
    pub(in crate::app) fn computing(self) -> BackendChoice {
        self.link.with(|link| link.computing.get().by)
    }

    /// Which view is shown.
    pub(in crate::app) fn view(self) -> View {
        self.link.with(|link| link.view)
    }

    /// Where the shared cursor is: pinned, under the pointer, or where a lesson points.
    pub(in crate::app) fn cursor(self) -> Option<Cursor> {
        let pinned = self.link.with(|link| link.cursor.pin);
        pinned
            .map(|(i, j)| Cursor::Cell(i, j))
            .or_else(|| self.hover.get())
            .or_else(|| self.pointed.get())
    }

    /// Whether the link's model is being fetched or opened, and nothing else is open meanwhile.
    pub(in crate::app) fn is_opening(self) -> bool {
        self.open.get().is_none()
            && self.link.with(|link| {
                self.shelf.with(|shelf| {
                    let mut meant = shelf.iter().filter(|item| item.is_called(&link.model));
                    meant.any(ModelEntry::is_coming)
                })
            })
    }

    /// What is known of the open model.
    pub(in crate::app) fn summary(self) -> Option<Arc<ModelSummary>> {
        self.summary.get()
    }

    /// The open head, within what the model has.
    pub(in crate::app) fn head(self) -> Option<HeadId> {
        self.head.get()
    }

    /// The open head, where its positions stand in a line: kernels are functions of k = j − i, which says little of
    /// the patches of an image.
    pub(in crate::app) fn head_on_line(self) -> Option<HeadId> {
        let on_grid = |summary: &Option<Arc<ModelSummary>>| {
            summary
                .as_ref()
                .is_some_and(|summary| summary.grid.is_some())
        };
        self.head().filter(|_| !self.summary.with(on_grid))
    }

    /// How many positions the open head has, where kernels can stand beside it.
    pub(in crate::app) fn rows_beside(self) -> Option<usize> {
        self.head_on_line()?;
        Some(self.summary()?.rows)
    }

    /// The length n of kernels: the one that was chosen, else that of the open head.
    pub(in crate::app) fn kernel_length(self) -> usize {
        let rows = self.rows_beside();
        self.link.with(|link| link.kernels.length_beside(rows))
    }

    /// How many positions the figures of kernels show: n, and beside a head no more than it has.
    pub(in crate::app) fn kernel_positions(self) -> usize {
        let alone = self.link.with(|link| link.kernels.alone);
        let rows = self.rows_beside().filter(|_| !alone);
        self.kernel_length().min(rows.unwrap_or(usize::MAX))
    }

    /// Which cells of heads and kernels count: those that were chosen, else those that the open model uses.
    pub(in crate::app) fn cells(self) -> AttentionMask {
        self.cells.get()
    }

    /// What the open model's positions are.
    pub(in crate::app) fn kind(self) -> PositionKind {
        self.summary
            .with(|summary| summary.as_ref().map(|summary| summary.kind))
            .unwrap_or(PositionKind::Table)
    }

    /// Changes the kernels, so that it can be undone; changes of one gesture are undone together.
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

    /// Starts the sliders with other kernels, unless somebody has touched them.
    pub(in crate::app) fn start_kernels(self, kernels: &Kernels) {
        let shown = self.link.with_untracked(|link| {
            let start = self
                .start
                .with_value(|start| link.kernels.kernels == *start);
            start && link.kernels.kernels != *kernels
        });
        if shown {
            self.link
                .update(|link| link.kernels.kernels = kernels.clone());
            self.start.set_value(kernels.clone());
        }
    }

    /// Sets the sliders back to where they start with these kernels.
    pub(in crate::app) fn reset_kernels(self, kernels: &Kernels) {
        self.start.set_value(kernels.clone());
        self.edit_kernels(None, |present| *present = kernels.clone());
    }

    /// Changes a model's entry on the shelf.
    pub(in crate::app) fn with_item(self, id: ModelId, change: impl FnOnce(&mut ModelEntry)) {
        self.shelf.update(|shelf| {
            if let Some(item) = shelf.iter_mut().find(|item| item.id() == Some(id)) {
                change(item);
            }
        });
    }

    /// A model's entry as it is now.
    pub(in crate::app) fn item(self, id: ModelId) -> Option<ModelEntry> {
        self.shelf
            .with_untracked(|shelf| shelf.iter().find(|item| item.id() == Some(id)).cloned())
    }

    /// Whether the first figure is there, or whatever is said in its place: what comes after it may be fetched then.
    pub(in crate::app) fn begun(self) -> Memo<bool> {
        Memo::new(move |before: Option<&bool>| {
            before == Some(&true)
                || self.open.get().is_some()
                || self.messages.with(|messages| !messages.is_empty())
        })
    }

    /// Calls a model otherwise, unless that is no name; two models never have the same.
    pub(in crate::app) fn rename(self, id: ModelId, typed: &str) {
        let Some(name) = typed_name(typed) else {
            return;
        };
        self.shelf.update(|shelf| {
            let taken = |title: &str| {
                let mut others = shelf.iter().filter(|item| item.id() != Some(id));
                others.any(|item| item.title == title)
            };
            let (title, namesake) = disambiguate(&name, None, taken);
            let Some(item) = shelf.iter_mut().find(|item| item.id() == Some(id)) else {
                return;
            };
            if let Some(summary) = &mut item.summary {
                Arc::make_mut(summary).name.clone_from(&title);
            }
            (item.title, item.namesake) = (title, namesake);
        });
    }

    /// The open model's entry as it is now.
    pub(in crate::app) fn open_item(self) -> Option<ModelEntry> {
        self.item(self.open.get_untracked()?.id)
    }

    /// Shows a model of the shelf.
    pub(in crate::app) fn show(self, reference: &ModelRef) {
        let choice = self.shelf.with_untracked(|shelf| {
            let item = shelf.iter().find(|item| item.reference == *reference);
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

    /// A note takes the place of one with the same title.
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

    /// Says something worth knowing.
    pub(in crate::app) fn say(self, text: impl Into<String>) {
        self.tell(Message::new(text));
    }

    /// Says that something went wrong.
    pub(in crate::app) fn warn(self, text: impl Into<String>) {
        self.tell(Message::new(text).alarming());
    }

    /// Says something and what can be done about it.
    pub(in crate::app) fn offer(self, text: impl Into<String>, button: &str, action: Action) {
        self.tell(Message::new(text).with(button, action));
    }

    /// Says something. What was said before goes, but for what is still worth knowing; what is said of the link joins
    /// what was.
    pub(in crate::app) fn tell(self, message: Message) {
        self.messages.update(|messages| {
            messages.retain(|other| !other.alarming && other.text != message.text);
            let of_link = messages.iter_mut().find(|other| other.of_link);
            match of_link.filter(|_| message.of_link) {
                Some(said) => said.join(message),
                None => messages.push(message),
            }
        });
    }

    /// Takes alarming messages away: what they speak of is mended.
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
