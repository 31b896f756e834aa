//! Layers of an open model: reads their weights, and forms their heads here or in other workers.

use super::{
    AnswerContext, Failure, HeadId, Host, Progress, Question,
    loaded_model::LoadedModel,
    model_cache::CacheKey,
    project_layer::{HeadRange, ProjectLayer, RangeScores},
    reading::no_wave_table,
    text_runs::{LayerInput, TextStates},
};
use crate::{
    checkpoint::Weights,
    encoding::Kernels,
    forward::HeadCenters,
    math::{Scores, cut},
    model::{
        Correction, Estimate, HiddenStates, LayerScores, LayerWeights, Note, PositionSource,
        QueriesAndKeys, ScoreMode,
    },
};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use ndarray::Array2;
use std::{ops::Range, rc::Rc};

/// Maximum number of layers that are read and formed concurrently when all are requested.
const LAYERS_AT_ONCE: usize = 3;

/// Maximum number of query and key weights that are read concurrently, if that is more than one layer: 32 MB.
const MOST_AHEAD: usize = 8 << 20;

/// Maximum number of heads per job; with so many, sending takes little time beside computing.
const HEADS_AT_ONCE: usize = 6;

/// Number of heads from which on starting another worker is worth the time.
const MANY_HEADS: usize = 48;

#[derive(Clone, PartialEq)]
struct OfStates(ScoreMode);

impl CacheKey for OfStates {
    type Value = HiddenStates;

    fn numbers(value: &HiddenStates) -> usize {
        value.x.len()
    }
}

#[derive(Clone, PartialEq)]
struct OfWeights(usize);

impl CacheKey for OfWeights {
    type Value = LayerWeights;

    fn numbers(value: &LayerWeights) -> usize {
        value.query.len() + value.key.len()
    }
}

#[derive(Clone, PartialEq)]
struct OfLayer(ScoreMode, usize);

impl CacheKey for OfLayer {
    type Value = LayerScores;

    fn numbers(value: &LayerScores) -> usize {
        value.numbers()
    }
}

/// A head that was formed alone, cached as a layer with one head.
#[derive(Clone, PartialEq)]
struct OfHead(ScoreMode, usize, usize);

impl CacheKey for OfHead {
    type Value = LayerScores;

    fn numbers(value: &LayerScores) -> usize {
        value.numbers()
    }
}

#[derive(Clone, PartialEq)]
struct StoredStates;

impl CacheKey for StoredStates {
    type Value = HiddenStates;

    fn numbers(value: &HiddenStates) -> usize {
        value.x.len()
    }
}

/// A layer whose heads are requested in parts.
enum RequestedLayer {
    /// The scores are in memory.
    Formed(Rc<LayerScores>),
    /// Queries and keys are still to be formed.
    ToForm(ProjectLayer),
}

impl RequestedLayer {
    /// Number of heads to request at a time.
    fn heads_at_once(&self) -> usize {
        match self {
            Self::Formed(_) => HEADS_AT_ONCE,
            Self::ToForm(layer) => layer.heads_at_once().min(HEADS_AT_ONCE),
        }
    }

    fn scores(&self, heads: Range<usize>) -> RangeScores {
        match self {
            Self::Formed(scores) => {
                RangeScores::Formed(heads.map(|head| scores.head(head)).collect())
            }
            Self::ToForm(layer) => RangeScores::ToForm(layer.of_heads(heads)),
        }
    }
}

/// Note on mean queries and keys over a sample of words.
fn estimated_centers(estimate: &Estimate, is_remote: bool) -> Note {
    let reason = match is_remote {
        true => "The file is remote",
        false => "The vocabulary is large",
    };
    let text = format!(
        "{reason}, so the mean over all words is estimated from {} of {} words, in blocks spread evenly: its standard \
         error is {:.1} % of its length.",
        estimate.rows,
        estimate.of,
        100.0 * estimate.relative_error
    );
    Note::new("Mean word estimated", text).with_switch(Correction::ExactWords, false)
}

impl<W: Weights> LoadedModel<W> {
    /// Query and key weights of a layer, from the cache or read from the file.
    pub(super) async fn weights(
        &self,
        layer: usize,
        watch: &impl Progress,
    ) -> Result<Rc<LayerWeights>, Failure> {
        let (file, model) = self.weights_and_model()?;
        let make = async {
            let weights = model.read_layer(&file.checkpoint, layer).await?;
            watch.progress(file.checkpoint.bytes_read(), file.checkpoint.size());
            Ok(weights)
        };
        self.cache.get(OfWeights(layer), Box::pin(make)).await
    }

    /// Scores of a layer's heads. Scores by offset are the same in every mode.
    pub(super) async fn layer(
        &self,
        input: &LayerInput,
        layer: usize,
        watch: &impl Progress,
    ) -> Result<Rc<LayerScores>, Failure> {
        let here = async |job: ProjectLayer| Ok(job.here());
        self.layer_by(input, layer, watch, here).await
    }

    /// Scores of one head. If its layer is not cached, the head is formed alone, in a tenth of the time that all heads
    /// take.
    pub(super) async fn head_of_layer(
        &self,
        input: &LayerInput,
        (layer, head): (usize, usize),
        watch: &impl Progress,
    ) -> Result<Scores, Failure> {
        if !self.is_to_form(input, layer) {
            return Ok(self.layer(input, layer, watch).await?.head(head));
        }
        let make = async {
            let layer = self.projection(input, layer, watch).await?;
            let alone = layer.of_heads(head..head + 1).here();
            Ok::<_, Failure>(LayerScores::Products(alone))
        };
        match input {
            LayerInput::Positions(mode) => {
                let key = OfHead(*mode, layer, head);
                Ok(self.cache.get(key, Box::pin(make)).await?.head(0))
            }
            LayerInput::Text(_) => Ok(make.await?.head(0)),
        }
    }

    /// Kernels from which the scores of a head are formed, if the model stores kernels.
    pub(super) async fn kernels_of_head(
        &self,
        id: HeadId,
        input: &LayerInput,
        watch: &impl Progress,
    ) -> Result<Option<Kernels>, Failure> {
        if self.table().is_some() {
            return Ok(None);
        }
        let layer = self.layer(input, id.layer, watch).await?;
        Ok(layer.kernels(id.head))
    }

    /// Same as [`Self::layer`], with queries and keys formed by `project`.
    async fn layer_by(
        &self,
        input: &LayerInput,
        layer: usize,
        watch: &impl Progress,
        project: impl AsyncFnOnce(ProjectLayer) -> Result<QueriesAndKeys, Failure>,
    ) -> Result<Rc<LayerScores>, Failure> {
        let (file, model) = self.weights_and_model()?;
        let make = async {
            if model.table().is_some() {
                let job = self.projection(input, layer, watch).await?;
                return Ok(LayerScores::Products(project(job).await?));
            }
            if matches!(model.positions, PositionSource::Rotary(_)) {
                return match input {
                    LayerInput::Positions(_) => self.rotary_layer(layer, watch).await,
                    LayerInput::Text(text) => self.rotary_text_layer(text, layer, watch).await,
                };
            }
            let inputs = match model.needs_inputs() {
                true => Some(self.inputs(watch).await?),
                false => None,
            };
            let scores = model.read_offset_scores(&file.checkpoint, layer, inputs.as_deref());
            let scores = scores.await?;
            watch.progress(file.checkpoint.bytes_read(), file.checkpoint.size());
            Ok(scores)
        };
        match input {
            LayerInput::Positions(mode) => {
                let key = self.key_of(*mode, layer);
                self.cache.get(key, Box::pin(make)).await
            }
            LayerInput::Text(text) if model.rotary().is_some() => {
                text.mean_scores(layer, Box::pin(make)).await
            }
            LayerInput::Text(_) => Ok(Rc::new(Box::pin(make).await?)),
        }
    }

    /// Scores of the heads of a rotary model, when every word is the mean word.
    async fn rotary_layer(
        &self,
        layer: usize,
        watch: &impl Progress,
    ) -> Result<LayerScores, Failure> {
        let (file, model) = self.weights_and_model()?;
        let checkpoint = &file.checkpoint;
        let pass = self.score_pass().await?;
        let pause = async || watch.pause().await;
        let progress = |_, _| watch.progress(checkpoint.bytes_read(), checkpoint.size());
        let is_exact = model.choice().does(Correction::ExactWords);
        let centers = pass.read_centers(checkpoint, layer, is_exact, progress, &pause);
        let (rotary_heads, centers) = centers.await?;
        if let Some(estimate) = &centers.estimate {
            watch.note(estimated_centers(estimate, checkpoint.is_remote()));
        }
        let n = model.positions.n();
        let is_scaled = model.choice().does(Correction::AngleScaling);
        let heads = rotary_heads.scores(&centers, n, is_scaled);
        Ok(LayerScores::Rotation(heads, n))
    }

    /// Scores of the heads of a rotary model for the mean query and key over the tokens of a text.
    async fn rotary_text_layer(
        &self,
        text: &TextStates,
        layer: usize,
        watch: &impl Progress,
    ) -> Result<LayerScores, Failure> {
        let (_, model) = self.weights_and_model()?;
        let states = text.states_of_means(layer)?;
        let pass = self.forward_pass().await?;
        let weights = self.score_weights(&pass, layer, watch).await?;
        let pause = async || watch.pause().await;
        let centers = HeadCenters::from_states(&weights, &states, &pause).await;
        let n = model.positions.n();
        let is_scaled = model.choice().does(Correction::AngleScaling);
        let heads = weights.rotary_heads().scores(&centers, n, is_scaled);
        Ok(LayerScores::Rotation(heads, n))
    }

    /// Position table from which queries and keys are formed, if the model has one.
    fn table(&self) -> Option<&Array2<f32>> {
        self.model()?.table()
    }

    /// Whether queries and keys of a layer are formed from hidden states and are not cached.
    fn is_to_form(&self, input: &LayerInput, layer: usize) -> bool {
        let is_cached = match input {
            LayerInput::Positions(mode) => self.cache.has(&self.key_of(*mode, layer)),
            LayerInput::Text(_) => false,
        };
        self.table().is_some() && !is_cached
    }

    fn key_of(&self, mode: ScoreMode, layer: usize) -> OfLayer {
        OfLayer(
            if self.table().is_some() {
                mode
            } else {
                ScoreMode::default()
            },
            layer,
        )
    }

    /// Job that forms a layer's queries and keys.
    async fn projection(
        &self,
        input: &LayerInput,
        layer: usize,
        watch: &impl Progress,
    ) -> Result<ProjectLayer, Failure> {
        let (_, model) = self.weights_and_model()?;
        let (states, layer) = match input {
            LayerInput::Positions(mode) => (self.states(*mode, watch).await?, layer),
            LayerInput::Text(text) => text.layer(layer)?,
        };
        let weights = self.weights(layer, watch).await?;
        watch.pause().await;
        let layout = model.head_layout();
        Ok(ProjectLayer {
            states,
            weights,
            layout,
        })
    }

    /// Hidden states of positions alone, the same for every layer.
    async fn states(
        &self,
        mode: ScoreMode,
        watch: &impl Progress,
    ) -> Result<Rc<HiddenStates>, Failure> {
        let (_, model) = self.weights_and_model()?;
        let make = async {
            let inputs = self.inputs(watch).await?;
            let table = model.added_table().ok_or_else(no_wave_table)?;
            Ok::<_, Failure>(inputs.hidden_states(&table, mode))
        };
        self.cache.get(OfStates(mode), Box::pin(make)).await
    }

    /// Inputs of a layer's queries and keys: the position table as it is stored, or as the model computes it.
    pub(super) async fn wave_states(
        &self,
        mode: ScoreMode,
        watch: &impl Progress,
    ) -> Result<Rc<HiddenStates>, Failure> {
        let (_, model) = self.weights_and_model()?;
        let table = model.table().ok_or_else(no_wave_table)?;
        let make = async {
            let inputs = self.inputs(watch).await?;
            Ok(match (mode, model.added_table()) {
                (ScoreMode::AsComputed, Some(added)) => inputs.hidden_states(&added, mode),
                _ => inputs.stored_states(table),
            })
        };
        match mode {
            ScoreMode::Paper => self.cache.get(StoredStates, Box::pin(make)).await,
            ScoreMode::AsComputed => self.cache.get(OfStates(mode), Box::pin(make)).await,
        }
    }

    /// Streams the heads of layers in order, as layer and head with the scores. Each layer is read, and its queries and
    /// keys are formed in any free worker, before its first head is requested; small layers several ahead.
    pub(super) fn heads<Q: Question, H: Host>(
        &self,
        input: &LayerInput,
        layers: Range<usize>,
        context: &AnswerContext<'_, Q, H>,
    ) -> impl Stream<Item = Result<((usize, usize), Scores), Failure>> {
        let (count, at_once) = self.expect_heads(&layers, context);
        let layers = stream::iter(layers).map(move |layer| async move {
            let scores = if at_once == 1 {
                self.layer(input, layer, context).await?
            } else {
                let project = async |job| context.run(job).await;
                self.layer_by(input, layer, context, project).await?
            };
            let heads = (0..count).map(move |head| Ok(((layer, head), scores.head(head))));
            Ok::<_, Failure>(stream::iter(heads))
        });
        layers.buffered(at_once).try_flatten()
    }

    /// Streams the heads of layers in parts. Products that are not cached are left to the job that uses them, so that
    /// they are neither sent nor cached.
    pub(super) fn heads_in_parts<Q: Question, H: Host>(
        &self,
        input: &LayerInput,
        layers: Range<usize>,
        context: &AnswerContext<'_, Q, H>,
    ) -> impl Stream<Item = Result<HeadRange, Failure>> {
        let (count, at_once) = self.expect_heads(&layers, context);
        let layers = stream::iter(layers).map(move |layer| async move {
            let requested = match self.is_to_form(input, layer) {
                true => RequestedLayer::ToForm(self.projection(input, layer, context).await?),
                false => RequestedLayer::Formed(self.layer(input, layer, context).await?),
            };
            let parts = cut(&(0..count), requested.heads_at_once());
            let parts = parts.into_iter().map(move |heads| {
                Ok(HeadRange {
                    layer,
                    scores: requested.scores(heads.clone()),
                    heads,
                })
            });
            Ok::<_, Failure>(stream::iter(parts))
        });
        layers.buffered(at_once).try_flatten()
    }

    /// Requests a helper worker if the layers have many heads. Returns the number of heads per layer, and the number of
    /// layers to read concurrently.
    fn expect_heads<Q: Question, H: Host>(
        &self,
        layers: &Range<usize>,
        context: &AnswerContext<'_, Q, H>,
    ) -> (usize, usize) {
        let model = self.model();
        let count = model.map_or(0, |model| model.heads.count as usize);
        if layers.len() * count >= MANY_HEADS {
            context.session.host.expect_many();
        }
        // A layer's maps are about as wide as their input.
        let numbers = model.map_or(0, |model| 2 * model.hidden_width * model.hidden_width);
        let at_once = (MOST_AHEAD / numbers.max(1)).clamp(1, LAYERS_AT_ONCE);
        (count, at_once)
    }

    /// Drops cached layers, which can be read again, when the model is not shown.
    pub(super) fn forget_layers(&self) {
        self.cache.forget::<OfWeights>();
        self.cache.forget::<OfLayer>();
        self.cache.forget::<OfHead>();
    }
}
