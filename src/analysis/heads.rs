//! Every head from the weights alone: its positional scores F̂_P, as one thin product a head.

use super::scores::{Plans, Scores};
use crate::{
    math::{Cells, Grid, LowRank, Profile, Tile, Window},
    model::{HiddenStates, LayerWeights},
};
use ndarray::{Array1, Array2, s};
use serde::{Deserialize, Serialize};

/// Blocks a side of a thumbnail.
const THUMBNAIL: usize = 48;

/// One cell of the head grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadSummary {
    /// Layer from 0.
    pub layer: usize,
    /// Head from 0.
    pub head: usize,
    /// Toeplitz R² over all cells.
    pub r2: f64,
    /// Toeplitz R² over the cells j ≤ i.
    pub causal_r2: f64,
    /// R² in two dimensions, for the patches of an image.
    pub r2_2d: Option<f64>,
    /// Where the profile is highest, see [`peak_offset`].
    pub peak_offset: i64,
    /// The matrix in small.
    pub thumbnail: Tile,
}

/// The offset with the greatest diagonal mean, among diagonals with at least half as many cells as the
/// main one: farther out a mean is of few cells, and its height is chance.
#[must_use]
pub fn peak_offset(f: &Profile, cells: Cells) -> i64 {
    let reach = f.n() as i64 / 2;
    let last = match cells {
        Cells::Whole => reach,
        Cells::Causal => 0,
    };
    (-reach..=last)
        .max_by(|&a, &b| {
            let at = |k: i64| f.at(k).unwrap_or(f64::NEG_INFINITY);
            // Ties go to the offset nearest to zero.
            at(a).total_cmp(&at(b)).then(b.abs().cmp(&a.abs()))
        })
        .unwrap_or(0)
}

/// Queries and keys of a layer for every position, heads side by side.
#[derive(Debug)]
pub(super) struct LayerScores {
    queries: Array2<f32>,
    keys: Array2<f32>,
    mean: Option<(Array1<f32>, Array1<f32>)>,
    heads: usize,
    grid: Option<Grid>,
}

impl LayerScores {
    /// Sends the hidden states through the layer's query and key maps.
    pub(super) fn new(
        states: &HiddenStates,
        weights: &LayerWeights,
        heads: usize,
        grid: Option<Grid>,
    ) -> Self {
        let normed = weights.norm.as_ref().filter(|_| states.uses_norms);
        let normed = normed.map(|norm| {
            let mut x = states.x.mapv(f64::from);
            norm.apply(&mut x);
            x.mapv(|value| value as f32)
        });
        let x = normed.as_ref().unwrap_or(&states.x);
        let project = |matrix: &Array2<f32>, bias: &Option<Vec<f32>>| {
            let mut out = x.dot(matrix);
            if let (true, Some(bias)) = (states.uses_biases, bias) {
                out += &Array1::from(bias.clone());
            }
            out
        };
        Self {
            queries: project(&weights.query, &weights.query_bias),
            keys: project(&weights.key, &weights.key_bias),
            mean: states.mean.as_ref().map(|mean| {
                let mean = Array1::from(mean.clone());
                (mean.dot(&weights.query), mean.dot(&weights.key))
            }),
            heads,
            grid,
        }
    }

    /// The scores of one head, Q·Kᵀ/√`d_k`.
    ///
    /// Paper mode is (x̄+E)·M·(x̄+E)ᵀ − x̄·M·x̄ᵀ, which is the sum of the three terms of eqs. 9–12.
    pub(super) fn head(&self, head: usize) -> Scores {
        let width = self.queries.ncols() / self.heads;
        let columns = head * width..(head + 1) * width;
        let scale = (width as f64).sqrt().recip();
        let query = self
            .queries
            .slice(s![.., columns.clone()])
            .mapv(|v| (f64::from(v) * scale) as f32);
        let key = self.keys.slice(s![.., columns.clone()]).to_owned();
        let shift = self.mean.as_ref().map_or(0.0, |(q, k)| {
            let (q, k) = (q.slice(s![columns.clone()]), k.slice(s![columns]));
            -scale
                * q.iter()
                    .zip(k)
                    .map(|(&q, &k)| f64::from(q) * f64::from(k))
                    .sum::<f64>()
        });
        Scores::Product(LowRank::product(query, key, shift), self.grid)
    }
}

/// One head in short.
pub(super) fn summarise(a: &Scores, layer: usize, head: usize, plans: &Plans) -> HeadSummary {
    let fits = a.fits(plans);
    HeadSummary {
        layer,
        head,
        r2: fits.fit.r2,
        causal_r2: fits.causal_r2,
        r2_2d: fits.grid_fit.map(|fit| fit.r2),
        peak_offset: peak_offset(&fits.fit.f, Cells::Whole),
        thumbnail: a.tile(Window::whole(a.n(), a.n()), THUMBNAIL),
    }
}
