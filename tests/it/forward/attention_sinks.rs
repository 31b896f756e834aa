//! Shares of sinks by the scores of mean words, and attention with sinks, against the library of gpt-oss and by their
//! definition.

use super::{no_pause, open_pass, text};
use crate::support::models::data;
use diagonal::{
    forward::LayerAttention,
    math::{AttentionMask, sink_shares},
};
use ndarray::Axis;
use pollster::block_on;
use std::collections::BTreeMap;

#[test]
fn shares_of_mean_words_are_those_of_the_library() {
    let golden = std::fs::read_to_string(data("attention-sinks.json")).expect("a file");
    let golden: BTreeMap<String, Vec<Vec<Vec<f64>>>> =
        serde_json::from_str(&golden).expect("numbers");
    assert_eq!(golden.keys().collect::<Vec<_>>(), ["gpt-oss"]);
    for (folder, layers) in golden {
        let (file, pass) = open_pass(&folder, None);
        let mut windows = Vec::new();
        for (layer, heads) in layers.iter().enumerate() {
            let sinks = block_on(pass.read_sinks(&file, layer, &no_pause));
            let sinks = sinks.expect("they are read").expect("sinks");
            assert_eq!(sinks.scores.len(), heads.len());
            assert_eq!(sinks.mask, AttentionMask::Causal);
            windows.push(sinks.reach);
            let centers = pass.read_centers(&file, layer, true, |_, _| {}, &no_pause);
            let (rotary, centers) = block_on(centers).expect("centres");
            let n = heads[0].len();
            let scores = rotary.scores(&centers, n, true);
            for (head, (scores, golden)) in scores.iter().zip(heads).enumerate() {
                let sink = f64::from(sinks.scores[head]);
                let found = sink_shares(&scores.scores(n), sinks.mask, sinks.reach, sink);
                for (i, (found, golden)) in found.iter().zip(golden).enumerate() {
                    assert!(
                        (found - golden).abs() < 1e-5,
                        "layer {layer}, head {head}, query {i}: {found} for {golden}"
                    );
                }
            }
        }
        assert_eq!(windows, [Some(4), None, Some(4)]);
    }
}

/// A row of attention lacks the share that e^s has in the sum.
#[test]
fn attention_to_keys_and_sink_adds_up_to_one() {
    let (file, pass) = open_pass("gpt-oss", None);
    let weights = block_on(pass.read_scores(&file, 0, &no_pause)).expect("weights");
    let sinks = weights.sinks.clone().expect("sinks");
    let embedding = block_on(pass.embed(&file, &[text(9, 2)], &no_pause)).expect("an embedding");
    let states = embedding.states();
    let attention = LayerAttention::new(&weights, states.text(0));
    for (head, sink) in sinks.iter().enumerate() {
        let rows = attention.attention(head, 0..9);
        let scores = attention.scores(head, 0..9);
        for (i, sum) in rows.sum_axis(Axis(1)).into_iter().enumerate() {
            let keys = attention.visible_keys(i);
            let of_keys: f64 = keys.map(|j| f64::from(scores[(i, j)]).exp()).sum();
            let expected = of_keys / (of_keys + f64::from(*sink).exp());
            assert!((f64::from(sum) - expected).abs() < 1e-6, "{head}, {i}");
        }
        // The same for the head alone.
        let alone = weights.select_head(head).expect("a head");
        let alone = LayerAttention::new(&alone, states.text(0));
        let apart = (&alone.attention(0, 0..9) - &rows).mapv(f32::abs);
        assert!(apart.iter().all(|apart| *apart < 1e-6), "{head}");
    }
}

#[test]
fn other_models_have_no_sinks() {
    let (file, pass) = open_pass("qwen2", None);
    let sinks = block_on(pass.read_sinks(&file, 1, &no_pause)).expect("nothing to read");
    assert_eq!(sinks, None);
}
