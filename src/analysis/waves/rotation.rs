//! How a head's queries are turned into its keys, as a picture of angles over frequencies.

use super::HeadInput;
use crate::math::{NoWaves, PhaseLine, Redefined, Rotation, Tile, Window};
use serde::{Deserialize, Serialize};

/// Bins of the angle, −π … π.
pub const ANGLE_BINS: usize = 49;

/// g(f, θ) of a head and the line through its peaks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RotationDetail {
    /// Number of positions.
    pub n: usize,
    /// Frequencies 0 … n/2.
    pub frequencies: usize,
    /// Σ g by bin of the angle and by frequency, row-major. The bins are equal and the middle one is around 0.
    pub weights: Vec<f32>,
    /// The line; `None` where there is nothing at any frequency but 0.
    pub line: Option<PhaseLine>,
    /// Dimensions of the space in which queries are turned into keys.
    pub turned: usize,
    /// Dimensions that neither queries nor keys read.
    pub idle: usize,
    /// The rank of `W_Q·W_Kᵀ`.
    pub rank: usize,
}

impl RotationDetail {
    pub(super) fn of(head: HeadInput<'_>) -> Result<Self, NoWaves> {
        let axes = Redefined::of(head.query, head.key)?;
        let found = Rotation::of(&axes, head.states)?;
        let weights = found.histogram(ANGLE_BINS);
        Ok(Self {
            n: found.n,
            frequencies: weights.ncols(),
            weights: weights.iter().map(|&weight| weight as f32).collect(),
            line: found.line(),
            turned: found.angles.len(),
            idle: found.idle,
            rank: axes.rank(),
        })
    }

    /// The middle of a bin.
    #[must_use]
    pub fn angle(bin: usize) -> f64 {
        ((bin as f64 + 0.5) / ANGLE_BINS as f64 - 0.5) * std::f64::consts::TAU
    }

    /// The picture up to a frequency, the greatest angle on top.
    #[must_use]
    pub fn picture(&self, frequencies: usize) -> Tile {
        let shown = frequencies.clamp(1, self.frequencies.max(1));
        let rows = self.weights.chunks_exact(self.frequencies.max(1)).rev();
        Tile {
            window: Window::whole(ANGLE_BINS, shown),
            row_step: 1,
            col_step: 1,
            values: rows.flat_map(|row| row[..shown].iter().copied()).collect(),
            cells: None,
        }
    }
}
