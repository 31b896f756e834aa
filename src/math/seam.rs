//! Seams of a position table: places where neighbouring rows are far less similar than elsewhere.
//!
//! Models that are trained on short texts first and on long ones later often have a seam at the length of the short
//! texts (TISA paper, caption of Figure 4: BERT used 128 positions for nine tenths of its training). Statistics over
//! all positions mix the two sides of a seam.

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Minimum number of rows for a search.
const LEAST_ROWS: usize = 64;

/// Fraction 1/16 of the rows at each end that is not searched: the first rows hold special tokens, the last are often
/// barely trained.
const EDGE: usize = 16;

/// Minimum distance of a step below the usual cosine, in standard deviations. The largest among 2048 random rows is
/// 3.2.
const DEVIATIONS: f64 = 10.0;

/// Minimum distance of a step below the usual cosine, for any standard deviation.
const LEAST_DROP: f64 = 0.15;

/// Maximum distance in rows between two low steps of one seam.
const WIDTH: usize = 4;

/// A seam of a table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Seam {
    /// The last row before the seam.
    pub last_before: usize,
    /// The first row after the seam, greater than `last_before`.
    pub first_behind: usize,
    /// Lowest cosine of two neighbouring rows within the seam.
    pub cosine: f64,
    /// Median cosine of neighbouring rows of the table.
    pub usual: f64,
}

impl Seam {
    /// Finds the most pronounced seam of a table [n, d] from the cosines of neighbouring rows; `None` if no step stands
    /// out. A step stands out if its cosine is at least ten standard deviations, estimated from the median absolute
    /// deviation, and 0.15 below the median.
    #[must_use]
    pub fn find(table: ArrayView2<'_, f32>) -> Option<Self> {
        let n = table.nrows();
        if n < LEAST_ROWS {
            return None;
        }
        let edge = n / EDGE;
        let cosines = neighbour_cosines(table);
        let usual = median(cosines.clone());
        // For normal numbers the standard deviation is 1.4826 times the median absolute deviation.
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

/// Cosine of each row with the next, n − 1 values; 0 if either row is zero.
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

/// Range of low steps around `lowest`, at most [`WIDTH`] apart.
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
