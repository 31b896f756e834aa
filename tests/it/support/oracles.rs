//! Diagonals and scores against the reference implementations in [`reference`], on seeded random matrices of many small
//! sizes, including a mean a thousand times the spread.

use super::{
    models::{bytes, config, plainly},
    questions::{head_of_first, npy, save, with_bert},
};
use diagonal::{
    analysis::{AttentionMask, MatrixFormat, MatrixId, ScoreMode},
    math::{CentredMatrix, DiagonalSummer, LowRank, ToeplitzFit, reference},
};
use fastrand::Rng;
use ndarray::{Array1, Array2, s};
use pollster::block_on;

/// Random numbers with mean zero and variance one.
pub(crate) fn random(rng: &mut Rng, rows: usize, columns: usize) -> Array2<f32> {
    Array2::from_shape_simple_fn((rows, columns), || {
        (0..12).map(|_| rng.f32()).sum::<f32>() - 6.0
    })
}

/// The matrix, formed in `f64`.
pub(crate) fn dense(a: &LowRank) -> Array2<f64> {
    let wide = |m: ndarray::ArrayView2<'_, f32>| m.mapv(f64::from);
    wide(a.left()).dot(&wide(a.right()).t()) + a.shift()
}

/// The greatest cell minus the least.
pub(crate) fn extent(a: &Array2<f64>) -> f64 {
    let of = |pick: fn(f64, f64) -> f64| a.iter().copied().reduce(pick).expect("cells");
    of(f64::max) - of(f64::min)
}

/// Products of every kind at one size: general, symmetric, shifted, with a large mean in the factors.
pub(crate) fn products(n: usize, r: usize) -> Vec<(String, LowRank)> {
    let mut rng = Rng::with_seed((1000 * n + r) as u64);
    let mut factor = || random(&mut rng, n, r);
    let spread = (r as f64).sqrt();
    // A constant column c in both factors adds c² to every cell.
    let lifted = |mut m: Array2<f32>| {
        m.column_mut(0).fill((1000.0 * spread).sqrt() as f32);
        m
    };
    let products = [
        ("general", LowRank::product(factor(), factor(), 0.0)),
        ("symmetric", LowRank::gram(factor())),
        (
            "shifted",
            LowRank::product(factor(), factor(), -1000.0 * spread),
        ),
        ("lifted", LowRank::product(lifted(factor()), factor(), 0.0)),
        (
            "lifted twice",
            LowRank::product(lifted(factor()), lifted(factor()), 0.0),
        ),
        ("lifted symmetric", LowRank::gram(lifted(factor()))),
        (
            "off centre",
            LowRank::product(factor() + 30.0, factor() + 30.0, 0.0),
        ),
    ];
    products
        .into_iter()
        .map(|(kind, a)| (format!("{kind}, n {n}, r {r}"), a))
        .collect()
}

pub(crate) fn every_product() -> Vec<(String, LowRank)> {
    let small = (1..=40).flat_map(|n| [(n, 1 + 7 * n % 20), (n, 1 + 3 * n % 20)]);
    // Beyond 48 cells diagonals are summed by FFT, two columns per transform, sixteen at once.
    let large = [
        (49, 3),
        (64, 17),
        (130, 1),
        (130, 20),
        (40, 130),
        (130, 130),
    ];
    small
        .chain(large)
        .flat_map(|(n, r)| products(n, r))
        .collect()
}

/// Compares two R². Without variance, the fast one may be NaN (0/0).
fn same_share(fast: f64, slow: f64, varies: bool, what: &str) {
    assert!(
        (fast - slow).abs() < 1e-5 || !varies && fast.is_nan(),
        "{what}: fast {fast}, slow {slow}"
    );
}

#[test]
fn shares_and_profiles_are_those_of_the_formed_matrix() {
    for (what, a) in every_product() {
        let (n, slow) = (a.n(), dense(&a));
        let centred = CentredMatrix::new(&a);
        let fit = ToeplitzFit::from_centred(&centred, &DiagonalSummer::new(n));
        let again = ToeplitzFit::compute(&a);
        assert_eq!((&fit.f, fit.mean), (&again.f, again.mean), "{what}");
        assert_eq!(fit.r2.to_bits(), again.r2.to_bits(), "{what}");
        let varies = extent(&slow) > 1e-9 * (1.0 + slow[[0, 0]].abs());
        same_share(fit.r2, reference::toeplitz_r2(&slow), varies, &what);
        let causal = reference::causal_toeplitz_r2(&slow);
        same_share(fit.causal_r2(&centred), causal, varies, &what);
        // Off the diagonal, a symmetric 2×2 matrix has one value twice.
        let off = reference::off_diagonal_toeplitz_r2(&slow);
        let varies = varies && n > 1 && (n > 2 || !a.is_symmetric());
        same_share(fit.off_diagonal_r2(&centred), off, varies, &what);

        let f = reference::diagonal_mean(&slow);
        assert_eq!(fit.f.len(), f.len(), "{what}");
        let room = 1e-5 * extent(&slow) + 1e-9 * (1.0 + slow[[0, 0]].abs());
        for (k, (fast, slow)) in (1 - n as i64..).zip(fit.f.iter().zip(&f)) {
            assert!(
                (fast - slow).abs() <= room,
                "{what}, offset {k}: fast {fast}, slow {slow}"
            );
        }
        let mean = slow.mean().expect("cells");
        assert!(
            (fit.mean - mean).abs() <= room,
            "{what}: mean {} {mean}",
            fit.mean
        );
    }
}

#[test]
fn spread_is_the_standard_deviation_of_each_diagonal() {
    for (what, a) in every_product() {
        let (n, slow) = (a.n(), dense(&a));
        let fit = ToeplitzFit::compute(&a);
        for rows in [1, 7, 128] {
            let mut spread = fit.spread(&a);
            let mut steps = 1;
            while spread.step(rows) {
                steps += 1;
            }
            assert_eq!(steps, n.div_ceil(rows), "{what}");
            let deviations = spread.deviations();
            assert_eq!(deviations.len(), 2 * n - 1);
            // Rows are computed in `f32`, so the error is relative to the largest score.
            let room = 1e-3 * extent(&slow) + 1e-6 * slow[[0, 0]].abs();
            for (k, fast) in deviations.by_offset() {
                let cells: Vec<f64> = reference::diagonal(&slow, k).collect();
                let mean = cells.iter().sum::<f64>() / cells.len() as f64;
                let squares = cells.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
                let slow = (squares / cells.len() as f64).sqrt();
                assert!(
                    (fast - slow).abs() <= room,
                    "{what}, offset {k}: {fast} {slow}"
                );
            }
        }
    }
}

#[test]
fn cosine_is_that_of_unit_rows() {
    let mut e = random(&mut Rng::with_seed(5), 20, 6);
    let slow = reference::unit_rows(&e.mapv(f64::from));
    let fast = LowRank::cosine(e.clone());
    assert!(
        (dense(&fast) - slow.dot(&slow.t()))
            .iter()
            .all(|v| v.abs() < 1e-6)
    );
    e.row_mut(3).fill(0.0);
    assert!((0..20).all(|j| LowRank::cosine(e.clone()).cell(3, j) == 0.0));
}

#[test]
fn a_head_has_the_papers_positional_scores() {
    let session = with_bert();
    let (checkpoint, model) = plainly(bytes("bert"), Some(&config("bert")));
    let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
    let states = inputs.hidden_states(model.table().expect("a table"), ScoreMode::Paper);
    let mean = Array1::from(states.mean.expect("a mean word")).mapv(f64::from);
    let (n, width) = (
        model.table().expect("a table").nrows(),
        model.hidden_width / 4,
    );
    for (layer, head) in [(0, 0), (0, 3), (1, 2)] {
        let weights = block_on(model.read_layer(&checkpoint, layer)).expect("a layer");
        let part = |m: &Array2<f32>| {
            m.slice(s![.., head * width..(head + 1) * width])
                .mapv(f64::from)
        };
        let (query, key) = (part(&weights.query), part(&weights.key));
        let e = model.table().expect("a table").mapv(f64::from);
        let slow = reference::positional_scores(&e, &mean, &query, &key);
        let matrix = MatrixId::Head(
            head_of_first(ScoreMode::Paper, layer, head),
            AttentionMask::Whole,
        );
        let (shape, values) = npy(&save(&session, &matrix, MatrixFormat::Npy, None));
        assert_eq!(shape, (n, n));
        let room = 1e-5 * extent(&slow);
        for (slow, fast) in slow.iter().zip(values) {
            assert!((f64::from(fast) - slow).abs() < room, "{fast} {slow}");
        }
    }
}
