//! FIRE against its formula, cell by cell.

use super::profile;
use crate::math::laws::config;
use diagonal::{
    analysis::{EncodingParameters, SchemeId, UntrainedValues},
    encoding::{Fire, FireFunction, Kerple, KerpleForm},
};
use proptest::{collection::vec, prelude::*};

/// b(i, j) by the paper's formula, of a network with rectifiers.
fn cell(fire: &Fire, units: &[(f64, f64, f64)], bias: f64, (i, j): (usize, usize)) -> f64 {
    let psi = |x: f64| (fire.c * x + 1.0).ln();
    let x = psi((i - j) as f64) / psi(fire.threshold.max(i as f64));
    bias + units
        .iter()
        .map(|(w, b, out)| out * (w * x + b).max(0.0))
        .sum::<f64>()
}

/// Share of the variance of the cells j ≤ i that the diagonal means explain.
fn r2(n: usize, cell: impl Fn(usize, usize) -> f64) -> f64 {
    let cells = || (0..n).flat_map(|i| (0..=i).map(move |j| (i, j)));
    let count = cells().count() as f64;
    let mean = cells().map(|(i, j)| cell(i, j)).sum::<f64>() / count;
    let diagonal = |distance: usize| {
        (distance..n).map(|i| cell(i, i - distance)).sum::<f64>() / (n - distance) as f64
    };
    let means: Vec<f64> = (0..n).map(diagonal).collect();
    let within: f64 = cells()
        .map(|(i, j)| (cell(i, j) - means[i - j]).powi(2))
        .sum();
    let total: f64 = cells().map(|(i, j)| (cell(i, j) - mean).powi(2)).sum();
    1.0 - within / total
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn fire_is_its_formula(
        units in vec((-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64), 1..12),
        bias in -1.0..1.0_f64,
        c in 0.001..100.0_f64,
        threshold in 1.0..100.0_f64,
        n in 2..40_usize,
        row in 0..60_usize,
    ) {
        let fire = Fire { c, threshold };
        let f = FireFunction::from_network(&units, bias);
        let scores = fire.scores(&f, n, row);
        let cell = |i, j| cell(&fire, &units, bias, (i, j));
        let i = row.min(n - 1);
        for (at, (one, mean)) in scores.row.iter().zip(&scores.mean).enumerate() {
            let k = at as i64 - (n as i64 - 1);
            match i.checked_add_signed(k as isize) {
                Some(j) if k <= 0 => prop_assert!((one - cell(i, j)).abs() < 1e-11, "{one} at {k}"),
                _ => prop_assert!(one.is_nan(), "there is no key at {k}"),
            }
            let distance = k.unsigned_abs() as usize;
            let cells = (distance..n).map(|i| cell(i, i - distance));
            let expected = cells.sum::<f64>() / (n - distance) as f64;
            let is_right = if k <= 0 { (mean - expected).abs() < 1e-11 } else { mean.is_nan() };
            prop_assert!(is_right, "{mean} at {k}");
        }
        let expected = r2(n, cell);
        // Where nothing varies there is no share.
        prop_assume!(expected.is_finite() && scores.row.iter().any(|f| (f - scores.mean[n - 1]).abs() > 1e-3));
        prop_assert!((scores.r2 - expected).abs() < 1e-6, "{} and {expected}", scores.r2);
    }

    #[test]
    fn pieces_are_the_network(
        units in vec((-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64), 0..40),
        bias in -1.0..1.0_f64,
        x in 0.0..2.0_f64,
    ) {
        let slow = bias + units.iter().map(|(w, b, out)| out * (w * x + b).max(0.0)).sum::<f64>();
        prop_assert!((FireFunction::from_network(&units, bias).at(x) - slow).abs() < 1e-11);
    }

    #[test]
    fn arguments_are_between_zero_and_one(c in 0.001..1e3_f64, threshold in 1.0..1e4_f64, i in 0..20_000_usize, share in 0.0..1.0_f64) {
        let fire = Fire { c, threshold };
        let distance = (share * i as f64) as usize;
        let argument = fire.argument(i, distance);
        prop_assert!((0.0..=1.0).contains(&argument), "{argument}");
        // Up to the threshold, the distance alone counts; beyond, a later query counts it for less.
        let later = fire.argument(i + 1, distance);
        let is_toeplitz = (i + 1) as f64 <= threshold;
        prop_assert!(later <= argument && (later == argument || !is_toeplitz), "{later}");
    }
}

#[test]
fn texts_up_to_the_threshold_have_a_toeplitz_matrix() {
    let line = FireFunction::falling_line();
    let fire = Fire {
        c: 0.1,
        threshold: 64.0,
    };
    for n in [2, 40, 65] {
        assert_eq!(fire.scores(&line, n, 0).r2, 1.0, "{n}");
    }
    let r2 = |n| fire.scores(&line, n, 0).r2;
    assert!(r2(66) < 1.0 && r2(66) > 0.999_99);
    assert!(r2(512) < r2(128) && r2(512) > 0.5);
    // There it is KERPLE's logarithm.
    let kerple = Kerple {
        form: KerpleForm::Logarithm,
        r1: (0.1_f64 * 64.0 + 1.0).ln().recip(),
        r2: 0.1,
    };
    let scores = fire.scores(&line, 64, 63);
    for (at, score) in scores.row[..64].iter().enumerate() {
        assert!((score - kerple.at(at as i64 - 63)).abs() < 1e-12);
    }
}

/// Long texts are sampled by rows, from the last on.
#[test]
fn some_rows_of_a_long_text_stand_for_all() {
    let fire = Fire::default();
    for f in [
        FireFunction::falling_line(),
        FireFunction::with_random_weights(3),
    ] {
        let (all, some) = (fire.scores(&f, 2048, 9), fire.scores(&f, 2049, 9));
        assert!((all.r2 - some.r2).abs() < 2e-3, "{} {}", all.r2, some.r2);
        let long = fire.scores(&f, 16_384, 16_383);
        assert!((0.0..=1.0).contains(&long.r2));
        assert!(
            long.row[..16_384]
                .iter()
                .chain(&long.mean[..16_384])
                .all(|f| f.is_finite())
        );
    }
    let none = fire.scores(&FireFunction::falling_line(), 0, 0);
    assert!(none.row.is_empty() && none.r2.is_nan());
    assert!(fire.scores(&FireFunction::falling_line(), 1, 0).r2.is_nan());
}

#[test]
fn the_view_draws_the_query_that_is_asked_for() {
    for untrained_values in [UntrainedValues::Steps, UntrainedValues::Noise] {
        let parameters = EncodingParameters {
            n: 100,
            fire_row: 20,
            untrained_values,
            ..EncodingParameters::default()
        };
        let made = profile(SchemeId::Fire, &parameters);
        assert_eq!(
            (made.at(-20).is_some(), made.at(-21), made.at(1)),
            (true, None, None)
        );
        let by_row = made.by_row.expect("it depends on the row");
        assert!(by_row.row == 20 && by_row.r2 < 1.0);
    }
    let parameters = EncodingParameters {
        n: 100,
        ..EncodingParameters::default()
    };
    let made = profile(SchemeId::Fire, &parameters);
    assert_eq!(made.by_row.map(|by_row| by_row.row), Some(99));
    assert!(made.at(-99).is_some());
}
