//! PoPE against the score of two tokens that are turned as the paper says.

use super::{assert_near, by_offset};
use crate::math::laws::config;
use diagonal::encoding::{ContextExtension, Pope, Rotary};
use proptest::{collection::vec, prelude::*};
use std::f64::consts::TAU;

fn softplus(x: f64) -> f64 {
    x.exp().ln_1p()
}

/// Score of a query q at i and a key k at j: the real part of Σ conj(q̃)·k̃, with lengths softplus and angles θ·position,
/// of keys θ·position + δ.
fn score(pope: &Pope, (query, i): (&[f64], usize), (key, j): (&[f64], usize)) -> f64 {
    let frequencies = pope.frequencies();
    (0..pope.width)
        .map(|c| {
            let polar = |x: f64, angle: f64| (softplus(x) * angle.cos(), softplus(x) * angle.sin());
            let q = polar(query[c], i as f64 * frequencies[c]);
            let k = polar(key[c], j as f64 * frequencies[c] + pope.shifts[c]);
            q.0 * k.0 + q.1 * k.1
        })
        .sum()
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn equal_lengths_have_the_mean_cosine(
        columns in vec((-TAU..0.0_f64, -3.0..3.0_f64), 1..40),
        base in 2.0..1e6_f64,
        n in 1..60_usize,
    ) {
        let width = columns.len();
        let shifts = columns.iter().map(|(shift, _)| *shift).collect();
        let pope = Pope { shifts, ..Pope::new(width, base) };
        let profile = pope.profile(n);
        // Every number of a query and a key alike: the same length in all pairs, whatever it is.
        let content = vec![columns[0].1; width];
        let length = softplus(columns[0].1).powi(2) * width as f64;
        let slow = by_offset(n, |k| {
            let (i, j) = if k < 0 { (k.unsigned_abs() as usize, 0) } else { (0, k as usize) };
            score(&pope, (&content, i), (&content, j)) / length
        });
        assert_near(&profile, &slow, 1e-11);
    }

    /// Without shifts no content makes another offset score higher than the query's own place.
    #[test]
    fn without_shifts_the_own_place_is_highest(
        contents in vec((-3.0..3.0_f64, -3.0..3.0_f64), 1..20),
        i in 0..50_usize,
        j in 0..50_usize,
    ) {
        let (query, key): (Vec<f64>, Vec<f64>) = contents.into_iter().unzip();
        let width = query.len();
        let pope = Pope { shifts: vec![0.0; width], ..Pope::new(width, 1e4) };
        let at = |j| score(&pope, (&query, i), (&key, j));
        prop_assert!(at(i) >= at(j) - 1e-9);
    }

    #[test]
    fn shifts_start_in_their_range(width in 1..100_usize, seed: u64) {
        let pope = Pope::with_random_shifts(width, 1e4, seed);
        prop_assert_eq!(pope.shifts.len(), width);
        prop_assert!(pope.shifts.iter().all(|shift| (-TAU..=0.0).contains(shift)));
        prop_assert_eq!(pope.clone(), Pope::with_random_shifts(width, 1e4, seed));
    }
}

#[test]
fn without_shifts_its_waves_are_those_of_a_rotary_head_twice_as_wide() {
    let rotary = Rotary {
        rows: 100,
        width: 128,
        base: 1e4,
    };
    let profile = rotary.profile(&rotary.angles(128, ContextExtension::None));
    assert_near(&Pope::new(64, 1e4).profile(100), &profile.mean, 1e-11);
}
