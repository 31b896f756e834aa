//! Heads of a layer with their rotation: all that scores by offset need beside queries and keys.

use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

use super::{
    ForwardError, ForwardPass, ScoreWeights,
    position_weights::{PositionWeights, key_head},
    tensor_numbers::TensorNumbers,
};
use crate::{
    checkpoint::Weights,
    math::KeyRotation,
    model::{AttentionDescription, AttentionPositions, BlockSizes, Cut, STILL},
};

/// Heads of a layer, and how they rotate queries and keys.
#[derive(Clone, Debug, PartialEq)]
pub struct RotaryHeads {
    pub(super) positions: PositionWeights,
    /// Factor of the scores.
    pub scale: f64,
    /// Number of query heads.
    pub heads: usize,
    /// Number of key heads, each shared by adjacent query heads.
    pub key_heads: usize,
    /// Number of columns of a head.
    pub head_width: usize,
}

/// A pair of columns of every head of a layer that rotates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RotatedPair {
    /// m, from 0.
    pub index: usize,
    /// Number of tokens after which it has turned once, 2π/θ_m.
    pub wavelength: f64,
    /// Its columns in a head.
    pub columns: [usize; 2],
}

/// Tensors on which the rotation of a layer depends, and none of other positions.
pub(super) fn rotation_tables(attention: &AttentionDescription) -> Vec<(&str, Cut)> {
    let positions = &attention.positions;
    let rotates = matches!(positions, AttentionPositions::Rotation(_));
    let tables = positions.tables().filter(|_| rotates);
    tables.map(|name| (name, Cut::ROWS)).collect()
}

impl RotaryHeads {
    /// Takes the tables of [`rotation_tables`] out of the numbers that were read.
    pub(super) fn take(
        numbers: &mut TensorNumbers,
        attention: &AttentionDescription,
        sizes: BlockSizes,
    ) -> Result<Self, ForwardError> {
        let positions = match &attention.positions {
            rotation @ AttentionPositions::Rotation(_) => {
                PositionWeights::take(numbers, rotation, sizes.heads)?
            }
            _ => PositionWeights::None,
        };
        Ok(Self {
            positions,
            scale: attention.scale.factor(sizes.head_width),
            heads: sizes.heads,
            key_heads: sizes.key_heads,
            head_width: sizes.head_width,
        })
    }

    /// Index of the key head that a head's queries meet.
    #[must_use]
    pub fn key_head(&self, head: usize) -> usize {
        key_head(head, self.heads, self.key_heads)
    }

    /// Rotation of keys against queries, the same for all heads; without pairs in a layer that does not rotate.
    #[must_use]
    pub fn key_rotation(&self, length: usize, is_scaled: bool) -> KeyRotation {
        let (columns, frequencies) = self.pairs(length, is_scaled).into_iter().unzip();
        KeyRotation {
            columns,
            frequencies,
            pair_factor: self.attention_factor(is_scaled).powi(2),
            scale: self.scale,
        }
    }

    /// The pairs that rotate, for a text of `length` tokens. Files stop pairs by huge divisors.
    #[must_use]
    pub fn rotated_pairs(&self, length: usize, is_scaled: bool) -> Vec<RotatedPair> {
        let PositionWeights::Rotation(rotation) = &self.positions else {
            return Vec::new();
        };
        let trained = rotation.description.tensors.angles.trained_frequencies();
        let pairs = self.pairs(length, is_scaled).into_iter().enumerate();
        let pairs = pairs.zip(trained).filter_map(|((index, pair), trained)| {
            let ((first, second), frequency) = pair;
            let rotates = frequency.is_finite() && frequency > trained / f64::from(STILL);
            rotates.then_some(RotatedPair {
                index,
                wavelength: TAU / frequency,
                columns: [first, second],
            })
        });
        pairs.collect()
    }

    /// Factor of the rotated queries and of the rotated keys.
    pub(super) fn attention_factor(&self, is_scaled: bool) -> f64 {
        match &self.positions {
            PositionWeights::Rotation(rotation) if is_scaled => {
                rotation.description.tensors.attention_factor()
            }
            _ => 1.0,
        }
    }

    /// Columns and angle of every pair, m = 0, 1, …
    fn pairs(&self, length: usize, is_scaled: bool) -> Vec<((usize, usize), f64)> {
        let PositionWeights::Rotation(rotation) = &self.positions else {
            return Vec::new();
        };
        let frequencies = match is_scaled {
            true => rotation.frequencies(length),
            false => rotation.trained_frequencies(),
        };
        let pairs = frequencies.into_iter().enumerate();
        let pairs = pairs.map(|(m, frequency)| (rotation.description.columns(m), frequency));
        pairs
            .take_while(|((_, second), _)| *second < self.head_width)
            .collect()
    }
}

impl ScoreWeights {
    /// The heads with their rotation.
    #[must_use]
    pub fn rotary_heads(&self) -> RotaryHeads {
        RotaryHeads {
            positions: match &self.positions {
                rotation @ PositionWeights::Rotation(_) => rotation.clone(),
                _ => PositionWeights::None,
            },
            scale: self.scale,
            heads: self.heads,
            key_heads: self.key_heads,
            head_width: self.head_width,
        }
    }
}

impl ForwardPass {
    /// Reads the biases of a layer's queries and keys and its rotation alone: a few kilobytes.
    pub(super) async fn read_biases<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
        pause: &impl AsyncFn(),
    ) -> Result<(RotaryHeads, [Vec<f32>; 2]), ForwardError> {
        let block = self.block(layer)?;
        let attention = &block.attention;
        let sizes = self.check_scores(checkpoint, block).await?;
        let mut tensors = rotation_tables(attention);
        let maps = [
            (&attention.query, sizes.heads),
            (&attention.key, sizes.key_heads),
        ];
        for (map, _) in &maps {
            tensors.extend(map.bias.as_deref().map(|bias| (bias, map.cut)));
        }
        let mut numbers = TensorNumbers::read(checkpoint, &tensors, pause).await?;
        let heads = RotaryHeads::take(&mut numbers, attention, sizes)?;
        let bias =
            |(map, count): (&_, usize)| numbers.bias_of(map, count * sizes.head_width, sizes.heads);
        let [query, key] = maps.map(bias);
        Ok((heads, [query?, key?]))
    }
}

#[cfg(test)]
mod tests {
    use super::RotaryHeads;
    use crate::{
        checkpoint::WeightsInMemory,
        encoding::RotaryAngles,
        forward::{position_weights::PositionWeights, tensor_numbers::TensorNumbers},
        model::{
            AngleDivisors, AttentionPositions, Cut, RotaryPairs, RotaryTensors, RotationDescription,
        },
    };
    use pollster::block_on;
    use std::{collections::BTreeMap, f64::consts::TAU};

    const DIVISORS: &str = "rope_freqs.weight";

    /// Heads of 8 columns with these angles, and divisors of the first three.
    fn heads(angles: RotaryAngles, divisors: Option<[f32; 3]>) -> RotaryHeads {
        let tensor = divisors.map(|divisors| (DIVISORS.to_owned(), (vec![3], divisors.to_vec())));
        let file = WeightsInMemory::new("test", BTreeMap::from_iter(tensor));
        let tensors: Vec<(&str, Cut)> = divisors.iter().map(|_| (DIVISORS, Cut::ROWS)).collect();
        let numbers = block_on(TensorNumbers::read(&file, &tensors, &async || ()));
        let description = AttentionPositions::Rotation(RotationDescription {
            tensors: RotaryTensors {
                angles,
                divisors: divisors.map(|_| AngleDivisors::Always(DIVISORS.to_owned())),
            },
            pairs: RotaryPairs::Halves,
        });
        let mut numbers = numbers.expect("numbers");
        RotaryHeads {
            positions: PositionWeights::take(&mut numbers, &description, 1).expect("positions"),
            scale: 1.0,
            heads: 1,
            key_heads: 1,
            head_width: 8,
        }
    }

    /// Angles of training are not divided, but stopped pairs do not rotate in them either.
    #[test]
    fn stopped_pairs_rotate_with_no_angles() {
        let heads = heads(RotaryAngles::new(6, 1000.0), Some([1.0, 2.0, 1e30]));
        for (is_scaled, divisor) in [(true, 2.0), (false, 1.0)] {
            let pairs = heads.rotated_pairs(16, is_scaled);
            let places: Vec<_> = pairs
                .iter()
                .map(|pair| (pair.index, pair.columns))
                .collect();
            assert_eq!(places, [(0, [0, 3]), (1, [1, 4])]);
            let second = TAU * divisor * 1000_f64.powf(1.0 / 3.0);
            assert!((pairs[1].wavelength / second - 1.0).abs() < 1e-12);
            let rotation = heads.key_rotation(16, is_scaled);
            assert_eq!(rotation.columns, [(0, 3), (1, 4), (2, 5)]);
            assert!(rotation.frequencies[2] < 1e-20);
        }
    }

    /// An odd number of columns is rounded up, as in the transformers library.
    #[test]
    fn odd_widths_have_one_more_pair() {
        let angles = RotaryAngles {
            pairs: 3,
            ..RotaryAngles::new(5, 10_000.0)
        };
        let pairs = heads(angles, None).rotated_pairs(16, true);
        let columns: Vec<_> = pairs.iter().map(|pair| pair.columns).collect();
        assert_eq!(columns, [[0, 3], [1, 4], [2, 5]]);
    }
}
