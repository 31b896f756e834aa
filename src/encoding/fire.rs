//! FIRE (Li et al. 2024, Functional Interpolation for Relative Positions Improves Long Context Transformers): a learned
//! function of the distance, in relation to the position of the query.
//!
//! ```text
//! b(i, j) = f(ψ(i − j) / ψ(max(L, i)))    ψ(x) = ln(c·x + 1), j ≤ i
//! ```
//!
//! c > 0 and the threshold L are learned, one for all heads; f is a network of one hidden layer with rectifiers, from a
//! number to a score. The argument of f is between 0 and 1 however long the text is. Up to the query i = L the bias
//! depends on the distance alone; after it, the same distance counts for less the later the query is. So the matrix of a
//! text longer than L is no Toeplitz matrix, which is rare among biases. Positions count from 0. Models look back only:
//! there is no score for keys ahead.

use super::description::Encoding;

pub(super) const ENCODING: Encoding = Encoding {
    id: "fire",
    about: "A learned function of the distance in relation to the query’s position: no Toeplitz matrix.",
};

/// Number of rectifiers of the released network.
const UNITS: usize = 32;

/// Greatest number of cells that [`Fire::scores`] computes; of longer texts it takes some of the rows.
const MOST_CELLS: usize = 1 << 21;

/// Parameters of the argument of f.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fire {
    /// c.
    pub c: f64,
    /// The threshold L, at least 1.
    pub threshold: f64,
}

impl Default for Fire {
    /// c as in the released code at the start of training. The threshold starts at 512 there; here it is 64, so that
    /// shorter texts show both of its sides.
    fn default() -> Self {
        Self {
            c: 0.1,
            threshold: 64.0,
        }
    }
}

/// A piecewise linear function of x ≥ 0, which is all that a network of one hidden layer with rectifiers can be.
#[derive(Debug, Clone, PartialEq)]
pub struct FireFunction {
    /// First x of each piece, ascending, with the value there and the slope. The first begins at 0.
    pieces: Vec<(f64, f64, f64)>,
}

/// A matrix of biases by its diagonals.
#[derive(Debug, Clone, PartialEq)]
pub struct FireScores {
    /// b(i, i + k) of the query asked for, k = −(n−1) … n−1; NaN where there is no key.
    pub row: Vec<f64>,
    /// Mean of each diagonal over all queries; NaN for keys ahead.
    pub mean: Vec<f64>,
    /// Share of the variance of the cells j ≤ i that the diagonal means explain; NaN if all cells are equal.
    pub r2: f64,
}

impl FireFunction {
    /// f(x) = −x: with it and i ≤ L, FIRE is KERPLE's logarithm.
    #[must_use]
    pub fn falling_line() -> Self {
        Self {
            pieces: vec![(0.0, 0.0, -1.0)],
        }
    }

    /// The network Σ_h out_h·max(0, in_h·x + bias_h) + `bias`, with units (`in`, `bias`, `out`).
    #[must_use]
    pub fn from_network(units: &[(f64, f64, f64)], bias: f64) -> Self {
        let value = |x: f64| -> f64 {
            let unit = |(w, b, out): &(f64, f64, f64)| out * (w * x + b).max(0.0);
            bias + units.iter().map(unit).sum::<f64>()
        };
        let bends = units.iter().map(|(w, b, _)| -b / w);
        let mut starts: Vec<f64> = bends.filter(|x| x.is_finite() && *x > 0.0).collect();
        starts.push(0.0);
        starts.sort_by(f64::total_cmp);
        let piece = |(at, start): (usize, &f64)| {
            let middle = starts
                .get(at + 1)
                .map_or(start + 1.0, |end| f64::midpoint(*start, *end));
            let active = units.iter().filter(|(w, b, _)| w * middle + b > 0.0);
            (
                *start,
                value(*start),
                active.map(|(w, _, out)| w * out).sum(),
            )
        };
        Self {
            pieces: starts.iter().enumerate().map(piece).collect(),
        }
    }

    /// A network before training, with the uniform start values of PyTorch's linear layers.
    #[must_use]
    pub fn with_random_weights(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut uniform = |limit: f64| limit * (2.0 * random.f64() - 1.0);
        let limit = (UNITS as f64).sqrt().recip();
        let units: Vec<_> = (0..UNITS)
            .map(|_| (uniform(1.0), uniform(1.0), uniform(limit)))
            .collect();
        Self::from_network(&units, uniform(limit))
    }

    /// f(x) for x ≥ 0.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        let after = self.pieces.partition_point(|(start, ..)| *start <= x);
        let piece = self.pieces.get(after.saturating_sub(1));
        piece.map_or(0.0, |(start, value, slope)| value + slope * (x - start))
    }

    /// Passes f at each of some ascending x to `take`, with its index. Quicker than [`Self::at`] for many x.
    fn along(&self, xs: impl Iterator<Item = f64>, mut take: impl FnMut(usize, f64)) {
        let mut pieces = self.pieces.iter().peekable();
        let mut piece = pieces.next().copied().unwrap_or_default();
        for (at, x) in xs.enumerate() {
            while let Some(next) = pieces.next_if(|(start, ..)| *start <= x) {
                piece = *next;
            }
            let (start, value, slope) = piece;
            take(at, value + slope * (x - start));
        }
    }
}

impl Fire {
    fn psi(&self, x: f64) -> f64 {
        (self.c * x).ln_1p()
    }

    /// The argument of f for a query at i and a key `distance` before it.
    #[must_use]
    pub fn argument(&self, i: usize, distance: usize) -> f64 {
        self.psi(distance as f64) / self.psi(self.threshold.max(i as f64))
    }

    /// The biases of a text of n tokens: those of the query at `row`, or of the last query if there is none there, the
    /// diagonal means, and R².
    ///
    /// All cells are computed for n ≤ 2048. Of longer texts only every n²/2²²-th row takes part in the means and in R²,
    /// counted from the last.
    #[must_use]
    pub fn scores(&self, f: &FireFunction, n: usize, row: usize) -> FireScores {
        let none = || vec![f64::NAN; (2 * n).saturating_sub(1)];
        let (mut one, mut mean) = (none(), none());
        let psi: Vec<f64> = (0..n).map(|distance| self.psi(distance as f64)).collect();
        let each = |i: usize, take: &mut dyn FnMut(usize, f64)| {
            let greatest = self.psi(self.threshold.max(i as f64));
            f.along(psi.iter().take(i + 1).map(|psi| psi / greatest), take);
        };
        let Some(last) = n.checked_sub(1) else {
            return FireScores {
                row: one,
                mean,
                r2: f64::NAN,
            };
        };
        // Offset −distance is at n − 1 − distance.
        each(row.min(last), &mut |distance, score| {
            one[last - distance] = score;
        });
        // Differences to the last row keep what is equal in all rows exactly so.
        let mut reference = vec![0.0; n];
        each(last, &mut |distance, score| reference[distance] = score);
        let step = (n * n).div_ceil(2 * MOST_CELLS).max(1);
        let mut sums = vec![(0.0, 0.0, 0.0); n];
        for i in (0..n).rev().step_by(step) {
            each(i, &mut |distance, score| {
                let difference = score - reference[distance];
                let (count, sum, squares) = &mut sums[distance];
                *count += 1.0;
                *sum += difference;
                *squares += difference * difference;
            });
        }
        let (mut cells, mut total, mut within) = (0.0, 0.0, 0.0);
        for (distance, (count, sum, squares)) in sums.iter().enumerate() {
            let score = reference[distance] + sum / count;
            mean[last - distance] = score;
            cells += count;
            total += count * score;
            within += squares - sum * sum / count;
        }
        let centre = total / cells;
        let diagonals = sums.iter().zip(mean.iter().take(n).rev());
        let between: f64 = diagonals
            .map(|((count, ..), score)| count * (score - centre).powi(2))
            .sum();
        FireScores {
            row: one,
            mean,
            r2: between / (between + within.max(0.0)),
        }
    }
}
