//! Opening models: presets, computed tables, files, addresses, names on the Hub; and what is said when
//! one fails.
//!
//! A model gets a number when it is asked for, and with every opening and choice another [`Opened`]. What is
//! open stays until the new one is. Nothing is fetched from another host before a person has typed its name or
//! agreed to a link that has it. What it takes to open a model again stays with the engine.

mod chooser;
mod files;
mod gathering;
mod messages;
mod shelving;

pub(super) use chooser::Chooser;
pub(super) use files::{DropZone, files_of};
pub(super) use messages::Messages;

use super::{
    engine::{Engine, Heard, Listener, NamedFile, Reopening, meta},
    message::{Action, Message},
    shelf_item::ShelfItem,
    state::{Choosing, State},
};
use crate::{
    analysis::{
        CloseModel, Failure, ModelId, News, OpenModel, OpenOtherwise, Opened, Opening, Origin,
        Remedy,
    },
    link::ModelRef,
    model::{Choice, PRESETS},
};
use leptos::prelude::*;
use std::{collections::BTreeMap, sync::Arc};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, Response};

/// Opens things.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opener {
    state: State,
    engine: Engine,
    kept: StoredValue<OpenerMemory, LocalStorage>,
}

/// What an opener keeps between openings.
#[derive(Debug, Default)]
struct OpenerMemory {
    /// Counts models, openings and loose shards.
    count: u32,
    /// Bytes read of files that are not on the shelf yet.
    early_reads: BTreeMap<ModelId, (u64, u64)>,
    /// What could not be opened: a file that is handed over later may be what it lacked.
    failed: BTreeMap<ModelId, OpeningRequest>,
    /// Shards of which nobody has said yet where they belong.
    shards: BTreeMap<u32, NamedFile>,
}

/// What was asked to be opened.
#[derive(Debug, Clone)]
struct OpeningRequest {
    opened: Opened,
    reference: ModelRef,
    origin: Origin,
    choice: Choice,
    files: Vec<NamedFile>,
    /// Whether it is shown once it is open, whatever the link says.
    show: bool,
}

/// Opens whatever the link names, now and whenever it changes.
pub(super) fn follow_model(state: State, engine: Engine) {
    let opener = Opener {
        state,
        engine,
        kept: StoredValue::new_local(OpenerMemory::default()),
    };
    provide_context(opener);
    engine.listen(opener);
    let model = state.part(|link| (link.model.clone(), link.choice.clone()));
    Effect::new(move || {
        let (model, choice) = model.get();
        opener.follow(model, choice);
    });
}

impl Opener {
    /// The page's.
    pub(super) fn from_context() -> Self {
        expect_context()
    }

    /// A number that nothing has had.
    fn count(self) -> u32 {
        self.kept
            .try_update_value(|kept| {
                kept.count += 1;
                kept.count
            })
            .unwrap_or_default()
    }

    fn follow(self, reference: ModelRef, choice: Choice) {
        let state = self.state;
        let known = state.shelf.with_untracked(|shelf| {
            let exactly = shelf.iter().find(|item| item.reference == reference);
            exactly
                .or_else(|| shelf.iter().find(|item| item.is_called(&reference)))
                .cloned()
        });
        if let Some(item) = &known
            && let Some(opened) = item.opened
        {
            if state.open.get_untracked() != Some(opened) {
                state.open.set(Some(opened));
            }
            if item.choice != choice {
                // Back to what was chosen in it before.
                self.choose(opened.id, item.reference.clone(), choice, true);
            }
            return;
        }
        if known.is_some_and(|item| item.opening.is_some()) && reference.is_remote() {
            // Somebody has agreed to fetch it already.
            return;
        }
        match reference.clone() {
            ModelRef::Sinusoidal(table) => {
                self.ask(reference, Origin::Sinusoidal(table), Vec::new(), false);
            }
            ModelRef::Random(table) => {
                self.ask(reference, Origin::Random(table), Vec::new(), false);
            }
            ModelRef::Preset(id) => self.fetch_preset(reference, &id),
            ModelRef::File { name, .. } => state.say(format!(
                "This link was made from the file “{name}”, which stayed with whoever made it. Open that file here to see the same figure."
            )),
            ModelRef::Hub(name) => self.confirm(reference, &format!("{name} from {}", hub())),
            ModelRef::Url(address) => self.confirm(reference, &address),
        }
    }

    /// A link may name a model of another host; who follows it decides whether that host is asked.
    fn confirm(self, reference: ModelRef, what: &str) {
        let what: String = what.chars().take(LONGEST_SHOWN).collect();
        let action = Action::Fetch {
            models: vec![reference],
            whole: false,
        };
        self.state.offer(
            format!("This link asks to fetch {what}. Nothing has been fetched yet."),
            "Fetch it",
            action,
        );
    }

    fn fetch_preset(self, reference: ModelRef, id: &str) {
        let Some(preset) = PRESETS.iter().find(|preset| preset.id == id) else {
            return;
        };
        let address = format!("presets/{}", preset.file);
        spawn_local(async move {
            match fetch(&address).await {
                Some(blob) => {
                    let file = (preset.id.to_owned(), blob);
                    self.ask(reference, Origin::Files, vec![file], false);
                }
                None => self.state.warn(format!(
                    "The preset {} could not be fetched from this page's own server. Check the connection and choose it again.",
                    preset.id
                )),
            }
        });
    }

    /// Fetches models by address or by name on the Hub: somebody wanted that.
    pub(super) fn fetch(self, models: Vec<ModelRef>, whole: bool) {
        for (at, reference) in models.into_iter().enumerate() {
            self.state.shelf.update(|shelf| {
                let at = shelf.iter().position(|item| item.reference == reference);
                let at = at.unwrap_or_else(|| {
                    shelf.push(ShelfItem::new(reference.clone(), reference.title()));
                    shelf.len() - 1
                });
                shelf[at].status = FETCHING.to_owned();
            });
            let item = self.state.shelf.with_untracked(|shelf| {
                let item = shelf.iter().find(|item| item.reference == reference);
                item.map(|item| (item.opened.is_some(), item.opening.is_some()))
            });
            match item {
                Some((true, _)) => {
                    if at == 0 {
                        self.state.show(&reference);
                    }
                    continue;
                }
                Some((_, true)) => continue,
                _ => {}
            }
            let (ModelRef::Hub(named) | ModelRef::Url(named)) = &reference else {
                continue;
            };
            let origin = Origin::Web {
                named: named.clone(),
                whole,
            };
            self.ask(reference, origin, Vec::new(), at == 0);
        }
    }

    /// Does what a message offers.
    fn act(self, action: Action) {
        match action {
            Action::Fetch { models, whole } => self.fetch(models, whole),
            Action::AskAgain => self.engine.retry(),
            Action::GiveShard { shard, to, .. } => {
                let file = self
                    .kept
                    .try_update_value(|kept| kept.shards.remove(&shard));
                if let Some(file) = file.flatten() {
                    self.give_shard(file, to);
                }
            }
            Action::Save(save) => super::saving::save_large(self.state, self.engine, save),
            // Nothing is left to do when this fails.
            Action::Reload => drop(window().location().reload()),
        }
    }

    fn ask(self, reference: ModelRef, origin: Origin, files: Vec<NamedFile>, show: bool) {
        let opened = Opened {
            id: self.count(),
            revision: 0,
        };
        // A link to this very file says what was chosen in it.
        let choice = self.state.link.with_untracked(|link| {
            let meant = match (&link.model, &reference) {
                (ModelRef::File { name, .. }, ModelRef::File { name: opened, .. }) => {
                    name == opened
                }
                (meant, opened) => meant == opened,
            };
            meant.then(|| link.choice.clone())
        });
        self.open(OpeningRequest {
            opened,
            reference,
            origin,
            choice: choice.unwrap_or_default(),
            files,
            show,
        });
    }

    /// Opens a model, or opens it anew with other files.
    fn open(self, asked: OpeningRequest) {
        let id = asked.opened.id;
        self.state.shelf.update(|shelf| {
            let item = shelf
                .iter_mut()
                .find(|item| item.id() == Some(id) || item.reference == asked.reference);
            if let Some(item) = item {
                item.opening = Some(id);
            }
        });
        let question = OpenModel {
            opened: asked.opened,
            origin: asked.origin.clone(),
            choice: asked.choice.clone(),
        };
        let files = asked.files.clone();
        self.engine
            .run(question, files, move |heard| self.hear(&asked, heard));
    }

    /// Looks at the open model with another choice.
    pub(super) fn revise(self, change: impl FnOnce(Choice) -> Choice) {
        if let Some(item) = self.state.open_item()
            && let Some(id) = item.id()
        {
            self.choose(id, item.reference, change(item.choice), true);
        }
    }

    fn choose(self, id: ModelId, reference: ModelRef, choice: Choice, show: bool) {
        let kept = self.engine.kept(id);
        let failed = self.kept.with_value(|kept| kept.failed.get(&id).cloned());
        let (origin, files) = match (kept, failed) {
            (Some(kept), _) => (kept.origin, kept.files),
            (None, Some(failed)) => (failed.origin, failed.files),
            // It was closed meanwhile.
            (None, None) => return,
        };
        let asked = OpeningRequest {
            opened: Opened {
                id,
                revision: self.count(),
            },
            reference,
            origin,
            choice: choice.clone(),
            files,
            show,
        };
        let question = OpenOtherwise {
            opened: asked.opened,
            choice,
        };
        self.engine
            .run(question, Vec::new(), move |heard| self.hear(&asked, heard));
    }

    /// Closes a model. Those that the page can open again by itself stay on the shelf.
    pub(super) fn close(self, reference: &ModelRef) {
        let state = self.state;
        let closed = state.shelf.with_untracked(|shelf| {
            let item = shelf.iter().find(|item| item.reference == *reference);
            item.cloned()
        });
        let Some(closed) = closed else {
            return;
        };
        state.shelf.update(|shelf| {
            let Some(at) = shelf.iter().position(|item| item.reference == *reference) else {
                return;
            };
            if matches!(closed.reference, ModelRef::Preset(_)) {
                shelf[at] = ShelfItem::new(closed.reference.clone(), &closed.title);
            } else {
                shelf.remove(at);
            }
        });
        for id in [closed.id(), closed.opening].into_iter().flatten() {
            self.end(id);
        }
        if state
            .link
            .with_untracked(|link| link.model == closed.reference)
        {
            // The one opened last, or what the page begins with.
            let next = state.shelf.with_untracked(|shelf| {
                let open = shelf.iter().rev().find(|item| item.opened.is_some());
                open.map(|item| item.reference.clone())
            });
            state.show(&next.unwrap_or_default());
        }
    }

    /// Lets go of a model.
    fn end(self, id: ModelId) {
        self.engine.drop_kept(id);
        self.engine.run(CloseModel { id }, Vec::new(), |_| {});
        self.engine.forget(id);
        self.kept.update_value(|kept| {
            kept.failed.remove(&id);
            kept.early_reads.remove(&id);
        });
    }

    /// Takes what comes of an opening.
    fn hear<Q: crate::analysis::Question<Piece = Opening>>(
        self,
        asked: &OpeningRequest,
        heard: Heard<Q>,
    ) {
        match heard {
            Heard::Piece(Opening::Opened(summary)) => {
                self.no_longer_chosen(asked.opened.id);
                self.kept.update_value(|kept| {
                    kept.failed.remove(&asked.opened.id);
                });
                self.engine.keep(Reopening {
                    opened: asked.opened,
                    origin: asked.origin.clone(),
                    choice: asked.choice.clone(),
                    files: asked.files.clone(),
                });
                self.shelve(asked, *summary);
                self.engine.forget(asked.opened.id);
            }
            Heard::Piece(Opening::Choose(tensors, sentence)) => {
                self.let_choose(asked, tensors, sentence);
            }
            Heard::Piece(Opening::AskWhole(size)) => self.ask_whole(asked, size),
            Heard::Failed(failure) => self.not_opened(asked, &failure),
            Heard::Bytes(_) | Heard::Done => {}
        }
    }

    fn no_longer_chosen(self, id: ModelId) {
        let chosen = |choosing: &Choosing| choosing.id == id;
        let asked = self
            .state
            .choosing
            .with_untracked(|all| all.iter().any(chosen));
        if asked {
            self.state
                .choosing
                .update(|all| all.retain(|choosing| !chosen(choosing)));
        }
    }

    fn let_choose(
        self,
        asked: &OpeningRequest,
        tensors: Vec<crate::checkpoint::TensorInfo>,
        sentence: String,
    ) {
        if tensors.is_empty() {
            self.set_status(asked, &sentence);
            return self.state.say(sentence);
        }
        self.set_status(asked, "waits for its position table");
        self.kept.update_value(|kept| {
            kept.failed.insert(asked.opened.id, asked.clone());
        });
        let choosing = Choosing {
            id: asked.opened.id,
            reference: asked.reference.clone(),
            name: asked.reference.title().to_owned(),
            sentence,
            tensors: Arc::new(tensors),
            choice: asked.choice.clone(),
        };
        self.state.choosing.update(|all| {
            all.retain(|other| other.id != choosing.id);
            all.push(choosing);
        });
    }

    fn ask_whole(self, asked: &OpeningRequest, size: Option<u64>) {
        self.set_status(asked, "waits for your answer");
        let all = size.map_or("it whole".to_owned(), |size| {
            format!("all {:.1} MB", size as f64 / 1e6)
        });
        let sentence = format!(
            "The server of {} sends files only whole, not in parts. To show it, the page has to read {all}.",
            asked.reference.title()
        );
        let action = Action::Fetch {
            models: vec![asked.reference.clone()],
            whole: true,
        };
        self.state.offer(sentence, &format!("Read {all}"), action);
    }

    fn not_opened(self, asked: &OpeningRequest, failure: &Failure) {
        let message = Message::new(&failure.sentence).alarming();
        if asked.reference.is_remote() {
            self.set_status(asked, &failure.sentence);
            let action = Action::Fetch {
                models: vec![asked.reference.clone()],
                whole: false,
            };
            return self.state.tell(message.with("Try again", action));
        }
        self.set_status(asked, "");
        self.kept.update_value(|kept| {
            kept.failed.insert(asked.opened.id, asked.clone());
        });
        self.state.tell(message);
    }

    fn set_status(self, asked: &OpeningRequest, status: &str) {
        let known = |item: &ShelfItem| {
            item.id() == Some(asked.opened.id) || item.reference == asked.reference
        };
        self.state.shelf.update(|shelf| {
            if let Some(item) = shelf.iter_mut().find(|item| known(item)) {
                item.status = status.to_owned();
                item.opening = None;
            }
        });
    }
}

impl Listener for Opener {
    fn news(&self, model: ModelId, news: &News) {
        match news {
            News::Progress { read, size } => {
                let known =
                    |item: &ShelfItem| item.id() == Some(model) || item.opening == Some(model);
                let there = self
                    .state
                    .shelf
                    .with_untracked(|shelf| shelf.iter().any(known));
                if there {
                    self.state.shelf.update(|shelf| {
                        if let Some(item) = shelf.iter_mut().find(|item| known(item)) {
                            item.read = Some((*read, *size));
                        }
                    });
                } else {
                    self.kept.update_value(|kept| {
                        kept.early_reads.insert(model, (*read, *size));
                    });
                }
            }
            News::Note(note) => self.state.add_note(model, note),
            News::Done | News::Failed(_) => {}
        }
    }

    fn failed(&self, model: Option<ModelId>, failure: &Failure) {
        let message = Message::new(&failure.sentence).alarming();
        let is_remote = model
            .and_then(|model| self.state.item(model))
            .is_some_and(|item| item.reference.is_remote());
        self.state.tell(match (model, failure.remedy()) {
            (None, _) => message.with("Load the page again", Action::Reload),
            (Some(_), Some(Remedy::TryAgain)) => message.with("Try again", Action::AskAgain),
            (Some(_), _) if is_remote => message.with("Try again", Action::AskAgain),
            _ => message,
        });
    }

    fn restarted(&self) {
        self.state.say(
            "The part of this page that computes had stopped and was started again. What was open is opened again.",
        );
    }

    fn not_reopened(&self, model: ModelId, failure: &Failure) {
        let title = self
            .state
            .item(model)
            .map_or_else(String::new, |item| item.title);
        self.state.warn(format!(
            "{title} could not be opened again after the part of this page that computes had stopped. {failure}"
        ));
    }
}

/// What stands on the shelf while a model is fetched.
const FETCHING: &str = "fetching …";

/// Addresses in messages are cut to this many characters.
const LONGEST_SHOWN: usize = 300;

/// The Hub's host, for people.
pub(super) fn hub() -> String {
    meta("hub").unwrap_or_else(|| "huggingface.co".to_owned())
}

async fn fetch(address: &str) -> Option<Blob> {
    let response = JsFuture::from(window().fetch_with_str(address))
        .await
        .ok()?;
    let response: Response = response.dyn_into().ok()?;
    if !response.ok() {
        return None;
    }
    JsFuture::from(response.blob().ok()?)
        .await
        .ok()?
        .dyn_into()
        .ok()
}
