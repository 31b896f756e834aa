//! Opening models: presets, computed tables, files, addresses, names on the Hub; and what is said when
//! one fails.
//!
//! A model gets a number when it is asked for. What is open stays open until the new one is. Nothing is
//! fetched from another host before a person has typed its name or agreed to a link that has it.

mod chooser;
mod files;
mod messages;
mod shelving;

pub(super) use chooser::chooser;
pub(super) use files::{drop_zone, files_of};
pub(super) use messages::messages;

use super::{
    dynamic::effect,
    engine::{Channel, Engine, meta},
    held::Held,
    state::{Action, Choosing, Item, State},
};
use crate::{
    analysis::{Answer, ModelId, Origin, Request},
    link::ModelRef,
    model::{Choice, PRESETS},
};
use leptos::prelude::*;
use std::{cell::RefCell, collections::BTreeMap, sync::Arc};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, Response};

/// A file and its path in the folder it was chosen or dropped with, or its name.
pub(super) type Named = (String, Blob);

/// Opens things.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opener {
    state: State,
    engine: Engine,
    next: Held<ModelId>,
}

/// What was asked to be opened.
#[derive(Debug, Clone)]
struct Asked {
    reference: ModelRef,
    choice: Choice,
    /// Whether it is shown once it is open, whatever the link says.
    show: bool,
}

thread_local! {
    /// Bytes read of files that are not on the shelf yet.
    static EARLY_READS: RefCell<BTreeMap<ModelId, (u64, u64)>> = RefCell::default();
    /// What could not be opened: a file that is handed over later may be what it lacked.
    static FAILED: RefCell<Vec<(ModelId, Asked)>> = RefCell::default();
}

/// Opens whatever the link names, now and whenever it changes.
pub(super) fn follow_model(state: State, engine: Engine) {
    let opener = Opener {
        state,
        engine,
        next: Held::new(1),
    };
    provide_context(opener);
    let model = state.part(|link| (link.model.clone(), link.choice.clone()));
    effect(move || {
        let (model, choice) = model.get();
        opener.follow(model, choice);
    });
}

impl Opener {
    pub(super) fn from_context() -> Self {
        expect_context()
    }

    fn number(self) -> ModelId {
        self.next.update(|next| {
            *next += 1;
            *next
        })
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
            && let Some(id) = item.id
        {
            if state.open.get_untracked() != Some(id) {
                state.open.set(Some(id));
            }
            if item.choice != choice {
                // Back to what was chosen in it before.
                self.choose(id, item.reference.clone(), choice, true);
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
            ModelRef::File { name, .. } => state.say(
                false,
                format!("This link was made from the file “{name}”, which stayed with whoever made it. Open that file here to see the same figure."),
            ),
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
            false,
            format!("This link asks to fetch {what}. Nothing has been fetched yet."),
            Some(("Fetch it".to_owned(), action)),
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
                    let origin = Origin::File {
                        name: preset.id.to_owned(),
                        config: None,
                    };
                    self.ask(reference, origin, vec![(preset.id.to_owned(), blob)], false);
                }
                None => self.state.say(
                    true,
                    format!("The preset {} could not be fetched from this page's own server. Check the connection and choose it again.", preset.id),
                ),
            }
        });
    }

    /// Opens files: the worker finds out which of them belong together, also with what is open.
    pub(super) fn open(self, files: Vec<Named>) {
        if files.is_empty() {
            return;
        }
        let state = self.state;
        let channel = Channel::Open(self.number());
        self.engine.ask_about(
            channel,
            Request::Gather,
            files,
            move |answer| match answer {
                Answer::Gathered(gathered) => {
                    let nothing = gathered.found.is_empty() && gathered.joined.is_empty();
                    for sentence in gathered.said {
                        state.say(nothing, sentence);
                    }
                    for (at, (number, name)) in gathered.found.into_iter().enumerate() {
                        let reference = ModelRef::File { name, hash: None };
                        self.ask(reference, Origin::Found(number), Vec::new(), at == 0);
                    }
                    for id in gathered.joined {
                        self.refresh(id);
                    }
                }
                Answer::Failed(sentence) => state.say(true, sentence),
                _ => {}
            },
        );
    }

    /// Fetches models by address or by name on the Hub: somebody wanted that.
    pub(super) fn fetch(self, models: Vec<ModelRef>, whole: bool) {
        for (at, reference) in models.into_iter().enumerate() {
            let item = self.state.shelf.update(|shelf| {
                let at = shelf.iter().position(|item| item.reference == reference);
                let at = at.unwrap_or_else(|| {
                    shelf.push(Item::new(reference.clone(), reference.title()));
                    shelf.len() - 1
                });
                shelf[at].status = FETCHING.to_owned();
                shelf[at].clone()
            });
            if item.id.is_some() {
                if at == 0 {
                    self.state.show(&reference);
                }
                continue;
            }
            if item.opening.is_some() {
                continue;
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
            Action::AskAgain => {
                self.state.again.update(|count| *count += 1);
                let open = self.state.open.get_untracked();
                self.state.open.set(open);
            }
        }
    }

    fn ask(self, reference: ModelRef, origin: Origin, files: Vec<Named>, show: bool) {
        let id = self.number();
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
        let asked = Asked {
            reference,
            choice: choice.unwrap_or_default(),
            show,
        };
        self.state.shelf.update(|shelf| {
            let item = shelf
                .iter_mut()
                .find(|item| item.reference == asked.reference);
            if let Some(item) = item {
                item.opening = Some(id);
            }
        });
        let request = Request::Open(id, origin, asked.choice.clone());
        self.engine
            .ask_about(Channel::Open(id), request, files, move |answer| {
                self.opened(id, &asked, answer);
            });
    }

    /// Looks at the open model with another choice.
    pub(super) fn revise(self, change: impl FnOnce(Choice) -> Choice) {
        if let Some(item) = self.state.open_item()
            && let Some(id) = item.id
        {
            self.choose(id, item.reference, change(item.choice), true);
        }
    }

    /// Looks again at a model to which a file was added.
    fn refresh(self, id: ModelId) {
        // That a file was missing need not be said any more.
        self.state
            .messages
            .update(|messages| messages.retain(|message| !message.alarming));
        let item = self
            .state
            .shelf
            .with_untracked(|shelf| shelf.iter().find(|item| item.id == Some(id)).cloned());
        if let Some(item) = item {
            self.choose(id, item.reference, item.choice, false);
            return;
        }
        let failed = FAILED.with_borrow_mut(|failed| {
            let at = failed.iter().position(|(other, _)| *other == id)?;
            Some(failed.swap_remove(at).1)
        });
        if let Some(asked) = failed {
            self.choose(id, asked.reference, asked.choice, asked.show);
        }
    }

    fn choose(self, id: ModelId, reference: ModelRef, choice: Choice, show: bool) {
        let asked = Asked {
            reference,
            choice: choice.clone(),
            show,
        };
        let request = Request::Choose(id, choice);
        self.engine.ask(Channel::Open(id), request, move |answer| {
            self.opened(id, &asked, answer);
        });
    }

    /// Asks what each correction of the open model does.
    pub(super) fn ask_effects(self) {
        let state = self.state;
        let Some(id) = state.open.get_untracked() else {
            return;
        };
        self.engine.ask(
            Channel::Effects,
            Request::Effects(id),
            move |answer| match answer {
                Answer::Effects(effects) => {
                    state.with_item(id, |item| item.effects = effects);
                    state.revised.update(|count| *count += 1);
                }
                Answer::Failed(_) => {
                    state.note(id, answer);
                    // The button can be pressed again.
                    state.revised.update(|count| *count += 1);
                }
                other => state.note(id, other),
            },
        );
    }

    /// Closes a model. Those that the page can open again by itself stay on the shelf.
    pub(super) fn close(self, at: usize) {
        let state = self.state;
        let Some(closed) = state.shelf.update(|shelf| {
            let item = shelf.get(at)?.clone();
            if matches!(item.reference, ModelRef::Preset(_)) {
                shelf[at] = Item::new(item.reference.clone(), &item.title);
            } else {
                shelf.remove(at);
            }
            Some(item)
        }) else {
            return;
        };
        // Also while it is being opened: another question on its channel ends that.
        for id in [closed.id, closed.opening].into_iter().flatten() {
            self.engine
                .ask(Channel::Open(id), Request::Close(id), |_| {});
        }
        if state
            .link
            .with_untracked(|link| link.model == closed.reference)
        {
            // The one opened last, or what the page begins with.
            let next = state.shelf.with_untracked(|shelf| {
                let open = shelf.iter().rev().find(|item| item.id.is_some());
                open.map(|item| item.reference.clone())
            });
            state.show(&next.unwrap_or_default());
        }
    }

    fn opened(self, id: ModelId, asked: &Asked, answer: Answer) {
        let state = self.state;
        let reference = &asked.reference;
        let known = |item: &Item| item.id == Some(id) || item.reference == *reference;
        let status = |status: &str| {
            state.shelf.update(|shelf| {
                if let Some(item) = shelf.iter_mut().find(|item| known(item)) {
                    item.status = status.to_owned();
                    item.opening = None;
                }
            });
        };
        match answer {
            Answer::Opened(summary) => {
                state
                    .choosing
                    .update(|choosing| choosing.retain(|choosing| choosing.id != id));
                self.shelve(id, asked, summary);
            }
            Answer::Choose(tensors, sentence) if tensors.is_empty() => {
                status(&sentence);
                state.say(false, sentence);
            }
            Answer::Choose(tensors, sentence) => {
                status("waits for its position table");
                let choosing = Choosing {
                    id,
                    reference: reference.clone(),
                    name: reference.title().to_owned(),
                    sentence,
                    tensors: Arc::new(tensors),
                    choice: asked.choice.clone(),
                };
                state.choosing.update(|all| {
                    all.retain(|choosing| choosing.id != id);
                    all.push(choosing);
                });
            }
            Answer::Read { read, size } => state.shelf.update(|shelf| {
                let item = shelf.iter_mut().find(|item| known(item));
                if let Some(item) = item {
                    item.read = Some((read, size));
                } else {
                    EARLY_READS.with_borrow_mut(|reads| reads.insert(id, (read, size)));
                }
            }),
            Answer::AskWhole(size) => {
                status("waits for your answer");
                let all = size.map_or("it whole".to_owned(), |size| {
                    format!("all {:.1} MB", size as f64 / 1e6)
                });
                let sentence = format!(
                    "The server of {} sends files only whole, not in parts. To show it, the page has to read {all}.",
                    reference.title()
                );
                let action = Action::Fetch {
                    models: vec![reference.clone()],
                    whole: true,
                };
                state.offer(false, sentence, Some((format!("Read {all}"), action)));
            }
            Answer::Failed(sentence) if reference.is_remote() => {
                status(&sentence);
                let action = Action::Fetch {
                    models: vec![reference.clone()],
                    whole: false,
                };
                state.offer(true, sentence, Some(("Try again".to_owned(), action)));
            }
            Answer::Failed(sentence) => {
                FAILED.with_borrow_mut(|failed| failed.push((id, asked.clone())));
                state.say(true, sentence);
            }
            _ => {}
        }
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
