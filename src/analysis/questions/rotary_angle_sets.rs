//! Angles of every layer of a rotary model.

use super::prelude::*;
use crate::{
    encoding::RotaryAngles,
    model::{AngleDivisors, Correction, LayerAngles, RotaryDescription},
};

/// The angles of every layer of a rotary model, as the file and the options say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RotaryAngleSets {
    /// The model.
    pub of: ModelVersion,
}

/// Angles of a rotary model, by the layers that share them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelAngles {
    /// Distinct angles with their layers. If the number of layers is unknown, the only one or those of global and local
    /// layers, each without layers.
    pub sets: Vec<AngleSet>,
    /// Number of layers, 0 if it is unknown.
    pub layers: usize,
    /// Layers with attention that rotate nothing, from 0.
    pub unrotated_layers: Vec<usize>,
    /// Layers without an attention that could rotate, from 0.
    pub without_attention: Vec<usize>,
    /// Number of tokens of the texts of training, if it is known.
    pub trained_length: Option<f64>,
    /// Number of tokens of the longest text for which the model is offered, if it is known.
    pub claimed_length: Option<f64>,
    /// Number of tokens of the text to which the angles apply, for changes that depend on it.
    pub length: usize,
    /// Whether the change for longer texts is applied.
    pub is_scaled: bool,
}

/// Angles that layers share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AngleSet {
    /// Layers that use them, from 0.
    pub layers: Vec<usize>,
    /// Whether they are those of local layers alone.
    pub is_local: bool,
    /// The angles with their change.
    pub angles: RotaryAngles,
    /// Divisors from a tensor of the file, one for each pair that turns; empty without a tensor.
    pub divisors: Vec<f64>,
    /// Number of pairs that turn, from the first.
    pub turning: usize,
}

impl AngleSet {
    /// θ_m of the pairs that turn, before any change for longer texts, with another base if there is one.
    #[must_use]
    pub fn trained_frequencies(&self, base: Option<f64>) -> Vec<f64> {
        let mut plain = self.angles.without_extension();
        plain.base = base.unwrap_or(plain.base);
        let mut angles = plain.trained_frequencies();
        angles.truncate(self.turning);
        angles
    }

    /// θ_m of the pairs that turn, for a text of `length` tokens, with another factor and base if there are some.
    #[must_use]
    pub fn frequencies_as_configured(
        &self,
        length: usize,
        factor: Option<f64>,
        base: Option<f64>,
    ) -> Vec<f64> {
        let mut angles = self.angles.clone();
        angles.base = base.unwrap_or(angles.base);
        if let Some(factor) = factor {
            angles.extension = angles.extension.with_factor(factor);
        }
        let mut angles = angles.frequencies(length);
        angles.truncate(self.turning);
        for (angle, divisor) in angles.iter_mut().zip(&self.divisors) {
            *angle /= divisor;
        }
        angles
    }
}

impl SingleAnswer for RotaryAngleSets {
    /// The angles; `None` for models that are not rotary.
    type Answer = Option<ModelAngles>;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Self::Answer, Failure> {
        let model = context.session.model(self.of).await?;
        let Ok((file, positions)) = model.weights_and_model() else {
            return Ok(None);
        };
        let Some(description) = positions.rotary() else {
            return Ok(None);
        };
        let length = positions.positions.n();
        let mut sets = Vec::with_capacity(description.angles.len());
        for (index, angles) in description.angles.iter().enumerate() {
            let layers: Vec<usize> = description.layers_with(index).collect();
            if !description.layers.is_empty() && layers.is_empty() {
                continue;
            }
            let mut set = AngleSet {
                layers,
                is_local: angles.is_local,
                angles: angles.tensors.angles.clone(),
                divisors: Vec::new(),
                turning: angles.tensors.angles.pairs,
            };
            if angles.tensors.divisors.is_some() {
                let read = angles.read(&file.checkpoint, length, true).await?;
                set.turning = read.frequencies.len();
                set.divisors = divisors(angles, &read.frequencies, length);
            }
            sets.push(set);
        }
        Ok(Some(with_sets(
            description,
            sets,
            length,
            positions.choice().does(Correction::AngleScaling),
        )))
    }
}

/// Divisors that lead from the angles of a formula to those that were read.
fn divisors(angles: &LayerAngles, read: &[f64], length: usize) -> Vec<f64> {
    let plain = angles.tensors.angles.frequencies(length);
    plain
        .iter()
        .zip(read)
        .map(|(plain, read)| plain / read)
        .collect()
}

fn with_sets(
    description: &RotaryDescription,
    sets: Vec<AngleSet>,
    length: usize,
    is_scaled: bool,
) -> ModelAngles {
    let others = description.layers.iter().enumerate();
    let without_attention = others.filter(|(_, layer)| !layer.has_attention);
    // Divisors of GGUF files may be for texts of more than a number of tokens.
    let by_length = description
        .angles
        .iter()
        .find_map(|angles| match angles.tensors.divisors {
            Some(AngleDivisors::ByLength { trained_length, .. }) => Some(trained_length),
            _ => None,
        });
    let by_length = by_length.filter(|length| length.is_finite());
    ModelAngles {
        sets,
        layers: description.layers.len(),
        unrotated_layers: description.unrotated_layers().collect(),
        without_attention: without_attention.map(|(at, _)| at).collect(),
        trained_length: by_length.or(description.trained_length),
        claimed_length: description.claimed_length,
        length,
        is_scaled,
    }
}
