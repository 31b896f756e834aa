//! Heads at random: the coherence of random angles and the attention of randomly turned keys, against numpy and laws.

use crate::{
    analysis::golden_minilm,
    math::{laws::config, table_waves::preset},
    support::{
        models::data,
        oracles::random,
        questions::{FIRST, ask, folder, head_of_first, open},
    },
};
use diagonal::{
    analysis::{
        HeadConvolutions, HeadRotation, MemorySession, RandomProfiles, ScoreInput, ScoreMode,
    },
    figure::shared_profile_words,
    math::{
        AttentionMask, ChanceRange, LowRank, RANDOM_HEADS, Scores, Trace, random_orthogonal,
        random_traces, reference,
    },
    model::ModelOptions,
};
use fastrand::Rng;
use ndarray::Array2;
use pollster::block_on;
use proptest::prelude::*;
use serde_json::Value;

fn golden(name: &str) -> Vec<Value> {
    let text = std::fs::read(data("random-heads.json")).expect("golden numbers");
    let golden: Value = serde_json::from_slice(&text).expect("json");
    golden[name].as_array().expect("a list").clone()
}

fn place(of: &Value) -> (usize, usize) {
    let whole = |name: &str| of[name].as_u64().expect(name) as usize;
    (whole("layer"), whole("head"))
}

/// Checks a range over some draws against that of many.
fn is_near(found: ChanceRange, golden: &Value, tolerance: f64) {
    for (value, name) in [
        (found.median, "median"),
        (found.low, "low"),
        (found.high, "high"),
    ] {
        let expected = golden[name].as_f64().expect(name);
        assert!(
            (value - expected).abs() < tolerance,
            "{name}: {found:?} {golden}"
        );
    }
    assert!(found.low <= found.median && found.median <= found.high);
}

#[test]
fn random_angles_have_the_coherence_of_numpy() {
    let (session, _) = golden_minilm::open();
    for golden in golden("rotations") {
        let (layer, head) = place(&golden);
        let of = head_of_first(ScoreMode::Paper, layer, head);
        let found = ask(&session, HeadRotation { of }).expect("an answer");
        let line = found.expect("a rotation").line.expect("a line");
        let number = |name: &str| golden[name].as_f64().expect(name);
        assert!((line.delta - number("delta")).abs() < 0.05, "{line:?}");
        assert!(
            (line.coherence - number("coherence")).abs() < 1e-4,
            "{line:?} {golden}"
        );
        // Quantiles over 99 draws vary; numpy says how far.
        let random = line.random;
        let quantiles = [
            ("low", random.low),
            ("median", random.median),
            ("high", random.high),
        ];
        for (name, value) in quantiles {
            let range = golden[format!("{name}_between")].as_array().expect(name);
            let ends: Vec<f64> = range.iter().filter_map(Value::as_f64).collect();
            assert!(
                (ends[0]..=ends[1]).contains(&value),
                "{name}: {random:?} {golden}"
            );
        }
        assert!(line.random.high <= line.chance);
    }
}

/// Scores of a head whose keys are multiplied by a random orthogonal matrix, and the share near the query.
#[test]
fn random_keys_have_the_attention_of_numpy() {
    let (checkpoint, model) = preset();
    let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
    let table = model.table().expect("a table");
    let states = inputs.hidden_states(table, ScoreMode::AsComputed);
    for golden in golden("traces") {
        let (layer, head) = place(&golden);
        let weights = block_on(model.read_layer(&checkpoint, layer)).expect("a layer");
        let scores = model.layer_scores(&states, &weights).head(head);
        let number = |name: &str| golden[name].as_f64().expect(name);
        let trace = Trace::compute(&scores, AttentionMask::Whole).expect("numbers");
        assert!((trace.near() - number("near")).abs() < 2e-3, "{golden}");
        let draws = (1..=10).flat_map(|seed| {
            let traces = random_traces(&scores, AttentionMask::Whole, seed);
            traces.expect("a product").expect("numbers")
        });
        let mut near: Vec<f64> = draws.map(|trace| trace.near()).collect();
        assert_eq!(near.len(), 10 * RANDOM_HEADS);
        let spread = number("high") - number("low");
        is_near(ChanceRange::from_draws(&mut near), &golden, 0.35 * spread);
    }
}

/// The heads that share a letter are those of the figure; heads that attend to a neighbour do not arise by chance.
#[test]
fn shared_letters_are_counted_beside_chance() {
    let (session, summary) = golden_minilm::open();
    let input = ScoreInput::Positions(ScoreMode::AsComputed);
    let of = FIRST;
    let layers = ask(&session, HeadConvolutions { of, input }).expect("layers");
    for layer in [0, summary.layers - 1] {
        let question = RandomProfiles { of, input, layer };
        let shared = ask(&session, question)
            .expect("an answer")
            .expect("products");
        let letters: Vec<_> = (layers[layer].heads.iter())
            .filter_map(|head| head.kernel_index)
            .collect();
        let twins = letters
            .iter()
            .filter(|letter| letters.iter().filter(|other| other == letter).count() > 1);
        assert_eq!(shared.sharing, twins.count(), "layer {layer}");
        let chance = shared.chance;
        assert!(
            chance.low <= chance.median && chance.median <= chance.high,
            "{chance:?}"
        );
        assert!(chance.high <= shared.heads as f64, "{chance:?}");
        let words = shared_profile_words(&shared);
        assert!(
            words.contains(&format!("{} of {} heads", shared.sharing, shared.heads)),
            "{words}"
        );
    }
    // Scores by offset have no keys to turn.
    let session = MemorySession::default();
    open(&session, folder("t5"), ModelOptions::default()).expect("t5");
    let question = RandomProfiles {
        of,
        input,
        layer: 0,
    };
    assert_eq!(ask(&session, question).expect("an answer"), None);
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn random_matrices_are_orthogonal(size in 1..12_usize, seed: u64) {
        let turn = random_orthogonal(size, &mut Rng::with_seed(seed));
        let unit = turn.t().dot(&turn) - Array2::<f64>::eye(size);
        prop_assert!(unit.iter().all(|off| off.abs() < 1e-12));
        prop_assert_eq!(turn, random_orthogonal(size, &mut Rng::with_seed(seed)));
    }

    /// Against attention maps that are formed as a whole: over few positions, all queries count.
    #[test]
    fn random_traces_are_those_of_their_maps(n in 2..40_usize, r in 1..5_usize, seed: u64, causal: bool) {
        let mut rng = Rng::with_seed(seed);
        let (query, key) = (random(&mut rng, n, r), random(&mut rng, n, r));
        let scores = Scores::Product(LowRank::product(query.clone(), key.clone(), 0.25), None);
        let cells = if causal { AttentionMask::Causal } else { AttentionMask::Whole };
        let traces = random_traces(&scores, cells, seed).expect("a product").expect("numbers");
        prop_assert_eq!(traces.len(), RANDOM_HEADS);
        let mut rng = Rng::with_seed(seed);
        for trace in traces {
            let turn = random_orthogonal(r, &mut rng);
            let scores = query.mapv(f64::from).dot(&turn.t()).dot(&key.mapv(f64::from).t());
            let map = reference::softmax(&scores, causal);
            for (t, share) in trace.by_offset() {
                let slow = if t.unsigned_abs() < n as u64 { reference::offset_trace(&map, t) / n as f64 } else { 0.0 };
                prop_assert!((share - slow).abs() < 1e-5, "{}: {} {}", t, share, slow);
            }
        }
    }
}

/// The mean of the entries of uniform orthogonal matrices is 0 and that of their squares 1/size.
#[test]
fn random_matrices_prefer_no_direction() {
    let (size, draws) = (4, 4000);
    let mut rng = Rng::with_seed(3);
    let mut sums = Array2::<f64>::zeros((size, size));
    let mut squares = Array2::<f64>::zeros((size, size));
    for _ in 0..draws {
        let turn = random_orthogonal(size, &mut rng);
        squares += &turn.mapv(|value| value * value);
        sums += &turn;
    }
    let mean = |sum: &f64| sum / f64::from(draws);
    assert!(sums.iter().all(|sum| mean(sum).abs() < 0.03), "{sums}");
    let share = 1.0 / size as f64;
    assert!(squares.iter().all(|sum| (mean(sum) - share).abs() < 0.02));
}
