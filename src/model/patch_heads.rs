//! Scores of heads that rotate queries and keys by rows and columns of patches, from the part of queries and keys that
//! all patches share.
//!
//! ```text
//! q = (γ ⊙ x̂ + β)·W_Q + b_Q,  x̂ the normed patch      shared part: β·W_Q + b_Q, and β·W_K + b_K of keys
//! ```
//!
//! The bias β of a `LayerNorm` can be moved into the biases of the maps after it without changing the model, so both
//! count. Without either nothing is shared, and the scores depend on the image.

use super::{
    Heads, HeadsSource, LayerScores, LayerTensors, ModelError, PatchRotation, PositionModel, linear,
};
use crate::{
    checkpoint::Weights,
    encoding::{PairRotation, PatchScores},
    math::Grid,
};
use ndarray::{Array2, ArrayView1};

/// Heads that have scores without an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PatchHeads {
    /// Number of layers, from the first on.
    pub(super) layers: usize,
    /// Heads of each of them.
    pub(super) heads: Heads,
    /// Width of the states that enter them.
    pub(super) hidden_width: usize,
}

impl LayerTensors {
    /// Whether both queries and keys have a part that is the same for every input.
    pub(super) fn has_shared_parts(&self) -> bool {
        let has_biases = self.query.bias.is_some() && self.key.bias.is_some();
        self.norm.is_some() || has_biases
    }
}

impl PatchHeads {
    /// Counts layers and heads. The width of a head follows from its angles, the number of heads from the shape of the
    /// first layer's queries.
    ///
    /// # Errors
    /// If a tensor is missing, or the queries cannot be cut into heads.
    pub(super) async fn find<W: Weights>(
        rotation: &PatchRotation,
        layers: &[LayerTensors],
        checkpoint: &W,
    ) -> Result<Option<Self>, ModelError> {
        let count = layers.iter().take_while(|layer| layer.has_shared_parts());
        let (count, Some(first)) = (count.count(), layers.first()) else {
            return Ok(None);
        };
        let angles = rotation.read(checkpoint).await?;
        let Some(angles) = angles.first().filter(|_| count > 0) else {
            return Ok(None);
        };
        let query = checkpoint.locate(&first.query.weight).await?;
        let width = linear::outputs(&query, first.query.cut).unwrap_or(0);
        let head_width = 2 * angles.pairs();
        let is_divided = head_width > 0 && width > 0 && width.is_multiple_of(head_width);
        let heads = width.checked_div(head_width).unwrap_or(0);
        if !is_divided || (angles.heads > 1 && angles.heads != heads) {
            return Err(ModelError::Shape {
                tensor: query.name.clone(),
                found: query.shape.clone(),
                expected: format!(
                    "queries of heads with {head_width} columns, as the angles of the patches have them"
                ),
            });
        }
        Ok(Some(Self {
            layers: count,
            heads: Heads {
                count: u32::try_from(heads).unwrap_or(u32::MAX),
                source: HeadsSource::Config,
            },
            hidden_width: query.shape.last().map_or(0, |inputs| *inputs as usize),
        }))
    }
}

impl PositionModel {
    /// Scores of a layer's heads by rows and columns of a grid.
    pub(super) async fn read_patch_scores<W: Weights>(
        &self,
        checkpoint: &W,
        rotation: &PatchRotation,
        layer: usize,
        grid: Grid,
    ) -> Result<LayerScores, ModelError> {
        let no_layer = |layers| ModelError::NoSuchLayer { layer, layers };
        if layer >= self.layers {
            return Err(no_layer(self.layers));
        }
        let angles = rotation.read(checkpoint).await?;
        let at = if angles.len() > 1 { layer } else { 0 };
        let angles = angles.get(at).ok_or(no_layer(angles.len()))?;
        let weights = self.read_layer(checkpoint, layer).await?;
        let shift = weights.norm.as_ref().map(|norm| &norm.bias[..]);
        let query = shared_part(&weights.query, weights.query_bias.as_deref(), shift);
        let key = shared_part(&weights.key, weights.key_bias.as_deref(), shift);
        let heads = self.heads.count as usize;
        let width = query.len() / heads.max(1);
        if width != 2 * angles.pairs() {
            return Err(ModelError::Shape {
                tensor: self.layer_tensors()[layer].query.weight.clone(),
                found: vec![query.len() as u64],
                expected: format!(
                    "queries of {heads} heads with {} columns",
                    2 * angles.pairs()
                ),
            });
        }
        let columns = rotation.columns(angles.pairs());
        let head = |head: usize| {
            let part = head * width..(head + 1) * width;
            let rotation = PairRotation {
                columns: &columns,
                frequencies: angles.of_head(head),
                scale: (width as f64).sqrt().recip(),
            };
            PatchScores::new((&query[part.clone()], &key[part]), &rotation)
        };
        Ok(LayerScores::Patches((0..heads).map(head).collect(), grid))
    }
}

/// β·W + b, one number per output, in double precision.
fn shared_part(weight: &Array2<f32>, bias: Option<&[f32]>, shift: Option<&[f32]>) -> Vec<f64> {
    let mut outputs = match shift {
        Some(shift) => {
            let shift = ArrayView1::from(shift).mapv(f64::from);
            let columns = weight.columns().into_iter();
            columns
                .map(|column| {
                    column
                        .iter()
                        .zip(&shift)
                        .map(|(w, s)| f64::from(*w) * s)
                        .sum()
                })
                .collect()
        }
        None => vec![0.0; weight.ncols()],
    };
    for (output, bias) in outputs.iter_mut().zip(bias.into_iter().flatten()) {
        *output += f64::from(*bias);
    }
    outputs
}
