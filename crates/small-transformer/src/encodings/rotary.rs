//! Rotary positions: pairs of numbers of queries and keys turn by an angle that grows with position, so that scores
//! depend on offsets (Su et al. 2021). Pair i of w numbers is (i, i + w/2), as in LLaMA; its angle is
//! position / 10000^(2i/w), so that its wavelength is 2π·10000^(2i/w) tokens.

use super::{MOST_LENGTHS, PositionalEncoding};
use crate::{Real, TransformerShape};
use std::f64::consts::TAU;

/// The part of a model that turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RotatedPart {
    /// All numbers of all layers.
    Whole,
    /// The first half of each head's numbers, or the even number of them below.
    Half,
    /// All numbers of layers 0, 2, 4 …
    EvenLayers,
}

/// Cosines and sines of the angles of every position and pair.
#[derive(Clone, Debug)]
pub(super) struct RotaryTables<T> {
    /// Cosine and sine \[positions, pairs\].
    waves: Vec<(T, T)>,
    pairs: usize,
    head_width: usize,
    width: usize,
    n: usize,
    part: RotatedPart,
}

/// 1/θ of a pair: the number of tokens over which it turns by one radian.
fn tokens_per_radian(pair: usize, pairs: usize) -> f64 {
    10_000_f64.powf(pair as f64 / pairs as f64)
}

impl<T: Real> RotaryTables<T> {
    pub(super) fn new(shape: &TransformerShape, part: RotatedPart) -> Self {
        let head_width = shape.head_width();
        let turning = if part == RotatedPart::Half {
            (head_width / 2).max(2)
        } else {
            head_width
        };
        let pairs = turning / 2;
        let wave = |at: usize| {
            let angle = (at / pairs) as f64 / tokens_per_radian(at % pairs, pairs);
            (T::from_f64(angle.cos()), T::from_f64(angle.sin()))
        };
        Self {
            waves: (0..MOST_LENGTHS * shape.n * pairs).map(wave).collect(),
            pairs,
            head_width,
            width: shape.d,
            n: shape.n,
            part,
        }
    }

    fn turns_in(&self, layer: usize) -> bool {
        self.part != RotatedPart::EvenLayers || layer.is_multiple_of(2)
    }
}

impl<T: Real> PositionalEncoding<T> for RotaryTables<T> {
    fn turn(&self, layer: usize, rows: &mut [T], is_inverse: bool) {
        if !self.turns_in(layer) {
            return;
        }
        let positions = rows
            .chunks_exact_mut(self.width)
            .zip(self.waves.chunks_exact(self.pairs));
        for (row, waves) in positions {
            for head in row.chunks_exact_mut(self.head_width) {
                let (first, second) = head.split_at_mut(self.pairs);
                for ((x, y), (cos, sin)) in first.iter_mut().zip(second).zip(waves) {
                    let sin = if is_inverse { -*sin } else { *sin };
                    (*x, *y) = (*x * *cos - *y * sin, *y * *cos + *x * sin);
                }
            }
        }
    }

    fn wavelengths(&self, layer: usize) -> Vec<f64> {
        let pairs = if self.turns_in(layer) { self.pairs } else { 0 };
        (0..pairs)
            .map(|pair| TAU * tokens_per_radian(pair, pairs))
            .collect()
    }

    fn longest(&self) -> usize {
        MOST_LENGTHS * self.n
    }
}
