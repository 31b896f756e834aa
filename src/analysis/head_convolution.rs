//! How close the heads of a layer are to a convolution, and which of them share a profile.

use super::Progress;
use crate::math::{
    AttentionMask, AttentionProfile, AttentionSums, Grid, Scores, cut, shared_profiles,
};
use serde::{Deserialize, Serialize};

/// Maximum number of positions whose attention is computed; softmax has n² cells.
pub const ATTENDED_POSITIONS: usize = 2048;

/// Rows of scores held at once.
const ROWS: usize = 64;

/// A head's positional attention by offset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadConvolution {
    /// Head from 0.
    pub head: usize,
    /// Share of the attention's variance that the offset explains.
    pub explained_share: f64,
    /// Share of the variance of the scores that the offset explains, over the unmasked cells.
    pub scores_r2: f64,
    /// Mean attention by offset around the query.
    pub profile: AttentionProfile,
    /// Index of the head's profile among those of its layer that differ by more than their centre; 0 is the most
    /// common. `None` if most of the attention lies farther from the query.
    pub kernel_index: Option<usize>,
}

/// Attention by offset of the heads of a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerConvolutions {
    /// Layer from 0.
    pub layer: usize,
    /// Grid of queries and keys, if they are patches of an image.
    pub grid: Option<Grid>,
    /// Number of positions used.
    pub n: usize,
    /// Number of positions of the model.
    pub of: usize,
    /// Mask of the attention.
    pub cells: AttentionMask,
    /// Heads in order.
    pub heads: Vec<HeadConvolution>,
}

impl LayerConvolutions {
    /// Number of different profiles among the heads.
    #[must_use]
    pub fn profiles(&self) -> usize {
        let groups = self.heads.iter().filter_map(|head| head.kernel_index);
        groups.max().map_or(0, |last| last + 1)
    }
}

/// Letter of a profile: A to Z, then AA, AB …
#[must_use]
pub fn profile_letter(group: usize) -> String {
    let letter = char::from(b'A' + (group % 26) as u8);
    match group / 26 {
        0 => letter.to_string(),
        more => format!("{}{letter}", profile_letter(more - 1)),
    }
}

/// Selects the positions whose attention is computed: the leading ones, or the leading rows of a grid.
fn select_positions(scores: &Scores) -> (Scores, Option<Grid>) {
    let n = scores.n();
    let grid = scores.grid();
    if n <= ATTENDED_POSITIONS {
        return (scores.clone(), grid);
    }
    match grid.filter(|grid| grid.width <= ATTENDED_POSITIONS) {
        Some(grid) => {
            let height = ATTENDED_POSITIONS / grid.width;
            let leading = scores.leading_block(height * grid.width);
            (leading, Some(Grid { height, ..grid }))
        }
        None => (scores.leading_block(ATTENDED_POSITIONS), None),
    }
}

/// Collects the heads of a layer.
pub(super) struct LayerOfHeads {
    layer: LayerConvolutions,
}

impl LayerOfHeads {
    pub(super) fn new(layer: usize, cells: AttentionMask) -> Self {
        Self {
            layer: LayerConvolutions {
                layer,
                grid: None,
                n: 0,
                of: 0,
                cells,
                heads: Vec::new(),
            },
        }
    }

    pub(super) fn add(&mut self, head: HeadOfLayer) {
        let layer = &mut self.layer;
        (layer.grid, layer.n, layer.of) = (head.grid, head.n, head.of);
        layer.heads.push(HeadConvolution {
            head: layer.heads.len(),
            ..head.convolution
        });
    }

    /// Groups heads with the same profile, and returns the layer.
    pub(super) fn finish(mut self) -> LayerConvolutions {
        let profiles: Vec<AttentionProfile> = self
            .layer
            .heads
            .iter()
            .map(|head| head.profile.clone())
            .collect();
        let shared = shared_profiles(&profiles);
        for (head, shared) in self.layer.heads.iter_mut().zip(shared) {
            head.kernel_index = shared;
        }
        self.layer
    }
}

/// Result for one head.
#[derive(Serialize, Deserialize)]
pub(super) struct HeadOfLayer {
    grid: Option<Grid>,
    n: usize,
    of: usize,
    convolution: HeadConvolution,
}

impl HeadOfLayer {
    /// Mean attention by offset around the query.
    pub(super) fn into_profile(self) -> AttentionProfile {
        self.convolution.profile
    }
}

/// Computes a head's attention by offset, `ROWS` rows at a time.
pub(super) async fn head_convolution(
    scores: &Scores,
    cells: AttentionMask,
    watch: &impl Progress,
) -> HeadOfLayer {
    let of = scores.n();
    let (scores, grid) = select_positions(scores);
    let n = scores.n();
    let mut sums = AttentionSums::new(grid.unwrap_or(Grid::line(n)), cells);
    for queries in cut(&(0..n), ROWS) {
        sums.add_rows(&scores, queries);
        watch.pause().await;
    }
    let fit = sums.finish();
    let fits = scores.fits(&crate::math::Plans::new(n, scores.grid()));
    let scores_r2 = match (cells, &fits.grid_fit) {
        (AttentionMask::Whole, Some(grid_fit)) => grid_fit.r2,
        (AttentionMask::Whole, None) => fits.fit.r2,
        (AttentionMask::Causal, _) => fits.causal_r2(),
    };
    HeadOfLayer {
        grid,
        n,
        of,
        convolution: HeadConvolution {
            head: 0,
            explained_share: fit.explained_share,
            scores_r2,
            profile: fit.profile(),
            kernel_index: None,
        },
    }
}
