//! Kernel fits: planted kernels are recovered, scipy is not better, and invalid input is refused.

use super::laws::config;
use crate::{
    analysis::golden_minilm::{golden, open},
    support::asking::{FIRST, ask, head_of_first, hear, npy, save},
};
use diagonal::{
    analysis::{
        AttentionMask, FitOptions, HeadFit, HeadFits, HeadId, HeadOverview, KernelFit,
        MatrixFormat, MatrixId, MemorySession, Objective, ScoreInput, ScoreMode, Weighting,
    },
    encoding::{Kernel, Kernels},
    math::{Profile, diagonal_cells, reference},
};
use gaussian_fit::{FitError, Gaussian, GaussianFit, Points, Search};
use ndarray::{Array1, Array2};
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

/// Fits of a head by their number of kernels; the requested number comes first.
fn curve(session: &MemorySession, id: HeadId, options: FitOptions) -> Vec<KernelFit> {
    let question = HeadFit { of: id, options };
    let events = hear(session, question, Vec::new());
    let count = |fit: &KernelFit| fit.kernels.0.len();
    let pieces = events.pieces.len();
    let first = events.pieces[0].as_ref().expect("a fit");
    assert_eq!(count(first), options.kernels.min(pieces));
    let fits = events.answer().expect("fits").fits;
    assert!(fits.is_sorted_by_key(count));
    assert_eq!(fits.len(), pieces);
    fits
}

fn head(layer: usize, head: usize) -> HeadId {
    head_of_first(ScoreMode::Paper, layer, head)
}

/// scipy's objective.
const LEAST_SQUARES: FitOptions = FitOptions {
    kernels: 5,
    weighting: Weighting::Cells,
    cells: AttentionMask::Whole,
    objective: Objective::LeastSquares,
};

/// scipy's best of 24 starts, from the reference program.
#[test]
fn scipy_is_not_better() {
    let (session, _) = open();
    let golden = golden();
    for (number, one) in golden["layers"][0]
        .as_array()
        .expect("heads")
        .iter()
        .enumerate()
    {
        let fits = curve(&session, head(0, number), LEAST_SQUARES);
        assert_eq!(fits.len(), 8);
        for kernels in [1, 3, 5] {
            let scipy = one["tisa_fit_r2"][kernels.to_string()]
                .as_f64()
                .expect("R²");
            let found = fits[kernels - 1].r2;
            assert_eq!(fits[kernels - 1].kernels.0.len(), kernels);
            assert!(
                found >= scipy - 0.002,
                "head {}, {kernels} kernels: {found}, scipy {scipy}",
                number + 1
            );
        }
    }
}

#[test]
fn scipy_is_not_better_elsewhere() {
    let (session, _) = open();
    let golden = crate::model::model_golden::json("minilm-l6.scipy.json");
    for one in golden["fits"].as_array().expect("fits") {
        let number = |key: &str| one[key].as_u64().expect("a number") as usize;
        let id = head(number("layer"), number("head"));
        let fits = curve(&session, id, LEAST_SQUARES);
        let found = fits[number("kernels") - 1].r2;
        let scipy = one["r2"].as_f64().expect("R²");
        assert!(found >= scipy - 0.002, "{one}: {found}");
    }
}

/// Least squares gives the same fits as before other objectives existed.
#[test]
fn least_squares_is_what_it_was() {
    let (session, _) = open();
    let question = HeadFits {
        of: FIRST,
        input: ScoreInput::Positions(ScoreMode::Paper),
        layer: Some(3),
        options: LEAST_SQUARES,
    };
    let fits = ask(&session, question).expect("fits").fits;
    let before = [
        0.7214583671472762,
        0.9238973283391582,
        0.7702151320181156,
        0.9973350027344606,
        0.9921131594812647,
        0.9836331745297013,
        0.9891363634855342,
        0.9863515970409776,
        0.5861831850850717,
        0.761925205049651,
        0.9144133605765343,
        0.9943118918963936,
    ];
    // Scores have single precision. One fit, the sixth, depends on their last digit.
    for (fit, before) in fits.iter().zip(before) {
        assert!(
            (fit.r2 - before).abs() < 1e-7,
            "{}, before {before}",
            fit.r2
        );
        assert_eq!(fit.given_up, 0.0);
    }
    assert_eq!(fits.len(), before.len());
}

/// The least relative norm of the sum of two opposite kernels: the sum's root mean square over cells, divided by that
/// of the larger kernel. Small if two kernels cancel.
fn least_left(fit: &KernelFit, f: &Profile) -> f64 {
    let root_of_cells = |k: i64| (f.cells(k) as f64).sqrt();
    let kernels = fit.kernels.0.iter().map(|kernel| {
        let values = f.offsets().map(|k| root_of_cells(k) * kernel.at(k as f64));
        (kernel.a, Array1::from_iter(values))
    });
    let kernels: Vec<(f64, Array1<f64>)> = kernels.collect();
    let mut least = f64::INFINITY;
    for (a, one) in kernels.iter().filter(|(a, _)| *a > 0.0) {
        for (_, other) in kernels.iter().filter(|(b, _)| a * b < 0.0) {
            let sum = one + other;
            let larger = one.dot(one).max(other.dot(other));
            least = least.min((sum.dot(&sum) / larger).sqrt());
        }
    }
    least
}

/// The greatest |a|, as a multiple of the profile's range.
fn tallest(fit: &KernelFit, f: &Profile) -> f64 {
    let greatest = f.iter().copied().fold(f64::MIN, f64::max);
    let least = f.iter().copied().fold(f64::MAX, f64::min);
    let heights = fit.kernels.0.iter().map(|kernel| kernel.a.abs());
    heights.fold(0.0, f64::max) / (greatest - least)
}

#[test]
fn fits_of_all_heads_can_be_read() {
    let (session, _) = open();
    let fits = |objective| {
        let question = HeadFits {
            of: FIRST,
            input: ScoreInput::Positions(ScoreMode::Paper),
            layer: None,
            options: FitOptions {
                objective,
                ..FitOptions::default()
            },
        };
        ask(&session, question).expect("fits").fits
    };
    let (readable, free) = (fits(Objective::default()), fits(Objective::LeastSquares));
    assert_eq!((readable.len(), free.len()), (72, 72));
    let (mut unreadable, mut given_up) = (0, 0.0);
    for (fit, free) in readable.iter().zip(&free) {
        let of = head(fit.layer, fit.head);
        let f = ask(&session, HeadOverview { of }).expect("a head").fit.f;
        assert!((tallest(fit, &f) - fit.reading.tallest).abs() < 1e-6);
        // Up to rounding to single precision.
        assert!(
            tallest(fit, &f) < 2.000_01 && least_left(fit, &f) > 0.249,
            "{fit:?}"
        );
        let less = (free.r2 - fit.r2).max(0.0);
        assert!(
            less <= 0.01 && (less - fit.given_up).abs() < 1e-5,
            "{fit:?}"
        );
        given_up += less;
        if free.reading.is_readable() {
            assert_eq!((&free.kernels, free.r2), (&fit.kernels, fit.r2));
        } else {
            unreadable += 1;
        }
        // The motivating pair: 1.452 and −1.433 at one centre.
        if (fit.layer, fit.head) == (3, 10) {
            assert!(
                least_left(free, &f) < 0.05 && tallest(free, &f) > 20.0,
                "{free:?}"
            );
        }
    }
    // Otherwise the test would show nothing.
    assert!(unreadable >= 9, "{unreadable}");
    assert!(given_up / 72.0 < 1e-3, "{given_up}");
}

/// For several numbers of kernels and both masks.
#[test]
fn kernels_are_what_was_asked_for_however_many() {
    let (session, _) = open();
    for cells in [AttentionMask::Whole, AttentionMask::Causal] {
        for objective in [Objective::Readable, Objective::NonNegative] {
            let options = FitOptions {
                cells,
                objective,
                ..FitOptions::default()
            };
            let fits = curve(&session, head(3, 10), options);
            assert_eq!(fits.len(), 8);
            for fit in fits {
                let mut heights = fit.kernels.0.iter().map(|kernel| kernel.a);
                let holds = match objective {
                    Objective::NonNegative => heights.all(|a| a >= 0.0),
                    _ => fit.reading.is_readable() && fit.given_up <= 0.01,
                };
                assert!(holds, "{cells:?} {objective:?} {fit:?}");
            }
        }
    }
}

/// R² of the matrix from its definition, cell by cell.
#[test]
fn r2_is_that_of_the_matrix() {
    let (session, _) = open();
    for (cells, mode) in [
        (AttentionMask::Whole, "all"),
        (AttentionMask::Causal, "back"),
    ] {
        let options = FitOptions {
            kernels: 2,
            cells,
            ..FitOptions::default()
        };
        let id = head(0, 3);
        let fit = curve(&session, id, options).remove(1);
        let n = 512;
        let matrix = MatrixId::Head(id, AttentionMask::Whole);
        let (shape, values) = npy(&save(&session, &matrix, MatrixFormat::Npy, None));
        let a = Array2::from_shape_vec(shape, values).expect("n×n");
        let a = a.mapv(f64::from);
        let counted = |(i, j): &(usize, usize)| cells == AttentionMask::Whole || j <= i;
        let all = (0..n)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .filter(counted);
        let all: Vec<_> = all.collect();
        let mean = all.iter().map(|&at| a[at]).sum::<f64>() / all.len() as f64;
        let left: f64 = (all.iter())
            .map(|&(i, j)| (a[(i, j)] - fit.at(j as i64 - i as i64)).powi(2))
            .sum();
        let total: f64 = all.iter().map(|&at| (a[at] - mean).powi(2)).sum();
        let by_definition = 1.0 - left / total;
        assert!(
            (fit.matrix_r2 - by_definition).abs() < 1e-5,
            "{mode}: {}, by definition {by_definition}",
            fit.matrix_r2
        );
        let toeplitz = match cells {
            AttentionMask::Whole => reference::toeplitz_r2(&a),
            AttentionMask::Causal => reference::causal_toeplitz_r2(&a),
        };
        assert!((fit.matrix_r2 - toeplitz * fit.r2).abs() < 1e-5, "{mode}");
    }
}

#[test]
fn all_heads_are_fitted_one_after_the_other() {
    let (session, _) = open();
    let options = FitOptions {
        kernels: 2,
        ..FitOptions::default()
    };
    let fits = |layer| {
        let question = HeadFits {
            of: FIRST,
            input: ScoreInput::Positions(ScoreMode::Paper),
            layer,
            options,
        };
        let fits = ask(&session, question).expect("fits");
        assert!(fits.refusals.is_empty());
        fits.fits
    };
    let layer = fits(Some(4));
    let places: Vec<_> = layer.iter().map(|fit| (fit.layer, fit.head)).collect();
    assert_eq!(places, (0..12).map(|head| (4, head)).collect::<Vec<_>>());
    let all = fits(None);
    assert_eq!(all.len(), 72);
    assert_eq!(all[48..60], layer[..]);
    let alone = curve(&session, head(4, 7), options);
    assert_eq!(alone[1], layer[7]);
}

#[test]
fn a_window_counts_near_offsets_alone() {
    let (session, _) = open();
    let options = |reach| FitOptions {
        kernels: 1,
        weighting: Weighting::Window(reach),
        ..FitOptions::default()
    };
    let near = curve(&session, head(1, 10), options(12));
    let wide = curve(&session, head(1, 10), options(400));
    assert!(near[0].r2 > wide[0].r2 && near[0].kernels != wide[0].kernels);
    // 2·1 + 1 offsets do not determine the four parameters of one kernel.
    let question = HeadFit {
        of: head(1, 10),
        options: options(1),
    };
    let fits = ask(&session, question).expect("an answer about the head");
    assert!(fits.fits.is_empty());
    let sentence = fits.refusals.join(" ");
    assert!(
        sentence.contains("Layer 2, head 11") && sentence.contains("3 offsets cannot decide"),
        "{sentence}"
    );
}

/// Kernels exported in single precision equal the displayed ones, in the conventions of this page and of the authors.
#[test]
fn fitted_kernels_are_exact_in_single_precision() {
    let (session, _) = open();
    let question = HeadFits {
        of: FIRST,
        input: ScoreInput::Positions(ScoreMode::AsComputed),
        layer: Some(1),
        options: FitOptions::default(),
    };
    let fits = ask(&session, question).expect("fits").fits;
    assert_eq!(fits.len(), 12);
    for fit in fits {
        for Kernel { a, b, c, .. } in fit.kernels.0 {
            for value in [a, b, c, -(c + 1.0)] {
                assert_eq!(f64::from(value as f32), value, "{a} {b} {c}");
            }
        }
    }
}
