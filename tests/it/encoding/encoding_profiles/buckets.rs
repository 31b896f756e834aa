//! Schemes that share a score among distances: Shaw, T5 and DeBERTa.

use super::profile;
use diagonal::{
    analysis::{EncodingParameters, ProfileSource, SchemeId, UntrainedValues},
    encoding::{Buckets, RelativeRows, Shaw},
};
use std::collections::BTreeSet;

#[test]
fn beyond_its_reach_shaw_is_constant() {
    for reach in [1, 4, 16, 128] {
        let shaw = Shaw { reach };
        let scores = shaw.untrained_scores(64, 7);
        assert_eq!(scores.len(), 2 * reach + 1);
        // Independent random numbers: all are distinct.
        let distinct: BTreeSet<u64> = scores.iter().map(|v| v.to_bits()).collect();
        assert_eq!(distinct.len(), scores.len());
        let f = shaw.profile(&scores, 300);
        let at = |k: i64| f[(k + 299) as usize];
        for k in -299..=299_i64 {
            let clipped = k.max(-(reach as i64)).min(reach as i64);
            assert_eq!(at(k), scores[(clipped + reach as i64) as usize]);
        }
        assert!(at(-299) == at(-(reach as i64)) && at(299) == at(reach as i64));
        assert_ne!(at(299), at(-299));
    }
    // The variance of a product of normal vectors over √d is one.
    let scores = Shaw { reach: 128 }.untrained_scores(64, 3);
    let square = scores.iter().map(|v| v * v).sum::<f64>() / scores.len() as f64;
    assert!((0.5..2.0).contains(&square), "{square}");
}

#[test]
fn t5_steps_widen() {
    let parameters = EncodingParameters::default();
    let f = profile(SchemeId::T5, &parameters);
    let behind: Vec<f64> = (0..512).map(|d| f.at(-d).expect("inside")).collect();
    let mut widths = Vec::new();
    for step in behind.chunk_by(|a, b| a == b) {
        widths.push(step.len());
    }
    // Section 2.1 with 32 buckets, 16 per direction: eight single distances, then ever wider buckets.
    assert_eq!(widths[..8], [1; 8]);
    assert_eq!(widths.len(), 16);
    assert!(widths.is_sorted(), "{widths:?}");
    assert_eq!(behind[511], -15.0);
    // Symmetric in both directions.
    assert!((1..512).all(|k| f.at(k) == f.at(-k)));
    let back = EncodingParameters {
        buckets: Buckets::new(32, 128, false).expect("buckets"),
        ..parameters
    };
    let f = profile(SchemeId::T5, &back);
    assert!((1..512).all(|k| f.at(k) == f.at(0)) && f.at(-511) == Some(-31.0));
}

#[test]
fn deberta_clips_and_widens() {
    let rows = RelativeRows::new(512, Some(256)).expect("rows");
    assert_eq!(rows, RelativeRows::default());
    let parameters = EncodingParameters {
        n: 2048,
        ..EncodingParameters::default()
    };
    let f = profile(SchemeId::Deberta, &parameters);
    for k in -2047..2048_i64 {
        let row = rows.c2p_row(k) as f64;
        assert_eq!(f.at(k), Some(-(row - 256.0).abs()), "{k}");
    }
    // Half of the buckets hold one distance each; the last one holds all further distances.
    assert_eq!((f.at(-128), f.at(128)), (Some(-128.0), Some(-128.0)));
    assert_eq!(f.at(-700), f.at(-2047));
}

#[test]
fn noise_is_the_same_wherever_rows_are() {
    for which in [SchemeId::T5, SchemeId::Shaw, SchemeId::Deberta] {
        let steps = EncodingParameters::default();
        let noise = EncodingParameters {
            untrained_values: UntrainedValues::Noise,
            ..steps.clone()
        };
        let other = EncodingParameters {
            seed: 2,
            ..noise.clone()
        };
        let [ruler, a, b] = [steps, noise, other].map(|p| profile(which, &p));
        assert_eq!(ruler.source, ProfileSource::Untrained);
        assert_ne!(a.f, b.f);
        // Distances in the same bucket share the random number.
        for k in -511..511 {
            if ruler.at(k) == ruler.at(k + 1) && k.signum() == (k + 1).signum() {
                assert_eq!(a.at(k), a.at(k + 1), "{which:?} at {k}");
            }
        }
    }
}
