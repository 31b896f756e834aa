//! Opening models: presets, computed tables, files, addresses, Hub names, and all models of a link; and the messages if
//! one fails.
//!
//! A model gets a number when its opening is requested, and a new [`ModelVersion`] with every opening and change of
//! options. The previous version stays open until the new one is. The query client stores how to open a model again.

mod file_groups;
mod files;
mod gallery;
mod link;
mod messages;
mod open_result;
mod paper_models;
mod presets;
mod remote;
mod retry;
mod samples;
mod snapshots;
mod table_chooser;
mod web_forms;

pub(in crate::app) use files::{DropZone, files_of};
pub(in crate::app) use gallery::GALLERY_PANEL;
pub(in crate::app) use messages::MessageList;
pub(in crate::app) use remote::hub;
pub(in crate::app) use table_chooser::TENSOR_CHOOSER;
pub(in crate::app) use web_forms::FROM_WEB;

use retry::RetryRequest;

use crate::{
    analysis::{CloseModel, ModelId, ModelVersion, OpenModel, Origin, ReopenWithOptions},
    app::{
        query_client::{NamedFile, QueryClient},
        state::{PageState, model_entry::ModelEntry},
    },
    encoding::Sinusoidal,
    model::ModelOptions,
    url_state::ModelRef,
};
use leptos::prelude::*;
use std::collections::HashMap;

/// Opens models. One opener serves the whole page and is provided as context.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct Opener {
    state: PageState,
    client: QueryClient,
    memory: StoredValue<OpenerMemory, LocalStorage>,
}

/// State of the opener.
#[derive(Debug, Default)]
struct OpenerMemory {
    /// Counter of model numbers, revisions and shards.
    count: u32,
    /// Bytes read and file size of models that are not listed yet.
    early_reads: HashMap<ModelId, (u64, u64)>,
    /// Openings that failed, by model. A file that the user provides later may complete one.
    failed_requests: HashMap<ModelId, OpeningRequest>,
    /// Shards that fit several models, until the user selects one.
    shards: HashMap<u32, NamedFile>,
    /// Requests that failed on the network, for a retry.
    retries: Vec<RetryRequest>,
}

/// A request to open a model.
#[derive(Debug, Clone)]
struct OpeningRequest {
    version: ModelVersion,
    reference: ModelRef,
    origin: Origin,
    choice: ModelOptions,
    files: Vec<NamedFile>,
    /// Whether to show the model once it is open, even if the link names another one.
    show: bool,
}

/// Opens the link's model, now and whenever the link changes, and provides the opener as context.
pub(in crate::app) fn provide_opener(state: PageState, client: QueryClient) {
    let opener = Opener {
        state,
        client,
        memory: StoredValue::new_local(OpenerMemory::default()),
    };
    provide_context(opener);
    client.listen(opener);
    opener.open_model_of_link();
    opener.complete_presets();
}

impl Opener {
    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Returns a number that was not used before.
    fn next_number(self) -> u32 {
        self.memory
            .try_update_value(|memory| {
                memory.count += 1;
                memory.count
            })
            .unwrap_or_default()
    }

    fn open_new(self, reference: ModelRef, origin: Origin, files: Vec<NamedFile>, show: bool) {
        self.open(self.new_request(reference, origin, files, show));
    }

    /// Returns the request to open a model that was not open before.
    fn new_request(
        self,
        reference: ModelRef,
        origin: Origin,
        files: Vec<NamedFile>,
        show: bool,
    ) -> OpeningRequest {
        let version = ModelVersion {
            id: self.next_number(),
            revision: 0,
        };
        // A link to this file also contains its options.
        let choice = self.state.url.link.with_untracked(|link| {
            let is_of_link = match (&link.model, &reference) {
                (ModelRef::File { name, .. }, ModelRef::File { name: other, .. }) => name == other,
                (linked, requested) => linked == requested,
            };
            is_of_link.then(|| link.choice.clone())
        });
        let choice = choice.or_else(|| Some(self.reserved_entry(&reference)?.choice));
        OpeningRequest {
            version,
            reference,
            origin,
            choice: choice.unwrap_or_default(),
            files,
            show,
        }
    }

    /// Returns the entry reserved for a model that a link lists beside the current one.
    fn reserved_entry(self, reference: &ModelRef) -> Option<ModelEntry> {
        self.state.models.entries.with_untracked(|entries| {
            let mut reserved = entries.iter().filter(|item| item.is_reserved);
            reserved.find(|item| item.is_same_as(reference)).cloned()
        })
    }

    /// Opens a model, or opens it again with other files.
    fn open(self, request: OpeningRequest) {
        let id = request.version.id;
        self.state.models.entries.update(|entries| {
            let item = entries
                .iter_mut()
                .find(|item| item.id() == Some(id) || item.reference == request.reference);
            if let Some(item) = item {
                item.opening_id = Some(id);
            }
        });
        let question = OpenModel {
            version: request.version,
            origin: request.origin.clone(),
            choice: request.choice.clone(),
        };
        let files = request.files.clone();
        self.client
            .run(question, files, move |event| self.receive(&request, event));
    }

    /// Reopens the current model with changed options.
    pub(in crate::app) fn revise(self, change: impl FnOnce(ModelOptions) -> ModelOptions) {
        if let Some(item) = self.state.models.open_entry()
            && let Some(id) = item.id()
        {
            self.reopen(id, item.reference, change(item.choice), true);
        }
    }

    fn reopen(self, id: ModelId, reference: ModelRef, choice: ModelOptions, show: bool) {
        let reopening = self.client.reopening(id);
        let failed_request = self
            .memory
            .with_value(|memory| memory.failed_requests.get(&id).cloned());
        let (origin, files) = match (reopening, failed_request) {
            (Some(open), _) => (open.origin, open.files),
            (None, Some(request)) => (request.origin, request.files),
            // The model was closed in the meantime.
            (None, None) => return,
        };
        let request = OpeningRequest {
            version: self.next_version(id),
            reference,
            origin,
            choice: choice.clone(),
            files,
            show,
        };
        let question = ReopenWithOptions {
            version: request.version,
            choice,
        };
        self.client.run(question, Vec::new(), move |event| {
            self.receive(&request, event);
        });
    }

    /// Closes a model and shows another one. The default preset stays on the model list, closed.
    pub(in crate::app) fn close(self, reference: &ModelRef) {
        let state = self.state;
        let entry = state.models.entries.with_untracked(|entries| {
            let item = entries.iter().find(|item| item.reference == *reference);
            item.cloned()
        });
        let Some(entry) = entry else {
            return;
        };
        state.models.entries.update(|entries| {
            let Some(at) = entries.iter().position(|item| item.reference == *reference) else {
                return;
            };
            if entry.stays_listed() {
                entries[at] = ModelEntry::new(entry.reference.clone(), &entry.title);
            } else {
                entries.remove(at);
            }
        });
        for id in [entry.id(), entry.opening_id].into_iter().flatten() {
            self.release(id);
        }
        if state
            .url
            .link
            .with_untracked(|link| link.model == entry.reference)
        {
            // The last open model of the list, otherwise a computed table, which needs no files.
            let next = state.models.entries.with_untracked(|entries| {
                let open = entries.iter().rev().find(|item| item.version.is_some());
                open.map(|item| item.reference.clone())
            });
            state
                .models
                .show(&next.unwrap_or_else(|| ModelRef::Sinusoidal(Sinusoidal::default())));
        }
    }

    /// Releases a model in the worker and forgets everything about it.
    pub(in crate::app) fn release(self, id: ModelId) {
        self.client.drop_kept(id);
        // An opening that completes later would list the model again.
        self.client.cancel_openings(id);
        self.client.run(CloseModel { id }, Vec::new(), |_| {});
        self.client.forget(id);
        self.memory.update_value(|memory| {
            memory.failed_requests.remove(&id);
            memory.early_reads.remove(&id);
        });
    }
}
