//! Reference implementations: every sum as written in the formula, in `f64`. Slow.
//!
//! Used by tests, benches and the comparison with other hardware, never by the page.

mod images;
mod profiles;
mod rotations;
mod waves;

use ndarray::{Array1, Array2};

pub use images::{correlate, look, pixel_attention};
pub use profiles::{alikeness, lipschitz_slope, lowest_cosines, resample};
pub use rotations::{axis_r2, rotated_patch_scores};
pub use waves::{
    amplitude_spectra, best_assignment, component_shares, cross_correlation, cross_covariance, dft,
    explained_by_means, least_inertia, least_rotation, offset_trace, symmetric_eigenvalues,
};

/// f(k) for k = −(n−1) … n−1: the mean of each diagonal of a square matrix.
#[must_use]
pub fn diagonal_mean(a: &Array2<f64>) -> Vec<f64> {
    let n = a.nrows() as i64;
    ((1 - n)..n)
        .map(|k| {
            let cells: Vec<f64> = diagonal(a, k).collect();
            cells.iter().sum::<f64>() / cells.len() as f64
        })
        .collect()
}

/// The cells of one diagonal, from top left to bottom right.
pub fn diagonal(a: &Array2<f64>, k: i64) -> impl Iterator<Item = f64> + '_ {
    let n = a.nrows() as i64;
    (0..n)
        .filter(move |i| (0..n).contains(&(i + k)))
        .map(move |i| a[[i as usize, (i + k) as usize]])
}

/// 1 − RSS/TSS of the closest Toeplitz matrix (TISA paper, appendix B).
#[must_use]
pub fn toeplitz_r2(a: &Array2<f64>) -> f64 {
    masked_toeplitz_r2(a, |_, _| true)
}

/// Like [`toeplitz_r2`], over the cells j ≤ i alone.
#[must_use]
pub fn causal_toeplitz_r2(a: &Array2<f64>) -> f64 {
    masked_toeplitz_r2(a, |i, j| j <= i)
}

/// Like [`toeplitz_r2`], over the cells off the main diagonal.
#[must_use]
pub fn off_diagonal_toeplitz_r2(a: &Array2<f64>) -> f64 {
    masked_toeplitz_r2(a, |i, j| i != j)
}

/// Pearson correlation of two matrices over the cells that count.
#[must_use]
pub fn correlation(a: &Array2<f64>, b: &Array2<f64>, counts: impl Fn(usize, usize) -> bool) -> f64 {
    let pairs: Vec<(f64, f64)> = (a.indexed_iter())
        .filter(|((i, j), _)| counts(*i, *j))
        .map(|((i, j), &v)| (v, b[[i, j]]))
        .collect();
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let sum =
        |of: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|p| of(p.0 - x, p.1 - y)).sum::<f64>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

/// Each row minus its mean, over all keys or over j ≤ i: the part of scores that changes the softmax. Masked cells are
/// 0.
#[must_use]
pub fn without_row_means(a: &Array2<f64>, causal: bool) -> Array2<f64> {
    let mut centred = Array2::zeros(a.dim());
    for (i, row) in a.rows().into_iter().enumerate() {
        let keys = if causal { i + 1 } else { row.len() };
        let mean = row.iter().take(keys).sum::<f64>() / keys as f64;
        for j in 0..keys {
            centred[[i, j]] = row[j] - mean;
        }
    }
    centred
}

/// R² weighted by attention under a mask, up to a constant for each row: [`super::attention_r2`] by alternating weighted
/// means of diagonals and rows until they no longer change.
#[must_use]
pub fn attention_r2(a: &Array2<f64>, causal: bool) -> f64 {
    const ROUNDS: usize = 20_000;
    let n = a.nrows();
    let cells = |i: usize| 0..if causal { i + 1 } else { n };
    let mut weights = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        let high = cells(i)
            .map(|j| a[[i, j]])
            .fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = cells(i).map(|j| (a[[i, j]] - high).exp()).sum();
        cells(i).for_each(|j| weights[[i, j]] = (a[[i, j]] - high).exp() / sum);
    }
    let mut rest = a.clone();
    let center_rows = |rest: &mut Array2<f64>| {
        for i in 0..n {
            let mean: f64 = cells(i).map(|j| weights[[i, j]] * rest[[i, j]]).sum();
            cells(i).for_each(|j| rest[[i, j]] -= mean);
        }
    };
    let squares = |rest: &Array2<f64>| (&weights * rest * rest).sum();
    center_rows(&mut rest);
    let total = squares(&rest);
    let mut before = total;
    for _ in 0..ROUNDS {
        for k in 1 - n as i64..n as i64 {
            let diagonal = || (0..n).filter_map(|i| Some((i, usize::try_from(i as i64 + k).ok()?)));
            let cells: Vec<(usize, usize)> =
                diagonal().filter(|(i, j)| cells(*i).contains(j)).collect();
            let weight: f64 = cells.iter().map(|at| weights[*at]).sum();
            if weight > 0.0 {
                let mean = cells.iter().map(|at| weights[*at] * rest[*at]).sum::<f64>() / weight;
                cells.iter().for_each(|at| rest[*at] -= mean);
            }
        }
        center_rows(&mut rest);
        let after = squares(&rest);
        if before - after < 1e-15 * total {
            break;
        }
        before = after;
    }
    1.0 - squares(&rest) / total
}

/// Like [`toeplitz_r2`], over the cells that count, with the mean of each diagonal over the same cells.
#[must_use]
pub fn masked_toeplitz_r2(a: &Array2<f64>, counts: impl Fn(usize, usize) -> bool) -> f64 {
    let n = a.nrows();
    let cells: Vec<(usize, f64)> = (a.indexed_iter())
        .filter(|((i, j), _)| counts(*i, *j))
        .map(|((i, j), value)| (j + n - 1 - i, *value))
        .collect();
    let mut diagonals = vec![Vec::new(); 2 * n - 1];
    for (diagonal, value) in &cells {
        diagonals[*diagonal].push(*value);
    }
    let mean_of = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let f: Vec<f64> = diagonals.iter().map(|values| mean_of(values)).collect();
    let mean = cells.iter().map(|(_, value)| value).sum::<f64>() / cells.len() as f64;
    let rss: f64 = (cells.iter().map(|(k, value)| (value - f[*k]).powi(2))).sum();
    let tss: f64 = cells.iter().map(|(_, value)| (value - mean).powi(2)).sum();
    1.0 - rss / tss
}

/// f(Δy, Δx) for positions on a grid of `width` columns, numbered row by row: the mean of the cells with each offset,
/// Δy = −(h−1) … h−1 and within it Δx = −(w−1) … w−1.
#[must_use]
pub fn grid_mean(a: &Array2<f64>, width: usize) -> Vec<f64> {
    let (h, w) = ((a.nrows() / width) as i64, width as i64);
    (1 - h..h)
        .flat_map(|dy| (1 - w..w).map(move |dx| (dy, dx)))
        .map(|offset| {
            let cells: Vec<f64> = a
                .indexed_iter()
                .filter(|((i, j), _)| grid_offset(*i, *j, width) == offset)
                .map(|(_, &v)| v)
                .collect();
            cells.iter().sum::<f64>() / cells.len() as f64
        })
        .collect()
}

/// 1 − RSS/TSS of the closest matrix that depends on (Δy, Δx) alone.
#[must_use]
pub fn grid_r2(a: &Array2<f64>, width: usize) -> f64 {
    masked_grid_r2(a, width, |_, _| true)
}

/// Like [`grid_r2`], over the cells off the main diagonal.
#[must_use]
pub fn off_diagonal_grid_r2(a: &Array2<f64>, width: usize) -> f64 {
    masked_grid_r2(a, width, |i, j| i != j)
}

fn masked_grid_r2(a: &Array2<f64>, width: usize, counts: impl Fn(usize, usize) -> bool) -> f64 {
    let f = grid_mean(a, width);
    let (h, w) = ((a.nrows() / width) as i64, width as i64);
    let cells = || a.indexed_iter().filter(|((i, j), _)| counts(*i, *j));
    let mean = cells().map(|(_, v)| v).sum::<f64>() / cells().count() as f64;
    let (mut rss, mut tss) = (0.0, 0.0);
    for ((i, j), v) in cells() {
        let (dy, dx) = grid_offset(i, j, width);
        rss += (v - f[((dy + h - 1) * (2 * w - 1) + dx + w - 1) as usize]).powi(2);
        tss += (v - mean).powi(2);
    }
    1.0 - rss / tss
}

/// (Δy, Δx) from query to key.
fn grid_offset(i: usize, j: usize, width: usize) -> (i64, i64) {
    let step = |i: usize, j: usize| j as i64 - i as i64;
    (step(i / width, j / width), step(i % width, j % width))
}

/// Mean over the columns of |r(l)| at lags 0 … n−1, without columns that are constant.
#[must_use]
pub fn mean_absolute_autocorrelation(table: &Array2<f64>) -> Vec<f64> {
    let n = table.nrows();
    let columns: Vec<Array1<f64>> = table
        .columns()
        .into_iter()
        .filter(|column| column.iter().any(|&v| v != column[0]))
        .map(|column| &column - column.sum() / n as f64)
        .collect();
    let r = |e: &Array1<f64>, lag: usize| {
        let products: f64 = (0..n - lag).map(|i| e[i] * e[i + lag]).sum();
        products / e.dot(e)
    };
    (0..n)
        .take_while(|_| !columns.is_empty())
        .map(|lag| columns.iter().map(|e| r(e, lag).abs()).sum::<f64>() / columns.len() as f64)
        .collect()
}

/// Rows scaled to length one, for the cosine matrix.
#[must_use]
pub fn unit_rows(e: &Array2<f64>) -> Array2<f64> {
    let mut unit = e.clone();
    for mut row in unit.rows_mut() {
        let norm = row.dot(&row).sqrt();
        row.mapv_inplace(|v| v / norm);
    }
    unit
}

/// TISA paper, eqs. 9–12, for one head: E [n, d], x̄ [d], `W_Q` and `W_K` [d, `d_k`].
#[must_use]
pub fn positional_scores(
    e: &Array2<f64>,
    x: &Array1<f64>,
    query: &Array2<f64>,
    key: &Array2<f64>,
) -> Array2<f64> {
    let m = query.dot(&key.t()) / (query.ncols() as f64).sqrt();
    let word_position = x.dot(&m).dot(&e.t());
    let position_word = e.dot(&m).dot(x);
    let mut scores = e.dot(&m).dot(&e.t());
    for ((i, j), value) in scores.indexed_iter_mut() {
        *value += word_position[j] + position_word[i];
    }
    scores
}

/// Softmax of every row, over all keys or over j ≤ i.
#[must_use]
pub fn softmax(scores: &Array2<f64>, causal: bool) -> Array2<f64> {
    let mut attention = Array2::zeros(scores.dim());
    for i in 0..scores.nrows() {
        let keys = if causal { i + 1 } else { scores.ncols() };
        let row = scores.row(i);
        let max = row
            .iter()
            .take(keys)
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = row.iter().take(keys).map(|v| (v - max).exp()).sum();
        for j in 0..keys {
            attention[[i, j]] = (row[j] - max).exp() / total;
        }
    }
    attention
}

/// Share of a sink of score s in the attention of each query, e^s / (e^s + Σ e^score) over the keys that it sees at
/// distances of at most `reach`.
#[must_use]
pub fn sink_shares(scores: &Array2<f64>, causal: bool, reach: usize, sink: f64) -> Vec<f64> {
    let share = |i: usize| {
        let is_seen = |j: usize| (!causal || j <= i) && j.abs_diff(i) <= reach;
        let keys = (0..scores.ncols()).filter(|j| is_seen(*j));
        let total: f64 = keys.map(|j| scores[[i, j]].exp()).sum();
        sink.exp() / (sink.exp() + total)
    };
    (0..scores.nrows()).map(share).collect()
}

/// Means over blocks of `step`×`step` cells; the last row and column of blocks may be smaller.
#[must_use]
pub fn block_means(a: &Array2<f64>, step: usize) -> Array2<f64> {
    let blocks = |n: usize| n.div_ceil(step);
    Array2::from_shape_fn((blocks(a.nrows()), blocks(a.ncols())), |(p, q)| {
        let rows = p * step..((p + 1) * step).min(a.nrows());
        let cols = q * step..((q + 1) * step).min(a.ncols());
        let cells = (rows.len() * cols.len()) as f64;
        rows.flat_map(|i| cols.clone().map(move |j| (i, j)))
            .map(|(i, j)| a[[i, j]])
            .sum::<f64>()
            / cells
    })
}
