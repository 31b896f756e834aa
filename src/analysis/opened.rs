//! An open model: its file, and the little of it that is worth keeping between questions.

use super::{
    Answer, ModelSummary, Similarity,
    heads::LayerScores,
    positions,
    session::{Failure, Reply},
};
use crate::{
    checkpoint::{ByteSource, Checkpoint},
    math::{LowRank, ToeplitzFit},
    model::{Config, HiddenStates, Inputs, LayerWeights, Note, PositionModel, ScoreMode},
};
use futures_util::lock::Mutex;
use ndarray::Array2;
use std::{
    cell::{OnceCell, RefCell},
    collections::VecDeque,
    rc::Rc,
};

/// An opened file: it stays readable for as long as its model is open.
pub(super) struct OpenFile<S> {
    pub(super) checkpoint: Checkpoint<S>,
    pub(super) config: Option<Config>,
}

/// An open model and what has been computed of it.
pub(super) struct Open<S> {
    pub(super) table: Array2<f32>,
    pub(super) file: Option<(Rc<OpenFile<S>>, PositionModel)>,
    compared: RefCell<Option<(Similarity, Rc<Compared>)>>,
    /// A lock that can be awaited, so that two questions at once read the word embeddings once.
    inputs: Mutex<Option<Rc<Inputs>>>,
    states: RefCell<Option<(ScoreMode, Rc<HiddenStates>)>>,
    /// Locked while a layer is read, so that two questions read it once.
    weights: Mutex<KeptWeights>,
    layer: RefCell<Option<(ScoreMode, usize, Rc<LayerScores>)>>,
}

/// Weights of the layers read last, so that another mode or head need not read them again.
#[derive(Default)]
pub(super) struct KeptWeights(VecDeque<(usize, Rc<LayerWeights>)>);

/// Numbers kept at most: 32 MB.
const WEIGHTS_KEPT: usize = 8 << 20;

impl KeptWeights {
    pub(super) fn get(&self, layer: usize) -> Option<Rc<LayerWeights>> {
        self.0
            .iter()
            .find(|(kept, _)| *kept == layer)
            .map(|(_, weights)| Rc::clone(weights))
    }

    pub(super) fn keep(&mut self, layer: usize, weights: &Rc<LayerWeights>) {
        self.0.push_back((layer, Rc::clone(weights)));
        let size =
            |(_, weights): &(usize, Rc<LayerWeights>)| weights.query.len() + weights.key.len();
        while self.0.iter().map(size).sum::<usize>() > WEIGHTS_KEPT {
            self.0.pop_front();
        }
    }
}

/// P under one similarity.
pub(super) struct Compared {
    pub(super) p: LowRank,
    fit: OnceCell<ToeplitzFit>,
}

impl Compared {
    /// Keeps a fit that was computed on the way to something else.
    pub(super) fn keep(&self, fit: &ToeplitzFit) {
        // Kept already: it is the same fit.
        let _ = self.fit.set(fit.clone());
    }

    pub(super) fn fit(&self) -> &ToeplitzFit {
        self.fit.get_or_init(|| ToeplitzFit::of(&self.p))
    }
}

impl<S: ByteSource> Open<S> {
    pub(super) fn new(table: Array2<f32>, file: Option<(Rc<OpenFile<S>>, PositionModel)>) -> Self {
        Self {
            table,
            file,
            compared: RefCell::default(),
            inputs: Mutex::default(),
            states: RefCell::default(),
            weights: Mutex::default(),
            layer: RefCell::default(),
        }
    }

    /// P under a similarity; the last one asked for is kept.
    pub(super) fn compared(&self, similarity: Similarity) -> Rc<Compared> {
        let mut kept = self.compared.borrow_mut();
        if let Some((which, compared)) = &*kept
            && *which == similarity
        {
            return Rc::clone(compared);
        }
        let compared = Rc::new(Compared {
            p: positions::matrix(&self.table, similarity),
            fit: OnceCell::new(),
        });
        *kept = Some((similarity, Rc::clone(&compared)));
        compared
    }

    /// What reaches the first attention, read once.
    pub(super) async fn states(
        &self,
        mode: ScoreMode,
        reply: &impl Reply,
    ) -> Result<Rc<HiddenStates>, Failure> {
        if let Some((which, states)) = &*self.states.borrow()
            && *which == mode
        {
            return Ok(Rc::clone(states));
        }
        let (file, model) = self.file.as_ref().ok_or_else(closed)?;
        let mut kept = self.inputs.lock().await;
        let inputs = match &*kept {
            Some(inputs) => Rc::clone(inputs),
            None => {
                let progress = |_, _| reply.send(read(&file.checkpoint));
                let inputs = Rc::new(model.read_inputs(&file.checkpoint, progress).await?);
                *kept = Some(Rc::clone(&inputs));
                inputs
            }
        };
        let states = Rc::new(inputs.hidden_states(&self.table, mode));
        *self.states.borrow_mut() = Some((mode, Rc::clone(&states)));
        Ok(states)
    }

    /// Queries and keys of a layer; the last one asked for is kept.
    pub(super) async fn layer(
        &self,
        mode: ScoreMode,
        layer: usize,
        reply: &impl Reply,
    ) -> Result<Rc<LayerScores>, Failure> {
        if let Some((m, l, scores)) = &*self.layer.borrow()
            && (*m, *l) == (mode, layer)
        {
            return Ok(Rc::clone(scores));
        }
        let (file, model) = self.file.as_ref().ok_or_else(closed)?;
        let states = self.states(mode, reply).await?;
        let mut kept = self.weights.lock().await;
        let weights = match kept.get(layer) {
            Some(weights) => weights,
            None => {
                let weights = Rc::new(model.read_layer(&file.checkpoint, layer).await?);
                kept.keep(layer, &weights);
                reply.send(read(&file.checkpoint));
                weights
            }
        };
        drop(kept);
        reply.pause().await;
        let scores = Rc::new(LayerScores::new(
            &states,
            &weights,
            model.heads.count as usize,
        ));
        *self.layer.borrow_mut() = Some((mode, layer, Rc::clone(&scores)));
        Ok(scores)
    }
}

pub(super) fn read<S: ByteSource>(checkpoint: &Checkpoint<S>) -> Answer {
    Answer::Read {
        read: checkpoint.bytes_read(),
        size: checkpoint.size(),
    }
}

pub(super) fn closed() -> Failure {
    Failure("That model is no longer open. Open it again.".into())
}

pub(super) fn computed_summary(table: &Array2<f32>, name: &str, about: String) -> ModelSummary {
    ModelSummary {
        name: name.into(),
        family: "computed".into(),
        tensor: String::new(),
        rows: table.nrows(),
        width: table.ncols(),
        layers: 0,
        heads: None,
        possible_heads: Vec::new(),
        notes: vec![Note {
            title: "Computed".into(),
            text: about,
        }],
        hash: hash(table),
    }
}

pub(super) fn file_summary(name: &str, model: &PositionModel) -> ModelSummary {
    let (rows, width) = model.table.dim();
    ModelSummary {
        name: name.into(),
        family: model.family.into(),
        tensor: model.tensor.clone(),
        rows,
        width,
        layers: model.layers,
        heads: (model.layers > 0).then_some((model.heads.count, model.heads.source)),
        possible_heads: (1..=128)
            .filter(|h| model.hidden.is_multiple_of(*h as usize))
            .collect(),
        notes: model.notes.clone(),
        hash: hash(&model.table),
    }
}

/// Fowler–Noll–Vo hash (64 bits) of the table's numbers: names a table in a link, guards nothing.
pub(super) fn hash(table: &Array2<f32>) -> u64 {
    table.iter().fold(0xcbf2_9ce4_8422_2325, |hash, value| {
        (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
