//! Rotation of a head's queries into its keys, as a map of angles over frequencies.

use super::{HeadInput, REACH, head::peak_within};
use crate::math::{
    CrossCovariances, NoWaves, PhaseLine, QueryKeySvd, Rotation, Tile, Window, angle_bin,
};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Number of bins of the angle, −π … π.
pub const ANGLE_BINS: usize = 49;

/// Minimum coherence of a line that describes a head, in addition to being beyond chance.
pub const LEAST_COHERENCE: f64 = 0.5;

/// Maximum number of eigenvectors that are listed with their exact angles.
pub const STRONGEST: usize = 3;

/// Maximum distance, in tokens, of a line's shift from the peak of the profile, which lies at a whole offset.
const WITHIN: f64 = 1.0;

/// g(f, θ) of a head, the line through its peaks, and the peak of the profile that the line is compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RotationDetail {
    /// Number of positions.
    pub n: usize,
    /// Frequencies 0 … n/2.
    pub frequencies: usize,
    /// Σ g by bin of the angle and by frequency, row-major. The bins have equal widths, and the middle one is centred
    /// on 0.
    pub weights: Vec<f32>,
    /// θ of each eigenvector. The eigenvectors of a conjugate pair are adjacent.
    pub angles: Vec<f64>,
    /// g of each eigenvector by frequency, row-major [eigenvectors, frequencies].
    pub amplitudes: Vec<f32>,
    /// Eigenvectors with the greatest weight in the line, at most [`STRONGEST`], heaviest first.
    pub strongest: Vec<Eigenvector>,
    /// The line; `None` if there is no amplitude at frequencies other than 0.
    pub line: Option<PhaseLine>,
    /// Offset k at which the scores, summed along their diagonal (Yamamoto & Matsuzaki 2023, eq. 23), are greatest:
    /// within ±[`REACH`], or as far as the line's shift if that is farther.
    pub peak: i64,
    /// Number of dimensions in which queries are rotated into keys.
    pub rotated_dimensions: usize,
    /// Number of dimensions that neither queries nor keys use.
    pub idle: usize,
    /// Rank of `W_Q·W_Kᵀ`.
    pub rank: usize,
}

/// An eigenvector of the rotation from queries to keys.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Eigenvector {
    /// θ, −π < θ ≤ π.
    pub angle: f64,
    /// Frequency f in waves over all positions.
    pub frequency: usize,
    /// g(f, θ), |DFT| of the queries along this eigenvector.
    pub amplitude: f32,
}

impl Eigenvector {
    /// Δ(f, θ) = n·θ/(2πf) (eq. 27): number of tokens by which its wave is ahead in the keys, among n positions.
    #[must_use]
    pub fn shift(&self, n: usize) -> f64 {
        n as f64 * self.angle / (TAU * self.frequency as f64)
    }
}

impl RotationDetail {
    /// Describes how a head's queries are rotated into its keys.
    ///
    /// # Errors
    /// If there is no such rotation.
    pub fn compute(head: HeadInput<'_>) -> Result<Self, NoWaves> {
        let axes = QueryKeySvd::compute(head.query, head.key)?;
        let rotation = Rotation::compute(&axes, head.states)?;
        let weights = rotation.histogram(ANGLE_BINS);
        let line = rotation.line();
        let (query, key) = axes.through(head.states);
        let cross = CrossCovariances::new(rotation.n);
        let cross = cross.compute(query.view(), key.view(), &axes.singular_values, 0)?;
        let far = line.map_or(0, |line| line.delta.abs().ceil() as usize + 1);
        let strongest = rotation.heaviest(STRONGEST).into_iter();
        let strongest = strongest.map(|(row, frequency)| Eigenvector {
            angle: rotation.angles[row],
            frequency,
            amplitude: rotation.amplitudes[[row, frequency]],
        });
        Ok(Self {
            strongest: strongest.collect(),
            n: rotation.n,
            frequencies: weights.ncols(),
            weights: weights.iter().map(|&weight| weight as f32).collect(),
            rotated_dimensions: rotation.angles.len(),
            angles: rotation.angles,
            amplitudes: rotation.amplitudes.iter().copied().collect(),
            line,
            peak: peak_within(&cross.weighted_sum, REACH.max(far)),
            idle: rotation.idle,
            rank: axes.rank(),
        })
    }

    /// Δ of the line, if one shift describes the head: the line's coherence is beyond chance and at least
    /// [`LEAST_COHERENCE`], and the profile peaks within one token of −Δ.
    #[must_use]
    pub fn shift(&self) -> Option<f64> {
        let line = self.line.filter(PhaseLine::is_beyond_chance)?;
        if line.coherence < LEAST_COHERENCE {
            return None;
        }
        let off = (line.delta + self.peak as f64).abs();
        (off <= WITHIN).then_some(line.delta)
    }

    /// Angle at the middle of a bin.
    #[must_use]
    pub fn angle(bin: usize) -> f64 {
        ((bin as f64 + 0.5) / ANGLE_BINS as f64 - 0.5) * TAU
    }

    /// The eigenvector with the greatest amplitude in each bin of the angle at each frequency, row-major as
    /// [`Self::weights`]; `None` in bins without an angle.
    #[must_use]
    pub fn strongest_by_bin(&self) -> Vec<Option<Eigenvector>> {
        let mut cells = vec![None; ANGLE_BINS * self.frequencies];
        for (angle, amplitudes) in self.eigenvectors() {
            let bin = angle_bin(angle, ANGLE_BINS);
            let row = &mut cells[bin * self.frequencies..][..self.frequencies];
            for (frequency, (cell, &amplitude)) in row.iter_mut().zip(amplitudes).enumerate() {
                if cell.is_none_or(|most: Eigenvector| amplitude > most.amplitude) {
                    *cell = Some(Eigenvector {
                        angle,
                        frequency,
                        amplitude,
                    });
                }
            }
        }
        cells
    }

    fn eigenvectors(&self) -> impl Iterator<Item = (f64, &[f32])> {
        let rows = self.amplitudes.chunks_exact(self.frequencies.max(1));
        self.angles.iter().copied().zip(rows)
    }

    /// The map up to a frequency, with the greatest angle on top.
    #[must_use]
    pub fn picture(&self, frequencies: usize) -> Tile {
        let count = frequencies.clamp(1, self.frequencies.max(1));
        let rows = self.weights.chunks_exact(self.frequencies.max(1)).rev();
        Tile {
            window: Window::whole(ANGLE_BINS, count),
            row_step: 1,
            col_step: 1,
            values: rows.flat_map(|row| row[..count].iter().copied()).collect(),
            cells: None,
        }
    }
}
