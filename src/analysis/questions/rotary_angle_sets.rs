//! Angles of every layer of a rotary model.

use super::prelude::*;
use crate::{
    encoding::{ContextExtension, PatchAngles, RotaryAngles},
    math::Grid,
    model::{
        AngleDivisors, Correction, HeadFrequencies, LayerAngles, PatchFrequencies, PatchRotation,
        RotaryAxis, RotaryDescription,
    },
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
    /// Whether positions are rows and columns of patches instead of tokens.
    pub has_patches: bool,
    /// Rows and columns of patches in the configured image, if it is known.
    pub grid: Option<Grid>,
}

/// Angles that layers share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AngleSet {
    /// Layers that use them, from 0.
    pub layers: Vec<usize>,
    /// Whether they are those of local layers alone.
    pub is_local: bool,
    /// The angles with their change.
    pub angles: AngleSource,
    /// Divisors from a tensor of the file, one for each pair that turns; empty without a tensor.
    pub divisors: Vec<f64>,
    /// Number of pairs that turn, from the first.
    pub turning: usize,
    /// Axis of each pair, if there are several (M-RoPE); empty for one, and for patches.
    pub axes: Vec<RotaryAxis>,
}

/// Source of the angles of a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum AngleSource {
    /// A formula of a single number for each position, or of one for each axis.
    Line(RotaryAngles),
    /// A formula of row and column of a patch.
    Patches(PatchAngles),
    /// Numbers of a tensor.
    Stored {
        /// Number of heads with frequencies of their own; 1 if all heads share them.
        heads: usize,
        /// [θ^y, θ^x] for each row and each column of patches: all pairs of the first head, then of the next.
        frequencies: Vec<[f64; 2]>,
    },
}

/// A change of the angles that depends on the length of the text, with the length of training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LengthDependence {
    /// One list of divisors for texts up to that length, another for longer ones (`LongRoPE`).
    Lists(f64),
    /// A base that grows beyond that length (dynamic).
    Base(f64),
}

/// A pair of columns of a head along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnPair {
    /// Index of the head, from 0; `None` if all heads have the same angles.
    pub head: Option<usize>,
    /// Index of the pair, from 0.
    pub pair: usize,
    /// Axis of positions; `None` if there is one.
    pub axis: Option<RotaryAxis>,
}

impl AngleSource {
    /// The base, if the angles have one.
    #[must_use]
    pub fn base(&self) -> Option<f64> {
        match self {
            Self::Line(angles) => Some(angles.base),
            Self::Patches(angles) => Some(angles.base),
            Self::Stored { .. } => None,
        }
    }

    /// How the angles depend on the length of the text; `None` if they do not.
    #[must_use]
    pub fn length_dependence(&self) -> Option<LengthDependence> {
        let Self::Line(angles) = self else {
            return None;
        };
        match &angles.extension {
            ContextExtension::LongRope(list) => Some(LengthDependence::Lists(list.trained_length)),
            ContextExtension::Dynamic { trained_length, .. } => {
                Some(LengthDependence::Base(*trained_length))
            }
            _ => None,
        }
    }

    /// The factor of the change for longer texts, if there is one.
    #[must_use]
    pub fn factor(&self) -> Option<f64> {
        match self {
            Self::Line(angles) => angles.extension.factor(),
            Self::Patches(_) | Self::Stored { .. } => None,
        }
    }

    /// [θ^y, θ^x] of every pair, with another base if there is one; empty for angles of texts.
    fn patch_frequencies(&self, base: Option<f64>) -> Vec<[f64; 2]> {
        match self {
            Self::Line(_) => Vec::new(),
            Self::Patches(angles) => {
                let base = base.unwrap_or(angles.base);
                PatchAngles {
                    base,
                    ..angles.clone()
                }
                .frequencies()
            }
            Self::Stored { frequencies, .. } => frequencies.clone(),
        }
    }
}

impl AngleSet {
    /// Pairs that turn, once for each axis that they follow. Angles are in this order.
    #[must_use]
    pub fn pairs(&self) -> Vec<ColumnPair> {
        if let AngleSource::Line(_) = self.angles {
            let pair = |pair: usize| ColumnPair {
                head: None,
                pair,
                axis: self.axes.get(pair).copied(),
            };
            return (0..self.turning).map(pair).collect();
        }
        let frequencies = self.angles.patch_frequencies(None);
        let heads = match self.angles {
            AngleSource::Stored { heads, .. } => heads.max(1),
            AngleSource::Line(_) | AngleSource::Patches(_) => 1,
        };
        let in_head = frequencies.len().div_ceil(heads).max(1);
        let axes = |(at, both): (usize, &[f64; 2])| {
            let pair = move |axis| ColumnPair {
                head: (heads > 1).then_some(at / in_head),
                pair: at % in_head,
                axis: Some(axis),
            };
            let axes = [RotaryAxis::Row, RotaryAxis::Column].into_iter().zip(*both);
            let turning = axes.filter(|(_, frequency)| is_turning(*frequency));
            turning.map(move |(axis, _)| pair(axis)).collect::<Vec<_>>()
        };
        frequencies.iter().enumerate().flat_map(axes).collect()
    }

    /// θ of [`Self::pairs`], before any change for longer texts, with another base if there is one.
    #[must_use]
    pub fn trained_frequencies(&self, base: Option<f64>) -> Vec<f64> {
        let AngleSource::Line(angles) = &self.angles else {
            let both = self.angles.patch_frequencies(base).into_iter().flatten();
            return both.filter(|frequency| is_turning(*frequency)).collect();
        };
        let mut plain = angles.without_extension();
        plain.base = base.unwrap_or(plain.base);
        let mut angles = plain.trained_frequencies();
        angles.truncate(self.turning);
        angles
    }

    /// θ of [`Self::pairs`] for a text of `length` tokens, with another factor and base if there are some.
    #[must_use]
    pub fn frequencies_as_configured(
        &self,
        length: usize,
        factor: Option<f64>,
        base: Option<f64>,
    ) -> Vec<f64> {
        let AngleSource::Line(angles) = &self.angles else {
            return self.trained_frequencies(base);
        };
        let mut angles = angles.clone();
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

/// Whether a pair turns along an axis; a period of 0 has no angle.
fn is_turning(frequency: f64) -> bool {
    frequency != 0.0 && frequency.is_finite()
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
            let Some(rotation) = positions.patch_rotation() else {
                return Ok(None);
            };
            let layers = rotation.read(&file.checkpoint).await?;
            return Ok(Some(with_patches(rotation, layers)));
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
                angles: AngleSource::Line(angles.tensors.angles.clone()),
                divisors: Vec::new(),
                turning: angles.tensors.angles.pairs,
                axes: angles.axes.clone(),
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
        has_patches: false,
        grid: None,
    }
}

/// Angles by rows and columns of patches: one set, or one for each layer with frequencies of its own.
fn with_patches(rotation: &PatchRotation, frequencies: Vec<HeadFrequencies>) -> ModelAngles {
    let has_own = frequencies.len() > 1;
    let count = if has_own {
        frequencies.len()
    } else {
        rotation.layers.min(RotaryDescription::MOST_LAYERS)
    };
    let sets = frequencies.into_iter().enumerate().map(|(at, layer)| {
        let pairs = layer.frequencies.len() / layer.heads.max(1);
        AngleSet {
            layers: if has_own {
                vec![at]
            } else {
                (0..count).collect()
            },
            is_local: false,
            angles: match &rotation.frequencies {
                PatchFrequencies::Formula(angles) => AngleSource::Patches(angles.clone()),
                PatchFrequencies::Periods { .. } | PatchFrequencies::Learned(_) => {
                    AngleSource::Stored {
                        heads: layer.heads,
                        frequencies: layer.frequencies,
                    }
                }
            },
            divisors: Vec::new(),
            turning: pairs,
            axes: Vec::new(),
        }
    });
    ModelAngles {
        sets: sets.collect(),
        layers: count,
        unrotated_layers: Vec::new(),
        without_attention: Vec::new(),
        trained_length: None,
        claimed_length: None,
        length: 0,
        is_scaled: false,
        has_patches: true,
        grid: rotation.grid,
    }
}
