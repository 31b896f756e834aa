//! The rotation that turns a head's queries into its keys, its angles, and the offset that they stand for.
//!
//! Yamamoto & Matsuzaki 2023, sections 4.2.1 and 4.4. With `U_Q` and `U_K` completed to orthogonal d×d matrices,
//! K = Q·R with R = `U_Qᵀ·U_K` (eq. 15). An eigenvector p of R with eigenvalue e^{jθ} gives K·p = Q·p·e^{jθ} (eq. 24):
//! the same series, its phase shifted by θ. The picture is g(f, θ) = |DFT(Q·p)|_f (eq. 26). Where its peaks lie on the
//! line θ = 2πf·Δ/n (eq. 27), every frequency is shifted by the same Δ tokens.
//!
//! **The completion.** `U_Q` and `U_K` are [d, r]; how the other d − r columns of one correspond to those of the other
//! is not decided by the weights, and a linear-algebra library picks them by accident. Here they are chosen so that R
//! moves as little as it can: of all completions the one nearest to the identity. With T = `U_K·U_Qᵀ` and p = `U_Qᵀ`·u,
//! R·p = λ·p is T·u = λ·u and Q·p = X·u, so everything can be asked of T, which maps `U_Q` to `U_K`. Let
//! `U_Qᵀ·U_K` = Y·C·Zᵀ; the principal vectors A = `U_Q`·Y and B = `U_K`·Z span planes at the angles arccos C, and
//! N = (B − A·C)·S⁻¹ with S = √(1 − C²) completes A within them. The map nearest to the identity that sends `U_Q` to
//! `U_K` turns each plane by its own angle, N ↦ −A·S + N·C, and leaves alone what lies outside of all planes. In the
//! basis (A, N)
//!
//! T = ( C·O  −S ; S·O  C ), O = ZᵀY,
//!
//! which has at most 2r rows whatever d is, and depends on no choice but where a principal angle is exactly 90°. The
//! d − 2r directions outside have θ = 0; neither queries nor keys read them, and they are left out of the picture.
//!
//! **The sign of Δ.** Eqs. 28–31 give `K_t` = `Q_{t+Δ}`, and eq. 6 agrees; eq. 25 prints the two the other way around.
//! So a query at i and a key at j are alike where i = j + Δ, and scores peak at the offset k = j − i = −Δ.
//!
//! **The line.** Δ is where Σ w·cos(θ − 2πf·Δ/n) is greatest, the mean over all eigenvectors and the frequencies f ≥ 1
//! with weights w = g²·ρ, ρ the share of the direction u that queries read, |`U_Qᵀ`u|²; this mean is the line's
//! *coherence*, 1 where all lies on it. Angles are circular, and so is this: no phase has to be unwrapped. For the line
//! series pass Hann's window first: a wave that does not go around a whole number of times would lend its angle to
//! frequencies far from its own, and the line would come out too flat.
//!
//! **Chance.** Some Δ fits any angles to some extent, the better the fewer waves there are: one wave has coherence 1 at
//! any angle. The level to beat is therefore the head's own: [`CHANCE_HEADS`] heads have the spectra of this one, each
//! with angles drawn evenly from −π … π (a conjugate pair has opposite angles, a real eigenvalue is 1 or −1), as the
//! eigenvalues of a random orthogonal matrix lie evenly on the unit circle. Each gets its own best Δ. The level is the
//! highest of their coherences, which a head of random angles exceeds once in `CHANCE_HEADS` + 1 times.

use super::{NoWaves, QueryKeySvd, fourier::Fourier};
use decompositions::{SingularValues, gram, product, turns};
use fastrand::Rng;
use nalgebra::DMatrix;
use ndarray::{Array2, ArrayView2};
use rustfft::num_complex::Complex;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

/// A principal vector of the keys that is nearer than this to its partner lies in the span of the queries. Weights of
/// single precision say no more about an angle.
const SAME_PLANE: f64 = 1e-6;

/// Below this a number beside the diagonal is rounding.
const ROUNDING: f64 = 1e-9;

/// Offsets are looked for in steps of 1/8 token, and refined between them.
const FINER: usize = 8;

/// Number of heads of random angles that a head's coherence is compared with.
pub const CHANCE_HEADS: usize = 99;

/// Seed of their angles, the same for every head: the same weights always give the same level.
const CHANCE_SEED: u64 = 1;

/// The angles of a head and the spectra that belong to them.
#[derive(Debug, Clone, PartialEq)]
pub struct Rotation {
    /// Number of positions n.
    pub n: usize,
    /// θ of each eigenvector, −π < θ ≤ π.
    pub angles: Vec<f64>,
    /// The share of each eigenvector that queries read.
    pub reads: Vec<f64>,
    /// g(f, θ), [eigenvectors, frequencies 0 … n/2].
    pub amplitudes: Array2<f32>,
    /// Directions that neither queries nor keys read.
    pub idle: usize,
    /// Weights w of the line, [eigenvectors, frequencies 0 … n/2]; 0 at frequency 0.
    weights: Array2<f64>,
    /// Whether an eigenvector is the conjugate of the one before it.
    is_conjugate: Vec<bool>,
}

/// The line through the peaks of g, θ = 2πf·Δ/n.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PhaseLine {
    /// Δ in tokens (eq. 27): the key runs so far ahead of the query. Scores peak at the offset −Δ.
    pub delta: f64,
    /// 1 where everything lies on the line, about 0 where nothing does.
    pub coherence: f64,
    /// Highest coherence among [`CHANCE_HEADS`] heads with the same spectra and random angles.
    pub chance: f64,
}

impl PhaseLine {
    /// Whether the coherence is higher than that of heads with random angles.
    #[must_use]
    pub fn is_beyond_chance(&self) -> bool {
        self.coherence > self.chance
    }
}

impl Rotation {
    /// That of a head's redefined axes, with spectra of hidden states X [n, d].
    ///
    /// # Errors
    /// When there are too few positions, X holds something that is no number, or a decomposition does not converge.
    ///
    /// # Panics
    /// When the states are not as wide as the axes.
    pub fn of(redefined: &QueryKeySvd, states: ArrayView2<'_, f32>) -> Result<Self, NoWaves> {
        let n = states.nrows();
        if n < 2 {
            return Err(NoWaves::TooFewPositions(n));
        }
        let broken = (states.rows().into_iter()).position(|row| row.iter().any(|v| !v.is_finite()));
        if let Some(row) = broken {
            return Err(NoWaves::NotFinite(row));
        }
        let plane = Planes::of(redefined)?;
        let (rank, size) = (redefined.rank(), plane.turn.nrows());
        let (vectors, blocks) = turns(&plane.turn)?;
        let wide = |m: ArrayView2<'_, f32>| {
            DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| f64::from(m[[i, j]]))
        };
        // Columns: X·u for the real and imaginary parts of all eigenvectors u.
        let series = product(&wide(states), &product(&plane.basis, &vectors));
        let fourier = Fourier::new(n);
        let mut found = Self {
            n,
            angles: Vec::with_capacity(size),
            reads: Vec::with_capacity(size),
            amplitudes: Array2::zeros((size, fourier.frequencies())),
            idle: states.ncols() - size,
            weights: Array2::zeros((size, fourier.frequencies())),
            is_conjugate: Vec::with_capacity(size),
        };
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
                let share = f64::midpoint(read(at), read(at + 1));
                found.add(angle, share, &line, false);
                line[1..].reverse();
                found.add(-angle, share, &line, true);
                at += 2;
            } else {
                let mut line: Vec<_> = part(at).map(|a| Complex::new(a, 0.0)).collect();
                fourier.complex(&mut line);
                let angle = if blocks[(at, at)] < 0.0 { PI } else { 0.0 };
                found.add(angle, read(at), &line, false);
                at += 1;
            }
        }
        Ok(found)
    }

    /// Adds an eigenvector: its angle, the share of it that queries read, and the DFT of its series. A conjugate comes
    /// right after the eigenvector it belongs to.
    fn add(&mut self, angle: f64, share: f64, line: &[Complex<f64>], is_conjugate: bool) {
        let row = self.angles.len();
        self.angles.push(angle);
        self.reads.push(share);
        self.is_conjugate.push(is_conjugate);
        // Hann's window is a sum of neighbouring frequencies; the mean has no phase to lend to any of them.
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

    /// Σ of g over the eigenvectors whose angle lies in each of so many equal bins of −π … π: [bins, frequencies].
    #[must_use]
    pub fn histogram(&self, bins: usize) -> Array2<f64> {
        let mut weights = Array2::zeros((bins, self.amplitudes.ncols()));
        for (angle, amplitudes) in self.angles.iter().zip(self.amplitudes.rows()) {
            let mut row = weights.row_mut(angle_bin(*angle, bins));
            row.zip_mut_with(&amplitudes, |sum, &g| *sum += f64::from(g));
        }
        weights
    }

    /// The eigenvectors that weigh most in the line, each with the frequency f ≥ 1 of its greatest weight, as (row of
    /// [`Self::amplitudes`], frequency), heaviest first. Of a conjugate pair the heavier one stands for both: the other is
    /// the same wave backwards.
    #[must_use]
    pub fn heaviest(&self, count: usize) -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = Vec::new();
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
            match found.last_mut() {
                Some(last) if self.is_conjugate[row] && last.0 + 1 == row => {
                    if weights[peak] > weight(*last) {
                        *last = (row, peak);
                    }
                }
                _ => found.push((row, peak)),
            }
        }
        found.sort_by(|a, b| weight(*b).total_cmp(&weight(*a)));
        found.truncate(count);
        found
    }

    /// The line that the peaks of g lie on; `None` where g is zero at every frequency but 0.
    #[must_use]
    pub fn line(&self) -> Option<PhaseLine> {
        let weight = self.weights.sum();
        if weight <= f64::MIN_POSITIVE {
            return None;
        }
        let mut search = ShiftSearch::new(self.n, self.weights.ncols());
        let (delta, sum) = search.best(&self.angles, &self.weights);
        let mut rng = Rng::with_seed(CHANCE_SEED);
        let chance = (0..CHANCE_HEADS).fold(0.0_f64, |most, _| {
            most.max(search.best(&self.random_angles(&mut rng), &self.weights).1)
        });
        let coherence = |sum: f64| (sum / weight).min(1.0);
        Some(PhaseLine {
            delta,
            coherence: coherence(sum),
            chance: coherence(chance),
        })
    }

    /// Angles drawn evenly from −π … π, opposite ones for a conjugate pair, 0 or π for a real eigenvalue.
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

/// Search for the shift Δ that angles and weights agree on best, by a Fourier transform of Σ w·e^{jθ}.
struct ShiftSearch {
    /// Number of positions.
    n: usize,
    fourier: Fourier,
    /// Σ w·e^{jθ} by frequency, padded with zeros, then its transform.
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

    /// Δ in tokens and the sum of w·cos(θ − 2πf·Δ/n) there, the greatest of all.
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
        // Half of all positions either way; from 0 outwards, so that of equals the nearest is taken.
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

/// The bin that an angle lies in, of so many equal ones of −π … π.
#[must_use]
pub fn angle_bin(angle: f64, bins: usize) -> usize {
    let bin = ((angle + PI) / TAU * bins as f64) as usize;
    bin.min(bins - 1)
}

/// The planes that queries and keys span together, and how the least completion turns them.
struct Planes {
    /// (A, N), [d, at most 2r], orthonormal.
    basis: DMatrix<f64>,
    /// T in that basis.
    turn: DMatrix<f64>,
}

impl Planes {
    fn of(redefined: &QueryKeySvd) -> Result<Self, NoWaves> {
        let wide = |m: &Array2<f64>| DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| m[[i, j]]);
        let (query, key) = (wide(&redefined.query), wide(&redefined.key));
        let rank = redefined.rank();
        let overlap = SingularValues::of(&product(&query.transpose(), &key))?;
        let (y, cosines, z) = (overlap.left, overlap.values, overlap.right);
        let (a, b) = (product(&query, &y), product(&key, &z));
        // The sine from the vectors themselves: √(1 − c²) has lost its digits where c is next to 1.
        // No more of them than there are directions beside the queries' own; the widest angles come last.
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
        // Where an angle is small, what is left of b after a is taken out is not quite orthogonal to the others.
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
        // Planes that were left out, and rounding, have left it a little off an orthogonal matrix.
        turn = &turn * 1.5 - product(&turn, &gram(&turn)) * 0.5;
        Ok(Self { basis, turn })
    }
}
