//! Redefined queries and keys, their cross-covariances, rotation and clusters of heads: against reference
//! implementations, golden numbers, and theory for sinusoidal tables.

use super::{laws::config, table_waves::preset};
use crate::{
    analysis::golden_minilm::golden,
    support::{models::ModelVersion, oracles::random},
};
use diagonal::{
    encoding::Sinusoidal,
    math::{
        AttentionMask, AttentionSpan, CONCENTRATED, Clusters, CrossCovariances, GroupCount,
        HeadClusters, LowRank, NoWaves, Profile, QueryKeySvd, Rotation, Scores, TRACE_REACH,
        Toeplitz, Trace, reference,
    },
};
use fastrand::Rng;
use ndarray::{Array2, s};
use pollster::block_on;
use proptest::prelude::*;
use rustfft::num_complex::Complex;
use std::f64::consts::{PI, TAU};

fn wide(m: &Array2<f32>) -> Array2<f64> {
    m.mapv(f64::from)
}

/// W_Q and W_K of one head of the preset.
fn head_weights(
    (checkpoint, model): &ModelVersion,
    layer: usize,
    head: usize,
) -> (Array2<f32>, Array2<f32>) {
    let weights = block_on(model.read_layer(checkpoint, layer)).expect("a layer");
    let width = weights.query.ncols() / model.heads.count as usize;
    let columns = s![.., head * width..(head + 1) * width];
    (
        weights.query.slice(columns).to_owned(),
        weights.key.slice(columns).to_owned(),
    )
}

fn is_orthonormal(axes: &Array2<f64>) -> bool {
    let products = axes.t().dot(axes) - Array2::<f64>::eye(axes.ncols());
    products.iter().all(|v| v.abs() < 1e-9)
}

proptest! {
    #![proptest_config(config(120))]

    #[test]
    fn the_product_of_weights_is_rebuilt(
        d in 1..20_usize,
        width in 1..8_usize,
        seed: u64,
        lost in 0..4_usize,
        scale in -18..18_i32,
    ) {
        let mut rng = Rng::with_seed(seed);
        let (mut query, key) = (random(&mut rng, d, width), random(&mut rng, d, width));
        // Columns that are multiples of others lower the rank of the product.
        let lost = lost.min(width.min(d) - 1);
        for at in 0..lost {
            let copied = query.column(width - 1).to_owned();
            query.column_mut(at).assign(&(copied * 2.0));
        }
        query.mapv_inplace(|v| v * 10_f32.powi(scale));
        let found = QueryKeySvd::compute(query.view(), key.view()).expect("a product");
        let product = wide(&query).dot(&wide(&key).t());
        let top = found.singular_values[0];
        prop_assert!(is_orthonormal(&found.query) && is_orthonormal(&found.key));
        prop_assert!(found.rank() <= width.min(d) && (d < width || found.rank() == (width - lost).min(d)));
        prop_assert!(found.singular_values.windows(2).all(|two| two[0] >= two[1]));
        let scaled = &found.query * &ndarray::Array1::from(found.singular_values.clone());
        for (rebuilt, value) in scaled.dot(&found.key.t()).iter().zip(&product) {
            prop_assert!((rebuilt - value).abs() < 1e-9 * top, "{rebuilt} {value}");
        }
        // The squares of the singular values are the eigenvalues of AᵀA.
        let squares = reference::symmetric_eigenvalues(&(product.t().dot(&product) / (top * top)));
        for (s, square) in found.singular_values.iter().zip(squares) {
            prop_assert!(((s / top).powi(2) - square).abs() < 1e-9);
        }
        for column in found.query.columns() {
            let most = column.iter().fold(0.0_f64, |far, v| if v.abs() > far.abs() { *v } else { far });
            prop_assert!(most > 0.0);
        }
    }

    #[test]
    fn cross_covariances_are_what_the_formula_says(n in 2..60_usize, r in 1..6_usize, seed: u64, reach in 1..80_usize) {
        let mut rng = Rng::with_seed(seed);
        let (query, key) = (random(&mut rng, n, r), random(&mut rng, n, r) + 2.0);
        let weights: Vec<f64> = (0..r).map(|j| 5.0 / (1 + j) as f64).collect();
        let found = CrossCovariances::new(n).of(query.view(), key.view(), &weights, r).expect("numbers");
        let (q, k) = (wide(&query), wide(&key));
        for t in 1 - n as i64..n as i64 {
            let mut sum = 0.0;
            for (j, weight) in weights.iter().enumerate() {
                let slow = reference::cross_covariance(q.column(j), k.column(j), t);
                let fast = found.leading[j].0.at(t).expect("an offset");
                prop_assert!((fast - slow).abs() < 1e-9 * n as f64, "{fast} {slow}");
                sum += weight * slow;
            }
            // Eq. 21–23: the diagonal sums of Q·S·Kᵀ.
            let scores = (&q * &ndarray::Array1::from(weights.clone())).dot(&k.t());
            let trace = reference::offset_trace(&scores, t);
            let fast = found.weighted.at(t).expect("an offset");
            prop_assert!((fast - sum).abs() < 1e-8 * n as f64 && (fast - trace).abs() < 1e-8 * n as f64);
        }
        let reach = reach.min(n - 1);
        for j in 0..r {
            let fast = found.correlation(j, reach).expect("not zero");
            let slow = reference::cross_correlation(q.column(j), k.column(j), reach as i64);
            prop_assert_eq!(fast.values().len(), slow.len());
            for (fast, slow) in fast.iter().zip(&slow) {
                prop_assert!((fast - slow).abs() < 1e-9);
            }
        }
        prop_assert_eq!(found.correlation(r, reach), None);
    }

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

    #[test]
    fn traces_are_those_of_the_attention_map(n in 2..50_usize, r in 1..5_usize, seed: u64, causal: bool) {
        let mut rng = Rng::with_seed(seed);
        let a = LowRank::product(random(&mut rng, n, r), random(&mut rng, n, r), 0.0);
        let scores = Array2::from_shape_fn((n, n), |(i, j)| a.cell(i, j));
        let map = reference::softmax(&scores, causal);
        let cells = if causal { AttentionMask::Causal } else { AttentionMask::Whole };
        let trace = Trace::compute(&Scores::Product(a, None), cells).expect("numbers");
        for (t, share) in trace.by_offset() {
            let slow = if t.unsigned_abs() < n as u64 { reference::offset_trace(&map, t) / n as f64 } else { 0.0 };
            prop_assert!((share - slow).abs() < 1e-6, "{t}: {share} {slow}");
        }
        let uniform = Trace::uniform(n, cells);
        let none = Trace::compute(&Scores::Toeplitz(Toeplitz::from_fn(n, |_| 0.5)), cells).expect("numbers");
        for (t, share) in uniform.by_offset() {
            prop_assert!((share - none.at(t)).abs() < 1e-6);
        }
    }
}

/// Lloyd's iteration may end in a local optimum; with many starts it rarely does.
#[test]
fn small_clusterings_are_the_best_there_are() {
    let (mut best, mut all) = (0, 0);
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let (points, k) = (rng.usize(3..8), rng.usize(1..4));
        let table = random(&mut rng, points, 2).mapv(f64::from);
        let rows: Vec<Vec<f64>> = table.rows().into_iter().map(|row| row.to_vec()).collect();
        let found = Clusters::compute(&rows, k, 1);
        assert_eq!(found.k(), k);
        let least = reference::least_inertia(&table, k);
        assert!(found.inertia >= least - 1e-9, "{} {least}", found.inertia);
        all += 1;
        best += usize::from(found.inertia <= least + 1e-9);
        // Every centre is the mean of its group, and every point is nearest to its own centre.
        for (row, &group) in rows.iter().zip(&found.of) {
            let distance = |centre: &Vec<f64>| -> f64 {
                centre.iter().zip(row).map(|(a, b)| (a - b).powi(2)).sum()
            };
            let own = distance(&found.centres[group]);
            assert!(
                found
                    .centres
                    .iter()
                    .all(|centre| own <= distance(centre) + 1e-12)
            );
        }
        assert_eq!(
            found,
            Clusters::compute(&rows, k, 1),
            "a seed gives one answer"
        );
        if let Some(silhouette) = found.silhouette(&rows) {
            assert!((-1.0..=1.0).contains(&silhouette));
        }
    }
    assert!(best * 20 >= all * 19, "{best} of {all}");
}

/// The golden numbers are of the weights before rounding to half precision, so axes of nearly equal singular values may
/// rotate.
#[test]
fn heads_of_the_preset_hold_their_golden_numbers() {
    let opened = preset();
    let table = opened.1.table().expect("a table").clone();
    let golden = golden();
    let covariances = CrossCovariances::new(table.nrows());
    let mut compared = 0;
    for layer in 0..2 {
        for head in 0..12 {
            let (query, key) = head_weights(&opened, layer, head);
            let found = QueryKeySvd::compute(query.view(), key.view()).expect("a product");
            let golden = &golden["layers"][layer][head];
            let number = |name: &str, at: usize| golden[name][at].as_f64().expect(name);
            for at in 0..8 {
                let (s, golden) = (found.singular_values[at], number("singular_values", at));
                assert!(
                    (s - golden).abs() < 1e-3 * golden,
                    "{layer}.{head}.{at}: {s} {golden}"
                );
            }
            let (q, k) = found.through(table.view());
            let cross = covariances
                .of(q.view(), k.view(), &found.singular_values, 4)
                .expect("numbers");
            for at in 0..4 {
                let s = |at: usize| found.singular_values[at];
                let apart = (s(at) - s(at + 1)).min(if at > 0 {
                    s(at - 1) - s(at)
                } else {
                    f64::INFINITY
                });
                if apart < 0.03 * s(at) {
                    continue;
                }
                let correlation = cross.correlation(at, 20).expect("not zero");
                let peak = number("cross_correlation_at_peak", at);
                let most = correlation
                    .iter()
                    .copied()
                    .fold(f64::NEG_INFINITY, f64::max);
                assert!(
                    (most - peak).abs() < 0.01,
                    "{layer}.{head}.{at}: {most} {peak}"
                );
                let there = correlation.at(golden["cross_correlation_peak"][at]
                    .as_i64()
                    .expect("an offset"));
                assert!(
                    (there.expect("near") - peak).abs() < 0.01,
                    "{layer}.{head}.{at}"
                );
                compared += 1;
            }
            // Eq. 23 against the scores themselves.
            let scores = LowRank::product(table.dot(&query), table.dot(&key), 0.0);
            let sums = Profile::from_fn(table.nrows(), |k| {
                let diagonal = if k < 0 {
                    let turned =
                        LowRank::product(scores.right().to_owned(), scores.left().to_owned(), 0.0);
                    turned.diagonal(k.unsigned_abs() as usize)
                } else {
                    scores.diagonal(k as usize)
                };
                diagonal.iter().sum()
            });
            let top = sums.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
            if head < 2 {
                for (k, sum) in sums.by_offset() {
                    let off = (cross.weighted.at(k).expect("an offset") - sum).abs();
                    assert!(off < 1e-5 * top, "{layer}.{head}: {off} of {top}");
                }
            }
        }
    }
    assert!(compared > 40, "{compared}");
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

/// A convex combination of two traces.
fn mixed(a: &Trace, b: &Trace, share: f64) -> Trace {
    let shares: Vec<f64> = (a.by_offset())
        .map(|(k, of_a)| share * of_a + (1.0 - share) * b.at(k))
        .collect();
    serde_json::from_value(serde_json::json!(shares)).expect("a trace")
}

#[test]
fn heads_are_named_by_what_they_do() {
    let n = 200;
    let head = |centre: i64, sharpness: f64| {
        let scores = Toeplitz::from_fn(n, |k| -sharpness * ((k - centre) as f64).powi(2));
        Scores::Toeplitz(scores)
    };
    let kinds = [
        (head(-1, 4.0), AttentionSpan::Previous),
        (head(1, 4.0), AttentionSpan::Next),
        (head(-4, 0.1), AttentionSpan::Leftward),
        (head(4, 0.1), AttentionSpan::Rightward),
        (head(0, 0.1), AttentionSpan::Local),
        (head(0, 0.0), AttentionSpan::Flat),
    ];
    let uniform = Trace::uniform(n, AttentionMask::Whole);
    let mut traces = Vec::new();
    for (scores, name) in &kinds {
        let trace = Trace::compute(scores, AttentionMask::Whole).expect("numbers");
        assert_eq!(
            AttentionSpan::classify(&trace, &uniform),
            *name,
            "{trace:?}"
        );
        // Mixed with uniform attention: broad once less than half of it is near.
        for share in [0.9, 0.6, 0.55, 0.4, 0.3, 0.15] {
            let mixed = mixed(&trace, &uniform, share);
            let expected = match *name {
                AttentionSpan::Flat => AttentionSpan::Flat,
                _ if mixed.near() < 2.0 * uniform.near() => AttentionSpan::Flat,
                _ if mixed.near() < CONCENTRATED => AttentionSpan::Broad,
                name => name,
            };
            assert_eq!(
                AttentionSpan::classify(&mixed, &uniform),
                expected,
                "{name} {share}"
            );
        }
        // Three heads of each kind, slightly different.
        for shade in 0..3 {
            let Scores::Toeplitz(scores) = scores else {
                continue;
            };
            let softer = Toeplitz::from_fn(n, |k| {
                scores.at(k).unwrap_or_default() * (1.0 + 0.02 * f64::from(shade))
            });
            traces.push(
                Trace::compute(&Scores::Toeplitz(softer), AttentionMask::Whole).expect("numbers"),
            );
        }
    }
    for count in [GroupCount::BySilhouette, GroupCount::Chosen(6)] {
        let found = HeadClusters::compute(&traces, n, AttentionMask::Whole, count, 1);
        assert_eq!(found.names.len(), 6, "{count:?}");
        assert!(found.silhouette.expect("six groups") > 0.9);
        for (at, group) in found.of.iter().enumerate() {
            assert_eq!(found.names[*group], kinds[at / 3].1, "head {at}");
        }
        // Ordered from those that attend back to those that attend ahead.
        assert_eq!(
            (found.names[0], found.names[5]),
            (AttentionSpan::Leftward, AttentionSpan::Rightward)
        );
        assert_eq!(
            found,
            HeadClusters::compute(&traces, n, AttentionMask::Whole, count, 1)
        );
    }
    // Under a causal mask no attention goes to the right, and uniform attention is still flat.
    let causal = Trace::uniform(n, AttentionMask::Causal);
    assert!((1..=TRACE_REACH).all(|t| causal.at(t) == 0.0));
    assert_eq!(
        AttentionSpan::classify(&causal, &causal),
        AttentionSpan::Flat
    );
    // One head, or identical heads, form one group.
    for traces in [&traces[..1], &[traces[0].clone(), traces[0].clone()][..]] {
        let found =
            HeadClusters::compute(traces, n, AttentionMask::Whole, GroupCount::BySilhouette, 1);
        assert_eq!((found.names.len(), found.silhouette), (1, None));
        assert!(found.of.iter().all(|group| *group == 0));
    }
}

#[test]
fn weights_in_which_there_is_nothing_say_so() {
    let some = random(&mut Rng::with_seed(1), 6, 2);
    let zeros = Array2::<f32>::zeros((6, 2));
    assert_eq!(
        QueryKeySvd::compute(zeros.view(), some.view()).err(),
        Some(NoWaves::NoProduct)
    );
    // Queries and keys without a common direction.
    let (mut left, mut right) = (zeros.clone(), zeros.clone());
    (left[[0, 0]], right[[0, 1]]) = (1.0, 1.0);
    assert_eq!(
        QueryKeySvd::compute(left.view(), right.view()).err(),
        Some(NoWaves::NoProduct)
    );
    let mut broken = some.clone();
    broken[[3, 1]] = f32::NAN;
    assert_eq!(
        QueryKeySvd::compute(some.view(), broken.view()).err(),
        Some(NoWaves::WeightNotFinite(3))
    );

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
    let cross = CrossCovariances::new(5).of(q.view(), k.view(), &axes.singular_values, 1);
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
        .of(q.view(), k.view(), &axes.singular_values, 2)
        .expect("zeros");
    assert_eq!(cross.correlation(0, 3), None);
    let lost = LowRank::product(
        Array2::from_elem((5, 1), f32::NAN),
        Array2::zeros((5, 1)),
        0.0,
    );
    assert_eq!(
        Trace::compute(&Scores::Product(lost, None), AttentionMask::Whole).err(),
        Some(NoWaves::NotFinite(0))
    );
}
