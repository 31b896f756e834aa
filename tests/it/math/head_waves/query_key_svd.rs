//! Redefined queries and keys, and their cross-covariances, against reference implementations and golden numbers.

use super::{head_weights, wide};
use crate::{
    analysis::golden_minilm::golden,
    math::{laws::config, table_waves::preset},
    support::oracles::random,
};
use diagonal::math::{CrossCovariances, LowRank, NoWaves, Profile, QueryKeySvd, reference};
use fastrand::Rng;
use ndarray::Array2;
use proptest::prelude::*;

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
        let found = CrossCovariances::new(n).compute(query.view(), key.view(), &weights, r).expect("numbers");
        let (q, k) = (wide(&query), wide(&key));
        for t in 1 - n as i64..n as i64 {
            let mut sum = 0.0;
            for (j, weight) in weights.iter().enumerate() {
                let slow = reference::cross_covariance(q.column(j), k.column(j), t);
                let fast = found.leading_columns[j].0.at(t).expect("an offset");
                prop_assert!((fast - slow).abs() < 1e-9 * n as f64, "{fast} {slow}");
                sum += weight * slow;
            }
            // Eq. 21–23: the diagonal sums of Q·S·Kᵀ.
            let scores = (&q * &ndarray::Array1::from(weights.clone())).dot(&k.t());
            let trace = reference::offset_trace(&scores, t);
            let fast = found.weighted_sum.at(t).expect("an offset");
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
                .compute(q.view(), k.view(), &found.singular_values, 4)
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
                    let off = (cross.weighted_sum.at(k).expect("an offset") - sum).abs();
                    assert!(off < 1e-5 * top, "{layer}.{head}: {off} of {top}");
                }
            }
        }
    }
    assert!(compared > 40, "{compared}");
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
}
