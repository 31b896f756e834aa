//! Planted kernels are found again, and input that cannot be fitted is refused.

use crate::math::laws::config;
use diagonal::{
    analysis::Objective,
    encoding::{Kernel, Kernels},
    math::diagonal_cells,
};
use gaussian_fit::{FitError, Gaussian, GaussianFit, Points, Search};
use proptest::prelude::*;

/// A profile of n positions, weighted by the number of cells per diagonal.
fn points(f: &[f64]) -> Result<Points, FitError> {
    let n = f.len().div_ceil(2);
    let weight = |k: i64| diagonal_cells(n, k) as f64;
    Points::new(
        (1 - n as i64..)
            .zip(f)
            .map(|(k, f)| (k as f64, *f, weight(k))),
    )
}

fn fit(f: &[f64], kernels: usize) -> GaussianFit {
    let points = points(f).expect("points");
    let mut search = Search::new(points, kernels, Objective::default()).expect("a search");
    for _ in 0..kernels {
        search.add();
    }
    search.settle()
}

/// Whether every planted kernel has a counterpart in the fit.
fn is_found(planted: &[Kernel], found: &GaussianFit) -> bool {
    planted.iter().all(|kernel| {
        let near = |value: f64, wanted: f64| (value - wanted).abs() <= 1e-3 * wanted.abs().max(1.0);
        found.gaussians.iter().any(|gaussian| {
            near(gaussian.a, kernel.a)
                && (gaussian.b / kernel.b.abs() - 1.0).abs() <= 1e-3
                && near(gaussian.c, kernel.c)
        })
    })
}

#[test]
fn planted_kernels_are_found_again() {
    let sets: [&[Kernel]; 8] = [
        &[Kernel::new(3.0, 0.02, -2.5)],
        &[Kernel::new(8.0, 1.0, -1.0), Kernel::new(2.0, -0.01, 4.0)],
        &[
            Kernel::new(2.6, 0.25, -1.0),
            Kernel::new(1.2, 0.02, 3.0),
            Kernel::new(-0.8, 0.9, 0.0),
        ],
        // A single wide kernel explains these nearly as well …
        &[
            Kernel::new(-0.5, 0.017, -6.3),
            Kernel::new(-0.43, 0.036, 7.6),
        ],
        // … and a peak in a hollow, whose rims look like peaks.
        &[
            Kernel::new(1.9, 0.012, -3.7),
            Kernel::new(-1.5, 0.0011, -6.0),
        ],
        // One is far from the middle, where diagonals are short.
        &[Kernel::new(4.0, 0.003, 0.0), Kernel::new(1.5, 0.4, -180.0)],
        &[
            Kernel::new(0.004, 0.5, -3.0),
            Kernel::new(0.002, 0.05, 9.0),
            Kernel::new(-0.003, 0.000_2, 40.0),
        ],
        &[
            Kernel::new(5.0, 0.7, -1.0),
            Kernel::new(5.0, 0.7, 2.0),
            Kernel::new(3.0, 0.002, 0.0),
            Kernel::new(-2.0, 0.05, 14.0),
            Kernel::new(1.0, 0.01, -40.0),
        ],
    ];
    for planted in sets {
        let kernels = Kernels(planted.to_vec());
        let f: Vec<f64> = (-255..=255)
            .map(|k| kernels.at(f64::from(k)) + 0.7)
            .collect();
        let found = fit(&f, planted.len());
        assert!(found.r2 > 1.0 - 1e-9, "{planted:?}: R² {}", found.r2);
        assert!((found.intercept - 0.7).abs() < 1e-3, "{}", found.intercept);
        assert!(is_found(planted, &found), "{planted:?} is not {found:?}");
    }
}

/// Random sets of two and three overlapping kernels. Very few are missed: other kernels explain the profile up to a
/// hundredth, and no small step leads away from them.
#[test]
fn kernels_that_overlap_are_found_again() {
    let mut random = fastrand::Rng::with_seed(20);
    for (count, missed) in [(2, 0), (3, 1)] {
        let found = (0..20).filter(|_| {
            let kernels = Kernels(
                (0..count)
                    .map(|_| {
                        let sign = if random.bool() { 1.0 } else { -1.0 };
                        let width = 32_f64.powf(random.f64());
                        let height = sign * (0.3 + 2.0 * random.f64());
                        Kernel::new(height, width.powi(-2), 24.0 * random.f64() - 12.0)
                    })
                    .collect(),
            );
            let f: Vec<f64> = (-127..=127).map(|k| kernels.at(f64::from(k))).collect();
            is_found(&kernels.0, &fit(&f, count))
        });
        assert!(found.count() >= 20 - missed, "of {count} kernels");
    }
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn two_kernels_apart_are_found(
        a in 0.5..5.0_f64,
        sign in prop::bool::ANY,
        widths in (1.0..6.0_f64, 1.5..8.0_f64),
        centre in -30.0..30.0_f64,
        n in 100..600_usize,
        scale in -3..3_i32,
    ) {
        let scale = 10_f64.powi(scale);
        let b = |width: f64| (width * width).recip();
        let apart = 4.0 * (widths.0 + widths.1);
        let planted = [
            Kernel::new(a * scale, b(widths.0), centre),
            Kernel::new(if sign { 1.0 } else { -1.0 } * scale, b(widths.1), centre - apart),
        ];
        let kernels = Kernels(planted.to_vec());
        let n = n as i64;
        let f: Vec<f64> = (1 - n..n).map(|k| kernels.at(k as f64)).collect();
        let found = fit(&f, 2);
        assert!(is_found(&planted, &found), "{planted:?} is not {found:?}");
    }

    /// More kernels never explain less, and the same profile gives the same fit.
    #[test]
    fn more_kernels_explain_more(seed in any::<u64>(), n in 20..90_usize) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut level = 0.0;
        let f: Vec<f64> = (1..2 * n).map(|_| { level += rng.f64() - 0.5; level }).collect();
        let curve = || {
            let points = points(&f).expect("points");
            let mut search = Search::new(points, 6, Objective::LeastSquares).expect("a search");
            let fits = (0..6).map(|_| { search.add(); search.settle() });
            fits.collect::<Vec<GaussianFit>>()
        };
        let fits = curve();
        for pair in fits.windows(2) {
            prop_assert!(pair[1].r2 >= pair[0].r2 - 1e-6, "{} after {}", pair[1].r2, pair[0].r2);
        }
        prop_assert!(fits.iter().all(|fit| fit.r2 <= 1.0 + 1e-12 && fit.r2 > -1e-9));
        prop_assert_eq!(curve(), fits);
    }
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let flat = vec![0.3; 63];
    assert_eq!(points(&flat), Err(FitError::Flat));
    let mut hole = vec![0.0; 63];
    hole[20] = f64::NAN;
    assert_eq!(points(&hole), Err(FitError::NotFinite));
    hole[20] = 1e300;
    assert_eq!(points(&hole), Err(FitError::NotFinite));
    let short: Vec<f64> = (0..9).map(f64::from).collect();
    let refused =
        Search::new(points(&short).expect("points"), 3, Objective::LeastSquares).map(drop);
    let few = FitError::TooFewPoints {
        points: 9,
        parameters: 10,
    };
    assert_eq!(refused, Err(few));
}

#[test]
fn more_kernels_than_are_useful_do_no_harm() {
    let one = Kernels(vec![Kernel::new(2.0, 0.1, 1.0)]);
    let f: Vec<f64> = (-63..=63).map(|k| one.at(f64::from(k))).collect();
    let found = fit(&f, 8);
    assert!(found.r2 > 1.0 - 1e-9, "{}", found.r2);
    let finite = |gaussian: &Gaussian| {
        [gaussian.a, gaussian.b, gaussian.c]
            .iter()
            .all(|v| v.is_finite())
            && gaussian.b > 0.0
    };
    assert!(found.gaussians.iter().all(finite), "{found:?}");
}
