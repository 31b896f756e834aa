//! The greatest scores that pairs of rotated columns can add where queries and keys are normed.

use serde::{Deserialize, Serialize};

use super::{
    ForwardError, ForwardPass, NormWeights, RotaryHeads, RotatedPair,
    rotary_heads::rotation_tables, tensor_numbers::TensorNumbers,
};
use crate::{checkpoint::Weights, model::Cut};

/// Greatest scores that the pairs of a layer can add, where queries and keys are normed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RotaryBounds {
    /// The pairs that rotate; none in a layer without rotation.
    pub pairs: Vec<RotatedPair>,
    /// Greatest |score| of each pair of each head.
    pub heads: Vec<Vec<f64>>,
}

/// Norms on queries and keys of a layer, with what else bounds its scores.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NormedHeads {
    pub(super) query: NormWeights,
    pub(super) key: NormWeights,
    /// Whether queries and keys are normed head by head, instead of all heads as one row.
    pub(super) is_per_head: bool,
    pub(super) heads: RotaryHeads,
}

/// Scale of a column of a head in a norm on queries or keys.
pub(super) fn gain(norm: &NormWeights, is_per_head: bool, first: usize, column: usize) -> f64 {
    let at = if is_per_head { column } else { first + column };
    norm.scales.get(at).map_or(1.0, |scale| f64::from(*scale))
}

impl NormedHeads {
    /// The greatest score that each pair can add: s·a²·‖q_m‖·‖k_m‖, with the scale s of scores, the attention factor a
    /// of the angles, and the longest parts that the norms let pass.
    ///
    /// A norm over w columns leaves rows of length √w at most, so that a pair's part is at most √w·max|γ| + ‖β‖ over its
    /// two columns. With s = 1/√w and no shifts β that is √w·max γ^q·max γ^k. Rows reach it: those with all of their
    /// length in the column of the greatest γ, rotated until they point the same way.
    pub(super) fn bounds(&self, length: usize, is_scaled: bool) -> RotaryBounds {
        let pairs = self.heads.rotated_pairs(length, is_scaled);
        if pairs.is_empty() {
            let heads = Vec::new();
            return RotaryBounds { pairs, heads };
        }
        let (width, factor) = (
            self.heads.head_width,
            self.heads.attention_factor(is_scaled),
        );
        let longest = |norm: &NormWeights, heads: usize, head: usize, pair: &RotatedPair| {
            let first = head * width;
            let gains = pair
                .columns
                .map(|at| gain(norm, self.is_per_head, first, at).abs());
            let shift = |at: usize| {
                let at = if self.is_per_head { at } else { first + at };
                let shift = norm.shifts.as_ref().and_then(|shifts| shifts.get(at));
                shift.map_or(0.0, |shift| f64::from(*shift))
            };
            let [one, other] = pair.columns.map(shift);
            let heads = if self.is_per_head { 1 } else { heads };
            let length = ((heads * width) as f64).sqrt();
            length * gains[0].max(gains[1]) + one.hypot(other)
        };
        let of_head = |head: usize| {
            let key_head = self.heads.key_head(head);
            let of_pair = |pair: &RotatedPair| {
                let query = longest(&self.query, self.heads.heads, head, pair);
                let key = longest(&self.key, self.heads.key_heads, key_head, pair);
                self.heads.scale.abs() * factor * factor * query * key
            };
            pairs.iter().map(of_pair).collect()
        };
        let heads = (0..self.heads.heads).map(of_head).collect();
        RotaryBounds { pairs, heads }
    }
}

impl ForwardPass {
    /// Reads the norms on queries and keys of a layer alone, a few kilobytes, and bounds the scores of its pairs by
    /// them; `None` if the layer has no such norms. `length` and `is_scaled` as in
    /// [`ScoreWeights::rotary_energies`](super::ScoreWeights::rotary_energies).
    ///
    /// # Errors
    /// As [`Self::read_layer`].
    pub async fn read_rotary_bounds<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
        (length, is_scaled): (usize, bool),
        pause: &impl AsyncFn(),
    ) -> Result<Option<RotaryBounds>, ForwardError> {
        let block = self.block(layer)?;
        let attention = &block.attention;
        let Some(norms) = &attention.query_key_norms else {
            return Ok(None);
        };
        let sizes = self.check_scores(checkpoint, block).await?;
        let mut tensors = rotation_tables(attention);
        let norm_tensors = norms.query.tensors().chain(norms.key.tensors());
        tensors.extend(norm_tensors.map(|name| (name, Cut::ROWS)));
        let mut numbers = TensorNumbers::read(checkpoint, &tensors, pause).await?;
        let heads = NormedHeads {
            query: numbers.norm(&norms.query)?,
            key: numbers.norm(&norms.key)?,
            is_per_head: norms.is_per_head,
            heads: RotaryHeads::take(&mut numbers, attention, sizes)?,
        };
        Ok(Some(heads.bounds(length, is_scaled)))
    }
}

#[cfg(test)]
mod tests {
    use super::NormedHeads;
    use crate::{
        encoding::{ContextExtension, RotaryAngles, Yarn},
        forward::{
            NormWeights, RotaryHeads, position_weights::PositionWeights,
            tensor_numbers::TensorNumbers,
        },
        model::{AttentionPositions, NormKind, RotaryPairs, RotaryTensors, RotationDescription},
    };
    use ndarray::Array2;

    const WIDTH: usize = 4;
    const HEADS: usize = 4;
    const KEY_HEADS: usize = 2;
    const FACTOR: f64 = 1.25;

    fn norm(kind: NormKind, width: usize, seed: usize, has_shifts: bool) -> NormWeights {
        let number = |at: usize| ((at * at * 3 + at + seed) % 7) as f32 / 4.0 - 0.6;
        NormWeights {
            kind,
            scales: (0..width).map(number).collect(),
            shifts: has_shifts.then(|| (0..width).map(|at| number(at + 1)).collect()),
            epsilon: 0.0,
        }
    }

    fn heads(kind: NormKind, is_per_head: bool, has_shifts: bool) -> NormedHeads {
        let yarn = Yarn {
            factor: 2.0,
            trained_length: 32.0,
            fast_turns: 32.0,
            slow_turns: 1.0,
            is_truncated: true,
            attention_factor: FACTOR,
        };
        let description = RotationDescription {
            tensors: RotaryTensors {
                angles: RotaryAngles {
                    extension: ContextExtension::Yarn(yarn),
                    ..RotaryAngles::new(WIDTH, 100.0)
                },
                divisors: None,
            },
            pairs: RotaryPairs::Halves,
        };
        let positions = AttentionPositions::Rotation(description);
        let width = |heads| if is_per_head { WIDTH } else { heads * WIDTH };
        let mut numbers = TensorNumbers::default();
        NormedHeads {
            query: norm(kind, width(HEADS), 1, has_shifts),
            key: norm(kind, width(KEY_HEADS), 4, has_shifts),
            is_per_head,
            heads: RotaryHeads {
                positions: PositionWeights::take(&mut numbers, &positions, HEADS)
                    .expect("positions"),
                scale: 0.7,
                heads: HEADS,
                key_heads: KEY_HEADS,
                head_width: WIDTH,
            },
        }
    }

    /// Longest parts of a pair among many rows, after the norm: those with one or two columns far larger than all others,
    /// and rows without a pattern.
    fn longest(norm: &NormWeights, columns: [usize; 2]) -> f64 {
        let width = norm.scales.len();
        let mut rows = Vec::new();
        for at in 0..width {
            for (other, sign) in (0..width).flat_map(|other| [(other, 0.7), (other, -1.0)]) {
                let mut row = vec![0.0_f32; width];
                row[at] = 1.0;
                row[other] += sign;
                rows.extend(row);
            }
        }
        rows.extend((0..50 * width).map(|at| ((at * at + 3 * at) % 23) as f32 - 11.0));
        let mut rows = Array2::from_shape_vec((rows.len() / width, width), rows).expect("rows");
        norm.apply(rows.view_mut());
        let lengths = rows.rows().into_iter().map(|row| {
            let [x, y] = columns.map(|at| f64::from(row[at]));
            x.hypot(y)
        });
        lengths
            .filter(|length| length.is_finite())
            .fold(0.0, f64::max)
    }

    #[test]
    fn no_row_passes_a_bound_and_some_reach_it() {
        for (kind, is_per_head, has_shifts) in [
            (NormKind::Rms, true, false),
            (NormKind::Rms, false, false),
            (NormKind::Layer, true, false),
            (NormKind::Layer, false, true),
        ] {
            let heads = heads(kind, is_per_head, has_shifts);
            let found = heads.bounds(8, true);
            assert_eq!((found.pairs.len(), found.heads.len()), (2, HEADS));
            for (head, bounds) in found.heads.iter().enumerate() {
                for (pair, bound) in found.pairs.iter().zip(bounds) {
                    let columns = |head: usize| {
                        let first = if is_per_head { 0 } else { head * WIDTH };
                        pair.columns.map(|at| first + at)
                    };
                    let query = longest(&heads.query, columns(head));
                    let key = longest(&heads.key, columns(head / 2));
                    let most = 0.7 * FACTOR * FACTOR * query * key;
                    let name =
                        format!("{kind:?}, {is_per_head}, {head}, {pair:?}: {most} of {bound}");
                    assert!(most <= bound * (1.0 + 1e-6), "{name}");
                    if kind == NormKind::Rms {
                        assert!(most >= bound * (1.0 - 1e-6), "{name}");
                    }
                }
            }
        }
    }

    #[test]
    fn angles_of_training_have_no_factor() {
        let heads = heads(NormKind::Rms, true, false);
        let (scaled, trained) = (heads.bounds(8, true), heads.bounds(8, false));
        let pairs = scaled
            .heads
            .concat()
            .into_iter()
            .zip(trained.heads.concat());
        for (scaled, trained) in pairs {
            assert!((scaled - FACTOR * FACTOR * trained).abs() < 1e-9 * scaled);
        }
    }
}
