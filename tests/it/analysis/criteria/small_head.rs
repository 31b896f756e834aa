//! Scores of the small heads in demonstrations, against reference implementations.

use crate::math::laws::{config, kernels};
use diagonal::{
    analysis::criteria::{
        EncodingMethod, WAYS,
        small_head::{SmallHead, r2},
    },
    encoding::{Kernels, Rotary},
    math::{LowRank, ToeplitzFit, reference},
    url_state::default_kernels,
};
use ndarray::Array2;
use proptest::prelude::*;

fn small(way: EncodingMethod, n: usize, seed: u64, kernels: &Kernels) -> SmallHead<'_> {
    SmallHead {
        way,
        positions: n,
        queries: n,
        seed,
        contents_differ: false,
        change: None,
        kernels,
    }
}

fn dense(rows: &[Vec<f64>]) -> Array2<f64> {
    Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j])
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn r2_is_the_slow_twins(way in 0..WAYS.len(), n in 3..40_usize, seed: u64, kernels in kernels()) {
        let scores = small(WAYS[way].0, n, seed, &kernels).scores();
        let cells = dense(&scores);
        let fast = r2(&scores);
        let slow = reference::toeplitz_r2(&cells);
        // The reference gives NaN for a matrix without variance.
        let flat = cells.iter().all(|v| (v - cells[[0, 0]]).abs() < 1e-9);
        prop_assert!(flat && fast == 1.0 || (fast - slow).abs() < 1e-9, "{} {fast} {slow}", WAYS[way].1);
        let fit = ToeplitzFit::from_cells(n, |i, j| scores[i][j]);
        for (f, mean) in fit.f.iter().zip(reference::diagonal_mean(&cells)) {
            prop_assert!((f - mean).abs() <= 1e-9 * (1.0 + mean.abs()));
        }
    }

    #[test]
    fn cell_by_cell_and_in_factors_are_the_same(n in 3..40_usize, seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (left, right) = (crate::support::oracles::random(&mut rng, n, 4), crate::support::oracles::random(&mut rng, n, 4));
        let a = LowRank::product(left, right, 0.5);
        let cells = ToeplitzFit::from_cells(n, |i, j| a.cell(i, j));
        prop_assert!((cells.r2 - ToeplitzFit::compute(&a).r2).abs() < 1e-5);
    }

    #[test]
    fn the_first_query_alone_scores_as_among_all(way in 0..WAYS.len(), n in 2..40_usize, seed: u64) {
        let kernels = default_kernels();
        // Contents are drawn query by query, so the first query's are always the same.
        let all = small(WAYS[way].0, n, seed, &kernels);
        let one = SmallHead { queries: 1, ..all };
        prop_assert_eq!(&all.scores()[0], &one.scores()[0]);
    }
}

#[test]
fn rotary_scores_are_sums_of_its_waves() {
    let kernels = Kernels::default();
    let n = 20;
    let scores = small(EncodingMethod::Rotary, n, 3, &kernels).scores();
    // f(k) = Σ_m A_m·cos(k·θ_m) + B_m·sin(k·θ_m): eight unknowns, fitted by elimination, give all 39 scores.
    let speeds: Vec<f64> = Rotary {
        rows: n,
        width: 8,
        ..Rotary::default()
    }
    .frequencies()
    .collect();
    let basis = |k: f64| -> Vec<f64> {
        speeds
            .iter()
            .flat_map(|w| [(k * w).cos(), (k * w).sin()])
            .collect()
    };
    let f = |k: i64| {
        if k >= 0 {
            scores[0][k as usize]
        } else {
            scores[(-k) as usize][0]
        }
    };
    let offsets: Vec<i64> = (-19..=19).collect();
    let mut normal = vec![vec![0.0; 9]; 8];
    for &k in &offsets {
        let row = basis(k as f64);
        for a in 0..8 {
            for b in 0..8 {
                normal[a][b] += row[a] * row[b];
            }
            normal[a][8] += row[a] * f(k);
        }
    }
    for pivot in 0..8 {
        let best =
            (pivot..8).max_by(|&a, &b| normal[a][pivot].abs().total_cmp(&normal[b][pivot].abs()));
        normal.swap(pivot, best.expect("a row"));
        let eliminating = normal[pivot].clone();
        for (row, cells) in normal.iter_mut().enumerate() {
            let share = cells[pivot] / eliminating[pivot];
            for (cell, by) in cells.iter_mut().zip(&eliminating) {
                *cell -= if row == pivot { 0.0 } else { share * by };
            }
        }
    }
    let weights: Vec<f64> = (0..8).map(|m| normal[m][8] / normal[m][m]).collect();
    for &k in &offsets {
        let sum: f64 = basis(k as f64)
            .iter()
            .zip(&weights)
            .map(|(x, w)| x * w)
            .sum();
        assert!((sum - f(k)).abs() < 1e-6, "at {k}: {sum} {}", f(k));
    }
}
