//! Opening models: presets, computed tables, files chosen or dropped; and what is said when one fails.
//!
//! A model gets a number when it is asked for. What is open stays open until the new one is.

use super::{
    dynamic::{click, dynamic, effect, flag, list, on, text},
    engine::{Channel, Engine},
    held::Held,
    state::{Choosing, Item, State},
};
use crate::{
    analysis::{Answer, ModelId, ModelSummary, Origin, Request},
    link::ModelRef,
    model::{Choice, PRESETS},
};
use leptos::prelude::*;
use std::{cell::RefCell, collections::BTreeMap, sync::Arc};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, DragEvent, File, FileList, Response};

/// Files up to this size may be a configuration.
const CONFIG_SIZE: f64 = 1e6;

/// Opens things.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opener {
    state: State,
    engine: Engine,
    next: Held<ModelId>,
}

/// Opens whatever the link names, now and whenever it changes.
pub(super) fn follow_model(state: State, engine: Engine) {
    let opener = Opener {
        state,
        engine,
        next: Held::new(1),
    };
    provide_context(opener);
    let model = state.part(|link| link.model.clone());
    effect(move || opener.follow(model.get()));
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

    fn follow(self, reference: ModelRef) {
        let state = self.state;
        let known = state.shelf.with_untracked(|shelf| {
            shelf
                .iter()
                .find(|item| item.reference == reference)
                .and_then(|item| item.id)
        });
        if let Some(id) = known {
            if state.open.get_untracked() != Some(id) {
                state.open.set(Some(id));
            }
            return;
        }
        match reference.clone() {
            ModelRef::Sinusoidal(table) => self.ask(reference, Origin::Sinusoidal(table), None),
            ModelRef::Random(table) => self.ask(reference, Origin::Random(table), None),
            ModelRef::Preset(id) => self.fetch_preset(reference, &id),
            ModelRef::File { name, .. } => state.say(
                false,
                format!("This link was made from the file “{name}”, which stayed with whoever made it. Open that file here to see the same figure."),
            ),
        }
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
                    self.ask(reference, origin, Some(blob));
                }
                None => self.state.say(
                    true,
                    format!("The preset {} could not be fetched from this page's own server. Check the connection and choose it again.", preset.id),
                ),
            }
        });
    }

    /// Opens files: configurations belong to the checkpoints beside them.
    pub(super) fn open(self, files: Vec<File>) {
        spawn_local(async move {
            let mut config = None;
            let mut checkpoints = Vec::new();
            for file in files {
                match read_config(&file).await {
                    Some(text) => config = Some((file.name(), text)),
                    None => checkpoints.push(file),
                }
            }
            if let (Some((name, _)), true) = (&config, checkpoints.is_empty()) {
                self.state.say(
                    true,
                    format!("{name} is a configuration and holds no positions. Open it together with its checkpoint, a .safetensors file."),
                );
            }
            for file in checkpoints {
                let name = file.name();
                let reference = ModelRef::File {
                    name: name.clone(),
                    hash: None,
                };
                let origin = Origin::File {
                    name,
                    config: config.as_ref().map(|(_, text)| text.clone()),
                };
                self.ask(reference, origin, Some(file.into()));
            }
        });
    }

    fn ask(self, reference: ModelRef, origin: Origin, file: Option<Blob>) {
        let id = self.number();
        // A link to this very file says what was chosen in it.
        let choice = self.state.link.with_untracked(|link| {
            let meant = match (&link.model, &reference) {
                (ModelRef::File { name, .. }, ModelRef::File { name: opened, .. }) => {
                    name == opened
                }
                (meant, opened) => meant == opened,
            };
            meant.then(|| Choice {
                table: link.table.clone(),
                heads: link.heads,
            })
        });
        let choice = choice.unwrap_or_default();
        let request = Request::Open(id, origin, choice.clone());
        self.engine
            .ask_about(Channel::Open(id), request, file, move |answer| {
                self.opened(id, &reference, &choice, answer);
            });
    }

    /// Looks at the open file with another number of heads.
    pub(super) fn choose_heads(self, heads: u32) {
        let (shelf, open) = (self.state.shelf, self.state.open.get_untracked());
        let item = shelf.with_untracked(|shelf| shelf.iter().find(|item| item.id == open).cloned());
        if let Some((item, id)) = item.zip(open) {
            let choice = Choice {
                heads: Some(heads),
                ..item.choice
            };
            self.choose(id, item.reference, choice);
        }
    }

    /// Takes the position table of a file of unknown family.
    fn choose_table(self, choosing: &Choosing, table: String) {
        let reference = ModelRef::File {
            name: choosing.name.clone(),
            hash: None,
        };
        let choice = Choice {
            table: Some(table),
            heads: None,
        };
        self.choose(choosing.id, reference, choice);
    }

    fn choose(self, id: ModelId, reference: ModelRef, choice: Choice) {
        self.engine.ask(
            Channel::Open(id),
            Request::Choose(id, choice.clone()),
            move |answer| {
                self.opened(id, &reference, &choice, answer);
            },
        );
    }

    fn opened(self, id: ModelId, reference: &ModelRef, choice: &Choice, answer: Answer) {
        let state = self.state;
        match answer {
            Answer::Opened(summary) => {
                if state
                    .choosing
                    .with_untracked(|choosing| choosing.as_ref().is_some_and(|c| c.id == id))
                {
                    state.choosing.set(None);
                }
                self.shelve(id, reference, choice, summary);
            }
            Answer::Choose(tensors) => {
                let ModelRef::File { name, .. } = reference else {
                    return;
                };
                state.choosing.set(Some(Choosing {
                    id,
                    name: name.clone(),
                    tensors,
                }));
            }
            Answer::Read { read, size } => {
                EARLY_READS.with_borrow_mut(|reads| reads.insert(id, (read, size)));
                state.with_item(id, |item| item.read = Some((read, size)));
            }
            Answer::Failed(sentence) => state.say(true, sentence),
            _ => {}
        }
    }

    fn shelve(self, id: ModelId, asked: &ModelRef, choice: &Choice, summary: ModelSummary) {
        let state = self.state;
        let linked = state.link.with_untracked(|link| link.model.clone());
        let file = matches!(asked, ModelRef::File { .. });
        let (reference, linked_to) = match asked {
            ModelRef::File { name, .. } => {
                let hash = Some(summary.hash);
                let reference = ModelRef::File {
                    name: name.clone(),
                    hash,
                };
                let linked_to = self.is_linked(name, summary.hash, &linked);
                (reference, linked_to)
            }
            other => (other.clone(), linked == *other),
        };
        let item = Item {
            id: Some(id),
            reference: reference.clone(),
            title: summary.name.clone(),
            summary: Some(Arc::new(summary)),
            choice: choice.clone(),
            r2: None,
            read: EARLY_READS.with_borrow_mut(|reads| reads.remove(&id)),
        };
        self.place(item);
        if file {
            state
                .messages
                .update(|messages| messages.retain(|message| !message.alarming));
        }
        if file || linked_to {
            state.link.update(|link| {
                if link.model != reference && !linked_to {
                    (link.window, link.pin) = (None, None);
                }
                link.model = reference;
                (link.table, link.heads) = (choice.table.clone(), choice.heads);
            });
            // Set even when the number is the same: what is open under it may be another table.
            state.open.set(Some(id));
        }
    }

    /// Whether the link on the page was made from this file.
    fn is_linked(self, name: &str, hash: u64, linked: &ModelRef) -> bool {
        let ModelRef::File {
            name: meant,
            hash: meant_hash,
        } = linked
        else {
            return false;
        };
        let same_table = meant_hash.is_none_or(|meant| meant == hash);
        if meant == name && !same_table {
            self.state.say(
                false,
                format!("{name} is not the file the link was made from: its position table has other numbers."),
            );
        }
        meant == name && same_table
    }

    /// Puts a model on the shelf, in the place of what it replaces.
    fn place(self, item: Item) {
        self.state.shelf.update(|shelf| {
            let replaces = |other: &Item| {
                other.id == item.id
                    || other.reference == item.reference
                    || same_kind(&other.reference, &item.reference)
            };
            let Some(at) = shelf.iter().position(replaces) else {
                return shelf.push(item);
            };
            let id = item.id;
            let before = std::mem::replace(&mut shelf[at], item);
            if let Some(before) = before.id.filter(|before| Some(*before) != id) {
                self.engine
                    .ask(Channel::Open(before), Request::Close(before), |_| {});
            }
        });
    }
}

thread_local! {
    /// Bytes read of files that are not on the shelf yet.
    static EARLY_READS: RefCell<BTreeMap<ModelId, (u64, u64)>> = RefCell::default();
}

/// Computed tables of one kind replace each other on the shelf.
fn same_kind(a: &ModelRef, b: &ModelRef) -> bool {
    let computed =
        |model: &ModelRef| matches!(model, ModelRef::Sinusoidal(_) | ModelRef::Random(_));
    computed(a) && std::mem::discriminant(a) == std::mem::discriminant(b)
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

/// The text of a file that is a JSON object and small enough to be a configuration.
async fn read_config(file: &File) -> Option<String> {
    if file.size() > CONFIG_SIZE {
        return None;
    }
    let text: JsValue = JsFuture::from(file.text()).await.ok()?;
    text.as_string()
        .filter(|text| text.trim_start().starts_with('{'))
}

/// The files of a list.
pub(super) fn files_of(files: &FileList) -> Vec<File> {
    (0..files.length()).filter_map(|at| files.get(at)).collect()
}

/// Takes files dropped anywhere on the page.
pub(super) fn drop_zone() -> AnyView {
    let opener = Opener::from_context();
    let over = RwSignal::new(false);
    let holds_files = |event: &DragEvent| {
        event
            .data_transfer()
            .is_some_and(|data| data.types().includes(&"Files".into(), 0))
    };
    // These listen for as long as the page is there.
    window_event_listener(leptos::ev::dragover, move |event| {
        if holds_files(&event) {
            event.prevent_default();
            over.set(true);
        }
    });
    window_event_listener(leptos::ev::dragleave, move |event| {
        if event.related_target().is_none() {
            over.set(false);
        }
    });
    window_event_listener(leptos::ev::drop, move |event| {
        over.set(false);
        let Some(data) = event.data_transfer().filter(|_| holds_files(&event)) else {
            return;
        };
        event.prevent_default();
        let items = data.items();
        let folder = (0..items.length())
            .filter_map(|at| items.get(at)?.webkit_get_as_entry().ok().flatten())
            .find(web_sys::FileSystemEntry::is_directory);
        match (folder, data.files()) {
            (Some(folder), _) => opener.state.say(
                true,
                format!("“{}” is a folder. Open it and drop the .safetensors file in it, with config.json if there is one.", folder.name()),
            ),
            (None, Some(files)) => opener.open(files_of(&files)),
            (None, None) => {}
        }
    });
    let hidden = flag(move || !over.get());
    view! {
        <div class="drop" hidden=hidden aria-hidden="true">
            <p>"Drop a checkpoint. It stays on this machine."</p>
        </div>
    }
    .into_any()
}

/// What is said to the person.
pub(super) fn messages() -> AnyView {
    let state = expect_context::<State>();
    let entries = dynamic(move || {
        list(
            state
                .messages
                .get()
                .into_iter()
                .enumerate()
                .map(|(at, message)| {
                    let dismiss = click(move || {
                        state.messages.update(|messages| {
                            if at < messages.len() {
                                messages.remove(at);
                            }
                        });
                    });
                    let (role, class) = if message.alarming {
                        ("alert", "message alarming")
                    } else {
                        ("status", "message")
                    };
                    view! {
                        <div class=class role=role>
                            <p>{message.text}</p>
                            <button type="button" aria-label="Dismiss" on:click=dismiss>"×"</button>
                        </div>
                    }
                    .into_any()
                }),
        )
    });
    view! { <div id="message">{entries}</div> }.into_any()
}

/// Tensors listed at once; the filter finds the others.
const LISTED: usize = 200;

/// Lists the matrices of a file of unknown family.
pub(super) fn chooser() -> AnyView {
    let state = expect_context::<State>();
    let opener = Opener::from_context();
    let filter = RwSignal::new(String::new());
    dynamic(move || {
        let Some(choosing) = state.choosing.get() else {
            return ().into_any();
        };
        let said = format!(
            "“{}” is of no family this page knows. These are its matrices; rows should be positions. What was open stays open.",
            choosing.name
        );
        let entries = dynamic(move || {
            let wanted = filter.get().to_ascii_lowercase();
            let found = choosing
                .tensors
                .iter()
                .filter(|tensor| tensor.name.to_ascii_lowercase().contains(&wanted));
            list(found.take(LISTED).map(|tensor| {
                let shape = tensor
                    .shape
                    .iter()
                    .map(u64::to_string)
                    .collect::<Vec<_>>()
                    .join(" × ");
                let (table, held) = (tensor.name.clone(), choosing.clone());
                let choose = click(move || opener.choose_table(&held, table.clone()));
                view! {
                    <li>
                        <button type="button" on:click=choose>
                            <span class="name">{tensor.name.clone()}</span>
                            <span class="shape">{shape}</span>
                        </button>
                    </li>
                }
                .into_any()
            }))
        });
        let shown = text(move || filter.get());
        let cancel = click(move || state.choosing.set(None));
        view! {
            <section class="chooser" aria-label="Choose the position table">
                <header>
                    <h2>"Which of these is the position table?"</h2>
                    <button type="button" class="quiet" on:click=cancel>"Cancel"</button>
                </header>
                <p class="caption">{said}</p>
                <label class="field">
                    <span>"Filter by name"</span>
                    <input type="search" prop:value=shown on:input=on(move |event| filter.set(event_target_value(&event)))/>
                </label>
                <ul>{entries}</ul>
            </section>
        }
        .into_any()
    })
}
