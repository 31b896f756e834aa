//! The cone below the cosines of a table against its slow twin, and the bound that it states.

use super::laws::config;
use crate::support::oracles::random;
use diagonal::math::{ConeSearch, LipschitzCone, reference};
use fastrand::Rng;
use ndarray::{Array2, s};
use proptest::prelude::*;
use std::ops::Range;

fn search(table: &Array2<f32>, parts: &[Range<usize>]) -> Result<LipschitzCone, String> {
    let mut search = ConeSearch::new(table.clone(), parts);
    while search.step() {}
    search.finish()
}

/// Rows of random numbers that change slowly from one to the next.
fn smooth(rng: &mut Rng, rows: usize, columns: usize) -> Array2<f32> {
    let steps = random(rng, rows, columns);
    let mut table = steps.clone();
    for row in 1..rows {
        let next = 0.9 * &table.row(row - 1) + 0.3 * &steps.row(row);
        table.row_mut(row).assign(&next);
    }
    table
}

fn near(a: f64, b: f64) -> bool {
    a.is_nan() && b.is_nan() || (a - b).abs() < 1e-6
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn the_cone_is_that_of_the_slow_twin(n in 2..150_usize, d in 1..12_usize, seed: u64, size in -18..18_i32) {
        let mut rng = Rng::with_seed(seed);
        let table = smooth(&mut rng, n, d) * 10_f32.powi(size);
        let wide = table.mapv(f64::from);
        let cone = search(&table, &[]).expect("a cone");
        let lowest = reference::lowest_cosines(&wide);
        let unit = reference::unit_rows(&wide);
        let mean = reference::diagonal_mean(&unit.dot(&unit.t()));
        for (found, expected) in cone.lowest.iter().zip(&lowest) {
            prop_assert!(near(*found, *expected), "{found} {expected}");
        }
        for (found, expected) in cone.mean.iter().zip(&mean[n - 1..]) {
            prop_assert!(near(*found, *expected), "{found} {expected}");
        }
        prop_assert!(near(cone.bound.slope, reference::lipschitz_slope(&wide)));
        // The bound holds for all pairs and is reached by the one that forces it.
        for i in 0..n {
            for j in i + 1..n {
                let difference = &unit.row(i) - &unit.row(j);
                let distance = difference.dot(&difference);
                let most = 2.0 * cone.bound.slope * (j - i) as f64;
                prop_assert!(distance <= most + 1e-6, "{i} {j}: {distance} {most}");
                if (i, j) == cone.bound.rows {
                    prop_assert!((distance - most).abs() < 1e-6);
                }
            }
        }
        prop_assert_eq!(cone.bound_in_parts, None);
    }

    #[test]
    fn parts_have_the_cone_that_they_have_alone(n in 4..150_usize, seed: u64, cut in 0.0..1.0_f64) {
        let mut rng = Rng::with_seed(seed);
        let table = smooth(&mut rng, n, 6);
        let middle = 2 + (cut * (n - 4) as f64) as usize;
        // Without the first row.
        let parts = [1..middle, middle..n];
        let cone = search(&table, &parts).expect("a cone");
        let alone = parts.iter().filter_map(|part| {
            let rows = table.slice(s![part.clone(), ..]).to_owned();
            Some(search(&rows, &[]).ok()?.bound.slope)
        });
        let most = alone.fold(0.0, f64::max);
        let bound = cone.bound_in_parts.expect("pairs within a part");
        prop_assert!(near(bound.slope, most), "{} {most}", bound.slope);
        prop_assert!(bound.slope <= cone.bound.slope + 1e-12);
        prop_assert!(parts.iter().any(|part| part.contains(&bound.rows.0) && part.contains(&bound.rows.1)));
    }

    #[test]
    fn rows_without_a_direction_do_not_count(n in 6..80_usize, seed: u64, at in 0.0..1.0_f64) {
        let mut rng = Rng::with_seed(seed);
        let mut table = smooth(&mut rng, n, 5);
        let first = (at * (n - 3) as f64) as usize;
        table.row_mut(first).fill(0.0);
        table[[first + 2, 1]] = f32::NAN;
        let cone = search(&table, &[]).expect("a cone");
        prop_assert_eq!(cone.rows_without_direction, 2);
        let lowest = reference::lowest_cosines(&table.mapv(f64::from));
        for (found, expected) in cone.lowest.iter().zip(&lowest).skip(1) {
            prop_assert!(near(*found, *expected), "{found} {expected}");
        }
    }
}

#[test]
fn tables_without_pairs_have_a_sentence() {
    let two = {
        let mut table = Array2::<f32>::zeros((5, 3));
        table[[4, 0]] = 1.0;
        table
    };
    for (table, words) in [
        (Array2::ones((1, 4)), "one row"),
        (Array2::zeros((0, 4)), "one row"),
        (Array2::zeros((6, 4)), "zero or not finite"),
        (Array2::from_elem((6, 4), f32::NAN), "zero or not finite"),
        (two, "zero or not finite"),
    ] {
        let sentence = search(&table, &[]).expect_err("no pair");
        assert!(
            sentence.contains(words) && sentence.ends_with('.'),
            "{sentence}"
        );
    }
}

#[test]
fn equal_rows_have_a_flat_cone() {
    let cone = search(&Array2::from_elem((9, 3), 0.1), &[]).expect("a cone");
    assert!(cone.bound.slope < 1e-12, "{}", cone.bound.slope);
    assert!(cone.lowest.iter().all(|cosine| near(*cosine, 1.0)));
}
