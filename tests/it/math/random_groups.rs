//! Groups of heads beside the groups of heads with randomly turned keys.

use crate::{
    analysis::golden_minilm,
    math::{laws::config, table_waves::preset},
    support::{
        oracles::random,
        questions::{FIRST, ask},
    },
};
use diagonal::{
    analysis::{
        GroupChance, HeadGrouping, HeadGroups, MemorySession, ModelSummary, RandomGroups,
        ScoreInput, ScoreMode,
    },
    figure::{percent, waves::trace_words},
    math::{
        AttentionMask, ChanceRange, Clusters, GroupCount, RANDOM_HEADS, TRACE_REACH, Trace,
        random_traces, reference,
    },
};
use fastrand::Rng;
use ndarray::Array2;
use pollster::block_on;
use proptest::prelude::*;

/// Number and seed of the groups.
const GROUPS: (u8, u64) = (6, 1);

/// Groups of the preset's heads, and what they are by chance.
fn groups_and_chance(session: &MemorySession) -> (HeadGroups, GroupChance) {
    let grouping = HeadGrouping {
        of: FIRST,
        input: ScoreInput::Positions(ScoreMode::AsComputed),
        count: GroupCount::Chosen(GROUPS.0),
        seed: GROUPS.1,
    };
    let groups = ask(session, grouping.clone()).expect("groups");
    let chance = ask(session, RandomGroups { grouping }).expect("an answer");
    (groups, chance.expect("products"))
}

fn head_count(summary: &ModelSummary) -> usize {
    summary.layers * summary.heads.expect("heads").0 as usize
}

#[test]
fn groups_by_chance_hold_all_heads() {
    let (session, summary) = golden_minilm::open();
    let (groups, chance) = groups_and_chance(&session);
    let groups = groups.clusters;
    // Every head is in the group with the nearest mean.
    assert_eq!(chance.sizes.len(), groups.traces.len());
    let heads = head_count(&summary) as f64;
    let most: f64 = chance.sizes.iter().map(|size| size.high).sum();
    let least: f64 = chance.sizes.iter().map(|size| size.low).sum();
    assert!(least <= heads && heads <= most, "{chance:?}");
    // Heads that attend to a neighbour do not arise by chance.
    for (group, name) in groups.names.iter().enumerate() {
        if ["previous", "next"].contains(&name.name()) {
            let size = groups.of.iter().filter(|&&of| of == group).count() as f64;
            assert!(chance.sizes[group].high < size, "{name}: {chance:?}");
        }
    }
}

/// Traces of the preset's heads with randomly turned keys, [heads][random models].
fn turned_heads() -> Vec<Vec<Trace>> {
    let (checkpoint, model) = preset();
    let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
    let table = model.table().expect("a table");
    let states = inputs.hidden_states(table, ScoreMode::AsComputed);
    let mut heads = Vec::new();
    for layer in 0..6 {
        let weights = block_on(model.read_layer(&checkpoint, layer)).expect("a layer");
        let scores = model.layer_scores(&states, &weights);
        for head in 0..12 {
            let seed = 1 + heads.len() as u64;
            let traces = random_traces(&scores.head(head), AttentionMask::Whole, seed);
            heads.push(traces.expect("a product").expect("numbers"));
        }
    }
    heads
}

/// A quantile of draws, between the two that are next to it in their order.
fn quantile(draws: &[f64], share: f64) -> f64 {
    let mut sorted = draws.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (place - place.floor()) * (sorted[above] - sorted[below])
}

fn is_range_of(found: ChanceRange, draws: &[f64]) {
    for (found, share) in [(found.low, 0.025), (found.median, 0.5), (found.high, 0.975)] {
        let slow = quantile(draws, share);
        assert!((found - slow).abs() < 1e-9, "{found} {slow}");
    }
}

/// The values of traces, one a row.
fn values(traces: &[Trace]) -> Array2<f64> {
    let row = |at: usize| traces[at].by_offset().map(|(_, share)| share);
    let values: Vec<f64> = (0..traces.len()).flat_map(row).collect();
    Array2::from_shape_vec((traces.len(), traces[0].len()), values).expect("a table")
}

/// Means over the heads of each group, and shares of the variance, by their definitions.
#[test]
fn shares_by_chance_are_those_of_the_turned_heads() {
    let (session, _) = golden_minilm::open();
    let (groups, chance) = groups_and_chance(&session);
    let heads = turned_heads();
    assert_eq!(heads.len(), groups.clusters.of.len());
    for (group, shares) in chance.shares.iter().enumerate() {
        let members = heads.iter().zip(&groups.clusters.of);
        let members: Vec<_> = members.filter(|(_, of)| **of == group).collect();
        for (range, offset) in shares.iter().zip(-TRACE_REACH..) {
            let mean = |draw: usize| {
                let sum: f64 = members.iter().map(|(head, _)| head[draw].at(offset)).sum();
                sum / members.len() as f64
            };
            is_range_of(*range, &(0..RANDOM_HEADS).map(mean).collect::<Vec<_>>());
        }
    }
    let explained_share = |draw: usize| {
        let model: Vec<Trace> = heads.iter().map(|head| head[draw].clone()).collect();
        let points = values(&model);
        let rows: Vec<Vec<f64>> = points.rows().into_iter().map(|row| row.to_vec()).collect();
        let clusters = Clusters::compute(&rows, usize::from(GROUPS.0), GROUPS.1);
        reference::explained_by_means(&points, &clusters.of)
    };
    let draws: Vec<f64> = (0..RANDOM_HEADS).map(explained_share).collect();
    is_range_of(chance.explained_share.expect("six groups"), &draws);
    let own: Vec<Trace> = groups.traces.iter().flatten().cloned().collect();
    let slow = reference::explained_by_means(&values(&own), &groups.clusters.of);
    let own = groups.clusters.explained_share.expect("six groups");
    assert!((own - slow).abs() < 1e-9, "{own} {slow}");
}

/// The preset’s groups are not due to chance, and the words follow the numbers.
#[test]
fn words_say_what_is_beyond_chance() {
    let (session, _) = golden_minilm::open();
    let (groups, mut chance) = groups_and_chance(&session);
    let explained_share = groups.clusters.explained_share.expect("six groups");
    let range = chance.explained_share.expect("six groups");
    assert!(explained_share > range.high, "{explained_share} {range:?}");
    let words = trace_words(&groups, Some(&chance));
    assert!(
        words.contains("Every group has a peak above its shade."),
        "{words}"
    );
    for share in [explained_share, range.median, range.low, range.high] {
        assert!(words.contains(&percent(share)), "{words}");
    }
    // A bound of one offset that is above a group's peak is above its shade.
    let mut drown = |group: usize| chance.shares[group][0].high = 1.0;
    drown(2);
    drown(4);
    let words = trace_words(&groups, Some(&chance));
    assert!(
        words.contains("Groups 1, 2, 4 and 6 have a peak"),
        "{words}"
    );
    let mut drown = |group: usize| chance.shares[group][0].high = 1.0;
    [1, 3, 5].into_iter().for_each(&mut drown);
    let words = trace_words(&groups, Some(&chance));
    assert!(words.contains("Group 1 alone has a peak"), "{words}");
    chance.shares[0][0].high = 1.0;
    let words = trace_words(&groups, Some(&chance));
    assert!(words.contains("No group has a peak"), "{words}");
    // Without heads at random there are only the groups.
    let words = trace_words(&groups, None);
    let share = percent(explained_share);
    assert_eq!(
        words,
        format!("The groups explain {share} of the variance between heads.")
    );
}

proptest! {
    #![proptest_config(config(60))]

    /// Groups explain a share of the variance, no more than the best groups, and all of it if every point is one.
    #[test]
    fn groups_explain_a_share_of_the_variance(n in 3..8_usize, width in 1..4_usize, k in 2..4_usize, seed: u64) {
        let points = random(&mut Rng::with_seed(seed), n, width).mapv(f64::from);
        let rows: Vec<Vec<f64>> = points.rows().into_iter().map(|row| row.to_vec()).collect();
        let found = Clusters::compute(&rows, k, seed);
        let explained_share = found.explained_share(&rows).expect("groups");
        prop_assert!((explained_share - reference::explained_by_means(&points, &found.of)).abs() < 1e-9);
        let total = reference::least_inertia(&points, 1);
        prop_assert!(explained_share <= 1.0 - reference::least_inertia(&points, k) / total + 1e-9);
        prop_assert!((0.0..=1.0).contains(&explained_share));
        let alone = Clusters::compute(&rows, n, seed);
        prop_assert!((alone.explained_share(&rows).expect("groups") - 1.0).abs() < 1e-12);
        prop_assert_eq!(Clusters::compute(&rows, 1, seed).explained_share(&rows), None);
    }
}
