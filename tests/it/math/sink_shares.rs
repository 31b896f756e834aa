//! Shares of sinks, against their definition.

use diagonal::math::{AttentionMask, Profile, Toeplitz, reference, sink_shares};
use proptest::{collection::vec, prelude::*};

/// Number of positions.
const N: usize = 9;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn shares_are_those_of_a_softmax_with_one_more_score(
        f in vec(-6.0_f64..6.0, 2 * N - 1),
        sink in -8.0_f64..8.0,
        reach in proptest::option::of(0..2 * N),
        is_causal in any::<bool>(),
    ) {
        let scores = Toeplitz::new(Profile::new(f));
        let cells = match is_causal {
            true => AttentionMask::Causal,
            false => AttentionMask::Whole,
        };
        let found = sink_shares(&scores, cells, reach, sink);
        let matrix = ndarray::Array2::from_shape_fn((N, N), |(i, j)| {
            scores.at(j as i64 - i as i64).unwrap_or(f64::NAN)
        });
        let slow = reference::sink_shares(&matrix, is_causal, reach.unwrap_or(N), sink);
        prop_assert_eq!(found.len(), slow.len());
        for (found, slow) in found.iter().zip(slow) {
            prop_assert!((found - slow).abs() < 1e-12, "{} {}", found, slow);
        }
    }
}

/// Scores far beyond the exponential of a number leave shares of 0 and 1.
#[test]
fn large_scores_do_not_overflow() {
    let flat = |score: f64| Toeplitz::from_fn(3, |_| score);
    let shares = |score, sink| sink_shares(&flat(score), AttentionMask::Causal, None, sink);
    assert_eq!(shares(2000.0, 0.0), [0.0; 3]);
    assert_eq!(shares(0.0, 2000.0), [1.0; 3]);
    let even = shares(5000.0, 5000.0);
    for (share, keys) in even.into_iter().zip([1.0, 2.0, 3.0]) {
        assert!((share - 1.0 / (1.0 + keys)).abs() < 1e-12);
    }
}
