//! The layers of a rotary model as its configuration describes them: which angles each layer uses, which layers do not
//! rotate, and the lengths of texts for which the model was trained and is offered.

use super::{ModelError, RotaryTensors, rotary_tensors::rotary_positions};
use crate::{
    checkpoint::Weights,
    encoding::{ContextExtension, RotaryPositions},
};
use serde::{Deserialize, Serialize};

/// The layers of a rotary model and its angles.
///
/// It comes from a configuration and the names of tensors, without any numbers: [`Self::from_config`] for a
/// configuration alone, and [`PositionModel::rotary`](super::PositionModel::rotary) for an open model. It exists for
/// models whose blocks are not described as well.
#[derive(Clone, Debug, PartialEq)]
pub struct RotaryDescription {
    /// `model_type` of the part of the configuration that has the angles, such as “`gemma3_text`”; a GGUF file has its
    /// architecture here.
    pub model_type: Option<String>,
    /// Distinct angles, at most a few: those of all rotated layers, or of the global and then of the local ones.
    pub angles: Vec<LayerAngles>,
    /// Layers in their order, at most [`RotaryDescription::MOST_LAYERS`]; empty if neither the configuration nor the
    /// names of tensors say how many there are.
    pub layers: Vec<RotaryLayer>,
    /// Number of tokens of the texts of training: `original_max_position_embeddings`, or `max_position_embeddings` if
    /// nothing changes the angles or if the change counts from it. `None` if the configuration does not say it.
    pub trained_length: Option<f64>,
    /// Number of tokens of the longest text for which the configuration offers the model: `max_position_embeddings`, or
    /// a GGUF file's `context_length`.
    pub claimed_length: Option<f64>,
}

/// A layer of a rotary model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotaryLayer {
    /// Whether the layer has an attention to which angles could apply; a layer of a hybrid model may have none.
    pub has_attention: bool,
    /// Whether queries see keys within a window or chunk only.
    pub is_local: bool,
    /// Index of the layer's angles in [`RotaryDescription::angles`]; `None` if it rotates nothing.
    pub angles: Option<usize>,
}

/// Angles that layers share.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerAngles {
    /// Whether they are those of the local layers alone, which have their own.
    pub is_local: bool,
    /// Angles as the configuration says, with the tensors that divide them.
    pub tensors: RotaryTensors,
    /// Number of columns of a head; [`RotaryTensors::width`] of them are rotated.
    pub head_width: Option<u32>,
    /// Whether the configuration says the base, or the usual one of the model type is used.
    pub is_base_configured: bool,
    /// Sentences on the change for longer texts that the configuration asks for; `None` if it asks for none. If it
    /// cannot be followed, they say why, and [`Self::tensors`] are the angles of training.
    pub scaling: Option<String>,
    /// Axis that each pair of columns follows, if there are several (M-RoPE); empty for texts alone.
    pub axes: Vec<RotaryAxis>,
}

/// Axis of positions in images, and in texts with pictures and videos, where words count the same number on all axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RotaryAxis {
    /// Frames.
    Time,
    /// Rows of a picture.
    Row,
    /// Columns of a picture.
    Column,
}

impl LayerAngles {
    /// Whether a change for longer texts applies: by the configuration or by tensors that divide the angles.
    #[must_use]
    pub fn is_scaled(&self) -> bool {
        self.tensors.angles.extension != ContextExtension::None || self.tensors.divisors.is_some()
    }

    /// θ_m of a text of `length` tokens in radians for each position, with numbers of tensors that divide them. Pairs
    /// after the last one that rotates are left out. Without `is_scaled` the angles are those of training.
    ///
    /// # Errors
    /// If the tensors that divide the angles cannot be read, or are not numbers.
    pub async fn read<W: Weights>(
        &self,
        checkpoint: &W,
        length: usize,
        is_scaled: bool,
    ) -> Result<RotaryPositions, ModelError> {
        let (positions, _) = rotary_positions(checkpoint, &self.tensors, length, is_scaled).await?;
        Ok(positions)
    }
}

impl RotaryDescription {
    /// Maximum number of layers, more than any model has.
    pub const MOST_LAYERS: usize = 4096;

    /// Angles of a layer, counted from 0; `None` if there is no such layer, or if it rotates nothing.
    #[must_use]
    pub fn layer_angles(&self, at: usize) -> Option<&LayerAngles> {
        self.angles.get(self.layers.get(at)?.angles?)
    }

    /// Layers that use the angles of this index, counted from 0.
    pub fn layers_with(&self, angles: usize) -> impl Iterator<Item = usize> {
        let layers = self.layers.iter().enumerate();
        layers
            .filter(move |(_, layer)| layer.angles == Some(angles))
            .map(|(at, _)| at)
    }

    /// Layers with attention that rotate nothing, counted from 0.
    pub fn unrotated_layers(&self) -> impl Iterator<Item = usize> {
        let layers = self.layers.iter().enumerate();
        layers
            .filter(|(_, layer)| layer.has_attention && layer.angles.is_none())
            .map(|(at, _)| at)
    }
}
