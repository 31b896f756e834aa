//! Autocorrelation by FFT against the direct sum.

use super::laws::config;
use crate::support::oracles::random;
use diagonal::math::{Autocorrelation, reference};
use fastrand::Rng;
use ndarray::{Array2, Axis};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn columns_resemble_themselves_as_the_formula_says(
        n in 2..80_usize,
        d in 1..9_usize,
        seed: u64,
        lift in prop_oneof![Just(0.0), -100.0..100.0_f32],
        constant: Option<u8>,
    ) {
        let mut rng = Rng::with_seed(seed);
        let mut table = random(&mut rng, n, d) + lift;
        // Columns of very different scale must not affect each other.
        table.column_mut(0).mapv_inplace(|v| v * 1e6);
        if let Some(column) = constant {
            table.column_mut(usize::from(column) % d).fill(0.1);
        }
        let found = Autocorrelation::compute(table.view());
        let fast = found.as_ref().map_or(Vec::new(), |found| found.mean.clone());
        let slow = reference::mean_absolute_autocorrelation(&table.mapv(f64::from));
        prop_assert_eq!(fast.len(), slow.len());
        for (lag, (fast, slow)) in fast.iter().zip(&slow).enumerate() {
            prop_assert!((fast - slow).abs() < 1e-9, "lag {lag}: {fast} {slow}");
        }
        if let Some(own) = fast.first() {
            prop_assert!((own - 1.0).abs() < 1e-12);
            prop_assert!(fast.iter().all(|r| (0.0..=1.0 + 1e-12).contains(r)));
        }
        if let Some(Autocorrelation { low, high, .. }) = found {
            prop_assert_eq!((low.len(), high.len()), (n, n));
            let columns: Vec<Vec<f64>> = (0..d)
                .map(|at| reference::mean_absolute_autocorrelation(&table.select(Axis(1), &[at]).mapv(f64::from)))
                .filter(|lags| !lags.is_empty())
                .collect();
            for lag in 0..n {
                let mut sorted: Vec<f64> = columns.iter().map(|lags| lags[lag]).collect();
                sorted.sort_by(f64::total_cmp);
                // Linear interpolation between neighbours.
                let quartile = |share: f64| {
                    let place = share * (sorted.len() - 1) as f64;
                    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
                    low + place.fract() * (high - low)
                };
                prop_assert!((low[lag] - quartile(0.25)).abs() < 1e-6, "lag {}", lag);
                prop_assert!((high[lag] - quartile(0.75)).abs() < 1e-6, "lag {}", lag);
            }
        }
    }

    #[test]
    fn constant_and_broken_columns_do_not_count(n in 2..60_usize, seed: u64, value: f32) {
        let table = random(&mut Rng::with_seed(seed), n, 2);
        let mut wider = Array2::from_elem((n, 5), value);
        wider.column_mut(1).assign(&table.column(0));
        wider.column_mut(3).assign(&table.column(1));
        wider[[n / 2, 4]] = f32::NAN;
        let (alone, among) = (
            Autocorrelation::compute(table.view()),
            Autocorrelation::compute(wider.view()),
        );
        prop_assert_eq!(alone, among);
    }
}

#[test]
fn a_wave_comes_back_after_its_period() {
    let (n, period) = (512, 32);
    let table = Array2::from_shape_fn((n, 2), |(i, c)| {
        let angle = std::f64::consts::TAU * i as f64 / period as f64;
        (if c == 0 { angle.sin() } else { angle.cos() }) as f32
    });
    let r = Autocorrelation::compute(table.view())
        .expect("it varies")
        .mean;
    let (quarter, half) = (period / 4, period / 2);
    for lag in (period..n / 2).step_by(period) {
        assert!(r[lag] > r[lag - quarter] && r[lag] > r[lag + quarter]);
        assert!(
            (r[lag] - (n - lag) as f64 / n as f64).abs() < 1e-6,
            "{}",
            r[lag]
        );
        assert!((r[lag - half] - (n - lag + half) as f64 / n as f64).abs() < 1e-6);
    }
}

#[test]
fn tables_in_which_nothing_varies_have_none() {
    for shape in [(0, 0), (0, 3), (3, 0), (1, 4), (7, 4)] {
        let table = Array2::from_elem(shape, 0.1);
        assert_eq!(Autocorrelation::compute(table.view()), None);
    }
}
