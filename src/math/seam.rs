//! A seam of a position table: a place where neighbouring rows are far less alike than anywhere else.
//!
//! Models that are trained on short texts first and on long ones later often have one where the short texts ended (TISA
//! paper, caption of Figure 4: BERT saw 128 positions for nine tenths of its training). Numbers over all positions mix
//! the two sides of a seam.

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Rows of a table below which no seam is looked for.
const LEAST_ROWS: usize = 64;

/// One row in this many, at each end, where no seam is looked for: the first rows hold special tokens, the last are often
/// hardly trained.
const EDGE: usize = 16;

/// Standard deviations below the usual cosine from which a step counts. Of 2048 random rows the farthest is at 3.2.
const DEVIATIONS: f64 = 10.0;

/// Cosines below the usual one from which a step counts, whatever the deviation.
const LEAST_DROP: f64 = 0.15;

/// Rows between two low steps of one seam, at most.
const WIDTH: usize = 4;

/// Where a table breaks in two.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Seam {
    /// The last row before the seam.
    pub last_before: usize,
    /// The first row behind it, at least one more.
    pub first_behind: usize,
    /// The lowest cosine of two neighbouring rows within the seam.
    pub cosine: f64,
    /// The median cosine of neighbouring rows of the table.
    pub usual: f64,
}

impl Seam {
    /// The most marked seam of a table of n rows [n, d], from the cosines of neighbouring rows; `None` where no step
    /// stands out. A step stands out where its cosine lies ten standard deviations, estimated from the median absolute
    /// deviation, below the median.
    #[must_use]
    pub fn find(table: ArrayView2<'_, f32>) -> Option<Self> {
        let n = table.nrows();
        if n < LEAST_ROWS {
            return None;
        }
        let edge = n / EDGE;
        let cosines = neighbour_cosines(table);
        let usual = median(cosines.clone());
        // 1.4826 times the median absolute deviation of normal numbers is their standard deviation.
        let deviation = 1.4826 * median(cosines.iter().map(|c| (c - usual).abs()).collect());
        let low = usual - (DEVIATIONS * deviation).max(LEAST_DROP);
        let inner = edge..cosines.len().checked_sub(edge)?;
        let lowest = inner
            .clone()
            .min_by(|a, b| cosines[*a].total_cmp(&cosines[*b]))?;
        if cosines[lowest].is_nan() || cosines[lowest] >= low {
            return None;
        }
        let steps = around(lowest, inner, |step| cosines[step] < low);
        Some(Self {
            last_before: steps.start,
            first_behind: steps.end,
            cosine: cosines[lowest],
            usual,
        })
    }
}

/// The cosine of each row with the next, n − 1 of them; zero beside a row of zeros.
fn neighbour_cosines(table: ArrayView2<'_, f32>) -> Vec<f64> {
    let dot = |a: usize, b: usize| -> f64 {
        let products = table.row(a).into_iter().zip(table.row(b));
        products.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let squares: Vec<f64> = (0..table.nrows()).map(|row| dot(row, row)).collect();
    let cosine = |row: usize| {
        let lengths = (squares[row] * squares[row + 1]).sqrt();
        if lengths > 0.0 {
            dot(row, row + 1) / lengths
        } else {
            0.0
        }
    };
    (0..table.nrows().saturating_sub(1)).map(cosine).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// The steps around one that are low, with at most [`WIDTH`] others between two of them.
fn around(lowest: usize, inner: Range<usize>, is_low: impl Fn(usize) -> bool) -> Range<usize> {
    let reach = |steps: &mut dyn Iterator<Item = usize>| {
        let mut farthest = lowest;
        for step in steps {
            if step.abs_diff(farthest) > WIDTH {
                break;
            }
            if is_low(step) {
                farthest = step;
            }
        }
        farthest
    };
    let first = reach(&mut (inner.start..lowest).rev());
    let last = reach(&mut (lowest + 1..inner.end));
    first..last + 1
}
