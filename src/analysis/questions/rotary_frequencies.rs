//! Use of the pairs of columns that rotary heads rotate.

use super::prelude::*;
use crate::{
    analysis::{FailureKind, LayerQueries, loaded_model::LoadedModel},
    checkpoint::Weights,
    forward::{ForwardPass, RotaryBounds, RotaryEnergies},
    model::Correction,
};

/// Most bytes of layers of a model on a server that are read without being asked for, if that is more than one layer.
pub const MOST_REMOTE_BYTES: u64 = 64 << 20;

/// How much the heads of all layers use each pair of columns that rotary positions rotate, from stored weights alone. A
/// chunk holds a layer; its maps are dropped before the next one is read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RotaryFrequencies {
    /// The model.
    pub of: ModelVersion,
    /// The numbers to form.
    pub measure: RotaryMeasure,
    /// Whether layers of a model on a server are read beyond [`MOST_REMOTE_BYTES`].
    pub reads_all: bool,
}

/// A measure of how much a head uses a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum RotaryMeasure {
    /// The energy of its queries and keys, from the maps to them.
    #[default]
    Energy,
    /// The greatest score that the norms on queries and keys allow. Only a few kilobytes are read.
    Bound,
}

/// Layers of a rotary model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RotaryLayers {
    /// Layers in order, as far as they have arrived.
    pub layers: Vec<RotaryLayerPairs>,
    /// Number of layers of the model.
    pub total: usize,
    /// Number of tokens of the texts of training, if the configuration says it.
    pub trained_length: Option<f64>,
    /// Whether the numbers are statistics of queries over a text, in a file that holds those alone.
    pub has_statistics: bool,
    /// Whether queries and keys of some layer are normed, so that there are bounds.
    pub has_bounds: bool,
    /// Number of layers that were not read because the model is on a server, and their bytes.
    pub unread: Option<(usize, u64)>,
}

/// Pairs of a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RotaryLayerPairs {
    /// Index of the layer.
    pub layer: usize,
    /// The numbers; without pairs in a layer that does not rotate.
    pub values: RotaryValues,
}

/// Numbers of the pairs of a layer's heads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum RotaryValues {
    /// Energies of queries and keys.
    Energies(RotaryEnergies),
    /// Statistics of queries over a text.
    Queries(LayerQueries),
    /// Greatest scores; `None` if queries and keys of the layer are not normed.
    Bounds(Option<RotaryBounds>),
}

impl Question for RotaryFrequencies {
    type Chunk = RotaryLayers;
    type Answer = RotaryLayers;
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    fn fold(so_far: Option<RotaryLayers>, piece: RotaryLayers) -> RotaryLayers {
        let mut layers = so_far.map_or_else(Vec::new, |so_far| so_far.layers);
        layers.extend(piece.layers);
        RotaryLayers { layers, ..piece }
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let model = context.session.model(self.of).await?;
        model.send_rotary_layers(self, context).await
    }
}

impl<W: Weights> LoadedModel<W> {
    /// Reads layer after layer and sends each. Layers that are not in the files are left out; the first failure is
    /// returned in the end.
    async fn send_rotary_layers<H: Host>(
        &self,
        question: RotaryFrequencies,
        context: &AnswerContext<'_, RotaryFrequencies, H>,
    ) -> Result<(), Failure> {
        let (file, model) = self.weights_and_model()?;
        let checkpoint = &file.checkpoint;
        let Some(rotary) = model.rotary() else {
            return Err(Failure::not_there(
                "This model does not rotate queries and keys.",
            ));
        };
        if let Some(statistics) = self.query_statistics() {
            if question.measure == RotaryMeasure::Bound {
                return Err(Failure::not_there(
                    "This file has statistics of queries and no norms, so that nothing bounds the scores of a pair.",
                ));
            }
            return Box::pin(self.send_query_statistics(&statistics, rotary, context)).await;
        }
        let pass = self.score_pass().await?;
        let mut answer = RotaryLayers {
            total: pass.layers(),
            trained_length: rotary.trained_length,
            has_bounds: pass.norms_queries(),
            ..RotaryLayers::default()
        };
        if question.measure == RotaryMeasure::Bound && !answer.has_bounds {
            return Err(Failure::not_there(
                "This model does not norm its queries and keys, so that nothing bounds the scores of a pair.",
            ));
        }
        let is_scaled = model.choice().does(Correction::AngleScaling);
        let angles = (self.positions().n(), is_scaled);
        let is_limited = checkpoint.is_remote() && !question.reads_all;
        let mut count = pass.layers();
        if is_limited && question.measure == RotaryMeasure::Energy {
            let mut bytes = Vec::new();
            for layer in 0..count {
                bytes.push(pass.score_bytes(checkpoint, layer).await?);
            }
            count = layers_within(&bytes, MOST_REMOTE_BYTES);
            let unread = &bytes[count..];
            let sum = unread
                .iter()
                .fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
            answer.unread = (!unread.is_empty()).then_some((unread.len(), sum));
        }
        let mut failure = None;
        for layer in 0..count {
            let values = values(&pass, checkpoint, layer, angles, question.measure, context).await;
            context.progress(checkpoint.bytes_read(), checkpoint.size());
            match values {
                Ok(values) => {
                    answer.layers = vec![RotaryLayerPairs { layer, values }];
                    context.send(&answer);
                }
                Err(error) if is_of_layer(&error) => failure = failure.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        failure.map_or(Ok(()), Err)
    }
}

/// Number of layers, the first at least, whose bytes are at most `limit`.
fn layers_within(bytes: &[u64], limit: u64) -> usize {
    let mut sum: u64 = 0;
    let within = bytes.iter().take_while(|bytes| {
        sum = sum.saturating_add(**bytes);
        sum <= limit
    });
    within.count().max(1).min(bytes.len())
}

/// Whether other layers may have an answer all the same.
fn is_of_layer(failure: &Failure) -> bool {
    matches!(
        failure.kind,
        FailureKind::MissingFile { .. } | FailureKind::RefusedFile | FailureKind::NotThere
    )
}

async fn values<W: Weights>(
    pass: &ForwardPass,
    checkpoint: &W,
    layer: usize,
    (length, is_scaled): (usize, bool),
    measure: RotaryMeasure,
    watch: &impl Progress,
) -> Result<RotaryValues, Failure> {
    let pause = async || watch.pause().await;
    Ok(match measure {
        RotaryMeasure::Energy => {
            let weights = pass.read_scores(checkpoint, layer, &pause).await?;
            let energies = weights.rotary_energies(length, is_scaled, &pause).await;
            RotaryValues::Energies(energies)
        }
        RotaryMeasure::Bound => {
            let angles = (length, is_scaled);
            let bounds = pass.read_rotary_bounds(checkpoint, layer, angles, &pause);
            RotaryValues::Bounds(bounds.await?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::layers_within;

    #[test]
    fn the_first_layer_is_always_read() {
        assert_eq!(layers_within(&[5, 5, 5, 5], 15), 3);
        assert_eq!(layers_within(&[5, 5, 5, 5], 14), 2);
        assert_eq!(layers_within(&[5, 5, 5], 15), 3);
        assert_eq!(layers_within(&[20, 1], 15), 1);
        assert_eq!(layers_within(&[u64::MAX, u64::MAX], u64::MAX - 1), 1);
        assert_eq!(layers_within(&[], 15), 0);
    }
}
