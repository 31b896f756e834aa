//! Profiles: the index of an offset in the list of values, and serialization.

use diagonal::math::{AttentionMask, Profile, diagonal_cells, offset};
use proptest::prelude::*;

proptest! {
    #[test]
    fn every_offset_has_its_value(n in 1..300_usize) {
        let f = Profile::from_fn(n, |k| k as f64);
        prop_assert_eq!(f.n(), n);
        prop_assert_eq!(f.len(), 2 * n - 1);
        prop_assert_eq!(f.offsets(), f.first()..n as i64);
        prop_assert!(f.by_offset().all(|(k, value)| value == k as f64 && f.at(k) == Some(value)));
        prop_assert!(f.by_offset().map(|(k, _)| k).eq(f.offsets()));
        for outside in [n as i64, -(n as i64), i64::MAX, i64::MIN] {
            prop_assert_eq!(f.at(outside), None);
        }
        let cells: usize = f.offsets().map(|k| f.cells(k)).sum();
        prop_assert_eq!(cells, n * n);
        prop_assert_eq!(f.lookback().last(), Some(&0.0));
        prop_assert_eq!(f.lookback().len(), n);
        prop_assert_eq!(f.map(|k, value| value - k as f64), Profile::from_fn(n, |_| 0.0));
    }

    #[test]
    fn a_profile_comes_back_as_it_was_sent(values in prop::collection::vec(-1e9..1e9_f64, 0..40)) {
        let sent = postcard::to_allocvec(&values).expect("numbers can be sent");
        let read = postcard::from_bytes::<Profile>(&sent);
        if values.len() % 2 == 1 {
            let profile = read.expect("an odd number of values");
            prop_assert_eq!(profile.values(), &values);
            // As compact as the list of its values.
            prop_assert_eq!(postcard::to_allocvec(&profile).expect("it can be sent"), sent);
        } else {
            prop_assert!(read.is_err(), "an even number of values is no profile");
        }
    }
}

#[test]
fn a_diagonal_has_as_many_cells_as_there_are_pairs() {
    let n = 7;
    for k in diagonal::math::offsets(n) {
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| offset(i, j)));
        assert_eq!(
            pairs.filter(|other| *other == k).count(),
            diagonal_cells(n, k)
        );
    }
}

#[test]
fn a_span_is_of_the_cells_that_count() {
    let f = Profile::from_fn(4, |k| {
        if k == 3 {
            f64::NAN
        } else {
            (k * k) as f64 + 3.0 * k as f64
        }
    });
    assert_eq!(f.span(AttentionMask::Causal), 2.0);
    assert_eq!(f.span(AttentionMask::Whole), 12.0);
}
