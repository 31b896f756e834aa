//! Marks on the axis of lengths: turns, critical columns, the first offset with a negative sum of cosines.

use std::f64::consts::{PI, TAU};

use diagonal::encoding::{
    NegativeSum, PhaseDifference, RotaryAngles, critical_columns, first_negative_sum, turns,
};
use proptest::prelude::*;

/// First offset with a negative sum of the plain angles.
fn first(width: usize, base: f64, longest: usize) -> NegativeSum {
    first_negative_sum(&RotaryAngles::new(width, base).frequencies(1), longest)
}

#[test]
fn sums_of_cosines_turn_negative_where_numpy_finds_it() {
    // numpy: k = arange(1, n); argmax((cos(outer(k, base ** (-arange(0, d, 2) / d))).sum(1) < 0)) + 1
    for (width, base, expected) in [
        (128, 1e4, 1_707),
        (128, 5e5, 18_438),
        (128, 1e6, 27_115),
        (128, 5e6, 82_999),
        (64, 160_000.0, 5_205),
    ] {
        assert_eq!(
            first(width, base, 200_000),
            NegativeSum::At(expected),
            "{width}, {base}"
        );
        assert_eq!(
            first(width, base, expected - 1),
            NegativeSum::NotUpTo(expected - 1)
        );
    }
}

#[test]
fn the_search_ends_for_any_angles() {
    // Columns that do not rotate keep the sum above 0 at every offset.
    let still = [0.0, 0.0];
    assert_eq!(
        first_negative_sum(&still, usize::MAX),
        NegativeSum::NotUpTo(usize::MAX)
    );
    // So do very small angles, over which a search of all offsets would not end.
    let slow = vec![1e-300; 1 << 16];
    assert!(matches!(
        first_negative_sum(&slow, usize::MAX),
        NegativeSum::NotUpTo(longest) if longest < 1 << 20
    ));
    assert_eq!(first_negative_sum(&[], 10), NegativeSum::NotUpTo(10));
    assert_eq!(first_negative_sum(&[PI], 10), NegativeSum::At(1));
    assert_eq!(
        first_negative_sum(&[f64::NAN], 10),
        NegativeSum::NotUpTo(10)
    );
}

#[test]
fn columns_are_critical_where_pairs_stop_turning() {
    // Llama 2: 4,096 tokens, base 10,000. Pairs 0 to 45 turn fully.
    assert_eq!(critical_columns(128, 1e4, 4096.0), 92);
    assert_eq!(critical_columns(128, 1e4, 6.0), 0);
    assert_eq!(critical_columns(128, 1e4, 1e30), 128);
    assert_eq!(critical_columns(128, 1.0, 0.0), 0);
    assert_eq!(critical_columns(0, f64::NAN, f64::NAN), 0);
}

proptest! {
    #[test]
    fn critical_columns_are_those_that_turn(pairs in 1..128_usize, base in 10.0..1e7_f64, length in 10.0..1e6_f64) {
        let angles = RotaryAngles::new(2 * pairs, base).frequencies(1);
        let turning = angles.iter().filter(|angle| turns(**angle, length) > 1.0).count();
        // The pair at the border turns once, up to rounding.
        let critical = critical_columns(2 * pairs, base, length) / 2;
        prop_assert!(critical.abs_diff(turning) <= 1, "{} for {}", critical, turning);
        prop_assert!((turns(TAU, length) - length).abs() <= 1e-12 * length);
    }

    #[test]
    fn sums_are_those_of_each_cosine(angles in prop::collection::vec(0.0..3.2_f64, 1..6), longest in 1..3_000_usize) {
        let sum = |k: usize| angles.iter().map(|angle| (angle * k as f64).cos()).sum::<f64>();
        let border = |k: usize| sum(k).abs() < 1e-9;
        match first_negative_sum(&angles, longest) {
            NegativeSum::At(k) => {
                prop_assert!(sum(k) < 0.0 || border(k));
                prop_assert!((1..k).all(|k| sum(k) >= 0.0 || border(k)));
            }
            NegativeSum::NotUpTo(last) => {
                prop_assert_eq!(last, longest);
                prop_assert!((1..=last).all(|k| sum(k) >= 0.0 || border(k)));
            }
        }
    }

    #[test]
    fn phases_differ_by_the_difference_of_the_angles(
        one in prop::collection::vec(0.0..1.0_f64, 0..20),
        other in prop::collection::vec(0.0..1.0_f64, 0..20),
        k in 1.0..1e6_f64,
    ) {
        let difference = PhaseDifference::new(&one, &other, k);
        prop_assert_eq!(difference, PhaseDifference::new(&other, &one, k));
        prop_assert!(difference.pairs_beyond_half_turn <= difference.pairs);
        prop_assert!(difference.pairs <= one.len().max(other.len()));
        prop_assert_eq!(difference.largest > PI, difference.pairs_beyond_half_turn > 0);
        prop_assert_eq!(PhaseDifference::new(&one, &one, k).pairs, 0);
    }
}
