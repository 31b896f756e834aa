//! A model's positions, and the reading of what its heads make of them.

use std::borrow::Cow;

use ndarray::Array2;

use super::{
    HeadLayout, Heads, HiddenStates, Inputs, LayerScores, LayerTensors, LayerWeights, ModelError,
    ModelOptions, Note, OffsetRows, PositionSource, PositionTable, PositionTensors, QueriesAndKeys,
    SourceDescription, head_count,
    image_heads::{self, GaussianHead},
    inputs, kernels, linear, relative,
};
use crate::{
    checkpoint::Weights,
    math::{AttentionMask, Grid, QuadraticHead},
};

/// A model's positions, and where to find what its heads make of them.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionModel {
    /// Name of the family; "table" for a tensor that a person chose.
    pub family: &'static str,
    /// Every place where the model keeps positions: its id in links and its title.
    pub sources: Vec<(String, String)>,
    /// Id of the one that is open.
    pub source: String,
    /// Its positions.
    pub positions: PositionSource,
    /// Shapes that the image of its patches may have instead, where no configuration says.
    pub possible_grids: Vec<Grid>,
    /// Layers whose heads can be shown. Layers that share their weights count once.
    pub layers: usize,
    /// Heads of a layer; [`Heads::NONE`] without any.
    pub heads: Heads,
    /// Width of what enters the attention.
    pub hidden: usize,
    /// Every correction and every guess.
    pub notes: Vec<Note>,
    pub(super) described: SourceDescription,
    pub(super) choice: ModelOptions,
}

impl PositionModel {
    /// The rows of the position table, where there is one, in the unit of [`super::PositionTable`].
    pub fn table(&self) -> Option<&Array2<f32>> {
        self.positions.table().map(|table| &table.rows)
    }

    /// The rows of the position table as the model adds them to words.
    pub fn added_table(&self) -> Option<Cow<'_, Array2<f32>>> {
        self.positions.table().map(PositionTable::added)
    }

    /// Name of the tensor that the positions were read from, where there is one for all of them.
    pub fn tensor(&self) -> Option<&str> {
        self.positions.table().map(|table| table.tensor.as_str())
    }

    /// The tensors of its layers by name, where its family says.
    pub fn layer_tensors(&self) -> &[LayerTensors] {
        &self.described.layers
    }

    /// What it was opened with.
    pub fn choice(&self) -> &ModelOptions {
        &self.choice
    }

    /// Reads what the positions are added to and sent through: mean word embedding, token type,
    /// `LayerNorm`, projection. Tells `progress` how many of how many bytes of words are read, after
    /// every few MiB.
    ///
    /// Drop the future to stop: between two reads nothing is held but sums.
    ///
    /// # Errors
    /// When a tensor cannot be read, has an impossible shape or holds no number somewhere.
    pub async fn read_inputs<W: Weights>(
        &self,
        checkpoint: &W,
        progress: impl FnMut(u64, u64),
    ) -> Result<Inputs, ModelError> {
        let width = self.table().map_or(self.hidden, Array2::ncols);
        let (source, choice) = (&self.described, &self.choice);
        inputs::read(
            source,
            width,
            self.described.norm_epsilon(),
            choice,
            checkpoint,
            progress,
        )
        .await
    }

    /// Rows of the word embeddings by their numbers, as they are added to positions: [rows, `width`].
    ///
    /// # Errors
    /// When the model has no word embeddings or no such row, and as for [`Self::read_inputs`].
    pub async fn read_words<W: Weights>(
        &self,
        checkpoint: &W,
        rows: &[u32],
        width: usize,
    ) -> Result<Array2<f64>, ModelError> {
        inputs::words_by_row(&self.described, width, checkpoint, rows).await
    }

    /// Reads queries and keys of one layer, counted from 0.
    ///
    /// # Errors
    /// When there is no such layer, or its tensors cannot be read, do not fit the model, or hold no number
    /// somewhere.
    pub async fn read_layer<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
    ) -> Result<LayerWeights, ModelError> {
        let Some(described) = self.described.layers.get(layer) else {
            return Err(ModelError::NoSuchLayer {
                layer,
                layers: self.layers,
            });
        };
        let heads = self.heads.count as usize;
        let [(query, query_bias), (key, key_bias)] =
            linear::pair(checkpoint, described, self.hidden, heads).await?;
        if query.ncols() != key.ncols() {
            return Err(ModelError::WidthsDiffer {
                query: described.query.weight.clone(),
                key: described.key.weight.clone(),
                widths: [query.ncols(), key.ncols()],
            });
        }
        head_count::check(self.heads, query.ncols())?;
        let norm = match &described.norm {
            Some(stem) => Some(
                inputs::norm(checkpoint, stem, self.hidden, self.described.norm_epsilon()).await?,
            ),
            None => None,
        };
        Ok(LayerWeights {
            query,
            key,
            query_bias,
            key_bias,
            norm,
        })
    }

    /// The states X that enter the attention where scores are as the model computes them, in words; see
    /// [`SourceDescription::entering_states`]. Empty where positions are no rows of a table.
    pub fn entering_states(&self) -> String {
        match self.table() {
            Some(_) => self.described.entering_states(&self.choice),
            None => String::new(),
        }
    }

    /// Which cells of a head's matrix it uses.
    pub fn cells(&self) -> AttentionMask {
        self.described.cells
    }

    /// Whether scores are divided by the root of a head's width.
    pub fn is_scaled(&self) -> bool {
        self.described.scaled
    }

    /// What a layer's heads make of hidden states.
    pub fn layer_scores(&self, states: &HiddenStates, weights: &LayerWeights) -> LayerScores {
        let projected = QueriesAndKeys::new(states, weights, self.head_layout());
        LayerScores::Products(projected)
    }

    /// What its layers' heads have in common.
    pub fn head_layout(&self) -> HeadLayout {
        HeadLayout {
            heads: self.heads.count as usize,
            is_scaled: self.is_scaled(),
            grid: self.positions.grid(),
        }
    }

    /// Whether scores by offset come from content, so that reading them takes [`Self::read_inputs`].
    pub fn needs_inputs(&self) -> bool {
        matches!(
            self.positions,
            PositionSource::ByOffset(OffsetRows::Distances(_), _)
        )
    }

    /// Reads the Gaussian heads of one layer, counted from 0: centres and widths as a checkpoint of attention-cnn
    /// stores them; `None` for models of another kind.
    ///
    /// # Errors
    /// When there is no such layer, or its tensors cannot be read or hold no Gaussians.
    pub async fn read_gaussian_heads<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
    ) -> Result<Option<Vec<QuadraticHead>>, ModelError> {
        let PositionTensors::Gaussians { layers } = &self.described.positions else {
            return Ok(None);
        };
        let tensors = layers.get(layer).ok_or(ModelError::NoSuchLayer {
            layer,
            layers: layers.len(),
        })?;
        let heads = image_heads::gaussians(checkpoint, tensors, None).await?;
        Ok(Some(heads.into_iter().map(GaussianHead::head).collect()))
    }

    /// Reads the scores by offset of one layer, counted from 0. `inputs` are asked for where they come from
    /// content.
    ///
    /// # Errors
    /// As [`Self::read_layer`]; also when positions are no scores by offset.
    pub async fn read_offset_scores<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
        inputs: Option<&Inputs>,
    ) -> Result<LayerScores, ModelError> {
        let heads = self.heads.count as usize;
        let no_layer = |layers| ModelError::NoSuchLayer { layer, layers };
        match (&self.positions, &self.described.positions, inputs) {
            (
                PositionSource::ByOffset(OffsetRows::Buckets(buckets), n),
                PositionTensors::Buckets { tensors, .. },
                _,
            ) => {
                let shape = (buckets.count(), heads);
                let scores = relative::stored(checkpoint, tensors, layer, shape).await?;
                Ok(LayerScores::Buckets(*buckets, *n, scores))
            }
            (PositionSource::ByGridOffset(window), PositionTensors::Window { tensors, .. }, _) => {
                let shape = (window.rows(), heads);
                let scores = relative::stored(checkpoint, tensors, layer, shape).await?;
                Ok(LayerScores::Window(*window, scores))
            }
            (PositionSource::ByGridOffset(window), PositionTensors::Gaussians { layers }, _) => {
                let tensors = layers.get(layer).ok_or(no_layer(layers.len()))?;
                let heads = image_heads::gaussians(checkpoint, tensors, Some(heads)).await?;
                let scores = image_heads::scores_of_gaussians(*window, &heads);
                Ok(LayerScores::Window(*window, scores))
            }
            (PositionSource::ByGridOffset(window), PositionTensors::Axes { layers }, _) => {
                let tensors = layers.get(layer).ok_or(no_layer(layers.len()))?;
                let scores =
                    image_heads::scores_of_axes(checkpoint, tensors, *window, heads).await?;
                Ok(LayerScores::Window(*window, scores))
            }
            (PositionSource::Kernels(n), PositionTensors::Kernels { layers }, _) => {
                let tensors = layers.get(layer).ok_or(no_layer(layers.len()))?;
                let kernels = kernels::read(checkpoint, tensors, Some(self.heads.count)).await?;
                Ok(LayerScores::Kernels(kernels, *n))
            }
            (
                PositionSource::ByOffset(OffsetRows::Distances(rows), n),
                PositionTensors::Distances(distances),
                Some(inputs),
            ) => {
                let weights = self.read_layer(checkpoint, layer).await?;
                let scores = relative::content(
                    checkpoint,
                    distances,
                    layer,
                    heads,
                    self.described.norm_epsilon(),
                    &weights,
                    inputs,
                )
                .await?;
                Ok(LayerScores::Distances(*rows, *n, scores))
            }
            (
                PositionSource::ByOffset(OffsetRows::Distances(rows), n),
                PositionTensors::Vectors(vectors),
                Some(inputs),
            ) => {
                let weights = self.read_layer(checkpoint, layer).await?;
                let tensor = vectors.tensors.get(layer);
                let tensor = tensor.ok_or(no_layer(vectors.tensors.len()))?;
                let scores = relative::of_vectors(
                    checkpoint,
                    tensor,
                    vectors.meets_keys,
                    heads,
                    &weights,
                    inputs,
                )
                .await?;
                Ok(LayerScores::Distances(*rows, *n, scores))
            }
            _ => Err(no_layer(0)),
        }
    }
}
