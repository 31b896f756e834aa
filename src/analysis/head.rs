//! One head: its matrix, its profile, and rows cut through it.

use super::TILE_LIMIT;
use crate::{
    encoding::Kernels,
    math::{GridFit, Scores, SoftmaxR2, Tile, ToeplitzFit, Window},
};
use serde::{Deserialize, Serialize};

/// Where the sections are taken, as shares of the positions: five rows that avoid the edges.
pub const SECTION_FRACTIONS: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];

/// A row of the matrix: what one query gives to every key (TISA paper, Figs. 3, 6, 7).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// The query position.
    pub query: usize,
    /// Scores for keys 0 … n−1.
    pub scores: Vec<f32>,
}

/// What is shown of an open head at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadDetail {
    /// Diagonal means, overall mean and R².
    pub fit: ToeplitzFit,
    /// R² over the cells j ≤ i.
    pub causal_r2: f64,
    /// R² of what softmax sees; `None` of scores that depend on the offset alone.
    pub softmax_r2: Option<SoftmaxR2>,
    /// Means by (Δy, Δx), for the patches of an image.
    pub grid_fit: Option<GridFit>,
    /// The matrix as block means.
    pub tile: Tile,
    /// Five rows.
    pub sections: Vec<Section>,
    /// What the scores are made of, where a model stores kernels (TISA).
    pub kernels: Option<Kernels>,
}

/// Fits, cuts and draws a head's scores.
pub(super) fn detail(a: &Scores) -> HeadDetail {
    let n = a.n();
    let fits = a.fits(&a.plans());
    let sections = SECTION_FRACTIONS
        .iter()
        .map(|fraction| {
            let query = ((n - 1) as f64 * fraction).round() as usize;
            Section {
                query,
                scores: a.rows(query..query + 1).into_raw_vec_and_offset().0,
            }
        })
        .collect();
    HeadDetail {
        causal_r2: fits.causal_r2(),
        softmax_r2: fits.softmax_r2(),
        fit: fits.fit,
        grid_fit: fits.grid_fit,
        tile: a.tile(Window::whole(n, n), TILE_LIMIT),
        sections,
        kernels: None,
    }
}
