//! Rotation of queries and keys by angles that grow with the position.

use ndarray::ArrayViewMut2;

use super::position_weights::RotationWeights;
use crate::model::RotationDescription;

/// Sines and cosines of a text's angles.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RotaryWaves {
    /// Cosine and sine of i·θ_m, times the attention factor: for every position those of all pairs.
    waves: Vec<(f32, f32)>,
    pairs: usize,
    rotation: RotationDescription,
}

impl RotaryWaves {
    /// The waves of a text of `length` tokens.
    pub(super) fn new(weights: &RotationWeights, length: usize) -> Self {
        let frequencies = weights.frequencies(length);
        let tensors = &weights.description.tensors;
        let factor = tensors.attention_factor();
        let wave = |angle: f64| ((factor * angle.cos()) as f32, (factor * angle.sin()) as f32);
        let positions = (0..length).map(|i| i as f64);
        let waves = positions.flat_map(|i| frequencies.iter().map(move |theta| wave(i * theta)));
        Self {
            waves: waves.collect(),
            pairs: frequencies.len(),
            rotation: weights.description.clone(),
        }
    }

    /// Rotates queries or keys whose heads of `width` columns are adjacent, [n, heads·width].
    pub(super) fn rotate(&self, mut rows: ArrayViewMut2<'_, f32>, width: usize) {
        for (mut row, waves) in rows
            .rows_mut()
            .into_iter()
            .zip(self.waves.chunks(self.pairs.max(1)))
        {
            for mut head in row.exact_chunks_mut(width) {
                for (m, (cos, sin)) in waves.iter().enumerate() {
                    let (first, second) = self.rotation.columns(m);
                    if second < width {
                        let (a, b) = (head[first], head[second]);
                        head[first] = a * cos - b * sin;
                        head[second] = a * sin + b * cos;
                    }
                }
            }
        }
    }
}
