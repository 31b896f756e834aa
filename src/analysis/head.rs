//! Detail of one head: its matrix, its profile, and sections through it.

use super::TILE_LIMIT;
use crate::{
    encoding::Kernels,
    math::{GridFit, Scores, SoftmaxR2, Tile, ToeplitzFit, Window},
};
use serde::{Deserialize, Serialize};

/// Query positions of the sections, as fractions of n: five rows away from the edges.
pub const SECTION_FRACTIONS: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];

/// Returns the query positions of the sections among n positions.
pub(super) fn section_queries(n: usize) -> [usize; 5] {
    let last = n.saturating_sub(1) as f64;
    SECTION_FRACTIONS.map(|fraction| (last * fraction).round() as usize)
}

/// A row of the matrix: the scores of one query for every key (TISA paper, Figs. 3, 6, 7).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// The query position.
    pub query: usize,
    /// Scores for keys 0 … n−1.
    pub scores: Vec<f32>,
}

/// Data of the open head's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadDetail {
    /// Diagonal means, overall mean and R².
    pub fit: ToeplitzFit,
    /// R² over the cells j ≤ i.
    pub causal_r2: f64,
    /// R² after each row's mean, which softmax ignores, is subtracted; `None` if scores depend on the offset alone.
    pub softmax_r2: Option<SoftmaxR2>,
    /// Means by (Δy, Δx), if positions are patches of an image.
    pub grid_fit: Option<GridFit>,
    /// The matrix as block means.
    pub tile: Tile,
    /// The rows at [`SECTION_FRACTIONS`].
    pub sections: Vec<Section>,
    /// Kernels of which the scores consist, if the model stores kernels (TISA).
    pub kernels: Option<Kernels>,
}

/// Fits a head's scores, and forms its tile and sections.
pub(super) fn detail(a: &Scores) -> HeadDetail {
    let n = a.n();
    let fits = a.fits(&a.plans());
    let sections = section_queries(n).map(|query| Section {
        query,
        scores: a.rows(query..query + 1).into_raw_vec_and_offset().0,
    });
    HeadDetail {
        causal_r2: fits.causal_r2(),
        softmax_r2: fits.softmax_r2(),
        fit: fits.fit,
        grid_fit: fits.grid_fit,
        tile: a.tile(Window::whole(n, n), TILE_LIMIT),
        sections: sections.into(),
        kernels: None,
    }
}
