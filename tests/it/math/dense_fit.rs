//! Toeplitz fits of matrices in memory, some of whose cells are hidden.

use super::laws::config;
use crate::support::oracles::random;
use diagonal::math::{DenseFit, reference};
use fastrand::Rng;
use ndarray::Array2;
use proptest::prelude::*;

/// A random matrix in which about a third of the cells are hidden.
fn with_hidden_cells(n: usize, seed: u64, lift: f32) -> Array2<f32> {
    let mut rng = Rng::with_seed(seed);
    let mut cells = random(&mut rng, n, n) + lift;
    cells.mapv_inplace(|cell| if rng.u8(..) < 85 { f32::NAN } else { cell });
    cells[[0, 0]] = lift;
    cells
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn only_visible_cells_count(n in 3..14_usize, seed: u64, lift in prop_oneof![Just(0.0), -50.0..50.0_f32]) {
        let cells = with_hidden_cells(n, seed, lift);
        let fit = DenseFit::new(cells.view());
        let wide = cells.mapv(f64::from);
        let is_visible = |i: usize, j: usize| !wide[[i, j]].is_nan();
        let slow = reference::masked_toeplitz_r2(&wide, is_visible);
        prop_assert!((fit.r2 - slow).abs() < 1e-9 || (fit.r2.is_nan() && slow.is_nan()), "{} {slow}", fit.r2);
        for (k, mean) in fit.f.by_offset() {
            let visible: Vec<f64> = reference::diagonal(&wide, k).filter(|cell| !cell.is_nan()).collect();
            let slow = visible.iter().sum::<f64>() / visible.len() as f64;
            prop_assert!((mean - slow).abs() < 1e-9 || (mean.is_nan() && visible.is_empty()), "offset {k}");
        }
    }

    /// The Toeplitz part and the residual add up to the matrix, and hidden cells stay hidden.
    #[test]
    fn parts_add_up(n in 1..14_usize, seed: u64) {
        let cells = with_hidden_cells(n, seed, 0.0);
        let fit = DenseFit::new(cells.view());
        let (mut means, mut rest) = (cells.clone(), cells.clone());
        fit.replace_by_means(&mut means);
        fit.subtract_means(&mut rest);
        for ((place, cell), sum) in cells.indexed_iter().zip(&(&means + &rest)) {
            prop_assert!(cell.is_nan() == sum.is_nan() && (cell.is_nan() || (cell - sum).abs() < 1e-5), "{place:?}");
        }
    }
}

#[test]
fn r2_is_1_for_a_function_of_the_offset_and_undefined_for_equal_cells() {
    let toeplitz = Array2::from_shape_fn((9, 9), |(i, j)| (j as f32 - i as f32).sin() * 3.0);
    let r2 = DenseFit::new(toeplitz.view()).r2;
    assert!((r2 - 1.0).abs() < 1e-12, "{r2}");
    for value in [0.0, 0.1, -7e8] {
        let even = Array2::from_elem((9, 9), value);
        assert!(DenseFit::new(even.view()).r2.is_nan(), "{value}");
    }
    assert!(
        DenseFit::new(Array2::from_elem((3, 3), f32::NAN).view())
            .r2
            .is_nan()
    );
}
