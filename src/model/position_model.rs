//! An open model: its positions, and the functions that read its layers.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2};

use super::{
    ContentInput, HeadLayout, Heads, HiddenStates, Inputs, LayerScores, LayerTensors, LayerWeights,
    ModelDescription, ModelError, ModelOptions, Note, OffsetRows, PatchRotation, PositionSource,
    PositionTable, PositionTensors, QueriesAndKeys, RotaryDescription, SourceDescription,
    StoredWeight, head_count,
    image_heads::{self, GaussianHead},
    kernels, linear, read_inputs, relative, stored_weight, wave_scores,
};
use crate::{
    checkpoint::Weights,
    math::{AttentionMask, Grid, PixelHead},
};

/// Positions of a model, and the description of its layers.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionModel {
    /// Name of the family; "table" for a tensor that the user chose.
    pub family: &'static str,
    /// Every position source of the model: its id in links and its title.
    pub sources: Vec<(String, String)>,
    /// Id of the open source.
    pub source: String,
    /// Positions of the open source.
    pub positions: PositionSource,
    /// Alternative shapes of the patches of the image, if no configuration determines it.
    pub possible_grids: Vec<Grid>,
    /// Number of layers whose heads can be shown. Layers that share their weights count once.
    pub layers: usize,
    /// Number of heads of a layer; [`Heads::NONE`] without any.
    pub heads: Heads,
    /// Width of the hidden states that enter the attention.
    pub hidden_width: usize,
    /// Notes on all corrections and guesses.
    pub notes: Vec<Note>,
    pub(super) description: SourceDescription,
    pub(super) choice: ModelOptions,
}

impl PositionModel {
    /// Rows of the position table, if there is one, in the unit of [`super::PositionTable`].
    pub fn table(&self) -> Option<&Array2<f32>> {
        self.positions.table().map(|table| &table.rows)
    }

    /// Rows of the position table as the model adds them to words.
    pub fn added_table(&self) -> Option<Cow<'_, Array2<f32>>> {
        self.positions.table().map(PositionTable::rows_in_units)
    }

    /// Name of the tensor of the position table, if there is one.
    pub fn tensor(&self) -> Option<&str> {
        self.positions.table().map(|table| table.tensor.as_str())
    }

    /// Description of the whole model, if the family gives it.
    pub fn description(&self) -> Option<&ModelDescription> {
        self.description.description.as_ref()
    }

    /// Whether heads have sinks, which take a part of their attention.
    pub fn has_sinks(&self) -> bool {
        let description = self.description();
        let mut blocks = description.into_iter().flat_map(|model| &model.blocks);
        blocks.any(|block| block.attention.sinks.is_some())
    }

    /// Names of the tensors of the open source, and the steps applied to them.
    pub fn source_description(&self) -> &SourceDescription {
        &self.description
    }

    /// Layers and angles, if the open source is that of a rotary model.
    pub fn rotary(&self) -> Option<&RotaryDescription> {
        self.description.rotary.as_ref()
    }

    /// Rotation of queries and keys by rows and columns of patches: that of the open source, or one beside it.
    pub fn patch_rotation(&self) -> Option<&PatchRotation> {
        match &self.description.positions {
            PositionTensors::RotaryPatches(rotation) => Some(rotation),
            _ => self.description.patch_rotation.as_ref(),
        }
    }

    /// Names of the layers' queries and keys, if the family gives them.
    pub fn layer_tensors(&self) -> &[LayerTensors] {
        &self.description.layers
    }

    /// Options with which the model was opened.
    pub fn choice(&self) -> &ModelOptions {
        &self.choice
    }

    /// Reads everything that is added to the positions or applied to the sum: mean word embedding, token type,
    /// `LayerNorm`, projection. Calls `progress` with the bytes of words read and their total after every few MiB.
    ///
    /// Drop the future to stop. Between two reads it holds only sums.
    ///
    /// # Errors
    /// If a tensor cannot be read, has an impossible shape, or is not finite.
    pub async fn read_inputs<W: Weights>(
        &self,
        checkpoint: &W,
        progress: impl FnMut(u64, u64),
    ) -> Result<Inputs, ModelError> {
        let width = self.table().map_or(self.hidden_width, Array2::ncols);
        let (source, choice) = (&self.description, &self.choice);
        read_inputs::read(
            source,
            width,
            self.description.norm_epsilon(),
            choice,
            checkpoint,
            progress,
        )
        .await
    }

    /// Rows of the word embeddings by index, as they are added to positions: [rows, `width`].
    ///
    /// # Errors
    /// If the model has no word embeddings or no such row, and as in [`Self::read_inputs`].
    pub async fn read_words<W: Weights>(
        &self,
        checkpoint: &W,
        rows: &[u32],
        width: usize,
    ) -> Result<Array2<f64>, ModelError> {
        read_inputs::words_by_row(&self.description, width, checkpoint, rows).await
    }

    /// Whether the file has word embeddings, and not their mean alone.
    pub fn has_words(&self) -> bool {
        matches!(self.description.content, ContentInput::Words { .. })
    }

    /// A sample of the word embeddings, spread evenly over the vocabulary, as they are added to positions: [rows,
    /// `width`], at most 1,024 rows.
    ///
    /// # Errors
    /// As in [`Self::read_words`].
    pub async fn read_word_sample<W: Weights>(
        &self,
        checkpoint: &W,
        width: usize,
    ) -> Result<Array2<f64>, ModelError> {
        read_inputs::word_sample(&self.description, width, checkpoint).await
    }

    /// Reads queries and keys of one layer, counted from 0.
    ///
    /// # Errors
    /// If there is no such layer, or if its tensors cannot be read, do not fit the model, or are not finite.
    pub async fn read_layer<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
    ) -> Result<LayerWeights, ModelError> {
        let Some(tensors) = self.description.layers.get(layer) else {
            return Err(ModelError::NoSuchLayer {
                layer,
                layers: self.layers,
            });
        };
        let heads = self.heads.count as usize;
        let [(query, query_bias), (key, key_bias)] =
            linear::pair(checkpoint, tensors, self.hidden_width, heads).await?;
        if query.ncols() != key.ncols() {
            return Err(ModelError::WidthsDiffer {
                query: tensors.query.weight.clone(),
                key: tensors.key.weight.clone(),
                widths: [query.ncols(), key.ncols()],
            });
        }
        head_count::check(self.heads, query.ncols())?;
        let norm = match &tensors.norm {
            Some(stem) => Some(
                read_inputs::norm(
                    checkpoint,
                    stem,
                    self.hidden_width,
                    self.description.norm_epsilon(),
                )
                .await?,
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

    /// The tensor of a layer's keys as the file stores it, with another weight, [in, out], of all its heads.
    ///
    /// # Errors
    /// If there is no such layer, its tensor cannot be read, or the weight does not fit.
    pub async fn replace_key<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
        key: ArrayView2<'_, f32>,
    ) -> Result<StoredWeight, ModelError> {
        let Some(tensors) = self.description.layers.get(layer) else {
            return Err(ModelError::NoSuchLayer {
                layer,
                layers: self.layers,
            });
        };
        let heads = self.heads.count as usize;
        stored_weight::replace(checkpoint, &tensors.key, key, heads).await
    }

    /// Text on the states X that enter the attention in as-computed scores; see [`SourceDescription::entering_states`].
    /// Empty if the model has no position table.
    pub fn entering_states(&self) -> String {
        match self.table() {
            Some(_) => self.description.entering_states(&self.choice),
            None => String::new(),
        }
    }

    /// Mask of the heads' matrices.
    pub fn cells(&self) -> AttentionMask {
        self.description.cells
    }

    /// Whether scores are divided by the root of a head's width.
    pub fn is_scaled(&self) -> bool {
        self.description.is_scaled
    }

    /// Scores of a layer's heads for given hidden states.
    pub fn layer_scores(&self, states: &HiddenStates, weights: &LayerWeights) -> LayerScores {
        let projected = QueriesAndKeys::new(states, weights, self.head_layout());
        LayerScores::Products(projected)
    }

    /// Properties that the heads of all layers share.
    pub fn head_layout(&self) -> HeadLayout {
        HeadLayout {
            heads: self.heads.count as usize,
            is_scaled: self.is_scaled(),
            grid: self.positions.grid(),
        }
    }

    /// Whether scores by offset depend on content, so that reading them needs [`Self::read_inputs`].
    pub fn needs_inputs(&self) -> bool {
        matches!(
            self.positions,
            PositionSource::ByOffset(OffsetRows::Distances(_), _)
        )
    }

    /// Reads the Gaussian heads of one layer, counted from 0, with centres and widths as stored by attention-cnn;
    /// `None` for other kinds of models.
    ///
    /// # Errors
    /// If there is no such layer, or if its tensors cannot be read or hold no Gaussians.
    pub async fn read_gaussian_heads<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
    ) -> Result<Option<Vec<PixelHead>>, ModelError> {
        let PositionTensors::Gaussians { layers } = &self.description.positions else {
            return Ok(None);
        };
        let tensors = layers.get(layer).ok_or(ModelError::NoSuchLayer {
            layer,
            layers: layers.len(),
        })?;
        let heads = image_heads::gaussians(checkpoint, tensors, None).await?;
        Ok(Some(heads.into_iter().map(GaussianHead::head).collect()))
    }

    /// Reads the scores by offset of one layer, counted from 0. `inputs` are required if the scores depend on content.
    ///
    /// # Errors
    /// As in [`Self::read_layer`]; also if positions are not scores by offset.
    pub async fn read_offset_scores<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
        inputs: Option<&Inputs>,
    ) -> Result<LayerScores, ModelError> {
        let heads = self.heads.count as usize;
        let no_layer = |layers| ModelError::NoSuchLayer { layer, layers };
        match (&self.positions, &self.description.positions, inputs) {
            (
                PositionSource::ByOffset(OffsetRows::Buckets(buckets), n),
                PositionTensors::Buckets { tensors, .. },
                _,
            ) => {
                let shape = (buckets.count(), heads);
                let scores =
                    relative::read_stored_scores(checkpoint, tensors, layer, shape).await?;
                Ok(LayerScores::Buckets(*buckets, *n, scores))
            }
            (
                PositionSource::ByGridOffset(window),
                PositionTensors::Window {
                    tensors, layout, ..
                },
                _,
            ) => {
                let shape = (*window, heads);
                let scores =
                    relative::read_window_scores(checkpoint, tensors, *layout, layer, shape)
                        .await?;
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
            (
                PositionSource::RotaryPatches(patches),
                PositionTensors::RotaryPatches(rotation),
                _,
            ) => {
                self.read_patch_scores(checkpoint, rotation, layer, patches.grid)
                    .await
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
                    self.description.norm_epsilon(),
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
                let scores = relative::read_vector_scores(
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
            (
                PositionSource::ByOffset(OffsetRows::Distances(rows), n),
                PositionTensors::Waves(waves),
                Some(inputs),
            ) => {
                let weights = self.read_layer(checkpoint, layer).await?;
                let size = (rows.span(), heads);
                let scores =
                    wave_scores::read(checkpoint, waves, layer, size, &weights, inputs).await?;
                Ok(LayerScores::Distances(*rows, *n, scores))
            }
            _ => Err(no_layer(0)),
        }
    }
}
