//! The rotation that maps a head's queries to its keys, its angles, and the offset that they encode.
//!
//! Yamamoto & Matsuzaki 2023, sections 4.2.1 and 4.4. With `U_Q` and `U_K` completed to orthogonal d×d matrices, K =
//! Q·R with R = `U_Qᵀ·U_K` (eq. 15). An eigenvector p of R with eigenvalue e^{jθ} gives K·p = Q·p·e^{jθ} (eq. 24): the
//! same series with its phase shifted by θ. The plot shows g(f, θ) = |DFT(Q·p)|_f (eq. 26). If its peaks lie on the
//! line θ = 2πf·Δ/n (eq. 27), every frequency is shifted by the same Δ tokens.
//!
//! **The completion.** `U_Q` and `U_K` are [d, r]. The weights do not determine how the other d − r columns correspond,
//! and linear algebra libraries pick them arbitrarily. Here R is the completion closest to the identity. With T =
//! `U_K·U_Qᵀ` and p = `U_Qᵀ`·u, R·p = λ·p is T·u = λ·u and Q·p = X·u, so all results follow from T, which maps `U_Q` to
//! `U_K`. Let `U_Qᵀ·U_K` = Y·C·Zᵀ. The principal vectors A = `U_Q`·Y and B = `U_K`·Z span planes at the angles arccos
//! C, and N = (B − A·C)·S⁻¹ with S = √(1 − C²) completes A within them. The map closest to the identity that sends
//! `U_Q` to `U_K` rotates each plane by its own angle, N ↦ −A·S + N·C, and fixes everything outside all planes. In the
//! basis (A, N)
//!
//! T = ( C·O  −S ; S·O  C ), O = ZᵀY,
//!
//! which has at most 2r rows for any d. It is unique unless a principal angle is exactly 90°. The d − 2r directions
//! outside have θ = 0; neither queries nor keys read them, and the plot omits them.
//!
//! **The sign of Δ.** Eqs. 28–31 give `K_t` = `Q_{t+Δ}`, and eq. 6 agrees; eq. 25 prints the two the other way around.
//! So a query at i and a key at j are similar if i = j + Δ, and scores peak at the offset k = j − i = −Δ.
//!
//! **The line.** Δ maximises the mean of cos(θ − 2πf·Δ/n) over all eigenvectors and the frequencies f ≥ 1, with weights
//! w = g²·ρ, where ρ = |`U_Qᵀ`u|² is the share of the direction u that queries read. The maximum is the line's
//! *coherence*, 1 if everything lies on the line. The measure is circular, so phases need no unwrapping. For the line,
//! series are first multiplied by a Hann window: a wave with a non-integer number of periods would otherwise leak its
//! angle to distant frequencies, and the line would be too flat.
//!
//! **Chance.** Some Δ fits any angles to some extent, the better the fewer waves there are: one wave has coherence 1 at
//! any angle. The reference level is therefore the head's own: [`CHANCE_HEADS`] random heads have the spectra of this
//! one, each with angles drawn uniformly from −π … π (a conjugate pair has opposite angles, a real eigenvalue is 1 or
//! −1), as the eigenvalues of a random orthogonal matrix are uniform on the unit circle. Each gets its own best Δ. The
//! level is the highest of their coherences, which a head of random angles exceeds with probability 1/(`CHANCE_HEADS` +
//! 1). Their median and the range that holds 95 % of them say how much a coherence means.

use super::{ChanceRange, NoWaves, QueryKeySvd, fourier::Fourier};
use decompositions::{SingularValues, gram, product, turns};
use fastrand::Rng;
use nalgebra::DMatrix;
use ndarray::{Array2, ArrayView2};
use rustfft::num_complex::Complex;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

/// A principal vector of the keys with a distance below this from its partner counts as in the span of the queries.
/// Single-precision weights do not determine smaller angles.
const SAME_PLANE: f64 = 1e-6;

/// Off-diagonal entries below this are rounding error.
const ROUNDING: f64 = 1e-9;

/// Shifts are searched in steps of 1/8 token and refined in between.
const FINER: usize = 8;

/// Number of heads of random angles that a head's coherence is compared with.
pub const CHANCE_HEADS: usize = 99;

/// Seed of the random angles, the same for every head, so that equal weights give equal levels.
const CHANCE_SEED: u64 = 1;

/// Angles of a head's rotation, and the spectra that belong to them.
#[derive(Debug, Clone, PartialEq)]
pub struct Rotation {
    /// Number of positions n.
    pub n: usize,
    /// θ of each eigenvector, −π < θ ≤ π.
    pub angles: Vec<f64>,
    /// Share of each eigenvector that queries read.
    pub reads: Vec<f64>,
    /// g(f, θ), [eigenvectors, frequencies 0 … n/2].
    pub amplitudes: Array2<f32>,
    /// Number of directions that neither queries nor keys read.
    pub idle: usize,
    /// Weights w of the line, [eigenvectors, frequencies 0 … n/2]; 0 at frequency 0.
    weights: Array2<f64>,
    /// Whether an eigenvector is the conjugate of the one before it.
    is_conjugate: Vec<bool>,
}

/// The line θ = 2πf·Δ/n through the peaks of g.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PhaseLine {
    /// Δ in tokens (eq. 27), by which the key is ahead of the query. Scores peak at the offset −Δ.
    pub delta: f64,
    /// 1 if everything lies on the line, about 0 if nothing does.
    pub coherence: f64,
    /// Highest coherence among [`CHANCE_HEADS`] heads with the same spectra and random angles.
    pub chance: f64,
    /// Median and 95 % range of the coherences of the same heads.
    pub random: ChanceRange,
}

impl PhaseLine {
    /// Whether the coherence is higher than that of heads with random angles.
    #[must_use]
    pub fn is_beyond_chance(&self) -> bool {
        self.coherence > self.chance
    }
}

impl Rotation {
    /// Computes the rotation of a head's redefined axes, with spectra of the hidden states X [n, d].
    ///
    /// # Errors
    /// If there are too few positions, X is not finite, or a decomposition does not converge.
    ///
    /// # Panics
    /// If the states and the axes differ in width.
    pub fn compute(redefined: &QueryKeySvd, states: ArrayView2<'_, f32>) -> Result<Self, NoWaves> {
        let n = states.nrows();
        if n < 2 {
            return Err(NoWaves::TooFewPositions(n));
        }
        let broken = (states.rows().into_iter()).position(|row| row.iter().any(|v| !v.is_finite()));
        if let Some(row) = broken {
            return Err(NoWaves::NotFinite(row));
        }
        let plane = Planes::compute(redefined)?;
        let (rank, size) = (redefined.rank(), plane.turn.nrows());
        let (vectors, blocks) = turns(&plane.turn)?;
        let wide = |m: ArrayView2<'_, f32>| {
            DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| f64::from(m[[i, j]]))
        };
        // Columns: X·u for the real and imaginary parts of all eigenvectors u.
        let series = product(&wide(states), &product(&plane.basis, &vectors));
        let fourier = Fourier::new(n);
        let mut rotation = Self {
            n,
            angles: Vec::with_capacity(size),
            reads: Vec::with_capacity(size),
            amplitudes: Array2::zeros((size, fourier.frequencies())),
            idle: states.ncols() - size,
            weights: Array2::zeros((size, fourier.frequencies())),
            is_conjugate: Vec::with_capacity(size),
        };
        // Eigenvectors in the order of |θ|, so that random angles do not depend on the order of the decomposition.
        let mut turns: Vec<Turn> = Vec::with_capacity(size);
        let part = |at: usize| series.as_slice()[at * n..(at + 1) * n].iter().copied();
        let read = |at: usize| vectors.column(at).rows(0, rank).norm_squared();
        let mut at = 0;
        while at < size {
            if at + 1 < size && blocks[(at + 1, at)].abs() > ROUNDING {
                // p = (z₁ − j·z₂)/√2 belongs to e^{jθ}, its conjugate to e^{−jθ}, with the mirrored spectrum.
                let both = part(at).zip(part(at + 1));
                let mut line: Vec<_> = both
                    .map(|(a, b)| Complex::new(a, -b) * FRAC_1_SQRT_2)
                    .collect();
                fourier.complex(&mut line);
                let sine = blocks[(at + 1, at)] - blocks[(at, at + 1)];
                let angle = sine.atan2(blocks[(at, at)] + blocks[(at + 1, at + 1)]);
                if angle < 0.0 {
                    line[1..].reverse();
                }
                turns.push(Turn {
                    angle: angle.abs(),
                    share: f64::midpoint(read(at), read(at + 1)),
                    line,
                    is_pair: true,
                });
                at += 2;
            } else {
                let mut line: Vec<_> = part(at).map(|a| Complex::new(a, 0.0)).collect();
                fourier.complex(&mut line);
                let angle = if blocks[(at, at)] < 0.0 { PI } else { 0.0 };
                turns.push(Turn {
                    angle,
                    share: read(at),
                    line,
                    is_pair: false,
                });
                at += 1;
            }
        }
        turns.sort_by(|a, b| a.angle.total_cmp(&b.angle));
        for Turn {
            angle,
            share,
            mut line,
            is_pair,
        } in turns
        {
            rotation.add(angle, share, &line, false);
            if is_pair {
                line[1..].reverse();
                rotation.add(-angle, share, &line, true);
            }
        }
        Ok(rotation)
    }

    /// Adds an eigenvector: its angle, the share that queries read, and the DFT of its series. A conjugate must follow
    /// directly after its eigenvector.
    fn add(&mut self, angle: f64, share: f64, line: &[Complex<f64>], is_conjugate: bool) {
        let row = self.angles.len();
        self.angles.push(angle);
        self.reads.push(share);
        self.is_conjugate.push(is_conjugate);
        // In the frequency domain the Hann window sums neighbouring frequencies. Frequency 0 (the mean) has no phase
        // and is left out.
        let at = |f: usize| {
            let f = f % line.len();
            if f == 0 { Complex::default() } else { line[f] }
        };
        for (amplitude, x) in self.amplitudes.row_mut(row).iter_mut().zip(line) {
            *amplitude = x.norm() as f32;
        }
        for (f, weight) in self.weights.row_mut(row).iter_mut().enumerate().skip(1) {
            let windowed = at(f) * 0.5 - (at(f - 1) + at(f + 1)) * 0.25;
            *weight = windowed.norm_sqr() * share;
        }
    }

    /// Σ of g over the eigenvectors whose angle lies in each of `bins` equal bins of −π … π: [bins, frequencies].
    #[must_use]
    pub fn histogram(&self, bins: usize) -> Array2<f64> {
        let mut weights = Array2::zeros((bins, self.amplitudes.ncols()));
        for (angle, amplitudes) in self.angles.iter().zip(self.amplitudes.rows()) {
            let mut row = weights.row_mut(angle_bin(*angle, bins));
            row.zip_mut_with(&amplitudes, |sum, &g| *sum += f64::from(g));
        }
        weights
    }

    /// The eigenvectors with the greatest weight in the line, each with its frequency f ≥ 1 of greatest weight, as (row
    /// of [`Self::amplitudes`], frequency), heaviest first. Of a conjugate pair only the heavier is listed: the other
    /// is the same wave reversed.
    #[must_use]
    pub fn heaviest(&self, count: usize) -> Vec<(usize, usize)> {
        let mut peaks: Vec<(usize, usize)> = Vec::new();
        let weight = |(row, frequency): (usize, usize)| self.weights[[row, frequency]];
        for (row, weights) in self.weights.rows().into_iter().enumerate() {
            let peak =
                (1..weights.len()).fold(
                    0,
                    |most, f| if weights[f] > weights[most] { f } else { most },
                );
            if peak == 0 {
                continue;
            }
            match peaks.last_mut() {
                Some(last) if self.is_conjugate[row] && last.0 + 1 == row => {
                    if weights[peak] > weight(*last) {
                        *last = (row, peak);
                    }
                }
                _ => peaks.push((row, peak)),
            }
        }
        peaks.sort_by(|a, b| weight(*b).total_cmp(&weight(*a)));
        peaks.truncate(count);
        peaks
    }

    /// Fits the line through the peaks of g; `None` if g is zero at every frequency but 0.
    #[must_use]
    pub fn line(&self) -> Option<PhaseLine> {
        let weight = self.weights.sum();
        if weight <= f64::MIN_POSITIVE {
            return None;
        }
        let mut search = ShiftSearch::new(self.n, self.weights.ncols());
        let (delta, sum) = search.best(&self.angles, &self.weights);
        let mut rng = Rng::with_seed(CHANCE_SEED);
        let coherence = |sum: f64| (sum / weight).min(1.0);
        let mut draws: Vec<f64> = (0..CHANCE_HEADS)
            .map(|_| search.best(&self.random_angles(&mut rng), &self.weights).1)
            .map(coherence)
            .collect();
        Some(PhaseLine {
            delta,
            coherence: coherence(sum),
            chance: draws.iter().copied().fold(0.0, f64::max),
            random: ChanceRange::from_draws(&mut draws),
        })
    }

    /// Angles drawn uniformly from −π … π, opposite for a conjugate pair, and 0 or π for a real eigenvalue.
    fn random_angles(&self, rng: &mut Rng) -> Vec<f64> {
        let mut angles: Vec<f64> = Vec::with_capacity(self.angles.len());
        for at in 0..self.angles.len() {
            let is_pair = self.is_conjugate.get(at + 1) == Some(&true);
            angles.push(match (self.is_conjugate[at], is_pair) {
                (true, _) => -angles[at - 1],
                (false, true) => TAU * (rng.f64() - 0.5),
                (false, false) if rng.bool() => PI,
                (false, false) => 0.0,
            });
        }
        angles
    }
}

/// Searches for the shift Δ that fits angles and weights best, by a Fourier transform of Σ w·e^{jθ}.
struct ShiftSearch {
    /// Number of positions.
    n: usize,
    fourier: Fourier,
    /// Σ w·e^{jθ} by frequency, zero-padded, then its transform.
    line: Vec<Complex<f64>>,
    frequencies: usize,
}

impl ShiftSearch {
    fn new(n: usize, frequencies: usize) -> Self {
        let length = (n * FINER).next_power_of_two();
        Self {
            n,
            fourier: Fourier::new(length),
            line: vec![Complex::default(); length],
            frequencies,
        }
    }

    /// The maximum of Σ w·cos(θ − 2πf·Δ/n), as (Δ in tokens, value).
    fn best(&mut self, angles: &[f64], weights: &Array2<f64>) -> (f64, f64) {
        let line = &mut self.line;
        line.fill(Complex::default());
        for (angle, weights) in angles.iter().zip(weights.rows()) {
            let turn = Complex::from_polar(1.0, *angle);
            for (sum, &weight) in line[..self.frequencies].iter_mut().zip(weights) {
                *sum += turn * weight;
            }
        }
        // Σ_f z_f·e^{−j2πf·m/length} is the sum at Δ = m·n/length.
        let length = line.len();
        self.fourier.complex(line);
        let at = |m: i64| line[m.rem_euclid(length as i64) as usize].re;
        // Up to half of all positions either way, from 0 outwards, so that the shift closest to 0 wins ties.
        let half = (length / 2) as i64;
        let order = (0..half).flat_map(|m| [m, -m]);
        let most = order.fold(0, |most, m| if at(m) > at(most) { m } else { most });
        let (left, middle, right) = (at(most - 1), at(most), at(most + 1));
        let bend = left - 2.0 * middle + right;
        let shift = if bend < 0.0 {
            (0.5 * (left - right) / bend).clamp(-0.5, 0.5)
        } else {
            0.0
        };
        let delta = (most as f64 + shift) * self.n as f64 / length as f64;
        (delta, middle - 0.25 * (left - right) * shift)
    }
}

/// The bin of an angle among `bins` equal ones of −π … π.
#[must_use]
pub fn angle_bin(angle: f64, bins: usize) -> usize {
    let bin = ((angle + PI) / TAU * bins as f64) as usize;
    bin.min(bins - 1)
}

/// An eigenvector of the rotation, or a conjugate pair, with the DFT of the series of its positive angle.
struct Turn {
    /// θ, from 0 to π.
    angle: f64,
    /// Share that queries read.
    share: f64,
    line: Vec<Complex<f64>>,
    is_pair: bool,
}

/// The planes spanned by queries and keys, and their rotation by the completion closest to the identity.
struct Planes {
    /// (A, N), [d, at most 2r], orthonormal.
    basis: DMatrix<f64>,
    /// T in this basis.
    turn: DMatrix<f64>,
}

impl Planes {
    fn compute(redefined: &QueryKeySvd) -> Result<Self, NoWaves> {
        let wide = |m: &Array2<f64>| DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| m[[i, j]]);
        let (query, key) = (wide(&redefined.query), wide(&redefined.key));
        let rank = redefined.rank();
        let overlap = SingularValues::compute(&product(&query.transpose(), &key))?;
        let (y, cosines, z) = (overlap.left, overlap.values, overlap.right);
        let (a, b) = (product(&query, &y), product(&key, &z));
        // The sine comes from the vectors: √(1 − c²) loses its digits near c = 1. There cannot be more of them than
        // directions outside the queries' span; the widest angles come last.
        let narrow = (2 * rank).saturating_sub(a.nrows());
        let mut across: Vec<_> = (narrow..rank)
            .filter_map(|at| {
                let mut beside = b.column(at) - a.column(at) * cosines[at];
                let sine = beside.norm();
                (sine > SAME_PLANE).then(|| {
                    beside /= sine;
                    (at, sine, beside)
                })
            })
            .collect();
        // At small angles, b minus its part along a is not exactly orthogonal to the others.
        for at in 0..across.len() {
            let (before, rest) = across.split_at_mut(at);
            let beside = &mut rest[0].2;
            *beside -= &a * a.tr_mul(beside);
            for (_, _, other) in before {
                *beside -= &*other * other.dot(beside);
            }
            let length = beside.norm();
            *beside /= length;
        }
        let size = rank + across.len();
        let mut basis = DMatrix::zeros(a.nrows(), size);
        basis.columns_mut(0, rank).copy_from(&a);
        let turned = z.tr_mul(&y);
        let mut turn = DMatrix::zeros(size, size);
        for row in 0..rank {
            let scaled = turned.row(row) * cosines[row].min(1.0);
            turn.view_mut((row, 0), (1, rank)).copy_from(&scaled);
        }
        for (place, (at, sine, beside)) in across.into_iter().enumerate() {
            let column = rank + place;
            basis.set_column(column, &beside);
            turn.view_mut((column, 0), (1, rank))
                .copy_from(&(turned.row(at) * sine));
            turn[(at, column)] = -sine;
            turn[(column, column)] = cosines[at].min(1.0);
        }
        // Omitted planes and rounding make T slightly non-orthogonal; one Newton–Schulz step corrects it.
        turn = &turn * 1.5 - product(&turn, &gram(&turn)) * 0.5;
        Ok(Self { basis, turn })
    }
}
