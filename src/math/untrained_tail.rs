//! Rows at the end of a position table that look never trained.
//!
//! A model that sees only texts shorter than its table never changes the last rows: they keep the values they were
//! initialised with. Rows of independent normal numbers N(0, σ²) have lengths close to σ√d, with a relative standard
//! deviation of 1/√(2d), and neighbours whose cosine is 0 with a standard deviation of 1/√d. For such a row
//!
//! D = d·cos² + 2d·ln²(length / usual length)
//!
//! has approximately the χ² distribution with two degrees of freedom, whose mean is 2. Trained rows have neighbours that
//! are alike, and other lengths, so that D is far greater.

use super::row_neighbours::{RowNeighbours, median};
use serde::{Deserialize, Serialize};

/// Minimum number of untrained rows, and of rows before them.
const LEAST_ROWS: usize = 8;

/// Minimum width of a table whose rows are compared with random ones.
const LEAST_WIDTH: usize = 8;

/// Rows with a smaller D count as untrained, those with a greater one as trained. 5 % of random rows exceed it.
const THRESHOLD: f64 = 6.0;

/// Greatest D of one row, so that no single row decides.
const MOST: f64 = 50.0;

/// Least median of D over the rows before the tail.
const LEAST_BEFORE: f64 = 10.0;

/// Least difference in the cosine of neighbours, or in the logarithm of lengths, between the tail and the rows before.
const LEAST_DIFFERENCE: f64 = 0.2;

/// The longest suffix of a table whose rows look never trained.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UntrainedTail {
    /// The first of its rows. The last is that of the table.
    pub first: usize,
    /// Median length of its rows; 0 if all are zero.
    pub norm: f64,
    /// Mean cosine of its neighbouring rows.
    pub cosine: f64,
    /// Median length of the rows before it.
    pub norm_before: f64,
    /// Median cosine of neighbouring rows before it.
    pub cosine_before: f64,
}

impl UntrainedTail {
    /// Finds the untrained tail of a table. `None` if it has none, and if all rows look untrained.
    ///
    /// The tail begins where the sum of 6 − D over all later rows, each D at most 50, is greatest. It counts if
    ///
    /// * it has at least eight rows, and at least eight rows are before it;
    /// * over its m rows the mean of D is at most 2.5 + 8/√m, and the mean cosine of neighbours is within
    ///   4/√(dm) + 0.25/√d of 0;
    /// * over the rows before it the median of D is at least 10, and their median cosine or the logarithm of their
    ///   median length differs from that of the tail by at least 0.2.
    ///
    /// Rows of zeros at the end, at least eight, are a tail, too. In tables of fewer than eight columns nothing else is.
    #[must_use]
    pub fn find(neighbours: &RowNeighbours) -> Option<Self> {
        let rows = neighbours.rows();
        let zeros = neighbours.norms.iter().rev();
        let zeros = zeros.take_while(|norm| **norm == 0.0).count();
        if zeros >= LEAST_ROWS {
            return Self::new(neighbours, rows - zeros);
        }
        if neighbours.width < LEAST_WIDTH {
            return None;
        }
        let mut first = rows.saturating_sub(LEAST_ROWS);
        // The usual length is estimated from the last rows, and then from those of the tail.
        for _ in 0..2 {
            first = Deviances::from_tail(neighbours, first)?.tail_start();
        }
        while rows - first >= LEAST_ROWS {
            let deviances = Deviances::from_tail(neighbours, first)?;
            let tail = Self::new(neighbours, first)?;
            if tail.looks_random(neighbours, &deviances) {
                return Some(tail).filter(|tail| tail.differs_from_before(&deviances));
            }
            // Rows that were trained a little may lie before those that were not.
            first += ((rows - first) / 8).max(1);
        }
        None
    }

    /// The tail from a row on; `None` if it or the part before it has too few rows.
    fn new(neighbours: &RowNeighbours, first: usize) -> Option<Self> {
        let rows = neighbours.rows();
        if first < LEAST_ROWS || rows.checked_sub(first)? < LEAST_ROWS {
            return None;
        }
        let (norms_before, norms) = neighbours.norms.split_at(first);
        let cosines = &neighbours.cosines[first..];
        Some(Self {
            first,
            norm: median(norms.iter().copied()),
            cosine: cosines.iter().sum::<f64>() / cosines.len() as f64,
            norm_before: median(norms_before.iter().copied()),
            cosine_before: median(neighbours.cosines[..first - 1].iter().copied()),
        })
    }

    /// Whether D and the cosines of its rows are those of random numbers.
    fn looks_random(&self, neighbours: &RowNeighbours, deviances: &Deviances) -> bool {
        let inside = &deviances.of_steps[self.first..];
        let count = inside.len() as f64;
        let mean = inside.iter().sum::<f64>() / count;
        let width = neighbours.width as f64;
        let cosine = 4.0 / (width * count).sqrt() + 0.25 / width.sqrt();
        mean <= 2.5 + 8.0 / count.sqrt() && self.cosine.abs() <= cosine
    }

    /// Whether the rows before it are clearly different.
    fn differs_from_before(&self, deviances: &Deviances) -> bool {
        let before = deviances.of_steps[..self.first - 1].iter().copied();
        let in_cosine = self.cosine_before - self.cosine;
        let in_norm = (self.norm_before / self.norm).ln().abs();
        median(before) >= LEAST_BEFORE && in_cosine.max(in_norm) >= LEAST_DIFFERENCE
    }
}

/// D of each row but the first, from its cosine with the row before and its own length.
struct Deviances {
    of_steps: Vec<f64>,
}

impl Deviances {
    /// Computes D with the median length of the rows from `first` on; `None` if that is 0 or there are no such rows.
    fn from_tail(neighbours: &RowNeighbours, first: usize) -> Option<Self> {
        let usual = median(neighbours.norms.get(first..)?.iter().copied());
        let width = neighbours.width as f64;
        let steps = neighbours
            .cosines
            .iter()
            .zip(neighbours.norms.iter().skip(1));
        let deviance = |(cosine, norm): (&f64, &f64)| {
            let length = (norm / usual).ln();
            // A row of zeros has infinite D.
            (width * (cosine * cosine + 2.0 * length * length)).min(MOST)
        };
        (usual > 0.0).then(|| Self {
            of_steps: steps.map(deviance).collect(),
        })
    }

    /// The first row of the suffix over which the sum of 6 − D is greatest; the number of rows if none is positive.
    fn tail_start(&self) -> usize {
        let mut best = (0.0, self.of_steps.len() + 1);
        let mut sum = 0.0;
        for (step, deviance) in self.of_steps.iter().enumerate().rev() {
            sum += THRESHOLD - deviance;
            if sum > best.0 {
                best = (sum, step + 1);
            }
        }
        best.1
    }
}
