//! Reference implementation of rotations by rows and columns of patches: queries and keys are rotated one by one.

use crate::math::Grid;

/// Scores of a query and a key at all patches of a grid, [n, n] in rows: (R_i·q)·(R_j·k), where R_i turns the columns
/// (a, b) of a pair by θ^y·y + θ^x·x at the patch in row y and column x.
#[must_use]
pub fn rotated_patch_scores(
    grid: Grid,
    (query, key): (&[f64], &[f64]),
    pairs: &[((usize, usize), [f64; 2])],
) -> Vec<f64> {
    let rotate = |vector: &[f64], patch: usize| -> Vec<f64> {
        let (y, x) = (patch / grid.width, patch % grid.width);
        let mut image = vector.to_vec();
        for ((a, b), [down, across]) in pairs {
            let angle = down * y as f64 + across * x as f64;
            image[*a] = angle.cos() * vector[*a] - angle.sin() * vector[*b];
            image[*b] = angle.sin() * vector[*a] + angle.cos() * vector[*b];
        }
        image
    };
    let all =
        |vector| -> Vec<Vec<f64>> { (0..grid.cells()).map(|at| rotate(vector, at)).collect() };
    let (queries, keys) = (all(query), all(key));
    let product = |q: &[f64], k: &[f64]| q.iter().zip(k).map(|(q, k)| q * k).sum();
    queries
        .iter()
        .flat_map(|q| keys.iter().map(move |k| product(q, k)))
        .collect()
}

/// Share of the variance over all cells that the best g(Δy) + h(Δx) explains, with g and h fitted in turn until they
/// stay as they are. `scores` are cells [n, n] in rows.
#[must_use]
pub fn axis_r2(grid: Grid, scores: &[f64]) -> f64 {
    let n = grid.cells();
    let cells: Vec<(i64, i64, f64)> = scores
        .iter()
        .enumerate()
        .map(|(at, score)| {
            let (dy, dx) = grid.offset(at / n, at % n);
            (dy, dx, *score)
        })
        .collect();
    let mut of_rows = vec![0.0; 2 * grid.height - 1];
    let mut of_columns = vec![0.0; 2 * grid.width - 1];
    let row = |dy: i64| (dy + grid.height as i64 - 1) as usize;
    let column = |dx: i64| (dx + grid.width as i64 - 1) as usize;
    for _ in 0..50 {
        for (at, mean) in of_rows.iter_mut().enumerate() {
            let same = cells.iter().filter(|(dy, ..)| row(*dy) == at);
            let rests: Vec<f64> = same.map(|(_, dx, f)| f - of_columns[column(*dx)]).collect();
            *mean = rests.iter().sum::<f64>() / rests.len() as f64;
        }
        for (at, mean) in of_columns.iter_mut().enumerate() {
            let same = cells.iter().filter(|(_, dx, _)| column(*dx) == at);
            let rests: Vec<f64> = same.map(|(dy, _, f)| f - of_rows[row(*dy)]).collect();
            *mean = rests.iter().sum::<f64>() / rests.len() as f64;
        }
    }
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    let total: f64 = scores.iter().map(|f| (f - mean).powi(2)).sum();
    let rest = |(dy, dx, f): &(i64, i64, f64)| f - of_rows[row(*dy)] - of_columns[column(*dx)];
    1.0 - cells.iter().map(|cell| rest(cell).powi(2)).sum::<f64>() / total
}
