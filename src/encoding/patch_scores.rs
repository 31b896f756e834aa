//! Scores by row and column of a head that rotates its queries and keys by rows and columns of patches, for one query
//! and one key at all patches.
//!
//! Write the two columns of pair m as one complex number: `q_m` and `k_m`. At Δy rows down and Δx columns to the right,
//! key minus query, the score is
//!
//! ```text
//! f(Δy, Δx) = Σ_m Re(c_m·e^(−i(θ^y_m Δy + θ^x_m Δx))) + constant      c_m = scale·q_m·conj(k_m)
//! ```
//!
//! where the constant is the product of the columns that are not rotated. If one angle of every pair is 0 (axial), f is
//! a function of Δy plus a function of Δx. See [`super::RotaryScores`] for texts.

use super::rotary_scores::pair_products;
use crate::math::{Grid, GridToeplitz};

/// Scores by (Δy, Δx) of one head.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatchScores {
    /// [θ^y, θ^x] in radians for each row and each column of patches, one per pair.
    pub frequencies: Vec<[f64; 2]>,
    /// Real and imaginary part of `c_m`, one per pair.
    pub coefficients: Vec<(f64, f64)>,
    /// Score of the columns that are not rotated.
    pub constant: f64,
}

/// Rotation of the heads of a layer by rows and columns of patches.
#[derive(Clone, Debug, PartialEq)]
pub struct PairRotation<'a> {
    /// Columns of each pair.
    pub columns: &'a [(usize, usize)],
    /// [θ^y, θ^x] of each pair.
    pub frequencies: &'a [[f64; 2]],
    /// Factor of the scores.
    pub scale: f64,
}

impl PatchScores {
    /// Scores of a query and a key at all patches.
    ///
    /// # Panics
    /// If the query and the key differ in width, a pair is outside of them, or pairs and angles differ in number.
    #[must_use]
    pub fn new((query, key): (&[f64], &[f64]), rotation: &PairRotation<'_>) -> Self {
        let pairs = (rotation.columns.len(), rotation.frequencies.len());
        assert_eq!(pairs.0, pairs.1, "an angle for every pair");
        let (coefficients, rest) = pair_products((query, key), rotation.columns);
        let scale = |(re, im): (f64, f64)| (rotation.scale * re, rotation.scale * im);
        Self {
            frequencies: rotation.frequencies.to_vec(),
            coefficients: coefficients.into_iter().map(scale).collect(),
            constant: rotation.scale * rest,
        }
    }

    /// The scores of all patches of a grid.
    #[must_use]
    pub fn scores(&self, grid: Grid) -> GridToeplitz {
        let (rows, columns) = grid.reach();
        let mut f = vec![self.constant; rows * columns];
        for ([down, across], coefficient) in self.frequencies.iter().zip(&self.coefficients) {
            let waves = |frequency: f64, reach: usize| -> Vec<(f64, f64)> {
                let offsets = (0..reach).map(|at| at as f64 - (reach / 2) as f64);
                // cos − i sin of the angle, for e^(−iθΔ).
                offsets
                    .map(|offset| (frequency * offset).sin_cos())
                    .map(|(sin, cos)| (cos, -sin))
                    .collect()
            };
            let of_columns = waves(*across, columns);
            for (line, wave) in f.chunks_exact_mut(columns).zip(waves(*down, rows)) {
                let (re, im) = multiply(*coefficient, wave);
                for (score, (cos, sin)) in line.iter_mut().zip(&of_columns) {
                    *score += re * cos - im * sin;
                }
            }
        }
        GridToeplitz::new(grid, f)
    }

    /// Count of stored numbers.
    #[must_use]
    pub fn numbers(&self) -> usize {
        2 * self.frequencies.len() + 2 * self.coefficients.len() + 1
    }
}

/// Product of two complex numbers.
fn multiply((a, b): (f64, f64), (c, d): (f64, f64)) -> (f64, f64) {
    (a * c - b * d, a * d + b * c)
}
