//! Laws of diagonals, of attention and of windows, for all numbers.

use crate::support::{
    oracles::{dense, random},
    questions::{FIRST, ask, with_computed},
};
use diagonal::{
    analysis::{AttentionMask, MatrixPart, Origin, PositionTile, Similarity},
    encoding::{Kernel, Kernels, Random},
    math::{
        CentredMatrix, DiagonalSummer, LowRank, Tile, Toeplitz, ToeplitzFit, Window,
        attention_rows, diagonal_cells, toeplitz_attention,
    },
};
use fastrand::Rng;
use ndarray::Array2;
use proptest::{collection::vec, prelude::*};

pub(crate) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn factors() -> impl Strategy<Value = (Array2<f32>, Array2<f32>)> {
    (2..60_usize, 1..8_usize, any::<u64>()).prop_map(|(n, r, seed)| {
        let mut rng = Rng::with_seed(seed);
        (random(&mut rng, n, r), random(&mut rng, n, r))
    })
}

pub(crate) fn kernels() -> impl Strategy<Value = Kernels> {
    let kernel = (
        -1000.0..1000.0,
        0.0..100.0,
        -4096.0..4096.0,
        any::<bool>(),
        any::<bool>(),
    );
    let kernel = kernel.prop_map(|(a, b, c, muted, near): (f64, f64, f64, bool, bool)| {
        // Half of the kernels have typical parameters.
        let (a, b, c) = if near {
            (a / 100.0, b / 100.0, c / 400.0)
        } else {
            (a, b, c)
        };
        Kernel {
            a,
            b,
            c,
            is_muted: muted,
        }
    });
    vec(kernel, 0..=8).prop_map(Kernels)
}

fn cells() -> impl Strategy<Value = AttentionMask> {
    prop_oneof![Just(AttentionMask::Whole), Just(AttentionMask::Causal)]
}

/// R² of all cells, of those with j ≤ i, and of those off the main diagonal.
fn shares(a: &LowRank) -> [f64; 3] {
    let centred = CentredMatrix::new(a);
    let fit = ToeplitzFit::compute(a);
    [
        fit.r2,
        fit.causal_r2(&centred),
        fit.off_diagonal_r2(&centred),
    ]
}

/// Sums of a tile's rows; NaN counts as zero.
fn row_sums(tile: &Tile) -> Vec<f64> {
    tile.values
        .chunks(tile.width())
        .map(|row| {
            row.iter()
                .filter(|v| !v.is_nan())
                .map(|&v| f64::from(v))
                .sum()
        })
        .collect()
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn a_constant_or_a_scale_leaves_every_share_as_it_is(
        (left, right) in factors(),
        shift in -1e4..1e4_f64,
        scale in prop_oneof![-100.0..-0.01_f32, 0.01..100.0_f32],
    ) {
        let plain = shares(&LowRank::product(left.clone(), right.clone(), 0.0));
        let other = shares(&LowRank::product(left * scale, right, shift));
        for (plain, other) in plain.into_iter().zip(other) {
            prop_assert!((0.0..=1.0).contains(&plain));
            prop_assert!((plain - other).abs() < 1e-5, "{plain} {other}");
        }
    }

    #[test]
    fn a_toeplitz_matrix_explains_itself(n in 2..40_usize, seed: u64, shift in -1e3..1e3_f64) {
        let f = random(&mut Rng::with_seed(seed), 1, 2 * n - 1);
        let matrix = Array2::from_shape_fn((n, n), |(i, j)| f[[0, j + n - 1 - i]]);
        let a = LowRank::product(matrix, Array2::eye(n), shift);
        for share in shares(&a) {
            prop_assert!(share > 1.0 - 1e-5, "{share}");
        }
    }

    #[test]
    fn rows_that_are_all_the_same_have_nothing_to_explain(n in 1..300_usize, seed: u64) {
        let row = random(&mut Rng::with_seed(seed), 1, 5);
        let e = row.broadcast((n, 5)).expect("one row").to_owned();
        for a in [LowRank::gram(e.clone()), LowRank::cosine(e)] {
            prop_assert!(shares(&a).iter().all(|share| share.is_nan()));
        }
    }

    #[test]
    fn diagonals_hold_all_there_is((left, right) in factors(), shift in -10.0..10.0_f64) {
        let a = LowRank::product(left, right, shift);
        let (n, slow, centred) = (a.n(), dense(&a), CentredMatrix::new(&a));
        let fit = ToeplitzFit::compute(&a);
        let size = slow.iter().map(|v| v.abs()).sum::<f64>();
        let over_diagonals: f64 = (fit.f.by_offset())
            .map(|(k, f)| diagonal_cells(n, k) as f64 * f)
            .sum();
        prop_assert!((over_diagonals - slow.sum()).abs() < 1e-5 * size);
        let around_mean: f64 = DiagonalSummer::new(n).sums(&centred).iter().sum();
        prop_assert!(around_mean.abs() < 1e-5 * size);

        let mut spread = fit.spread(&a);
        while spread.step(16) {}
        let (mut unexplained, mut explained) = (0.0, 0.0);
        for ((k, f), deviation) in fit.f.by_offset().zip(&spread.deviations()) {
            let cells = diagonal_cells(n, k) as f64;
            unexplained += cells * deviation * deviation;
            explained += cells * (f - fit.mean).powi(2);
        }
        let total = centred.total_squares();
        prop_assert!((unexplained + explained - total).abs() < 1e-4 * total);
        prop_assert!((explained - fit.r2 * total).abs() < 1e-4 * total);
    }

    #[test]
    fn toeplitz_part_and_residual_make_the_whole(
        rows in 2..50_usize,
        width in 1..8_usize,
        seed: u64,
        cosine: bool,
    ) {
        let similarity = if cosine { Similarity::Cosine } else { Similarity::InnerProduct };
        let session = with_computed(Origin::Random(Random { rows, width, seed }));
        let tile = |part| {
            let question = PositionTile { of: FIRST, similarity, part, window: None, limit: 512 };
            ask(&session, question).expect("a tile")
        };
        let parts = [MatrixPart::Whole, MatrixPart::Toeplitz, MatrixPart::Residual].map(tile);
        let [whole, toeplitz, residual] = parts.map(|tile| tile.values);
        let mut left = vec![0.0_f64; 2 * rows - 1];
        for at in 0..whole.len() {
            prop_assert!((toeplitz[at] + residual[at] - whole[at]).abs() < 1e-4);
            left[at % rows + rows - 1 - at / rows] += f64::from(residual[at]);
        }
        // The diagonal means of the residual are zero.
        prop_assert!(left.iter().all(|sum| sum.abs() < 1e-4 * rows as f64), "{left:?}");
    }

    #[test]
    fn attention_rows_sum_to_one(
        kernels in kernels(),
        n in 1..90_usize,
        cells in cells(),
        seed: u64,
    ) {
        let alone = toeplitz_attention(&kernels.scores(n), cells, Window::whole(n, n), n);
        for sum in row_sums(&alone) {
            prop_assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        }
        let mut rows = (random(&mut Rng::with_seed(seed), n, n) * 50.0).into_raw_vec_and_offset().0;
        attention_rows(&mut rows, n, 0, cells);
        for row in rows.chunks(n) {
            let sum: f64 = row.iter().map(|&v| f64::from(v)).sum();
            prop_assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        }
    }

    #[test]
    fn attention_rows_are_exponentials_over_their_sum(
        n in 1..40_usize,
        scale in 0.01..200.0_f32,
        infinite: bool,
        seed: u64,
    ) {
        let mut rng = Rng::with_seed(seed);
        let mut row: Vec<f32> = random(&mut rng, 1, n).iter().map(|v| scale * v).collect();
        if infinite && n > 1 {
            row[rng.usize(0..n)] = f32::NEG_INFINITY;
        }
        let greatest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let exact: Vec<f64> = row.iter().map(|v| f64::from(v - greatest).exp()).collect();
        let total: f64 = exact.iter().sum();
        attention_rows(&mut row, n, n, AttentionMask::Whole);
        for (&v, exact) in row.iter().zip(&exact) {
            let (v, exact) = (f64::from(v), exact / total);
            prop_assert!((v - exact).abs() <= 5e-7 * exact + 2e-38, "{v} {exact}");
        }
        // A NaN or infinite score makes the row NaN.
        for spoilt in [f32::NAN, f32::INFINITY] {
            row[rng.usize(0..n)] = spoilt;
            attention_rows(&mut row, n, n, AttentionMask::Whole);
            prop_assert!(row.iter().all(|v| v.is_nan()));
            row.fill(0.5);
        }
    }

    #[test]
    fn attention_does_not_see_a_constant(
        kernels in kernels(),
        n in 1..60_usize,
        cells in cells(),
        constant in -1e3..1e3_f64,
    ) {
        let attention = |constant: f64| {
            let f = kernels.scores(n).profile().map(|_, f| f + constant);
            toeplitz_attention(&Toeplitz::new(f), cells, Window::whole(n, n), 16)
        };
        for (a, b) in attention(0.0).values.iter().zip(&attention(constant).values) {
            prop_assert!((a - b).abs() < 1e-6 || a.is_nan() && b.is_nan(), "{a} {b}");
        }
    }

    #[test]
    fn kernels_see_the_offset_alone(kernels in kernels(), n in 2..60_usize, more in 1..60_usize) {
        let scores = kernels.scores(n);
        let tile = scores.tile(Window::whole(n, n), n);
        for (i, j) in (1..n).flat_map(|i| (1..n).map(move |j| (i, j))) {
            prop_assert_eq!(tile.at(i, j), tile.at(i - 1, j - 1));
        }
        let longer = kernels.scores(n + more);
        let audible: Vec<Kernel> = kernels.0.iter().filter(|k| !k.is_muted).copied().collect();
        for k in 1 - n as i64..n as i64 {
            prop_assert_eq!(scores.at(k), longer.at(k));
            let slow: f64 = audible
                .iter()
                .map(|s| s.a * (-s.b * (k as f64 - s.c) * (k as f64 - s.c)).exp())
                .sum();
            let off = (scores.at(k).expect("inside") - slow).abs();
            prop_assert!(off <= 1e-9 * (1.0 + slow.abs()), "{off}");
        }
        prop_assert_eq!(scores.at(n as i64), None);
        prop_assert_eq!(scores.at(-(n as i64)), None);
    }

    #[test]
    fn windows_stay_inside(
        n in 1..600_usize,
        at in (0.0..1.0, 0.0..1.0, 0.0..1.0, 0.0..1.0),
        steps in vec((0.05..20.0, 0.0..1.0, 0.0..1.0, -700..700_i64, -700..700_i64), 1..12),
    ) {
        let cell = |share: f64, range: std::ops::Range<usize>| {
            range.start + (share * range.len() as f64) as usize
        };
        let inside = |w: &Window| {
            w.rows.end <= n && w.cols.end <= n && !w.rows.is_empty() && !w.cols.is_empty()
        };
        let (top, left) = (cell(at.0, 0..n), cell(at.1, 0..n));
        let mut window = Window {
            rows: top..cell(at.2, top..n) + 1,
            cols: left..cell(at.3, left..n) + 1,
        };
        prop_assert_eq!(&window.within(n, n), &window);
        for (factor, p, q, down, right) in steps {
            let (i, j) = (cell(p, window.rows.clone()), cell(q, window.cols.clone()));
            window = window.zoom(factor, (i, j), n);
            prop_assert!(inside(&window), "{window:?} of {n}");
            prop_assert!(window.rows.contains(&i) && window.cols.contains(&j), "{window:?}");
            prop_assert!(window.rows.len() >= 8.min(n) && window.cols.len() >= 8.min(n));
            let moved = window.shift(down, right, n);
            prop_assert!(inside(&moved), "{moved:?} of {n}");
            prop_assert_eq!(moved.rows.len(), window.rows.len());
            prop_assert_eq!(&window.zoom(1.0, window.middle(), n), &window);
            window = moved;
        }
    }
}
