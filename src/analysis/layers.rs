//! The layers of an open model: read, and their heads formed here or wherever there is room.

use super::{
    AnswerContext, Compute, Failure, HeadId, Progress, Question, ResponseSink,
    loaded_model::LoadedModel,
    model_cache::CacheKey,
    project_layer::{ProjectLayer, SomeHeads},
    reading::no_wave_table,
};
use crate::{
    checkpoint::{ByteSource, Weights},
    encoding::Kernels,
    math::{Scores, cut},
    model::{HiddenStates, LayerScores, LayerWeights, QueriesAndKeys, ScoreMode},
};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use ndarray::Array2;
use std::{ops::Range, rc::Rc};

/// Layers that are read and formed at once where all are asked for, at most.
const LAYERS_AT_ONCE: usize = 3;

/// Numbers of queries and keys that are read at once, at most, where that is more than one layer: 32 MB.
const MOST_AHEAD: usize = 8 << 20;

/// Heads that one job takes, at most: what it sends on the way is then little beside what it computes.
const HEADS_AT_ONCE: usize = 6;

/// Heads that take long enough for another worker to be worth its start.
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

/// A head that was formed alone, as a layer that has no others.
#[derive(Clone, PartialEq)]
struct OfHead(ScoreMode, usize, usize);

impl CacheKey for OfHead {
    type Value = LayerScores;

    fn numbers(value: &LayerScores) -> usize {
        value.numbers()
    }
}

#[derive(Clone, PartialEq)]
struct OfStored;

impl CacheKey for OfStored {
    type Value = HiddenStates;

    fn numbers(value: &HiddenStates) -> usize {
        value.x.len()
    }
}

/// A layer whose heads are asked for, some at a time.
enum RequestedLayer {
    /// Their scores are at hand.
    Formed(Rc<LayerScores>),
    /// Their queries and keys are still to be formed.
    ToForm(ProjectLayer),
}

impl RequestedLayer {
    /// How many heads are worth asking for at a time.
    fn heads_at_once(&self) -> usize {
        match self {
            Self::Formed(_) => HEADS_AT_ONCE,
            Self::ToForm(layer) => layer.heads_at_once().min(HEADS_AT_ONCE),
        }
    }

    fn some(&self, heads: Range<usize>) -> SomeHeads {
        match self {
            Self::Formed(scores) => {
                SomeHeads::Formed(heads.map(|head| scores.head(head)).collect())
            }
            Self::ToForm(layer) => SomeHeads::ToForm(layer.of_heads(heads)),
        }
    }
}

impl<W: Weights> LoadedModel<W> {
    /// Queries and keys of a layer.
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
        self.kept.get(OfWeights(layer), Box::pin(make)).await
    }

    /// A layer's heads. Scores by offset are the same in every mode.
    pub(super) async fn layer(
        &self,
        mode: ScoreMode,
        layer: usize,
        watch: &impl Progress,
    ) -> Result<Rc<LayerScores>, Failure> {
        let here = async |job: ProjectLayer| Ok(job.here());
        self.layer_by(mode, layer, watch, here).await
    }

    /// A head's scores. Where its layer is not kept it is formed alone, in a tenth of the time that all heads take.
    pub(super) async fn head_of_layer(
        &self,
        HeadId {
            mode, layer, head, ..
        }: HeadId,
        watch: &impl Progress,
    ) -> Result<Scores, Failure> {
        if !self.is_to_form(mode, layer) {
            return Ok(self.layer(mode, layer, watch).await?.head(head));
        }
        let make = async {
            let layer = self.projection(mode, layer, watch).await?;
            let alone = layer.of_heads(head..head + 1).here();
            Ok::<_, Failure>(LayerScores::Products(alone))
        };
        let key = OfHead(mode, layer, head);
        Ok(self.kept.get(key, Box::pin(make)).await?.head(0))
    }

    /// The kernels that the scores of a head are stored as, where they are.
    pub(super) async fn kernels_of_head(
        &self,
        id: HeadId,
        watch: &impl Progress,
    ) -> Result<Option<Kernels>, Failure> {
        if self.table().is_some() {
            return Ok(None);
        }
        let layer = self.layer(id.mode, id.layer, watch).await?;
        Ok(layer.kernels(id.head))
    }

    /// The same as [`Self::layer`], where somebody else forms queries and keys.
    async fn layer_by(
        &self,
        mode: ScoreMode,
        layer: usize,
        watch: &impl Progress,
        project: impl AsyncFnOnce(ProjectLayer) -> Result<QueriesAndKeys, Failure>,
    ) -> Result<Rc<LayerScores>, Failure> {
        let (file, model) = self.weights_and_model()?;
        let make = async {
            if model.table().is_some() {
                let job = self.projection(mode, layer, watch).await?;
                return Ok(LayerScores::Products(project(job).await?));
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
        self.kept
            .get(self.key_of(mode, layer), Box::pin(make))
            .await
    }

    /// The position table that queries and keys are formed of, where a model has one.
    fn table(&self) -> Option<&Array2<f32>> {
        self.model()?.table()
    }

    /// Whether queries and keys of a layer are formed of a position table, and are not kept.
    fn is_to_form(&self, mode: ScoreMode, layer: usize) -> bool {
        self.table().is_some() && !self.kept.has(&self.key_of(mode, layer))
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

    /// What forms a layer's queries and keys.
    async fn projection(
        &self,
        mode: ScoreMode,
        layer: usize,
        watch: &impl Progress,
    ) -> Result<ProjectLayer, Failure> {
        let (_, model) = self.weights_and_model()?;
        let states = async {
            let inputs = self.inputs(watch).await?;
            let table = model.added_table().ok_or_else(no_wave_table)?;
            Ok::<_, Failure>(inputs.hidden_states(&table, mode))
        };
        let states = self.kept.get(OfStates(mode), Box::pin(states)).await?;
        let weights = self.weights(layer, watch).await?;
        watch.pause().await;
        let layout = model.head_layout();
        Ok(ProjectLayer {
            states,
            weights,
            layout,
        })
    }

    /// What enters a layer's queries and keys, the position table as it is stored or as the model computes it.
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
            ScoreMode::Paper => self.kept.get(OfStored, Box::pin(make)).await,
            ScoreMode::AsComputed => self.kept.get(OfStates(mode), Box::pin(make)).await,
        }
    }

    /// The heads of layers, one after another: layer and head, and its scores. Layers are read, and their queries and
    /// keys formed wherever there is room, before their first head is asked for: small ones some ahead.
    pub(super) fn heads<Q: Question, L: ByteSource, C: Compute, R: ResponseSink>(
        &self,
        mode: ScoreMode,
        layers: Range<usize>,
        context: &AnswerContext<'_, Q, L, C, R>,
    ) -> impl Stream<Item = Result<((usize, usize), Scores), Failure>> {
        let (count, at_once) = self.expect_heads(&layers, context);
        let layers = stream::iter(layers).map(move |layer| async move {
            let scores = if at_once == 1 {
                self.layer(mode, layer, context).await?
            } else {
                let project = async |job| context.run(job).await;
                self.layer_by(mode, layer, context, project).await?
            };
            let heads = (0..count).map(move |head| Ok(((layer, head), scores.head(head))));
            Ok::<_, Failure>(stream::iter(heads))
        });
        layers.buffered(at_once).try_flatten()
    }

    /// The heads of layers, some at a time, with the places of each: a layer, and heads of it. They are still to be formed
    /// where they are products that are not kept, so that one job can form them and go on with them: what it forms need
    /// not travel, and is not kept.
    pub(super) fn heads_in_parts<Q: Question, L: ByteSource, C: Compute, R: ResponseSink>(
        &self,
        mode: ScoreMode,
        layers: Range<usize>,
        context: &AnswerContext<'_, Q, L, C, R>,
    ) -> impl Stream<Item = Result<((usize, Range<usize>), SomeHeads), Failure>> {
        let (count, at_once) = self.expect_heads(&layers, context);
        let layers = stream::iter(layers).map(move |layer| async move {
            let heads = match self.is_to_form(mode, layer) {
                true => RequestedLayer::ToForm(self.projection(mode, layer, context).await?),
                false => RequestedLayer::Formed(self.layer(mode, layer, context).await?),
            };
            let parts = cut(&(0..count), heads.heads_at_once());
            let parts = parts.into_iter().map(move |part| {
                let some = heads.some(part.clone());
                Ok(((layer, part), some))
            });
            Ok::<_, Failure>(stream::iter(parts))
        });
        layers.buffered(at_once).try_flatten()
    }

    /// Has a helper started where layers have many heads; says how many heads each has, and how many layers are worth
    /// reading at once.
    fn expect_heads<Q: Question, L: ByteSource, C: Compute, R: ResponseSink>(
        &self,
        layers: &Range<usize>,
        context: &AnswerContext<'_, Q, L, C, R>,
    ) -> (usize, usize) {
        let model = self.model();
        let count = model.map_or(0, |model| model.heads.count as usize);
        if layers.len() * count >= MANY_HEADS {
            context.session.computing.expect_many();
        }
        // A layer's maps are about as wide as what enters them.
        let numbers = model.map_or(0, |model| 2 * model.hidden * model.hidden);
        let at_once = (MOST_AHEAD / numbers.max(1)).clamp(1, LAYERS_AT_ONCE);
        (count, at_once)
    }

    /// Lets go of what can be read again: the layers of a model that nobody looks at now.
    pub(super) fn forget_layers(&self) {
        self.kept.forget::<OfWeights>();
        self.kept.forget::<OfLayer>();
        self.kept.forget::<OfHead>();
    }
}
