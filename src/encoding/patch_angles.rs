//! Rotary angles by rows and columns of an image's patches.
//!
//! ```text
//! axial    one half of the pairs follows the row y, the other the column x:   θ_m·y,  θ_m·x,  θ_m = base^(−4m/w)
//! Pixtral  both share one list of frequencies:   base^(−4m/w)·y,  base^(−(4m+2)/w)·x
//! mixed    every pair follows both:   θ^y_m·y + θ^x_m·x,  with frequencies that are learned for every head
//! ```
//!
//! Axial: Fang et al., EVA-02, 2023; Wang et al., Qwen2-VL, 2024; Siméoni et al., `DINOv3`, 2025, which measures y and x
//! in images from −1 to 1. Pixtral: Agrawal et al., 2024. Mixed: Heo et al., Rotary Position Embedding for Vision
//! Transformer, 2024, eq. (12). w is the number of columns of a head.

use crate::math::Grid;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Angles of the heads of a layer in which every pair follows rows or columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PatchAngles {
    /// Number w of columns of a head, all of them rotated.
    pub width: usize,
    /// The base.
    pub base: f64,
    /// Which pairs follow rows.
    pub order: PatchPairs,
    /// Step from a row of patches to the next, and from a column to the next, in the unit of the angles: 1, or less if
    /// positions are scaled to another image.
    pub steps: [f64; 2],
}

/// Order of the pairs that follow rows and columns of patches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PatchPairs {
    /// Rows, then columns, with the same frequencies.
    RowsFirst,
    /// Columns, then rows, with the same frequencies.
    ColumnsFirst,
    /// A column, a row, and so on, with the same frequencies.
    Alternating,
    /// Rows with the frequencies of even index, then columns with those of odd index.
    SharedList,
}

/// Rotary positions of an image: how far each pair is rotated from one row or column of patches to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchPositions {
    /// Rows and columns of patches.
    pub grid: Grid,
    /// [θ^y, θ^x] in radians, one for each pair.
    pub frequencies: Vec<[f64; 2]>,
}

impl PatchAngles {
    /// [θ^y, θ^x] of each pair, in radians for each row and each column of patches. One of them is 0.
    #[must_use]
    pub fn frequencies(&self) -> Vec<[f64; 2]> {
        let half = self.width / 2;
        let count = half.div_ceil(2);
        let [row, column] = self.steps;
        let power = |index: usize| self.base.powf(-(index as f64) / half as f64);
        let down = |m: usize| [row * power(2 * m), 0.0];
        let across = |m: usize| [0.0, column * power(2 * m)];
        match self.order {
            PatchPairs::RowsFirst => (0..count).map(down).chain((0..count).map(across)).collect(),
            PatchPairs::ColumnsFirst => {
                (0..count).map(across).chain((0..count).map(down)).collect()
            }
            PatchPairs::Alternating => (0..count).flat_map(|m| [across(m), down(m)]).collect(),
            PatchPairs::SharedList => {
                let across = |m: usize| [0.0, column * power(2 * m + 1)];
                let columns = (0..half / 2).map(across);
                (0..count).map(down).chain(columns).collect()
            }
        }
    }
}

impl PatchPositions {
    /// Sines and cosines of θ^y·y + θ^x·x in adjacent columns, [h·w, 2·pairs].
    #[must_use]
    pub fn table(&self) -> Array2<f32> {
        let shape = (self.grid.cells(), 2 * self.frequencies.len());
        Array2::from_shape_fn(shape, |(i, c)| {
            let (y, x) = (i / self.grid.width, i % self.grid.width);
            let [down, across] = self.frequencies[c / 2];
            let angle = y as f64 * down + x as f64 * across;
            (if c % 2 == 0 { angle.sin() } else { angle.cos() }) as f32
        })
    }
}
