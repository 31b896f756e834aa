//! The open models.
//!
//! A session owns the opened sources and the values cached from them; each question defines what it reads, and
//! `questions/mod.rs` how a session answers one. A session depends on neither worker nor page.

use super::{
    Failure, HeadId, Host, InPlace, ModelId, ModelVersion, Progress, ScoreInput, TextRun,
    TextRunId,
    gpu::SessionGpu,
    loaded_model::{LoadedModel, OpenFile},
    priority_gate::PriorityGate,
    text_runs::{LayerInput, TextRuns, no_text_scores},
};
use crate::{
    checkpoint::{AnySource, Checkpoint, MemorySource, OpenRemote},
    lazy::LoadError,
    math::Scores,
};
use futures_util::lock::Mutex;
use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
    rc::Rc,
};

/// A checkpoint with local or remote files.
pub(super) type AnyCheckpoint<L> = Checkpoint<AnySource<L>>;

/// An open model and its version.
type OpenModelOf<L> = (ModelVersion, Rc<LoadedModel<AnyCheckpoint<L>>>);

/// A value for every open model.
type ById<T> = RefCell<HashMap<ModelId, T>>;

/// All open models.
pub struct Session<H: Host> {
    pub(super) host: H,
    /// The GPU, opened on first use.
    pub(super) gpu: SessionGpu,
    /// Client for servers, opened on first use.
    remote: OnceCell<Box<dyn OpenRemote>>,
    /// Files of each model, also if the model waits for a choice or a missing file.
    pub(super) files: ById<Rc<OpenFile<AnyCheckpoint<H::Source>>>>,
    pub(super) models: ById<OpenModelOf<H::Source>>,
    /// Runs of the open models over texts.
    pub(super) text_runs: TextRuns,
    /// A lock per model, held while the model is being opened, so that questions about it wait.
    gates: ById<Rc<Mutex<()>>>,
    /// Starts questions by urgency.
    pub(super) turns: PriorityGate,
}

/// A session whose files are in memory, without network, GPU or other workers.
pub type MemorySession = Session<InPlace<MemorySource>>;

impl<H: Host + Default> Default for Session<H> {
    fn default() -> Self {
        Self::new(H::default())
    }
}

impl<H: Host> std::fmt::Debug for Session<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let open = self.models.borrow().len();
        f.debug_struct("Session")
            .field("open", &open)
            .finish_non_exhaustive()
    }
}

impl<H: Host> Session<H> {
    /// A session with nothing open.
    pub fn new(host: H) -> Self {
        Self {
            host,
            gpu: SessionGpu::default(),
            remote: OnceCell::new(),
            files: RefCell::default(),
            models: RefCell::default(),
            text_runs: TextRuns::default(),
            gates: RefCell::default(),
            turns: PriorityGate::default(),
        }
    }

    /// Opens models on servers. There is only one, since it caches the bytes that servers have sent.
    ///
    /// # Errors
    /// If its code cannot be fetched.
    pub(super) async fn remote(&self) -> Result<&dyn OpenRemote, LoadError> {
        if let Some(remote) = self.remote.get() {
            return Ok(remote.as_ref());
        }
        let servers = self.host.servers().await?;
        // Another question may have been faster.
        Ok(self.remote.get_or_init(|| servers).as_ref())
    }

    /// The model, if it is open in this version.
    ///
    /// # Errors
    /// If the model is closed, or open in another version.
    pub(super) async fn model(
        &self,
        version: ModelVersion,
    ) -> Result<Rc<LoadedModel<AnyCheckpoint<H::Source>>>, Failure> {
        let find = || {
            let models = self.models.borrow();
            let (now, model) = models.get(&version.id)?;
            (*now == version).then(|| Rc::clone(model))
        };
        if let Some(model) = find() {
            return Ok(model);
        }
        // The model may be being opened right now.
        let gate = self.gates.borrow().get(&version.id).map(Rc::clone);
        if let Some(gate) = gate {
            drop(gate.lock().await);
        }
        find().ok_or_else(Failure::model_closed)
    }

    /// Fails if a model was closed while it was being opened, which removes its lock.
    ///
    /// # Errors
    /// If the model was closed.
    pub(super) fn still_opens(&self, id: ModelId) -> Result<(), Failure> {
        let is_open = self.gates.borrow().contains_key(&id);
        is_open.then_some(()).ok_or_else(Failure::model_closed)
    }

    /// The lock that is held while a model is being opened.
    pub(super) fn gate(&self, id: ModelId) -> Rc<Mutex<()>> {
        Rc::clone(self.gates.borrow_mut().entry(id).or_default())
    }

    /// Closes a model.
    pub(super) fn close(&self, id: ModelId) {
        self.models.borrow_mut().remove(&id);
        self.files.borrow_mut().remove(&id);
        self.gates.borrow_mut().remove(&id);
        self.text_runs.drop_others(id, None);
    }

    /// Makes a model the open one of its number. Runs of an earlier version are dropped.
    pub(super) fn insert(
        &self,
        version: ModelVersion,
        model: Rc<LoadedModel<AnyCheckpoint<H::Source>>>,
    ) {
        let mut models = self.models.borrow_mut();
        models.insert(version.id, (version, model));
        self.text_runs.drop_others(version.id, Some(version));
    }

    /// Stores a run of an open model over texts, in place of any run with its number. The least recently used runs are
    /// dropped if all would take more than [`super::MOST_STATES`] numbers.
    ///
    /// # Errors
    /// If the model is not open in the run's version or its heads are not products of a table's rows, and if the states
    /// do not fit the model or are too large.
    pub async fn add_text_run(&self, id: TextRunId, run: TextRun) -> Result<(), Failure> {
        let open = self.model(run.model).await?;
        let model = open.model().filter(|model| model.table().is_some());
        let model = model.filter(|model| model.layers > 0 && !model.heads.is_none());
        let model = model.ok_or_else(no_text_scores)?;
        self.text_runs
            .add(id, run, model.hidden_width, model.layers)
    }

    /// The model, and the input of its heads' scores.
    ///
    /// # Errors
    /// If the model is not open in this version, or the text is not stored.
    pub(super) async fn model_with_input(
        &self,
        version: ModelVersion,
        input: ScoreInput,
    ) -> Result<(Rc<LoadedModel<AnyCheckpoint<H::Source>>>, LayerInput), Failure> {
        let model = self.model(version).await?;
        let input = match input {
            ScoreInput::Positions(mode) => LayerInput::Positions(mode),
            ScoreInput::Text(text) => LayerInput::Text(self.text_runs.text(version, text)?),
        };
        Ok((model, input))
    }

    /// Drops the cached layers of every model except one: many models may be open, and weights are large.
    pub(super) fn forget_other_layers(&self, id: ModelId) {
        for (other, (_, open)) in self.models.borrow().iter() {
            if *other != id {
                open.forget_layers();
            }
        }
    }

    /// The scores of a head.
    ///
    /// # Errors
    /// If the model is not open, has no such head, or its weights cannot be read; if the text is not stored.
    pub(super) async fn head(&self, id: HeadId, watch: &impl Progress) -> Result<Scores, Failure> {
        let (model, input) = self.model_with_input(id.model, id.input).await?;
        model.head(id, &input, watch).await
    }
}
