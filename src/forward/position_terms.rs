//! Terms of a text's scores that depend on positions.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};
use std::ops::Range;

use super::{
    LinearMap,
    position_weights::{DistanceMapWeights, DistanceWeights, PositionWeights},
    score_weights::ScoreWeights,
};
use crate::math::{matrix_product::product, offsets};

/// Position terms of the scores of texts of one length.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PositionTerms {
    /// None.
    None,
    /// A score by head and offset, [heads, 2n − 1].
    ByOffset(Array2<f32>),
    /// Products of queries and keys with vectors of offsets.
    Products(OffsetProducts),
}

/// Vectors of offsets that queries and keys meet.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OffsetProducts {
    /// Row of the vectors for every offset 1 − n … n − 1.
    rows: Vec<usize>,
    /// Vectors that queries meet, [rows, heads·width] or [rows, width].
    keys: Option<Array2<f32>>,
    /// Vectors that keys meet.
    queries: Option<Array2<f32>>,
}

impl PositionTerms {
    /// The terms for texts of `n` tokens.
    pub(super) fn new(weights: &ScoreWeights, n: usize) -> Self {
        match &weights.positions {
            PositionWeights::None | PositionWeights::Rotation(_) => Self::None,
            PositionWeights::Buckets { table, buckets } => {
                let rows: Vec<usize> = offsets(n).map(|k| buckets.bucket(k)).collect();
                Self::ByOffset(Array2::from_shape_fn(
                    (table.ncols(), rows.len()),
                    |(head, at)| table[(rows[at], head)],
                ))
            }
            PositionWeights::Vectors { table, meets_keys } => {
                let span = table.nrows() as i64 / 2;
                // Row i − j + span.
                let row = |k: i64| (span - k).clamp(0, 2 * span) as usize;
                Self::Products(OffsetProducts {
                    rows: offsets(n).map(row).collect(),
                    keys: Some(table.clone()),
                    queries: meets_keys.then(|| table.clone()),
                })
            }
            PositionWeights::Distances(distances) => {
                Self::Products(OffsetProducts::from_distances(distances, weights, n))
            }
        }
    }

    /// Adds the terms of a head to its scores. `first` is the index of the first query, `q` are some queries and `k`
    /// all keys of the head.
    pub(super) fn add(
        &self,
        mut scores: ArrayViewMut2<'_, f32>,
        head: usize,
        first: usize,
        [q, k]: [ArrayView2<'_, f32>; 2],
        scale: f32,
    ) {
        self.add_offset_scores(scores.view_mut(), head, first);
        self.add_key_terms(scores.view_mut(), head, first, q, scale);
        self.add_query_terms(scores, head, first, k, scale);
    }

    /// Adds the scores that depend on the offset alone.
    pub(super) fn add_offset_scores(
        &self,
        mut scores: ArrayViewMut2<'_, f32>,
        head: usize,
        first: usize,
    ) {
        let Self::ByOffset(by_head) = self else {
            return;
        };
        let n = scores.ncols();
        for (row, mut scores) in scores.rows_mut().into_iter().enumerate() {
            scores += &by_head.slice(s![head, offsets_of(first + row, n)]);
        }
    }

    /// Adds the products of some queries `q` with vectors of offsets.
    pub(super) fn add_key_terms(
        &self,
        mut scores: ArrayViewMut2<'_, f32>,
        head: usize,
        first: usize,
        q: ArrayView2<'_, f32>,
        scale: f32,
    ) {
        let Some((rows, keys)) = self
            .products()
            .and_then(|p| Some((&p.rows, p.keys.as_ref()?)))
        else {
            return;
        };
        let n = scores.ncols();
        let meets = product(q, head_columns(keys, head, q.ncols()).t(), scale);
        for (row, mut scores) in scores.rows_mut().into_iter().enumerate() {
            let rows = &rows[offsets_of(first + row, n)];
            for (score, at) in scores.iter_mut().zip(rows) {
                *score += meets[(row, *at)];
            }
        }
    }

    /// Adds the products of all keys `k` with vectors of offsets.
    pub(super) fn add_query_terms(
        &self,
        mut scores: ArrayViewMut2<'_, f32>,
        head: usize,
        first: usize,
        k: ArrayView2<'_, f32>,
        scale: f32,
    ) {
        let Some((rows, queries)) = self
            .products()
            .and_then(|p| Some((&p.rows, p.queries.as_ref()?)))
        else {
            return;
        };
        let n = scores.ncols();
        let meets = product(head_columns(queries, head, k.ncols()), k.t(), scale);
        for (row, mut scores) in scores.rows_mut().into_iter().enumerate() {
            let rows = &rows[offsets_of(first + row, n)];
            for (j, (score, at)) in scores.iter_mut().zip(rows).enumerate() {
                *score += meets[(*at, j)];
            }
        }
    }

    fn products(&self) -> Option<&OffsetProducts> {
        match self {
            Self::Products(products) => Some(products),
            Self::None | Self::ByOffset(_) => None,
        }
    }
}

/// Indices of the offsets from a query to all n keys, among the offsets 1 − n … n − 1.
fn offsets_of(query: usize, n: usize) -> Range<usize> {
    n - 1 - query..2 * n - 1 - query
}

impl OffsetProducts {
    /// Keys and queries made from embeddings of distances.
    fn from_distances(distances: &DistanceWeights, weights: &ScoreWeights, n: usize) -> Self {
        let rows: Vec<usize> = offsets(n).map(|k| distances.rows.c2p_row(k)).collect();
        // Only rows of offsets that the text has are mapped.
        let used = used_rows(&rows);
        let table = distances.table.slice(s![used.clone(), ..]);
        let map = |map: &Option<DistanceMapWeights>, of_words: &LinearMap| {
            let map = match map.as_ref()? {
                DistanceMapWeights::Own(map) => map,
                DistanceMapWeights::Shared => of_words,
            };
            Some(map.apply_to_few(table))
        };
        Self {
            keys: map(&distances.key, &weights.key),
            queries: map(&distances.query, &weights.query),
            rows: rows.into_iter().map(|row| row - used.start).collect(),
        }
    }
}

/// The range from the least to the greatest row.
fn used_rows(rows: &[usize]) -> Range<usize> {
    let least = rows.iter().copied().min().unwrap_or(0);
    least..rows.iter().copied().max().map_or(0, |most| most + 1)
}

/// Columns of a head; all of them if heads share their vectors.
fn head_columns(vectors: &Array2<f32>, head: usize, width: usize) -> ArrayView2<'_, f32> {
    if vectors.ncols() == width {
        return vectors.view();
    }
    vectors.slice(s![.., head * width..(head + 1) * width])
}
