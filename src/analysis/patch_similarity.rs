//! Similarity of the positions of image patches, patch by patch; and scores by offset in an image, head by head.

use super::{Failure, Progress};
use crate::math::{Grid, Resampling, Scores, Similarity, cut, resample};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Maximum number of values shown; more can be neither seen nor read.
const MOST_NUMBERS: usize = 1 << 18;

/// Side lengths to which a table can be resampled.
pub const RESAMPLED_SIDES: std::ops::RangeInclusive<usize> = 2..=64;

/// A grid other than the table's own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OtherGrid {
    /// The grid.
    pub grid: Grid,
    /// Interpolation between the places of the table's own grid.
    pub how: Resampling,
}

/// Maps of the positions of patches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum PatchMaps {
    /// Every patch has an embedding.
    ByPatch(PatchSimilarities),
    /// Scores depend on (Δy, Δx) alone.
    ByHead(HeadOffsetMaps),
}

impl PatchMaps {
    /// Similarity of two patches on the model's own grid, if that grid is shown.
    #[must_use]
    pub fn pair(&self, (patch, other): (usize, usize)) -> Option<f32> {
        match self {
            Self::ByPatch(maps) if maps.own.is_none() => maps.at(patch, other),
            Self::ByPatch(_) | Self::ByHead(_) => None,
        }
    }
}

/// Similarity of some patches to every patch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PatchSimilarities {
    /// Similarity measure.
    pub similarity: Similarity,
    /// Grid of the patches.
    pub grid: Grid,
    /// Every `step`-th row and column of patches is shown.
    pub step: usize,
    /// Maps of the shown patches, row by row; each map is row-major.
    pub values: Vec<f32>,
    /// R² in two dimensions over all similarities.
    pub r2: f64,
    /// The table's own grid and the R² on it, if `grid` is another.
    pub own: Option<(Grid, f64)>,
}

impl PatchSimilarities {
    /// Numbers of rows and columns of patches that are shown.
    #[must_use]
    pub fn patch_grid(&self) -> Grid {
        Grid {
            height: self.grid.height.div_ceil(self.step),
            width: self.grid.width.div_ceil(self.step),
        }
    }

    /// The patches that are shown, in the order of their maps.
    pub fn patches(&self) -> impl Iterator<Item = usize> + '_ {
        let rows = (0..self.grid.height).step_by(self.step);
        rows.flat_map(move |y| {
            let columns = (0..self.grid.width).step_by(self.step);
            columns.map(move |x| y * self.grid.width + x)
        })
    }

    /// Similarity of two patches, if the map of the first is shown.
    #[must_use]
    pub fn at(&self, patch: usize, other: usize) -> Option<f32> {
        let (y, x) = self.grid.place(patch);
        let is_shown = y.is_multiple_of(self.step) && x.is_multiple_of(self.step);
        let there = is_shown && patch.max(other) < self.grid.cells();
        let map = y / self.step * self.patch_grid().width + x / self.step;
        there.then(|| self.values[map * self.grid.cells() + other])
    }
}

/// Scores by (Δy, Δx) of the heads of a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadOffsetMaps {
    /// Layer from 0.
    pub layer: usize,
    /// Grid of the window, or of the image.
    pub grid: Grid,
    /// Scores of every head, in the order of [`Grid::offsets`].
    pub heads: Vec<Vec<f32>>,
}

/// Smallest step between shown patches that gives at most [`MOST_NUMBERS`] values.
fn step_of(grid: Grid) -> usize {
    let count = |step: usize| grid.height.div_ceil(step) * grid.width.div_ceil(step);
    let fits = |step: &usize| count(*step).saturating_mul(grid.cells()) <= MOST_NUMBERS;
    (1..grid.height.max(grid.width))
        .find(fits)
        .unwrap_or(grid.height.max(grid.width))
}

/// Message for positions that are not those of image patches.
pub const NO_PATCHES: &str = "This figure needs an image model; the open model is one-dimensional. Open a checkpoint of ViT, \
    DeiT, DINOv2 or CLIP’s image half, which have a table of patches, or of Swin or BEiT, which have scores by rows and \
    columns.";

pub(super) fn no_patches() -> Failure {
    Failure::not_there(NO_PATCHES)
}

/// Similarities of a table's patches, on their own grid or on another.
pub(super) async fn similarities(
    table: Array2<f32>,
    own: Grid,
    other: Option<OtherGrid>,
    similarity: Similarity,
    watch: &impl Progress,
) -> PatchSimilarities {
    let r2_of = |table: Array2<f32>, grid: Grid| {
        let scores = Scores::from_table(table, Some(grid), similarity);
        let r2 = scores.fits(&scores.plans()).grid_fit.map(|fit| fit.r2);
        (scores, r2.unwrap_or(f64::NAN))
    };
    let other = other.filter(|other| other.grid != own);
    let (scores, grid, r2, own) = match other {
        None => {
            let (scores, r2) = r2_of(table, own);
            (scores, own, r2, None)
        }
        Some(OtherGrid { grid, how }) => {
            let moved = resample(table.view(), own, grid, how);
            watch.pause().await;
            let (_, before) = r2_of(table, own);
            watch.pause().await;
            let (scores, r2) = r2_of(moved, grid);
            (scores, grid, r2, Some((own, before)))
        }
    };
    let mut maps = PatchSimilarities {
        similarity,
        grid,
        step: step_of(grid),
        values: Vec::new(),
        r2,
        own,
    };
    let patches: Vec<usize> = maps.patches().collect();
    for patches in cut(&(0..patches.len()), 64)
        .into_iter()
        .map(|at| &patches[at])
    {
        for &patch in patches {
            maps.values.extend(scores.rows(patch..patch + 1));
        }
        watch.pause().await;
    }
    maps
}
