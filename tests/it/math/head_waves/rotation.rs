//! The rotation between queries and keys, against a reference implementation and theory for sinusoidal tables.

use super::{head_weights, wide};
use crate::{
    math::{laws::config, table_waves::preset},
    support::oracles::random,
};
use diagonal::{
    encoding::Sinusoidal,
    math::{CrossCovariances, LowRank, NoWaves, QueryKeySvd, Rotation, reference},
};
use fastrand::Rng;
use ndarray::{Array2, s};
use proptest::prelude::*;
use rustfft::num_complex::Complex;
use std::f64::consts::{PI, TAU};

proptest! {
    #![proptest_config(config(120))]

    /// Spectra and angles together give the quadratic form x̂·T·x̂ᴴ at each frequency, for T and all its powers.
    #[test]
    fn angles_are_those_of_the_least_rotation(d in 2..16_usize, rank in 1..6_usize, n in 2..40_usize, seed: u64) {
        let rank = rank.min(d);
        let mut rng = Rng::with_seed(seed);
        let (query, key) = (random(&mut rng, d, rank), random(&mut rng, d, rank));
        let axes = QueryKeySvd::compute(query.view(), key.view()).expect("a product");
        let states = random(&mut rng, n, d);
        let found = Rotation::compute(&axes, states.view()).expect("a rotation");
        let turn = reference::least_rotation(&axes.query, &axes.key);
        let unit = turn.t().dot(&turn) - Array2::<f64>::eye(d);
        // If a principal angle is close to 90°, the reference does not converge.
        prop_assume!(unit.iter().all(|v| v.abs() < 1e-9));
        let moved = turn.dot(&axes.query) - &axes.key;
        prop_assert!(moved.iter().all(|v| v.abs() < 1e-9), "it sends queries to keys");
        prop_assert_eq!(found.idle + found.angles.len(), d);
        let idle = found.idle as f64;
        let cosines: f64 = found.angles.iter().map(|angle| angle.cos()).sum();
        prop_assert!((cosines + idle - turn.diag().sum()).abs() < 1e-6);
        prop_assert!((found.reads.iter().sum::<f64>() - axes.rank() as f64).abs() < 1e-6);
        let x = wide(&states);
        let mut power = Array2::<f64>::eye(d);
        let basis_free: Vec<f64> = (0..=n / 2).map(|f| {
            // The power in directions that neither queries nor keys read, from the form of T⁰.
            let all: f64 = (0..d).map(|c| reference::dft(x.column(c), f).norm_sqr()).sum();
            all - found.amplitudes.column(f).iter().map(|&g| f64::from(g).powi(2)).sum::<f64>()
        }).collect();
        for times in 1..4 {
            power = turn.dot(&power);
            for (f, &basis_free) in basis_free.iter().enumerate() {
                let spectrum: Vec<Complex<f64>> = (0..d).map(|c| reference::dft(x.column(c), f)).collect();
                let mut form = Complex::<f64>::default();
                for ((a, b), value) in power.indexed_iter() {
                    form += spectrum[a] * spectrum[b].conj() * *value;
                }
                let turned: Complex<f64> = found.angles.iter().zip(found.amplitudes.column(f))
                    .map(|(angle, &g)| Complex::from_polar(f64::from(g).powi(2), angle * f64::from(times)))
                    .sum();
                let idle = Complex::new(basis_free, 0.0);
                let off = (form - turned - idle).norm();
                prop_assert!(off < 1e-4 * (n * d) as f64, "f {f}, power {times}: {form} {turned}");
            }
        }
    }
}

/// A rotation by Δ tokens of every pair of a sinusoidal table (eq. 6), as a matrix.
fn shift(frequencies: &[f64], delta: f64) -> Array2<f32> {
    let d = 2 * frequencies.len();
    Array2::from_shape_fn((d, d), |(a, b)| {
        let (sin, cos) = (frequencies[a / 2] * delta).sin_cos();
        (match (a / 2 == b / 2, a % 2, b % 2) {
            (false, ..) => 0.0,
            (_, 0, 0) | (_, 1, 1) => cos,
            // [sin x, cos x] becomes [sin(x + θ), cos(x + θ)].
            (_, 0, _) => -sin,
            _ => sin,
        }) as f32
    })
}

#[test]
fn a_planted_offset_is_given_back() {
    let computed = Sinusoidal {
        rows: 256,
        width: 32,
        base: 1_000.0,
    };
    let table = computed.table();
    let frequencies: Vec<f64> = computed.frequencies().collect();
    for delta in [-7.0, -2.0, -1.0, 0.0, 1.0, 2.5, 3.0, 12.0] {
        let turned = shift(&frequencies, delta);
        // In all directions, or in whole planes.
        for width in [32, 16, 8] {
            let mut rng = Rng::with_seed(3);
            let picked = (random(&mut rng, width, width)).dot(&Array2::<f32>::eye(width));
            let mut query = Array2::<f32>::zeros((32, width));
            query
                .slice_mut(s![4..4 + width.min(28), ..])
                .assign(&picked.slice(s![..width.min(28), ..]));
            if width == 32 {
                query.assign(&picked);
            }
            // The scores of (x·R)·W_Q equal those of x shifted ahead: K = X·R·W_Q.
            let key = turned.dot(&query);
            let axes = QueryKeySvd::compute(query.view(), key.view()).expect("a product");
            let found = Rotation::compute(&axes, table.view()).expect("a rotation");
            let line = found.line().expect("a line");
            assert!(
                (line.delta - delta).abs() < 0.1,
                "Δ {delta}, width {width}: {line:?}"
            );
            assert!(line.coherence > 0.9, "Δ {delta}, width {width}: {line:?}");
            assert!(found.angles.iter().all(|angle| (-PI..=PI).contains(angle)));
            assert_eq!(found.idle, 32 - width);
            let weights = found.histogram(48);
            let all: f64 = found.amplitudes.iter().map(|&g| f64::from(g)).sum();
            assert!((weights.sum() - all).abs() < 1e-6 * all);
        }
        // Scores peak at the offset −Δ.
        let scores = LowRank::product(table.clone(), table.dot(&turned), 0.0);
        let peak = (-20..=20_i64).max_by(|a, b| {
            let mean = |k: i64| {
                let cells = (40..200).map(|i| scores.cell(i, (i as i64 + k) as usize));
                cells.sum::<f64>()
            };
            mean(*a).total_cmp(&mean(*b))
        });
        assert!(
            (peak.expect("offsets") as f64 + delta).abs() <= 0.5,
            "Δ {delta}, peak {peak:?}"
        );
    }
}

/// Heads whose profile has one clear peak: the line gives the same offset.
#[test]
fn heads_of_the_preset_turn_as_their_profiles_peak() {
    let opened = preset();
    let table = opened.1.table().expect("a table").clone();
    for (layer, head, offset) in [(0, 2, -1), (0, 5, -1), (1, 4, 2), (1, 8, 1), (1, 9, -1)] {
        let (query, key) = head_weights(&opened, layer, head);
        let axes = QueryKeySvd::compute(query.view(), key.view()).expect("a product");
        let line = Rotation::compute(&axes, table.view())
            .expect("a rotation")
            .line()
            .expect("a line");
        println!("{layer}.{head}: {line:?}");
        assert!(
            (line.delta + f64::from(offset)).abs() < 0.5,
            "{layer}.{head}: {line:?}"
        );
        assert!(line.coherence > 0.75, "{layer}.{head}: {line:?}");
    }
}

/// A cyclic shift of the axes, on which an unshifted QR iteration stalls.
#[test]
fn cyclic_rotations_have_their_angles() {
    for d in [3, 4, 5, 8, 16] {
        let axes = QueryKeySvd {
            query: Array2::eye(d),
            key: Array2::from_shape_fn((d, d), |(a, b)| f64::from(a == (b + 1) % d)),
            singular_values: vec![1.0; d],
        };
        let states = random(&mut Rng::with_seed(7), 10, d);
        let found = Rotation::compute(&axes, states.view()).expect("a rotation");
        let mut angles: Vec<f64> = found
            .angles
            .iter()
            .map(|angle| angle.rem_euclid(TAU))
            .collect();
        // An angle of zero may be rounded to slightly below 2π.
        for angle in angles.iter_mut().filter(|angle| **angle > TAU - 1e-6) {
            *angle = 0.0;
        }
        angles.sort_by(f64::total_cmp);
        for (at, angle) in angles.iter().enumerate() {
            assert!(
                (angle - TAU * at as f64 / d as f64).abs() < 1e-6,
                "{d}: {angles:?}"
            );
        }
    }
}

#[test]
fn tables_in_which_there_is_nothing_say_so() {
    let some = random(&mut Rng::with_seed(1), 6, 2);
    let axes = QueryKeySvd::compute(some.view(), random(&mut Rng::with_seed(2), 6, 2).view())
        .expect("a product");
    let mut states = random(&mut Rng::with_seed(3), 5, 6);
    assert_eq!(
        Rotation::compute(&axes, states.slice(s![..1, ..])).err(),
        Some(NoWaves::TooFewPositions(1))
    );
    assert!(Rotation::compute(&axes, states.slice(s![..2, ..])).is_ok());
    states[[4, 0]] = f32::NAN;
    assert_eq!(
        Rotation::compute(&axes, states.view()).err(),
        Some(NoWaves::NotFinite(4))
    );
    let (q, k) = axes.through(states.view());
    let cross = CrossCovariances::new(5).compute(q.view(), k.view(), &axes.singular_values, 1);
    assert_eq!(cross.err(), Some(NoWaves::NotFinite(4)));
    // A constant table has no line, and no NaN among its correlations.
    let constant = Array2::<f32>::zeros((5, 6));
    assert_eq!(
        Rotation::compute(&axes, constant.view())
            .expect("angles")
            .line(),
        None
    );
    let (q, k) = axes.through(constant.view());
    let cross = CrossCovariances::new(5)
        .compute(q.view(), k.view(), &axes.singular_values, 2)
        .expect("zeros");
    assert_eq!(cross.correlation(0, 3), None);
}
