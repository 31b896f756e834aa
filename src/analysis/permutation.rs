//! Demonstration that self-attention without positions ignores the order of tokens.
//!
//! A single head after eq. 1–3 of the TISA paper, small enough to be shown in full, with fixed random maps. Without
//! positions it is *permutation equivariant*: shuffling the tokens shuffles their outputs, which are the same up to
//! rounding. With positions added, in either of two ways, it is not.

use super::criteria::small_head::{dot, products, times};
use crate::{
    encoding::{Kernels, Sinusoidal},
    math::normal_number,
};

/// Width of tokens and outputs.
pub const COLUMNS: usize = 8;

/// Maximum number of tokens; further ones are ignored.
pub const MAX_TOKENS: usize = 10;

/// Maximum number of characters of a token; further ones are cut off.
const MAX_CHARACTERS: usize = 16;

/// How positions are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AddedPositions {
    /// Not at all.
    #[default]
    Nothing,
    /// Rows of the sinusoidal table, added to the tokens.
    Sinusoids,
    /// TISA's `F_P`, added to the scores (eq. 4).
    Kernels,
}

/// Outputs for the same tokens in two orders.
#[derive(Debug, Clone, PartialEq)]
pub struct ShuffledOutputs {
    /// Tokens as typed.
    pub tokens: Vec<String>,
    /// For each place after shuffling, the place of its token before.
    pub order: Vec<usize>,
    /// Outputs of the tokens as typed, by place before shuffling.
    pub before: Vec<Vec<f64>>,
    /// Outputs of the shuffled tokens, also by place before shuffling.
    pub after: Vec<Vec<f64>>,
}

impl ShuffledOutputs {
    /// Computes the outputs in both orders.
    ///
    /// # Panics
    /// If `order` contains an index outside `tokens`.
    #[must_use]
    pub fn new(
        tokens: Vec<String>,
        order: Vec<usize>,
        added: AddedPositions,
        kernels: &Kernels,
    ) -> Self {
        let embedded: Vec<Vec<f64>> = tokens.iter().map(|token| embedding(token)).collect();
        let shuffled: Vec<Vec<f64>> = order.iter().map(|&t| embedded[t].clone()).collect();
        let before = attend(&embedded, added, kernels);
        let mut after = vec![Vec::new(); tokens.len()];
        for (output, &token) in attend(&shuffled, added, kernels).into_iter().zip(&order) {
            after[token] = output;
        }
        Self {
            tokens,
            order,
            before,
            after,
        }
    }

    /// Largest absolute change of a token's output.
    #[must_use]
    pub fn difference(&self, token: usize) -> f64 {
        let pairs = self.before[token].iter().zip(&self.after[token]);
        pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    }

    /// Largest absolute change over all tokens.
    #[must_use]
    pub fn greatest(&self) -> f64 {
        (0..self.tokens.len())
            .map(|token| self.difference(token))
            .fold(0.0, f64::max)
    }
}

/// Splits a text into words, at most [`MAX_TOKENS`].
#[must_use]
pub fn tokens(text: &str) -> Vec<String> {
    text.split_whitespace()
        .take(MAX_TOKENS)
        .map(|word| word.chars().take(MAX_CHARACTERS).collect())
        .collect()
}

/// A permutation of n places. Seed 0 gives the identity; other seeds never do if n > 1.
#[must_use]
pub fn order(n: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    if seed > 0 {
        fastrand::Rng::with_seed(seed).shuffle(&mut order);
        if order.is_sorted() && n > 1 {
            order.rotate_left(1);
        }
    }
    order
}

/// Computes the outputs of eq. 1–3, one row per token.
#[must_use]
pub fn attend(tokens: &[Vec<f64>], added: AddedPositions, kernels: &Kernels) -> Vec<Vec<f64>> {
    let table = Sinusoidal {
        rows: tokens.len(),
        width: COLUMNS,
        ..Sinusoidal::default()
    };
    let mut inputs = tokens.to_vec();
    if added == AddedPositions::Sinusoids {
        for (i, row) in inputs.iter_mut().enumerate() {
            for (pair, speed) in row.chunks_exact_mut(2).zip(table.frequencies()) {
                let (sin, cos) = (i as f64 * speed).sin_cos();
                pair[0] += sin;
                pair[1] += cos;
            }
        }
    }
    let map = |seed| normals(seed, COLUMNS);
    let (queries, keys) = (times(&inputs, &map(1)), times(&inputs, &map(2)));
    let values = times(&inputs, &map(3));
    let mut scores = products(&queries, &keys);
    let columns: Vec<Vec<f64>> = (0..COLUMNS)
        .map(|c| values.iter().map(|value| value[c]).collect())
        .collect();
    for (i, row) in scores.iter_mut().enumerate() {
        if added == AddedPositions::Kernels {
            for (j, score) in row.iter_mut().enumerate() {
                *score += kernels.at(j as f64 - i as f64);
            }
        }
        softmax(row);
    }
    let output = |weights: &Vec<f64>| columns.iter().map(|column| dot(weights, column)).collect();
    scores.iter().map(output).collect()
}

fn softmax(row: &mut [f64]) {
    let greatest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for score in row.iter_mut() {
        *score = (*score - greatest).exp();
        total += *score;
    }
    for score in row.iter_mut() {
        *score /= total;
    }
}

/// Embedding of a token, seeded with the Fowler–Noll–Vo hash of its bytes, so that equal words have equal embeddings.
fn embedding(token: &str) -> Vec<f64> {
    let hash = token.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    normals(hash, 1).swap_remove(0)
}

/// Rows of standard normal numbers.
fn normals(seed: u64, rows: usize) -> Vec<Vec<f64>> {
    let mut uniform = fastrand::Rng::with_seed(seed);
    let mut row = || {
        (0..COLUMNS)
            .map(|_| normal_number(&mut uniform, 1.0))
            .collect()
    };
    (0..rows).map(|_| row()).collect()
}
