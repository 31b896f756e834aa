//! Opening models: presets, computed tables, files, addresses, names on the Hub, all of a link that names several;
//! and what is said when one fails.
//!
//! A model gets a number when it is asked for, and with every opening and choice another [`ModelVersion`]. What is
//! open stays until the new one is. What it takes to open a model again stays with the engine.

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

pub(in crate::app) use chooser::Chooser;
pub(in crate::app) use files::{DropZone, files_of};
pub(in crate::app) use from_web::FromWeb;
pub(in crate::app) use messages::Messages;
pub(in crate::app) use paper_list::PaperList;
pub(in crate::app) use remote_consent::hub;

use by_number::ByNumber;
use retry::RetryRequest;

use super::entry::ModelEntry;
use crate::{
    analysis::{ModelId, ModelVersion, OpenModel, Origin, ReopenWithOptions},
    app::{
        query_client::{NamedFile, QueryClient},
        state::page::PageState,
    },
    model::ModelOptions,
    url_state::ModelRef,
};
use leptos::prelude::*;

/// Opens things.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct Opener {
    state: PageState,
    engine: QueryClient,
    kept: StoredValue<OpenerMemory, LocalStorage>,
}

/// What an opener keeps between openings.
#[derive(Debug, Default)]
struct OpenerMemory {
    /// Counts models, openings and loose shards.
    count: u32,
    /// Bytes read of files that are not on the shelf yet.
    early_reads: ByNumber<(u64, u64)>,
    /// What could not be opened: a file that is handed over later may be what it lacked.
    failed: ByNumber<OpeningRequest>,
    /// Shards of which nobody has said yet where they belong.
    shards: ByNumber<NamedFile>,
    /// What the network has kept from succeeding.
    waiting: Vec<RetryRequest>,
}

/// What was asked to be opened.
#[derive(Debug, Clone)]
struct OpeningRequest {
    opened: ModelVersion,
    reference: ModelRef,
    origin: Origin,
    choice: ModelOptions,
    files: Vec<NamedFile>,
    /// Whether it is shown once it is open, whatever the link says.
    show: bool,
}

/// Opens whatever the link names, now and whenever it changes, and provides the opener to the page.
pub(in crate::app) fn follow_model(state: PageState, engine: QueryClient) {
    let opener = Opener {
        state,
        engine,
        kept: StoredValue::new_local(OpenerMemory::default()),
    };
    provide_context(opener);
    engine.listen(opener);
    opener.follow_link();
    opener.follow_part();
}

impl Opener {
    /// The page's.
    pub(in crate::app) fn from_context() -> Self {
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

    fn ask(self, reference: ModelRef, origin: Origin, files: Vec<NamedFile>, show: bool) {
        self.open(self.request(reference, origin, files, show));
    }

    /// What is asked for a model that has not been open before.
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

    /// The place that is kept for a model that a link names beside the one in front.
    fn wanted(self, reference: &ModelRef) -> Option<ModelEntry> {
        self.state.shelf.with_untracked(|shelf| {
            let mut wanted = shelf.iter().filter(|item| item.is_wanted);
            wanted.find(|item| item.is_same_as(reference)).cloned()
        })
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
    pub(in crate::app) fn revise(self, change: impl FnOnce(ModelOptions) -> ModelOptions) {
        if let Some(item) = self.state.open_item()
            && let Some(id) = item.id()
        {
            self.choose(id, item.reference, change(item.choice), true);
        }
    }

    fn choose(self, id: ModelId, reference: ModelRef, choice: ModelOptions, show: bool) {
        let kept = self.engine.kept(id);
        let failed = self.kept.with_value(|kept| kept.failed.get(id).cloned());
        let (origin, files) = match (kept, failed) {
            (Some(kept), _) => (kept.origin, kept.files),
            (None, Some(failed)) => (failed.origin, failed.files),
            // It was closed meanwhile.
            (None, None) => return,
        };
        let asked = OpeningRequest {
            opened: self.anew(id),
            reference,
            origin,
            choice: choice.clone(),
            files,
            show,
        };
        let question = ReopenWithOptions {
            opened: asked.opened,
            choice,
        };
        self.engine
            .run(question, Vec::new(), move |heard| self.hear(&asked, heard));
    }
}
