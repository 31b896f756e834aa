//! Traces of attention maps, and groups of heads with similar traces.

use crate::{math::laws::config, support::oracles::random};
use diagonal::math::{
    AttentionMask, AttentionSpan, Clusters, GroupCount, HeadClusters, LowRank, MIN_TRACE_SHARE,
    NoWaves, Scores, TRACE_REACH, Toeplitz, Trace, reference,
};
use fastrand::Rng;
use ndarray::Array2;
use proptest::prelude::*;

proptest! {
    #![proptest_config(config(120))]

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

/// A convex combination of two traces.
fn mix(a: &Trace, b: &Trace, share: f64) -> Trace {
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
            let mixed = mix(&trace, &uniform, share);
            let expected = match *name {
                AttentionSpan::Flat => AttentionSpan::Flat,
                _ if mixed.near() < 2.0 * uniform.near() => AttentionSpan::Flat,
                _ if mixed.near() < MIN_TRACE_SHARE => AttentionSpan::Broad,
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
        assert!(found.explained_share.expect("six groups") > 0.99);
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
        assert_eq!(found.explained_share, None);
        assert!(found.of.iter().all(|group| *group == 0));
    }
}

#[test]
fn scores_in_which_there_is_nothing_say_so() {
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
