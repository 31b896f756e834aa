//! Heights by linear least squares from the Gram matrix alone: of any sign, or non-negative.
//!
//! Non-negative least squares follows Lawson and Hanson (1974) in the form of Bro and de Jong (1997), which needs only
//! the Gram matrix. It is written here, for at most nine unknowns, because the `nnls` crate needs all rows instead of
//! the Gram matrix, supports no unknowns of free sign, and does not expose its factors, which the derivatives need (see
//! `projection`).

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// A height must promise at least this share of what it could explain; less is rounding.
const LEAST_PROMISE: f64 = 1e-12;

/// The solution: heights, with the intercept last.
pub(crate) struct HeightSolution {
    pub(crate) heights: DVector<f64>,
    /// Indices of the heights that were solved for, in order; the others are zero.
    pub(crate) among: Vec<usize>,
    /// Cholesky factors of their Gram matrix.
    pub(crate) solver: Cholesky<f64, Dyn>,
}

/// Solves G·x = r for a Gram matrix G, of which the lower triangle is read. With `non_negative`, minimises under the
/// constraint that all heights but the last are non-negative. `None` if G is singular.
pub(crate) fn solve(
    gram: DMatrix<f64>,
    right: &DVector<f64>,
    non_negative: bool,
) -> Option<HeightSolution> {
    let gram_copy = non_negative.then(|| gram.clone());
    let solver = gram.cholesky()?;
    let heights = solver.solve(right);
    let last = right.len() - 1;
    match gram_copy {
        Some(gram) if heights.iter().take(last).any(|height| *height < 0.0) => {
            non_negative_heights(&gram, right)
        }
        _ => Some(HeightSolution {
            heights,
            among: (0..=last).collect(),
            solver,
        }),
    }
}

fn non_negative_heights(gram: &DMatrix<f64>, right: &DVector<f64>) -> Option<HeightSolution> {
    let last = right.len() - 1;
    let mut best = among(gram, right, vec![last])?;
    // Each round lowers the cost, so no set repeats; the bound guards against rounding.
    for _ in 0..4 * right.len() {
        let promise = |at: usize| {
            let explained: f64 = (best.among.iter())
                .map(|&other| gram[(at.max(other), at.min(other))] * best.heights[other])
                .sum();
            right[at] - explained
        };
        let next = (0..last)
            .filter(|at| !best.among.contains(at))
            .map(|at| (promise(at), at))
            .filter(|(promise, at)| *promise > LEAST_PROMISE * right[*at].abs())
            .max_by(|one, other| one.0.total_cmp(&other.0));
        let Some((_, next)) = next else {
            break;
        };
        let mut set = best.among.clone();
        set.insert(set.partition_point(|at| *at < next), next);
        // Move from the current heights towards those of the larger set, and stop where one reaches zero: drop that
        // one.
        let mut heights = best.heights.clone();
        best = loop {
            let aim = among(gram, right, set.clone())?;
            let share = |at: usize| match heights[at] {
                height if height > 0.0 => height / (height - aim.heights[at]),
                _ => 0.0,
            };
            let first = (set.iter().copied())
                .filter(|&at| at != last && aim.heights[at] <= 0.0)
                .map(|at| (share(at), at))
                .min_by(|one, other| one.0.total_cmp(&other.0));
            let Some((share, leaving)) = first else {
                break aim;
            };
            heights += (&aim.heights - &heights) * share;
            set.retain(|at| *at != leaving);
        };
    }
    Some(best)
}

/// Solves for the heights at the indices `among` alone.
fn among(gram: &DMatrix<f64>, right: &DVector<f64>, among: Vec<usize>) -> Option<HeightSolution> {
    let count = among.len();
    let part = DMatrix::from_fn(count, count, |row, column| {
        let (row, column) = (among[row], among[column]);
        gram[(row.max(column), row.min(column))]
    });
    let solver = part.cholesky()?;
    let found = solver.solve(&DVector::from_iterator(
        count,
        among.iter().map(|at| right[*at]),
    ));
    let mut heights = DVector::zeros(right.len());
    for (at, height) in among.iter().zip(found.iter()) {
        heights[*at] = *height;
    }
    Some(HeightSolution {
        heights,
        among,
        solver,
    })
}
