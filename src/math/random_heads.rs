//! Heads whose keys are turned at random, the level that a head's positional attention reaches by chance.
//!
//! With an orthogonal matrix O, [`d_k`, `d_k`], drawn uniformly over all rotations and reflections (Haar measure), `W_K`
//! becomes `W_K`·O, and a bias of the keys turns with it. Every key keeps its length and its similarity to every other
//! key, so that the keys vary along positions as before; which of their waves meets which wave of the queries is left to
//! chance. A uniform O is the orthonormal factor of a matrix of independent normal numbers (Mezzadri 2007, section 5).

use super::{
    AttentionMask, LowRank, NoWaves, Scores, TRACED_POSITIONS, Trace, matrix_product,
    normal_number::normal_number,
};
use fastrand::Rng;
use ndarray::Array2;

/// Number of random heads that a head is compared with.
pub const RANDOM_HEADS: usize = 20;

/// Maximum number of queries in the trace of a random head. They are evenly spaced.
const QUERIES: usize = 64;

/// Draws an orthogonal matrix uniformly over all rotations and reflections of a space.
#[must_use]
pub fn random_orthogonal(size: usize, rng: &mut Rng) -> Array2<f64> {
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(size);
    while columns.len() < size {
        let mut column: Vec<f64> = (0..size).map(|_| normal_number(rng, 1.0)).collect();
        // Twice, since one subtraction leaves rounding errors.
        for _ in 0..2 {
            for other in &columns {
                let along: f64 = other.iter().zip(&column).map(|(a, b)| a * b).sum();
                (column.iter_mut().zip(other)).for_each(|(value, &unit)| *value -= along * unit);
            }
        }
        let length = column.iter().map(|value| value * value).sum::<f64>().sqrt();
        column.iter_mut().for_each(|value| *value /= length);
        columns.push(column);
    }
    Array2::from_shape_fn((size, size), |(row, at)| columns[at][row])
}

/// Traces of [`RANDOM_HEADS`] heads that are this head with randomly turned keys; `None` if its scores are no products of
/// queries and keys. Equal scores and seeds give equal traces. Each is the mean over at most 64 queries among the first
/// [`TRACED_POSITIONS`] positions.
///
/// # Errors
/// If there are fewer than two positions, or a row of attention is not finite.
pub fn random_traces(
    scores: &Scores,
    cells: AttentionMask,
    seed: u64,
) -> Option<Result<Vec<Trace>, NoWaves>> {
    let n = scores.n().min(TRACED_POSITIONS);
    let queries: Vec<usize> = (0..n).step_by(n.div_ceil(QUERIES).max(1)).collect();
    let heads = random_heads(scores, seed)?;
    let traces = heads.map(|head| Trace::of_queries(&head, cells, &queries));
    Some(traces.collect())
}

/// Scores of [`RANDOM_HEADS`] heads that are this head with randomly turned keys, among the first [`TRACED_POSITIONS`]
/// positions; `None` if its scores are no products of queries and keys. Equal scores and seeds give equal heads.
#[must_use]
pub fn random_heads(scores: &Scores, seed: u64) -> Option<impl Iterator<Item = Scores>> {
    let n = scores.n().min(TRACED_POSITIONS);
    let Scores::Product(product, _) = scores.block(0..n) else {
        return None;
    };
    let mut rng = Rng::with_seed(seed);
    Some((0..RANDOM_HEADS).map(move |_| {
        let turn = random_orthogonal(product.left().ncols(), &mut rng);
        let turn = turn.mapv(|value| value as f32);
        let keys = matrix_product::product(product.right(), turn.view(), 1.0);
        let turned = LowRank::product(product.left().to_owned(), keys, product.shift());
        Scores::Product(turned, None)
    }))
}
