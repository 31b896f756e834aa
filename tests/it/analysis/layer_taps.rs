//! Layers as convolutions along the positions, against golden numbers.

use crate::{
    analysis::golden_minilm,
    checkpoint::hostile::assert_is_sentence,
    support::{
        models::data,
        questions::{FIRST, ask, folder, forward_folder, open},
    },
};
use diagonal::{
    analysis::{ConvolutionTap, LayerConvolution, LayerTaps, MemorySession},
    figure::{Cursor, Figure, layer_taps},
    math::AttentionMask,
    model::ModelOptions,
};
use serde_json::Value;

fn taps(session: &MemorySession, layer: usize, cells: AttentionMask) -> LayerTaps {
    let of = FIRST;
    let taps = ask(session, LayerConvolution { of, layer, cells });
    taps.expect("an answer").expect("taps")
}

fn session(name: &str) -> MemorySession {
    let session = MemorySession::default();
    open(&session, folder(name), ModelOptions::default()).expect(name);
    session
}

#[test]
fn taps_are_the_norms_of_the_matrices_that_numpy_forms() {
    let text = std::fs::read(data("layer-taps.json")).expect("golden numbers");
    let layers: Vec<Value> = serde_json::from_slice(&text).expect("json");
    for golden in layers {
        let name = golden["folder"].as_str().expect("a folder");
        let layer = golden["layer"].as_u64().expect("a layer") as usize;
        let cells = match golden["causal"].as_bool() {
            Some(true) => AttentionMask::Causal,
            _ => AttentionMask::Whole,
        };
        let answer = taps(&session(name), layer, cells);
        let norms = golden["norms"].as_array().expect("norms");
        for (at, (offset, expected)) in (-3..).zip(norms).enumerate() {
            let tap = answer.taps.iter().find(|tap| tap.offset == offset);
            let tap = tap.expect("a tap");
            let expected = expected.as_f64().expect("a norm");
            let is_near = (tap.norm - expected).abs() < 1e-5 * expected.max(1e-3);
            assert!(is_near, "{name} {layer} {offset}: {} {expected}", tap.norm);
            for (head, share) in tap.shares.iter().enumerate() {
                let expected = golden["shares"][at][head].as_f64().expect("a share");
                assert!(
                    (share - expected).abs() < 1e-4,
                    "{name}: {share} {expected}"
                );
            }
            let total: f64 = tap.shares.iter().sum();
            assert!((total - 1.0).abs() < 1e-9, "{total}");
        }
    }
}

/// Also models with shared layers, with a bias by offset, and with rotation, where heads may share keys and values.
#[test]
fn other_families_have_taps() {
    for name in ["albert", "opt", "t5", "qwen2", "modernbert"] {
        let question = LayerConvolution {
            of: FIRST,
            layer: 0,
            cells: AttentionMask::Whole,
        };
        let session = MemorySession::default();
        open(&session, forward_folder(name), ModelOptions::default()).expect(name);
        let answer = ask(&session, question).expect(name).expect(name);
        assert!(answer.taps.iter().all(|tap| tap.norm > 0.0), "{name}");
        assert!(answer.head_norms.iter().all(|norm| *norm > 0.0), "{name}");
    }
}

#[test]
fn files_without_values_are_refused_in_a_sentence() {
    let (preset, _) = golden_minilm::open();
    let question = LayerConvolution {
        of: FIRST,
        layer: 0,
        cells: AttentionMask::Whole,
    };
    let refusal = ask(&preset, question.clone()).expect("an answer");
    assert_is_sentence(&refusal.expect_err("no values"));
    let beyond = LayerConvolution {
        layer: 40,
        ..question
    };
    match ask(&session("bert"), beyond) {
        Ok(answer) => assert_is_sentence(&answer.expect_err("no layer")),
        Err(failure) => assert_is_sentence(&failure.to_string()),
    }
}

/// The figure, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let tap = |offset: i64| {
        let attention = vec![0.5 / (1.0 + (offset + 1).abs() as f64), 0.125];
        ConvolutionTap {
            offset,
            norm: attention[0] * 4.0 + 0.25,
            shares: vec![0.75, 0.25],
            attention,
        }
    };
    let layer = LayerTaps {
        layer: 0,
        taps: (-8..=8).map(tap).collect(),
        head_norms: vec![4.0, 2.0],
    };
    let figure = layer_taps(&layer).expect("taps");
    vec![(
        "layer-convolution",
        Box::new(figure),
        Some(Cursor::Offset(-1)),
    )]
}

#[test]
fn the_summary_names_the_greatest_tap_and_its_head() {
    let [(_, figure, _)]: [_; 1] = pictures().try_into().ok().expect("one figure");
    let summary = figure.summary();
    assert!(
        summary.contains("norm 2.25 at offset −1; head 1 has 75.0 %"),
        "{summary}"
    );
}
