//! Results of an opening: a question to the user, a failure, or a model, which is registered in the model list, in the
//! link, and on the page.

use super::{Opener, OpeningRequest, retry::RetryRequest};
use crate::{
    analysis::{Failure, ModelId, ModelSummary, OpenResult, Question},
    app::{
        query_client::{MutationEvent, Reopening},
        state::{
            TableChoice,
            message::{Action, Message},
            model_entry::ModelEntry,
        },
    },
    checkpoint::TensorInfo,
    url_state::{Inside, ModelRef, disambiguate, model_name, typed_name},
};
use leptos::prelude::*;
use std::sync::Arc;

impl Opener {
    /// Handles an event of an opening.
    pub(super) fn receive<Q: Question<Chunk = OpenResult>>(
        self,
        request: &OpeningRequest,
        event: MutationEvent<Q>,
    ) {
        match event {
            MutationEvent::Chunk(OpenResult::Opened(summary)) => {
                self.remove_table_choice(request.version.id);
                self.memory.update_value(|memory| {
                    memory.failed_requests.remove(&request.version.id);
                });
                self.client.keep(Reopening {
                    version: request.version,
                    origin: request.origin.clone(),
                    choice: request.choice.clone(),
                    files: request.files.clone(),
                });
                self.register(request, *summary);
                self.client.forget(request.version.id);
            }
            MutationEvent::Chunk(OpenResult::Choose(tensors, sentence)) => {
                self.ask_for_table(request, tensors, sentence);
            }
            MutationEvent::Chunk(OpenResult::AskWhole(size)) => {
                self.ask_for_whole_file(request, size);
            }
            MutationEvent::Failed(failure) => self.report_failure(request, &failure),
            MutationEvent::Bytes(_) | MutationEvent::Done => {}
        }
    }

    fn remove_table_choice(self, id: ModelId) {
        let is_of_model = |choosing: &TableChoice| choosing.id == id;
        let is_listed = self
            .state
            .messages
            .table_choices
            .with_untracked(|all| all.iter().any(is_of_model));
        if is_listed {
            self.state
                .messages
                .table_choices
                .update(|all| all.retain(|choosing| !is_of_model(choosing)));
        }
    }

    fn ask_for_table(self, request: &OpeningRequest, tensors: Vec<TensorInfo>, sentence: String) {
        if tensors.is_empty() {
            self.set_status(request, &sentence);
            return self.state.messages.notify(sentence);
        }
        self.set_status(request, "waits for its position table");
        self.memory.update_value(|memory| {
            memory
                .failed_requests
                .insert(request.version.id, request.clone());
        });
        let choosing = TableChoice {
            id: request.version.id,
            reference: request.reference.clone(),
            name: request.reference.title().to_owned(),
            sentence,
            tensors: Arc::new(tensors),
            choice: request.choice.clone(),
        };
        self.state.messages.table_choices.update(|all| {
            all.retain(|other| other.id != choosing.id);
            all.push(choosing);
        });
    }

    fn report_failure(self, request: &OpeningRequest, failure: &Failure) {
        if request.reference.is_read_in_parts() {
            let message = Message::new(&failure.sentence).into_error();
            self.set_status(request, &failure.sentence);
            let action = Action::Fetch {
                models: vec![request.reference.clone()],
                whole: false,
                show: request.show,
            };
            return self.state.messages.push(message.with("Try again", action));
        }
        self.set_status(request, "");
        self.memory.update_value(|memory| {
            memory
                .failed_requests
                .insert(request.version.id, request.clone());
        });
        let opening = RetryRequest::Opening(request.clone());
        self.report_with_retry(&failure.sentence, failure, opening);
    }

    pub(super) fn set_status(self, request: &OpeningRequest, status: &str) {
        let is_it = |item: &ModelEntry| {
            item.id() == Some(request.version.id) || item.reference == request.reference
        };
        self.state.models.entries.update(|entries| {
            if let Some(item) = entries.iter_mut().find(|item| is_it(item)) {
                item.status = status.to_owned();
                item.opening_id = None;
            }
        });
    }

    pub(super) fn register(self, request: &OpeningRequest, summary: ModelSummary) {
        let state = self.state;
        let id = request.version.id;
        let linked = state.url.link.with_untracked(|link| link.model.clone());
        // An open model keeps its identity when it is opened with other options, even if its hash changes.
        let earlier = state.models.entry(id).map(|item| item.reference);
        let mut is_another = false;
        let (reference, linked_to) = match &request.reference {
            ModelRef::File { name, .. } => {
                let hash = Some(summary.hash);
                let reference = ModelRef::File {
                    name: name.clone(),
                    hash,
                };
                let linked_to = match earlier {
                    Some(before) => before == linked,
                    None => {
                        let is_listed = self.reserved_entry(&request.reference).is_some();
                        let is_linked = is_linked(name, summary.hash, &linked);
                        is_another = (is_listed || self.expects_file(name, &linked))
                            && !is_linked
                            && self.reserved_entry(&reference).is_none();
                        is_linked
                    }
                };
                (reference, linked_to)
            }
            other => (other.clone(), linked == *other),
        };
        if is_another {
            self.state.messages.notify(format!(
                "{} is not the file of this link: its position table has other numbers. Open the file of the link to see the same figure.",
                reference.title()
            ));
        }
        let show = request.show || is_another;
        let reserved = self.reserved_entry(&reference);
        let early = self
            .memory
            .try_update_value(|memory| memory.early_reads.remove(&id));
        let item = ModelEntry {
            version: Some(request.version),
            summary: Some(Arc::new(summary)),
            choice: request.choice.clone(),
            bytes_read: early.flatten(),
            ..ModelEntry::new(reference.clone(), "")
        };
        let was_open = state
            .models
            .open
            .get_untracked()
            .is_some_and(|version| version.id == id);
        self.insert_entry(item);
        if show {
            self.clear_errors();
        }
        if show || linked_to {
            state.url.link.update(|link| {
                if link.model != reference && !linked_to {
                    (link.matrices.window, link.cursor.pin) = (None, None);
                }
                link.model = reference;
                link.choice = request.choice.clone();
            });
        }
        if show || linked_to || was_open {
            state.models.open.set(self.version_to_show(request.version));
        }
        // If a link lists several files with this name, the options of the first were used. The hash now identifies the
        // file.
        if let Some(entry) = reserved.filter(|entry| !linked_to && entry.choice != request.choice) {
            self.reopen(id, entry.reference, entry.choice, false);
        }
    }

    /// Whether the link names a file with this name, and that file is not open. If it is open, the link means that
    /// file.
    fn expects_file(self, name: &str, linked: &ModelRef) -> bool {
        let is_of_link =
            matches!(linked, ModelRef::File { name: linked_name, .. } if linked_name == name);
        is_of_link
            && !self.state.models.entries.with_untracked(|entries| {
                let mut open = entries.iter().filter(|item| item.version.is_some());
                open.any(|item| item.reference == *linked)
            })
    }

    /// Inserts a model into the model list, replacing its previous entry.
    fn insert_entry(self, mut item: ModelEntry) {
        let mut replaced = None;
        self.state.models.entries.update(|entries| {
            let replaces = |other: &ModelEntry| {
                other.id() == item.id()
                    || other.reference == item.reference
                    || other.is_reserved && other.is_same_as(&item.reference)
                    || same_kind(&other.reference, &item.reference)
            };
            let at = entries.iter().position(replaces);
            let is_taken = |title: &str| {
                let mut others = entries.iter().enumerate();
                others.any(|(other, model)| Some(other) != at && model.title == title)
            };
            let before = at.map(|at| &entries[at]);
            (item.title, item.namesake) = match before {
                // A model keeps its title when its options change.
                Some(before) if before.id() == item.id() => (before.title.clone(), before.namesake),
                _ => {
                    let summary = item.summary.as_ref();
                    let inner_name =
                        summary.and_then(|summary| typed_name(summary.named_inside.as_ref()?));
                    let inside = item.summary.as_ref().map(|summary| Inside {
                        name: inner_name.as_deref(),
                        family: &summary.family,
                        size: (summary.rows, summary.width),
                    });
                    let name = model_name(item.reference.title(), inside);
                    disambiguate(&name, before.and_then(|before| before.namesake), is_taken)
                }
            };
            // The summary and the list show the same title.
            if let Some(summary) = &mut item.summary {
                Arc::make_mut(summary).name.clone_from(&item.title);
            }
            let Some(at) = at else {
                entries.push(item);
                return;
            };
            item.bytes_read = item.bytes_read.or(entries[at].bytes_read);
            if entries[at].is_part() && entries[at].id() == item.id() {
                // The score of the table alone stays: it differs only by rounding.
                item.r2 = entries[at].r2;
            }
            if entries[at].id() == item.id() {
                item.known_as = entries[at].names().cloned().collect();
            }
            let id = item.id();
            let before = std::mem::replace(&mut entries[at], item);
            replaced = before.id().filter(|before| Some(*before) != id);
        });
        if let Some(before) = replaced {
            self.release(before);
        }
    }
}

/// Whether a link refers to this file.
fn is_linked(name: &str, hash: u64, linked: &ModelRef) -> bool {
    matches!(linked, ModelRef::File { name: linked_name, hash: linked_hash }
        if linked_name == name && linked_hash.is_none_or(|linked_hash| linked_hash == hash))
}

/// Whether both are computed tables of the same kind. Such tables replace each other on the model list.
fn same_kind(a: &ModelRef, b: &ModelRef) -> bool {
    a.is_computed() && std::mem::discriminant(a) == std::mem::discriminant(b)
}
