//! An open model: its file, and the little of it that is worth keeping between questions.

use super::{
    Effect, Failure, FailureKind, Measure, ModelSummary, PositionKind, Similarity, Watch, effects,
    heads::LayerScores,
    positions, relative,
    scores::Scores,
};
use crate::{
    checkpoint::{ByteSource, Checkpoint},
    encoding::{Kernels, Rotary},
    math::{Grid, ToeplitzFit},
    model::{
        Choice, Config, Estimate, HiddenStates, Inputs, LayerBias, LayerWeights, Note,
        PositionModel, Positions, Scheme, ScoreMode,
    },
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
    pub(super) held: Held,
    pub(super) file: Option<(Rc<OpenFile<S>>, PositionModel)>,
    compared: RefCell<Option<(Similarity, Rc<Compared>)>>,
    /// A lock that can be awaited, so that two questions at once read the word embeddings once.
    inputs: Mutex<Option<Rc<Inputs>>>,
    states: RefCell<Option<(ScoreMode, Rc<HiddenStates>)>>,
    /// Locked while a layer is read, so that two questions read it once.
    weights: Mutex<KeptWeights>,
    layer: RefCell<Option<(ScoreMode, usize, Rc<LayerHeads>)>>,
}

/// Positions as they are shown.
pub(super) enum Held {
    /// One row a position.
    Table {
        /// The rows as they are stored, or computed.
        table: Array2<f32>,
        /// The rows that are compared, where they are not those: projected ones.
        projected: Option<Array2<f32>>,
        /// Where they stand in an image.
        grid: Option<Grid>,
    },
    /// Scores by offset.
    Relative {
        /// How rows go with offsets.
        scheme: Scheme,
        /// How many positions are looked at.
        length: usize,
        /// The mean over the heads of the first layer.
        mean: Scores,
    },
}

/// What a layer's heads are made of.
pub(super) enum LayerHeads {
    /// Queries and keys of every position.
    Products(LayerScores),
    /// Scores by offset.
    Relative(Scheme, usize, LayerBias),
}

impl LayerHeads {
    pub(super) fn head(&self, head: usize) -> Result<Scores, Failure> {
        match self {
            Self::Products(scores) => Ok(scores.head(head)),
            Self::Relative(scheme, length, bias) => {
                relative::head(*scheme, bias, head, *length).ok_or_else(contradiction)
            }
        }
    }

    /// The kernels that make a head's scores, where kernels do.
    pub(super) fn kernels(&self, head: usize) -> Option<Kernels> {
        match self {
            Self::Relative(_, _, bias) => relative::kernels(bias).map(|layer| layer.head(head)),
            Self::Products(_) => None,
        }
    }
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
    pub(super) p: Scores,
    fit: OnceCell<ToeplitzFit>,
}

impl Compared {
    /// Keeps a fit that was computed on the way to something else.
    pub(super) fn keep(&self, fit: &ToeplitzFit) {
        // Kept already: it is the same fit.
        let _ = self.fit.set(fit.clone());
    }

    pub(super) fn fit(&self) -> &ToeplitzFit {
        self.fit.get_or_init(|| self.p.fit())
    }
}

impl Held {
    /// A computed table.
    pub(super) fn computed(table: Array2<f32>) -> Self {
        Self::Table {
            table,
            projected: None,
            grid: None,
        }
    }

    /// The rows that are compared.
    pub(super) fn table(&self) -> Option<&Array2<f32>> {
        match self {
            Self::Table {
                table, projected, ..
            } => Some(projected.as_ref().unwrap_or(table)),
            Self::Relative { .. } => None,
        }
    }

    pub(super) fn grid(&self) -> Option<Grid> {
        match self {
            Self::Table { grid, .. } => *grid,
            Self::Relative { scheme, .. } => relative::grid(*scheme),
        }
    }

    pub(super) fn n(&self) -> usize {
        match self {
            Self::Table { table, .. } => table.nrows(),
            Self::Relative { mean, .. } => mean.n(),
        }
    }

    fn hash(&self) -> u64 {
        match self {
            Self::Table { table, .. } => hash(table.iter().copied()),
            Self::Relative { mean, .. } => hash(mean.fit().f.iter().map(|value| *value as f32)),
        }
    }
}

/// Reads what is shown of a model before anything is asked.
pub(super) async fn held<S: ByteSource>(
    checkpoint: &Checkpoint<S>,
    model: &PositionModel,
    watch: &impl Watch,
) -> Result<Held, Failure> {
    let chosen = model.choice().length.map(|length| length as usize);
    match &model.positions {
        Positions::Table { table, grid, .. } => Ok(Held::Table {
            table: table.clone(),
            projected: model.read_projected(checkpoint).await?,
            grid: grid.map(|(height, width)| Grid { height, width }),
        }),
        Positions::Relative(scheme) => {
            let length = relative::grid(*scheme).map_or_else(
                || chosen.unwrap_or(relative::USUAL_LENGTH),
                |grid| grid.cells(),
            );
            let inputs = match scheme {
                Scheme::Distances { .. } => Some(inputs_of(checkpoint, model, watch).await?),
                Scheme::Buckets { .. } | Scheme::Window { .. } | Scheme::Kernels => None,
            };
            let bias = model.read_bias(checkpoint, 0, inputs.as_ref()).await?;
            let mean = relative::mean(*scheme, &bias, length).ok_or_else(contradiction)?;
            Ok(Held::Relative {
                scheme: *scheme,
                length,
                mean,
            })
        }
        &Positions::Rotary { width, base } => {
            let rows = chosen.unwrap_or(relative::USUAL_LENGTH);
            let width = width as usize;
            Ok(Held::computed(Rotary { rows, width, base }.table()))
        }
    }
}

async fn inputs_of<S: ByteSource>(
    checkpoint: &Checkpoint<S>,
    model: &PositionModel,
    watch: &impl Watch,
) -> Result<Inputs, Failure> {
    let progress = |_, _| read(checkpoint, watch);
    let inputs = model.read_inputs(checkpoint, progress).await?;
    if let Some(estimate) = &inputs.estimate {
        watch.note(estimated(estimate));
    }
    Ok(inputs)
}

fn estimated(estimate: &Estimate) -> Note {
    let text = format!(
        "The file is far away, so the mean word x̄ is estimated from {} of {} rows, in blocks spread evenly: \
         its standard error is {:.1} % of its length.",
        estimate.rows,
        estimate.of,
        100.0 * estimate.relative_error
    );
    Note::new("Mean word estimated", text).with_switch(crate::model::Correction::ExactWords, false)
}

/// A model may be damaged in ways that only show when its numbers are put together.
fn contradiction() -> Failure {
    Failure::new(
        FailureKind::RefusedFile,
        "The numbers of this model’s relative positions contradict one another: buckets, distances and rows \
         do not fit. Open it together with its own config.json.",
    )
}

impl<S: ByteSource> Open<S> {
    pub(super) fn new(held: Held, file: Option<(Rc<OpenFile<S>>, PositionModel)>) -> Self {
        Self {
            held,
            file,
            compared: RefCell::default(),
            inputs: Mutex::default(),
            states: RefCell::default(),
            weights: Mutex::default(),
            layer: RefCell::default(),
        }
    }

    /// P under a similarity; the last one asked for is kept. Relative scores are what they are.
    pub(super) fn compared(&self, similarity: Similarity) -> Rc<Compared> {
        let mut kept = self.compared.borrow_mut();
        if let Some((which, compared)) = &*kept
            && *which == similarity
        {
            return Rc::clone(compared);
        }
        let p = match (&self.held, self.held.table()) {
            (Held::Relative { mean, .. }, _) => mean.clone(),
            (_, Some(table)) => positions::matrix(table, self.held.grid(), similarity),
            (Held::Table { table, grid, .. }, None) => positions::matrix(table, *grid, similarity),
        };
        let compared = Rc::new(Compared {
            p,
            fit: OnceCell::new(),
        });
        *kept = Some((similarity, Rc::clone(&compared)));
        compared
    }

    pub(super) async fn inputs(&self, watch: &impl Watch) -> Result<Rc<Inputs>, Failure> {
        let (file, model) = self.file.as_ref().ok_or_else(Failure::closed)?;
        let mut kept = self.inputs.lock().await;
        if let Some(inputs) = &*kept {
            return Ok(Rc::clone(inputs));
        }
        let inputs = Rc::new(inputs_of(&file.checkpoint, model, watch).await?);
        *kept = Some(Rc::clone(&inputs));
        Ok(inputs)
    }

    /// What reaches the first attention, read once.
    async fn states(
        &self,
        table: &Array2<f32>,
        mode: ScoreMode,
        watch: &impl Watch,
    ) -> Result<Rc<HiddenStates>, Failure> {
        if let Some((which, states)) = &*self.states.borrow()
            && *which == mode
        {
            return Ok(Rc::clone(states));
        }
        let inputs = self.inputs(watch).await?;
        let states = Rc::new(inputs.hidden_states(table, mode));
        *self.states.borrow_mut() = Some((mode, Rc::clone(&states)));
        Ok(states)
    }

    pub(super) async fn weights(
        &self,
        layer: usize,
        watch: &impl Watch,
    ) -> Result<Rc<LayerWeights>, Failure> {
        let (file, model) = self.file.as_ref().ok_or_else(Failure::closed)?;
        let mut kept = self.weights.lock().await;
        if let Some(weights) = kept.get(layer) {
            return Ok(weights);
        }
        let weights = Rc::new(model.read_layer(&file.checkpoint, layer).await?);
        kept.keep(layer, &weights);
        read(&file.checkpoint, watch);
        Ok(weights)
    }

    /// The heads of a layer; the last one asked for is kept.
    pub(super) async fn layer(
        &self,
        mode: ScoreMode,
        layer: usize,
        watch: &impl Watch,
    ) -> Result<Rc<LayerHeads>, Failure> {
        if let Some((m, l, heads)) = &*self.layer.borrow()
            && (*m, *l) == (mode, layer)
        {
            return Ok(Rc::clone(heads));
        }
        let (file, model) = self.file.as_ref().ok_or_else(Failure::closed)?;
        let heads = match &self.held {
            Held::Table { table, grid, .. } => {
                let states = self.states(table, mode, watch).await?;
                let weights = self.weights(layer, watch).await?;
                watch.pause().await;
                let heads = model.heads.count as usize;
                LayerHeads::Products(LayerScores::new(&states, &weights, heads, *grid))
            }
            Held::Relative { scheme, length, .. } => {
                let inputs = match scheme {
                    Scheme::Distances { .. } => Some(self.inputs(watch).await?),
                    Scheme::Buckets { .. } | Scheme::Window { .. } | Scheme::Kernels => None,
                };
                let bias = model.read_bias(&file.checkpoint, layer, inputs.as_deref());
                let bias = bias.await?;
                read(&file.checkpoint, watch);
                LayerHeads::Relative(*scheme, *length, bias)
            }
        };
        let heads = Rc::new(heads);
        *self.layer.borrow_mut() = Some((mode, layer, Rc::clone(&heads)));
        Ok(heads)
    }

    /// Lets go of what can be read again: the layers of a model that nobody looks at now.
    pub(super) fn forget_layers(&self) {
        // Whoever holds the lock is reading, and lets go of more when it is done.
        if let Some(mut kept) = self.weights.try_lock() {
            *kept = KeptWeights::default();
        }
        self.layer.take();
    }

    /// What every correction with a switch does to R².
    pub(super) async fn effects(&self, watch: &impl Watch) -> Result<Vec<Effect>, Failure> {
        let (file, model) = self.file.as_ref().ok_or_else(Failure::closed)?;
        let mut effects = Vec::new();
        for (correction, on) in model.notes.iter().filter_map(|note| note.switch) {
            let Some(measure) = effects::measure(correction) else {
                continue;
            };
            let here = self.measured(measure, watch).await?;
            let choice = model.choice().clone().switch(correction);
            let there = other(file, &choice, watch)
                .await?
                .measured(measure, watch)
                .await?;
            let (with, without) = if on { (here, there) } else { (there, here) };
            effects.push(Effect {
                correction,
                measure,
                with,
                without,
            });
            watch.pause().await;
        }
        Ok(effects)
    }

    async fn measured(&self, measure: Measure, watch: &impl Watch) -> Result<f64, Failure> {
        match measure {
            Measure::Positions => Ok(self.compared(Similarity::InnerProduct).fit().r2),
            Measure::FirstLayer => {
                let layer = self.layer(ScoreMode::AsComputed, 0, watch).await?;
                let heads = self.file.as_ref().map_or(0, |(_, model)| model.heads.count);
                let mut sum = 0.0;
                for head in 0..heads as usize {
                    sum += layer.head(head)?.fit().r2;
                    watch.pause().await;
                }
                Ok(sum / f64::from(heads.max(1)))
            }
        }
    }
}

/// The same file with another choice.
async fn other<S: ByteSource>(
    file: &Rc<OpenFile<S>>,
    choice: &Choice,
    watch: &impl Watch,
) -> Result<Open<S>, Failure> {
    let model = PositionModel::open(&file.checkpoint, file.config.as_ref(), choice).await?;
    let held = held(&file.checkpoint, &model, watch).await?;
    Ok(Open::new(held, Some((Rc::clone(file), model))))
}

/// Says how much has been read.
pub(super) fn read<S: ByteSource>(checkpoint: &Checkpoint<S>, watch: &impl Watch) {
    watch.progress(checkpoint.bytes_read(), checkpoint.size());
}

pub(super) fn computed_summary(held: &Held, name: &str, about: String) -> ModelSummary {
    ModelSummary {
        name: name.into(),
        family: "computed".into(),
        sources: Vec::new(),
        source: String::new(),
        tensor: String::new(),
        kind: PositionKind::Table,
        rows: held.n(),
        width: held.table().map_or(0, Array2::ncols),
        grid: None,
        layers: 0,
        heads: None,
        possible_heads: Vec::new(),
        notes: vec![Note::new("Computed", about)],
        hash: held.hash(),
        missing: Vec::new(),
    }
}

pub(super) fn file_summary<S: ByteSource>(
    checkpoint: &Checkpoint<S>,
    model: &PositionModel,
    held: &Held,
) -> ModelSummary {
    ModelSummary {
        name: checkpoint.name().into(),
        family: model.family.into(),
        sources: model.sources.clone(),
        source: model.source.clone(),
        tensor: model.tensor().unwrap_or_default().into(),
        kind: match model.positions {
            Positions::Table { .. } => PositionKind::Table,
            Positions::Relative(Scheme::Window { .. }) => PositionKind::Window,
            Positions::Relative(_) => PositionKind::Line,
            Positions::Rotary { .. } => PositionKind::Rotary,
        },
        rows: held.n(),
        width: held.table().map_or(0, Array2::ncols),
        grid: held.grid(),
        layers: model.layers,
        heads: (model.layers > 0).then_some((model.heads.count, model.heads.source)),
        possible_heads: (1..=128)
            .filter(|h| model.hidden.is_multiple_of(*h as usize))
            .collect(),
        notes: model.notes.clone(),
        hash: held.hash(),
        missing: checkpoint.missing(),
    }
}

/// Fowler–Noll–Vo hash (64 bits) of numbers: names a table in a link, guards nothing.
pub(super) fn hash(numbers: impl Iterator<Item = f32>) -> u64 {
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash, value| {
        (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
