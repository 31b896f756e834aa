//! Reference implementations of spectra and decompositions: transforms as sums, and other algorithms than those of the
//! page.

use ndarray::{Array1, Array2, ArrayView1, s};
use rustfft::num_complex::Complex;
use std::f64::consts::TAU;

/// Σ_t x_t·e^{−j2πft/n}.
#[must_use]
pub fn dft(x: ArrayView1<'_, f64>, f: usize) -> Complex<f64> {
    let n = x.len();
    // f·t turns and their remainder mod n have the same angle, but the remainder's is exact.
    let turn = |t: usize| Complex::from_polar(1.0, -TAU * ((f * t) % n) as f64 / n as f64);
    x.iter().enumerate().map(|(t, x)| turn(t) * x).sum()
}

/// |DFT| of every column at the frequencies 0 … n/2: [columns, frequencies] (Yamamoto & Matsuzaki 2023, eq. 9).
#[must_use]
pub fn amplitude_spectra(table: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((table.ncols(), table.nrows() / 2 + 1), |(column, f)| {
        dft(table.column(column), f).norm()
    })
}

/// Eigenvalues of a symmetric matrix in descending order, by Jacobi rotations.
#[must_use]
pub fn symmetric_eigenvalues(matrix: &Array2<f64>) -> Vec<f64> {
    let mut a = matrix.clone();
    let n = a.nrows();
    for _ in 0..60 {
        for p in 0..n {
            for q in p + 1..n {
                if a[[p, q]] == 0.0 {
                    continue;
                }
                let angle = 0.5 * (2.0 * a[[p, q]]).atan2(a[[q, q]] - a[[p, p]]);
                let (sin, cos) = angle.sin_cos();
                for k in 0..n {
                    let (x, y) = (a[[k, p]], a[[k, q]]);
                    (a[[k, p]], a[[k, q]]) = (cos * x - sin * y, sin * x + cos * y);
                }
                for k in 0..n {
                    let (x, y) = (a[[p, k]], a[[q, k]]);
                    (a[[p, k]], a[[q, k]]) = (cos * x - sin * y, sin * x + cos * y);
                }
            }
        }
    }
    let mut values = a.diag().to_vec();
    values.sort_by(|a, b| b.total_cmp(a));
    values
}

/// Variance shares of a table's principal components, in descending order.
#[must_use]
pub fn component_shares(table: &Array2<f64>) -> Vec<f64> {
    let n = table.nrows() as f64;
    let mut x = table.clone();
    for mut column in x.columns_mut() {
        let mean = column.sum() / n;
        column -= mean;
    }
    let values = symmetric_eigenvalues(&x.t().dot(&x));
    let total: f64 = values.iter().sum();
    values.iter().map(|value| value / total).collect()
}

/// Greatest Σ gains[i, π(i)] over all permutations π.
#[must_use]
pub fn best_assignment(gains: &Array2<f64>) -> f64 {
    fn best(gains: &Array2<f64>, row: usize, used_columns: &mut Vec<usize>) -> f64 {
        if row == gains.nrows() {
            return 0.0;
        }
        let mut most = f64::NEG_INFINITY;
        for column in 0..gains.ncols() {
            if !used_columns.contains(&column) {
                used_columns.push(column);
                most = most.max(gains[[row, column]] + best(gains, row + 1, used_columns));
                used_columns.pop();
            }
        }
        most
    }
    best(gains, 0, &mut Vec::new())
}

/// Eq. 19: Σ_i `q_i·k_{i+t}`.
#[must_use]
pub fn cross_covariance(query: ArrayView1<'_, f64>, key: ArrayView1<'_, f64>, t: i64) -> f64 {
    let n = query.len() as i64;
    let both = (0..n).filter(|i| (0..n).contains(&(i + t)));
    both.map(|i| query[i as usize] * key[(i + t) as usize])
        .sum()
}

/// Eq. 20 at the offsets −reach … reach, with the mean over the same offsets.
#[must_use]
pub fn cross_correlation(
    query: ArrayView1<'_, f64>,
    key: ArrayView1<'_, f64>,
    reach: i64,
) -> Vec<f64> {
    let at: Vec<f64> = (-reach..=reach)
        .map(|t| cross_covariance(query, key, t))
        .collect();
    let mean = at.iter().sum::<f64>() / at.len() as f64;
    let norms = (query.dot(&query) * key.dot(&key)).sqrt();
    at.iter().map(|value| (value - mean) / norms).collect()
}

/// The orthogonal map that sends the columns of `U_Q` to those of `U_K`, [d, r] each, and is closest to the identity,
/// provided that no principal angle is 90°. Between the orthogonal complements it is the orthogonal factor of the
/// product of the two projections, found by Newton–Schulz iteration.
#[must_use]
pub fn least_rotation(query: &Array2<f64>, key: &Array2<f64>) -> Array2<f64> {
    let d = query.nrows();
    let beside = |axes: &Array2<f64>| Array2::<f64>::eye(d) - axes.dot(&axes.t());
    let (before, after) = (beside(query), beside(key));
    let mut rest = after.dot(&before);
    for _ in 0..200 {
        let squared = rest.t().dot(&rest);
        // The projections stop rounding errors from growing outside the complements.
        rest = after
            .dot(&(1.5 * &rest - 0.5 * rest.dot(&squared)))
            .dot(&before);
    }
    key.dot(&query.t()) + rest
}

/// Eq. 7: sum of a matrix along an offset.
#[must_use]
pub fn offset_trace(a: &Array2<f64>, t: i64) -> f64 {
    super::diagonal(a, t).sum()
}

/// Share of the variance of points that the means of their groups explain: the variance of these means, each counted once for
/// every point of its group, over that of the points.
#[must_use]
pub fn explained_by_means(points: &Array2<f64>, groups: &[usize]) -> f64 {
    let mean = |members: &[usize]| -> Array1<f64> {
        let rows = members.iter().map(|&i| points.row(i));
        rows.fold(Array1::zeros(points.ncols()), |sum, row| sum + row) / members.len() as f64
    };
    let all: Vec<usize> = (0..points.nrows()).collect();
    let of_all = mean(&all);
    let squared = |row: Array1<f64>| (row - &of_all).mapv(|v| v * v).sum();
    let means = all.iter().map(|&i| {
        let members: Vec<usize> = all
            .iter()
            .copied()
            .filter(|&other| groups[other] == groups[i])
            .collect();
        squared(mean(&members))
    });
    let points = all.iter().map(|&i| squared(points.row(i).to_owned()));
    means.sum::<f64>() / points.sum::<f64>()
}

/// Least sum of squared distances to group means over all partitions of a few points into k groups.
#[must_use]
pub fn least_inertia(points: &Array2<f64>, k: usize) -> f64 {
    let n = points.nrows();
    let inertia = |groups: &[usize]| -> f64 {
        (0..k)
            .map(|group| {
                let members: Vec<usize> = (0..n).filter(|&i| groups[i] == group).collect();
                if members.is_empty() {
                    return 0.0;
                }
                let rows = members.iter().map(|&i| points.slice(s![i, ..]));
                let mean = rows
                    .clone()
                    .fold(Array1::<f64>::zeros(points.ncols()), |sum, row| sum + row)
                    / members.len() as f64;
                rows.map(|row| (&row - &mean).mapv(|v| v * v).sum()).sum()
            })
            .sum()
    };
    let mut least = f64::INFINITY;
    for code in 0..k.pow(n as u32) {
        let groups: Vec<usize> = (0..n).map(|i| code / k.pow(i as u32) % k).collect();
        least = least.min(inertia(&groups));
    }
    least
}
