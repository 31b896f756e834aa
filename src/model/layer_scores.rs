//! A layer's weights or scores, and the positional scores of each of its heads.

use ndarray::{Array2, ArrayView1, s};
use serde::{Deserialize, Serialize};

use super::{HiddenStates, LayerWeights, read::narrow};
use crate::{
    encoding::{
        AuthorsLayer, Buckets, Kernels, PatchScores, RelativeRows, RotaryScores, WindowBias,
    },
    math::{Grid, GridToeplitz, LowRank, Profile, Scores, Toeplitz, matrix_product::product},
};

/// A layer that gives the scores of its heads. The code that reads it validates its shapes.
#[derive(Clone, Debug)]
pub enum LayerScores {
    /// Products of queries and keys.
    Products(QueriesAndKeys),
    /// Scores by bucket of offsets, [buckets, heads], and the number of positions.
    Buckets(Buckets, usize, Array2<f32>),
    /// Scores of relative embeddings for the mean word, and the number of positions.
    Distances(RelativeRows, usize, DistanceScores),
    /// Scores by offset in an image, [rows, heads].
    Window(WindowBias, Array2<f32>),
    /// Gaussian kernels, and the number of positions.
    Kernels(AuthorsLayer, usize),
    /// Scores of the mean query and key of every head under rotation, and the number of positions.
    Rotation(Vec<RotaryScores>, usize),
    /// Scores of the part of queries and keys that all patches share, rotated by rows and columns of the grid.
    Patches(Vec<PatchScores>, Grid),
}

/// Scores by distance when every word is the mean word, each [rows, heads].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DistanceScores {
    /// Content to position: the query's word with the relative key.
    pub c2p: Option<Array2<f32>>,
    /// Position to content: the relative query with the key's word.
    pub p2c: Option<Array2<f32>>,
}

/// Properties that the heads of all layers share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadLayout {
    /// Number of heads of a layer.
    pub heads: usize,
    /// Whether scores are divided by the root of a head's width.
    pub is_scaled: bool,
    /// Grid of the positions, if they are patches of an image.
    pub grid: Option<Grid>,
}

/// Queries and keys of a layer for every position, with the heads in adjacent columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct QueriesAndKeys {
    #[serde(with = "crate::math::as_bytes")]
    queries: Array2<f32>,
    #[serde(with = "crate::math::as_bytes")]
    keys: Array2<f32>,
    /// Query and key of the mean word, whose product is subtracted in paper scores.
    mean: Option<(Vec<f32>, Vec<f32>)>,
    layout: HeadLayout,
}

impl QueriesAndKeys {
    /// Applies a layer's maps to hidden states.
    #[must_use]
    pub fn new(states: &HiddenStates, weights: &LayerWeights, layout: HeadLayout) -> Self {
        let x = weights.attention_input(states);
        let project = |matrix: &Array2<f32>, bias: &Option<Vec<f32>>| {
            let mut out = product(x.view(), matrix.view(), 1.0);
            if let (true, Some(bias)) = (states.uses_biases, bias) {
                out += &ArrayView1::from(bias);
            }
            out
        };
        Self {
            queries: project(&weights.query, &weights.query_bias),
            keys: project(&weights.key, &weights.key_bias),
            mean: states.mean.as_ref().map(|mean| {
                let mean = ArrayView1::from(mean);
                let project = |matrix: &Array2<f32>| mean.dot(matrix).to_vec();
                (project(&weights.query), project(&weights.key))
            }),
            layout: HeadLayout {
                grid: (layout.grid).filter(|grid| grid.cells() == states.x.nrows()),
                ..layout
            },
        }
    }

    /// The scores of one head, Q·Kᵀ, divided by √`d_k` if the model scales them.
    ///
    /// Paper mode is (x̄+E)·M·(x̄+E)ᵀ − x̄·M·x̄ᵀ, the sum of the three terms of eqs. 9–12.
    fn head(&self, head: usize) -> Scores {
        let width = self.queries.ncols() / self.layout.heads;
        let columns = head * width..(head + 1) * width;
        let scale = if self.layout.is_scaled {
            (width as f64).sqrt().recip()
        } else {
            1.0
        };
        let query = self
            .queries
            .slice(s![.., columns.clone()])
            .mapv(|v| narrow(f64::from(v) * scale));
        let key = self.keys.slice(s![.., columns.clone()]).to_owned();
        let shift = self.mean.as_ref().map_or(0.0, |(q, k)| {
            -scale
                * q[columns.clone()]
                    .iter()
                    .zip(&k[columns])
                    .map(|(&q, &k)| f64::from(q) * f64::from(k))
                    .sum::<f64>()
        });
        Scores::Product(LowRank::product(query, key, shift), self.layout.grid)
    }
}

impl LayerScores {
    /// Positional scores of a head.
    ///
    /// # Panics
    /// If the layer has no such head.
    #[must_use]
    pub fn head(&self, head: usize) -> Scores {
        let column = |columns: &Array2<f32>| columns.column(head).to_vec();
        match self {
            Self::Products(products) => products.head(head),
            Self::Buckets(buckets, n, scores) => Scores::Toeplitz(Toeplitz::new(Profile::new(
                buckets.profile(&column(scores), *n),
            ))),
            Self::Distances(rows, n, scores) => {
                Scores::Toeplitz(Toeplitz::from_fn(*n, |k| scores.at(rows, k, head)))
            }
            Self::Window(window, scores) => Scores::Grid(window.scores(&column(scores))),
            Self::Kernels(layer, n) => Scores::Toeplitz(layer.head(head).scores(*n)),
            Self::Rotation(heads, n) => Scores::Toeplitz(heads[head].scores(*n)),
            Self::Patches(heads, grid) => Scores::Grid(heads[head].scores(*grid)),
        }
    }

    /// Mean over the layer's heads; `None` for products of queries and keys.
    #[must_use]
    pub fn mean(&self) -> Option<Scores> {
        match self {
            Self::Products(_) => None,
            Self::Buckets(buckets, n, scores) => {
                Some(Self::Buckets(*buckets, *n, mean_column(scores)).head(0))
            }
            Self::Distances(rows, n, DistanceScores { c2p, p2c }) => {
                let scores = DistanceScores {
                    c2p: c2p.as_ref().map(mean_column),
                    p2c: p2c.as_ref().map(mean_column),
                };
                Some(Self::Distances(*rows, *n, scores).head(0))
            }
            Self::Window(window, scores) => {
                Some(Self::Window(*window, mean_column(scores)).head(0))
            }
            Self::Rotation(heads, n) => {
                let mean = RotaryScores::mean(heads);
                Some(Scores::Toeplitz(mean.scores(*n)))
            }
            // Heads may have frequencies of their own.
            Self::Patches(heads, grid) => {
                let all: Vec<_> = heads.iter().map(|head| head.scores(*grid)).collect();
                let mean = |dy, dx| {
                    let values = all.iter().filter_map(|scores| scores.at(dy, dx));
                    values.sum::<f64>() / all.len().max(1) as f64
                };
                Some(Scores::Grid(GridToeplitz::from_fn(*grid, mean)))
            }
            Self::Kernels(layer, n) => {
                let mut f = vec![0.0; 2 * n - 1];
                for head in 0..layer.heads {
                    let scores = layer.head(head).scores(*n);
                    for (sum, value) in f.iter_mut().zip(scores.profile()) {
                        *sum += value / layer.heads as f64;
                    }
                }
                Some(Scores::Toeplitz(Toeplitz::new(Profile::new(f))))
            }
        }
    }

    /// Kernels of a head; `None` for other kinds of scores.
    #[must_use]
    pub fn kernels(&self, head: usize) -> Option<Kernels> {
        match self {
            Self::Kernels(layer, _) => Some(layer.head(head)),
            _ => None,
        }
    }

    /// Count of stored numbers.
    #[must_use]
    pub fn numbers(&self) -> usize {
        let of = |scores: &Option<Array2<f32>>| scores.as_ref().map_or(0, Array2::len);
        match self {
            Self::Products(products) => products.queries.len() + products.keys.len(),
            Self::Buckets(_, _, scores) | Self::Window(_, scores) => scores.len(),
            Self::Distances(_, _, scores) => of(&scores.c2p) + of(&scores.p2c),
            Self::Kernels(layer, _) => 3 * layer.offsets.len(),
            Self::Rotation(heads, _) => heads.iter().map(RotaryScores::numbers).sum(),
            Self::Patches(heads, _) => heads.iter().map(PatchScores::numbers).sum(),
        }
    }
}

impl DistanceScores {
    fn at(&self, rows: &RelativeRows, k: i64, head: usize) -> f64 {
        let at = |scores: &Option<Array2<f32>>, row: usize| {
            let cell = scores.as_ref().and_then(|scores| scores.get((row, head)));
            cell.map_or(0.0, |score| f64::from(*score))
        };
        at(&self.c2p, rows.c2p_row(k)) + at(&self.p2c, rows.p2c_row(k))
    }
}

/// The mean of a table's columns, as a table with one column.
fn mean_column(columns: &Array2<f32>) -> Array2<f32> {
    let row = |row: ArrayView1<'_, f32>| {
        let sum: f64 = row.iter().map(|value| f64::from(*value)).sum();
        narrow(sum / row.len().max(1) as f64)
    };
    Array2::from_shape_fn((columns.nrows(), 1), |(at, _)| row(columns.row(at)))
}
