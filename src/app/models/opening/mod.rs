//! Opening models: presets, computed tables, files, addresses, Hub names, and all models of a link; and the messages if
//! one fails.
//!
//! A model gets a number when its opening is requested, and a new [`ModelVersion`] with every opening and change of
//! options. The previous version stays open until the new one is. The query client stores how to open a model again.

mod by_number;
mod chooser;
mod closing;
mod dropped_files;
mod engine_events;
mod files;
mod folders;
mod from_web;
mod group_files;
mod linked;
mod linked_models;
mod messages;
mod open_result;
mod paper_list;
mod presets;
mod register_model;
mod remote_consent;
mod retry;
mod vision_presets;

pub(in crate::app) use chooser::TENSOR_CHOOSER;
pub(in crate::app) use files::{DropZone, files_of};
pub(in crate::app) use from_web::FROM_WEB;
pub(in crate::app) use messages::MessageList;
pub(in crate::app) use paper_list::PAPER_LIST;
pub(in crate::app) use remote_consent::hub;

use by_number::ByNumber;
use retry::RetryRequest;

use crate::{
    analysis::{ModelId, ModelVersion, OpenModel, Origin, ReopenWithOptions},
    app::{
        query_client::{NamedFile, QueryClient},
        state::{PageState, model_entry::ModelEntry},
    },
    model::ModelOptions,
    url_state::ModelRef,
};
use leptos::prelude::*;

/// Opens models. One opener serves the whole page and is provided as context.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct Opener {
    state: PageState,
    client: QueryClient,
    kept: StoredValue<OpenerMemory, LocalStorage>,
}

/// State of the opener.
#[derive(Debug, Default)]
struct OpenerMemory {
    /// Counter of model numbers, revisions and shards.
    count: u32,
    /// Bytes read and file size of models that are not listed yet.
    early_reads: ByNumber<(u64, u64)>,
    /// Openings that failed, by model. A file that the user provides later may complete one.
    failed: ByNumber<OpeningRequest>,
    /// Shards that fit several models, until the user selects one.
    shards: ByNumber<NamedFile>,
    /// Requests that failed on the network, for a retry.
    waiting: Vec<RetryRequest>,
}

/// A request to open a model.
#[derive(Debug, Clone)]
struct OpeningRequest {
    opened: ModelVersion,
    reference: ModelRef,
    origin: Origin,
    choice: ModelOptions,
    files: Vec<NamedFile>,
    /// Whether to show the model once it is open, even if the link names another one.
    show: bool,
}

/// Opens the link's model, now and whenever the link changes, and provides the opener as context.
pub(in crate::app) fn follow_model(state: PageState, client: QueryClient) {
    let opener = Opener {
        state,
        client,
        kept: StoredValue::new_local(OpenerMemory::default()),
    };
    provide_context(opener);
    client.listen(opener);
    opener.follow_link();
    opener.follow_part();
}

impl Opener {
    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Returns a number that was not used before.
    fn count(self) -> u32 {
        self.kept
            .try_update_value(|kept| {
                kept.count += 1;
                kept.count
            })
            .unwrap_or_default()
    }

    fn ask(self, reference: ModelRef, origin: Origin, files: Vec<NamedFile>, show: bool) {
        self.open(self.request(reference, origin, files, show));
    }

    /// Returns the request to open a model that was not open before.
    fn request(
        self,
        reference: ModelRef,
        origin: Origin,
        files: Vec<NamedFile>,
        show: bool,
    ) -> OpeningRequest {
        let opened = ModelVersion {
            id: self.count(),
            revision: 0,
        };
        // A link to this file also contains its options.
        let choice = self.state.url.link.with_untracked(|link| {
            let meant = match (&link.model, &reference) {
                (ModelRef::File { name, .. }, ModelRef::File { name: opened, .. }) => {
                    name == opened
                }
                (meant, opened) => meant == opened,
            };
            meant.then(|| link.choice.clone())
        });
        let choice = choice.or_else(|| Some(self.wanted(&reference)?.choice));
        OpeningRequest {
            opened,
            reference,
            origin,
            choice: choice.unwrap_or_default(),
            files,
            show,
        }
    }

    /// Returns the entry reserved for a model that a link lists beside the current one.
    fn wanted(self, reference: &ModelRef) -> Option<ModelEntry> {
        self.state.models.entries.with_untracked(|entries| {
            let mut wanted = entries.iter().filter(|item| item.is_wanted);
            wanted.find(|item| item.is_same_as(reference)).cloned()
        })
    }

    /// Opens a model, or opens it again with other files.
    fn open(self, request: OpeningRequest) {
        let id = request.opened.id;
        self.state.models.entries.update(|entries| {
            let item = entries
                .iter_mut()
                .find(|item| item.id() == Some(id) || item.reference == request.reference);
            if let Some(item) = item {
                item.opening = Some(id);
            }
        });
        let question = OpenModel {
            opened: request.opened,
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
            self.choose(id, item.reference, change(item.choice), true);
        }
    }

    fn choose(self, id: ModelId, reference: ModelRef, choice: ModelOptions, show: bool) {
        let kept = self.client.reopening(id);
        let failed = self.kept.with_value(|kept| kept.failed.get(id).cloned());
        let (origin, files) = match (kept, failed) {
            (Some(kept), _) => (kept.origin, kept.files),
            (None, Some(failed)) => (failed.origin, failed.files),
            // The model was closed in the meantime.
            (None, None) => return,
        };
        let request = OpeningRequest {
            opened: self.anew(id),
            reference,
            origin,
            choice: choice.clone(),
            files,
            show,
        };
        let question = ReopenWithOptions {
            opened: request.opened,
            choice,
        };
        self.client.run(question, Vec::new(), move |event| {
            self.receive(&request, event);
        });
    }
}
