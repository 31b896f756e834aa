//! Everything that decides what is on the page. The link is the part that goes into the address; the rest
//! is what is open and where the cursor is.

use super::{address::open_address, dynamic::memo, held::Held};
use crate::{
    analysis::{Answer, HeadId, ModelId, ModelSummary, PositionKind, ScoreMode},
    checkpoint::TensorInfo,
    encoding::Kernels,
    figure::Cursor,
    link::{Link, LinkSection, Misread, ModelRef, Unread, View},
    model::{Choice, Note},
    undo::UndoHistory,
};
use leptos::prelude::*;
use std::sync::Arc;

/// A model on the shelf.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    /// Its number, once it has been opened.
    pub(super) id: Option<ModelId>,
    /// The number it is being opened under.
    pub(super) opening: Option<ModelId>,
    /// What a link calls it.
    pub(super) reference: ModelRef,
    /// What links called it before: a file has another hash when another table of it is chosen.
    pub(super) known_as: Vec<ModelRef>,
    /// What the shelf calls it.
    pub(super) title: String,
    /// What is known of it.
    pub(super) summary: Option<Arc<ModelSummary>>,
    /// What was chosen in it.
    pub(super) choice: Choice,
    /// R² of its inner products.
    pub(super) r2: Option<f64>,
    /// Bytes read, and bytes there are.
    pub(super) read: Option<(u64, u64)>,
    /// What its corrections do to R², once somebody asked.
    pub(super) effects: Vec<crate::analysis::Effect>,
    /// How it is with a model of the web that is not open: said in place of what is known of others.
    pub(super) status: String,
}

impl Item {
    /// A model at hand that is not open yet.
    pub(super) fn new(reference: ModelRef, title: &str) -> Self {
        Self {
            id: None,
            opening: None,
            reference,
            known_as: Vec::new(),
            title: title.to_owned(),
            summary: None,
            choice: Choice::default(),
            r2: None,
            read: None,
            effects: Vec::new(),
            status: String::new(),
        }
    }

    /// What links call it, and called it before.
    pub(super) fn names(&self) -> impl Iterator<Item = &ModelRef> {
        let before = self.known_as.iter();
        before
            .filter(|name| **name != self.reference)
            .chain([&self.reference])
    }

    /// Whether a link that says this means it.
    pub(super) fn is_called(&self, reference: &ModelRef) -> bool {
        self.names().any(|name| name == reference)
    }
}

/// What a message offers to do.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Action {
    /// Fetch these models; `whole` where a server sends no parts of files.
    Fetch {
        /// The models.
        models: Vec<ModelRef>,
        /// Whether files may be read whole.
        whole: bool,
    },
    /// Ask the worker again what could not be answered.
    AskAgain,
}

/// Something said to the person.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Message {
    /// What went wrong, as against what is worth knowing.
    pub(super) alarming: bool,
    /// The sentence.
    pub(super) text: String,
    /// What can be done about it: what the button says, and what it does.
    pub(super) action: Option<(String, Action)>,
}

/// A file of unknown family, waiting for its position table to be chosen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Choosing {
    pub(super) id: ModelId,
    pub(super) reference: ModelRef,
    pub(super) name: String,
    /// Why it is asked.
    pub(super) sentence: String,
    pub(super) tensors: Arc<Vec<TensorInfo>>,
    /// What is chosen so far.
    pub(super) choice: Choice,
}

/// The signals.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    /// What goes into the address.
    pub(super) link: Held<Link>,
    /// Models at hand.
    pub(super) shelf: Held<Vec<Item>>,
    /// The open one.
    pub(super) open: Held<Option<ModelId>>,
    /// What is said.
    pub(super) messages: Held<Vec<Message>>,
    /// What is asked, the first first.
    pub(super) choosing: Held<Vec<Choosing>>,
    /// Counts what changes the details of the open model, so that progress does not renew them.
    pub(super) revised: Held<u32>,
    /// Counts what makes answers old: other choices in the open model, and trying again.
    pub(super) again: Held<u32>,
    /// Whether the open model's notes are unfolded.
    pub(super) notes_open: Held<bool>,
    /// Where the pointer is.
    pub(super) hover: Held<Option<Cursor>>,
    /// Kernels before and after the present ones, for Undo and Redo.
    pub(super) undo: Held<UndoHistory<Kernels>>,
    /// Mode, layer and head in the link: sliders change it many times a second, and heads are dear.
    spot: Part<(ScoreMode, usize, usize)>,
}

/// A part of the link. The memo behind it holds a link as it was when the part last changed, so that
/// memos of all parts are of one type.
#[derive(Debug)]
pub(super) struct Part<T> {
    memo: Memo<Arc<Link>>,
    get: fn(&Link) -> T,
}

impl<T> Clone for Part<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Part<T> {}

impl<T: PartialEq + 'static> Part<T> {
    fn of(link: Held<Link>, get: fn(&Link) -> T) -> Self {
        let next = move |before: Option<Arc<Link>>| {
            link.with(|now| match before {
                Some(before) if get(&before) == get(now) => (before, false),
                _ => (Arc::new(now.clone()), true),
            })
        };
        Self {
            memo: memo(Box::new(next)),
            get,
        }
    }
}

impl<T> Part<T> {
    pub(super) fn get(self) -> T {
        self.memo.with(|link| (self.get)(link))
    }
}

impl State {
    /// Reads the address; what it says wrongly becomes a message.
    pub(super) fn from_address() -> Self {
        let (link, misread) = open_address();
        let said = misread.message().map(|text| Message {
            alarming: false,
            text,
            action: None,
        });
        let shelf = Held::new(super::shelf::initial(&link));
        let link = Held::new(link);
        Self {
            spot: Part::of(link, |link| {
                (link.heads.mode, link.heads.layer, link.heads.head)
            }),
            shelf,
            link,
            open: Held::new(None),
            messages: Held::new(said.into_iter().collect()),
            choosing: Held::new(Vec::new()),
            revised: Held::new(0),
            again: Held::new(0),
            notes_open: Held::new(false),
            hover: Held::new(None),
            undo: Held::new(UndoHistory::default()),
        }
    }

    /// Shows a link that came with the browser's history.
    pub(super) fn go_to(self, link: Link, misread: &Misread) {
        let before = self
            .link
            .with_untracked(|link| link.kernels.kernels.clone());
        if before != link.kernels.kernels {
            // The kernels of before are not lost to Undo.
            self.undo.update(|history| history.record(before, None));
        }
        self.link.set(link);
        if let Some(message) = misread.message() {
            self.say(false, message);
        }
    }

    /// Says once what of a section was not understood, now that its view reads it, and leaves that out of
    /// the link.
    pub(super) fn settle<S: LinkSection + Clone>(self, section: fn(&mut Link) -> &mut Unread<S>) {
        let mut link = self.link.get_untracked();
        let section = section(&mut link);
        if let Some(message) = section.message() {
            section.change(|_| ());
            self.link.set(link);
            self.say(false, message);
        }
    }

    /// The address of what is shown, in full.
    pub(super) fn address(self) -> String {
        let location = window().location();
        let origin = location.origin().unwrap_or_default();
        let path = location.pathname().unwrap_or_default();
        format!("{origin}{path}?{}", self.link.with_untracked(Link::query))
    }

    /// A part of the link that is heard of only when it changes.
    pub(super) fn part<T: PartialEq + 'static>(self, get: fn(&Link) -> T) -> Part<T> {
        Part::of(self.link, get)
    }

    pub(super) fn view(self) -> View {
        self.link.with(|link| link.view)
    }

    /// Where the shared cursor is: pinned, or under the pointer.
    pub(super) fn cursor(self) -> Option<Cursor> {
        let pinned = self.link.with(|link| link.cursor.pin);
        pinned
            .map(|(i, j)| Cursor::Cell(i, j))
            .or_else(|| self.hover.get())
    }

    /// The same, without following changes.
    pub(super) fn cursor_now(self) -> Option<Cursor> {
        untrack(|| self.cursor())
    }

    /// The open model's summary.
    pub(super) fn summary(self) -> Option<Arc<ModelSummary>> {
        let open = self.open.get()?;
        self.shelf.with(|shelf| {
            shelf
                .iter()
                .find(|item| item.id == Some(open))
                .and_then(|item| item.summary.clone())
        })
    }

    /// The open head, within what the model has.
    pub(super) fn head(self) -> Option<HeadId> {
        let model = self.open.get()?;
        let summary = self.summary()?;
        let (heads, _) = summary.heads?;
        let (mode, layer, head) = self.spot.get();
        Some(HeadId {
            model,
            mode,
            layer: layer.min(summary.layers.checked_sub(1)?),
            head: head.min((heads as usize).checked_sub(1)?),
        })
    }

    /// Changes the kernels, so that it can be undone; changes of one gesture are undone together.
    pub(super) fn edit_kernels(self, gesture: Option<u32>, change: impl FnOnce(&mut Kernels)) {
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

    /// Changes a model's entry.
    pub(super) fn with_item(self, id: ModelId, change: impl FnOnce(&mut Item)) {
        self.shelf.update(|shelf| {
            if let Some(item) = shelf.iter_mut().find(|item| item.id == Some(id)) {
                change(item);
            }
        });
    }

    /// Shows a model of the shelf.
    pub(super) fn show(self, reference: &ModelRef) {
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

    /// What the open model's positions are.
    pub(super) fn kind(self) -> PositionKind {
        self.summary()
            .map_or(PositionKind::Table, |summary| summary.kind)
    }

    /// The open model's entry as it is now.
    pub(super) fn open_item(self) -> Option<Item> {
        let open = self.open.get_untracked();
        self.shelf.with_untracked(|shelf| {
            shelf
                .iter()
                .find(|item| open.is_some() && item.id == open)
                .cloned()
        })
    }

    /// Takes what any answer may bring: progress, what should be known, a failure.
    pub(super) fn note(self, model: ModelId, answer: Answer) {
        match answer {
            Answer::Read { read, size } => {
                self.with_item(model, |item| item.read = Some((read, size)));
            }
            Answer::Note(note) => self.add_note(model, note),
            Answer::Failed(sentence) => self.fail(model, sentence),
            _ => {}
        }
    }

    /// A note takes the place of one with the same title.
    fn add_note(self, model: ModelId, note: Note) {
        self.with_item(model, |item| {
            if let Some(summary) = &mut item.summary {
                let notes = &mut Arc::make_mut(summary).notes;
                match notes.iter_mut().find(|other| other.title == note.title) {
                    Some(other) => *other = note,
                    None => notes.push(note),
                }
            }
        });
        self.revised.update(|count| *count += 1);
    }

    /// Says that a question failed; what came over a network may be there the next time.
    fn fail(self, model: ModelId, sentence: String) {
        let remote = self.shelf.with_untracked(|shelf| {
            shelf
                .iter()
                .any(|item| item.id == Some(model) && item.reference.is_remote())
        });
        let action = remote.then(|| ("Try again".to_owned(), Action::AskAgain));
        self.offer(true, sentence, action);
    }

    /// Says something.
    pub(super) fn say(self, alarming: bool, text: impl Into<String>) {
        self.offer(alarming, text.into(), None);
    }

    /// Says something and what can be done about it. What was said before goes, but for what is still
    /// worth knowing.
    pub(super) fn offer(self, alarming: bool, text: String, action: Option<(String, Action)>) {
        self.messages.update(|messages| {
            messages.retain(|message| !message.alarming && message.text != text);
            messages.push(Message {
                alarming,
                text,
                action,
            });
        });
    }
}
