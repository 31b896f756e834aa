//! Scores by offset against golden numbers; the rules from an offset to a row are written out here.

use diagonal::{
    encoding::{Buckets, RelativeRows, WindowBias},
    math::{Grid, Scores},
    model::{LayerScores, OffsetRows, PositionSource},
};
use ndarray::Array2;
use pollster::block_on;
use serde_json::Value;

use super::model_golden::{json, source};
use crate::support::models::ModelVersion;

/// Stored scores of a layer, one column per head.
fn stored((checkpoint, model): &ModelVersion, layer: usize) -> Array2<f32> {
    match block_on(model.read_offset_scores(checkpoint, layer, None)).expect("a bias") {
        LayerScores::Buckets(_, _, columns) | LayerScores::Window(_, columns) => columns,
        _ => panic!("{} is stored", model.family),
    }
}

fn positions(opened: &ModelVersion) -> PositionSource {
    opened.1.positions.clone()
}

/// T5's buckets: half of them hold one distance each, the others grow logarithmically up to `most`.
fn bucket(k: i64, count: usize, most: f64, bidirectional: bool) -> usize {
    let (count, first) = match (bidirectional, k > 0) {
        (true, true) => (count / 2, count / 2),
        (true, false) => (count / 2, 0),
        (false, _) => (count, 0),
    };
    let distance = if bidirectional { k.abs() } else { (-k).max(0) } as usize;
    let near = count / 2;
    if distance < near {
        return first + distance;
    }
    let log = (distance as f64 / near as f64).ln() / (most / near as f64).ln();
    // A small addition, for values that are integers in exact arithmetic.
    let far = near + (log * (count - near) as f64 + 1e-9) as usize;
    first + far.min(count - 1)
}

/// Compares `score` of every head and offset with lists of numbers; offsets begin at `first`.
fn offsets_hold(golden: &Value, first: i64, score: impl Fn(usize, i64) -> f64) -> f64 {
    let heads = golden.as_array().expect("heads");
    let mut worst = 0.0_f64;
    for (head, golden) in heads.iter().enumerate() {
        let golden: Vec<f64> = golden
            .as_array()
            .expect("offsets")
            .iter()
            .filter_map(Value::as_f64)
            .collect();
        let range = golden.iter().fold(f64::MIN, |a, b| a.max(*b))
            - golden.iter().fold(f64::MAX, |a, b| a.min(*b));
        for (k, golden) in (first..).zip(&golden) {
            let off = (score(head, k) - golden).abs() / range;
            assert!(
                off < 1e-5,
                "head {head}, k = {k}: off by {off:.1e} of the range"
            );
            worst = worst.max(off);
        }
    }
    worst
}

#[test]
fn t5_adds_a_score_by_bucket() {
    let golden = json("t5/golden.json");
    for (half, bidirectional) in [("encoder", true), ("decoder", false)] {
        let opened = source("t5", half);
        let buckets = Buckets::new(32, 128, bidirectional).expect("buckets");
        let expected = PositionSource::ByOffset(OffsetRows::Buckets(buckets), 128);
        assert_eq!(positions(&opened), expected);
        assert_eq!(
            (opened.1.heads.count, opened.1.layers, opened.1.is_scaled()),
            (4, 1, false)
        );
        let bias = stored(&opened, 0);
        let off = offsets_hold(&golden[format!("{half}_bias")], -39, |head, k| {
            bias[[bucket(k, 32, 128.0, bidirectional), head]].into()
        });
        println!("t5, {half}: off by {off:.1e}");
    }
}

#[test]
fn mpnet_adds_a_score_by_bucket() {
    let golden = &json("mpnet/golden.json")["relative_heads"]["bias"]["layer0"];
    let opened = source("mpnet", "bias");
    let bias = stored(&opened, 0);
    let off = offsets_hold(golden, -139, |head, k| {
        bias[[bucket(k, 32, 128.0, true), head]].into()
    });
    println!("mpnet: off by {off:.1e}");
}

/// Compares a window's table with numbers by head, Δy and Δx (key minus query); rows are indexed by query minus key.
fn window_holds(golden: &Value, bias: &Array2<f32>, side: i64) -> f64 {
    let wide = 2 * side - 1;
    let mut worst = 0.0_f64;
    for (head, plane) in golden.as_array().expect("heads").iter().enumerate() {
        for (dy, line) in (1 - side..side).zip(plane.as_array().expect("rows")) {
            worst = worst.max(offsets_hold(
                &Value::Array(vec![line.clone()]),
                1 - side,
                |_, dx| {
                    let row = (side - 1 - dy) * wide + (side - 1 - dx);
                    bias[[row as usize, head]].into()
                },
            ));
        }
    }
    worst
}

#[test]
fn swin_adds_a_score_by_offset_in_a_window() {
    let golden = json("swin/golden.json");
    let opened = source("swin", "stage-1");
    let expected = PositionSource::ByGridOffset(WindowBias {
        grid: Grid {
            height: 7,
            width: 7,
        },
        has_class: false,
    });
    assert_eq!(positions(&opened), expected);
    assert_eq!((opened.1.heads.count, opened.1.layers), (2, 2));
    let off = window_holds(&golden["bias_by_key_minus_query"], &stored(&opened, 0), 7);
    println!("swin: off by {off:.1e}");
    let second = source("swin", "stage-2");
    assert_eq!((second.1.heads.count, second.1.layers), (4, 2));
    assert_ne!(stored(&opened, 0), stored(&opened, 1));
}

#[test]
fn beit_adds_a_score_by_offset_and_has_three_for_the_class_token() {
    for (folder, id, layers) in [("beit", "positions", 2), ("beit-shared", "bias", 1)] {
        let golden = &json(&format!("{folder}/golden.json"))["relative_heads"][id];
        let opened = source(folder, id);
        let expected = PositionSource::ByGridOffset(WindowBias {
            grid: Grid {
                height: 6,
                width: 6,
            },
            has_class: true,
        });
        assert_eq!(positions(&opened), expected);
        assert_eq!((opened.1.heads.count, opened.1.layers), (4, layers));
        let bias = stored(&opened, 0);
        let off = window_holds(&golden["layer0"], &bias, 6);
        for (row, key) in [
            (121, "class_to_patches"),
            (122, "patches_to_class"),
            (123, "class_to_class"),
        ] {
            let column = Value::Array((0..4).map(|head| golden[key][head].clone()).collect());
            offsets_hold(&Value::Array(vec![column]), 0, |_, head| {
                bias[[row, head as usize]].into()
            });
        }
        println!("{folder}: off by {off:.1e}");
    }
}

#[test]
fn debertas_distances_meet_words() {
    type Rule = (&'static str, i64, Option<u32>, fn(i64) -> i64);
    // Version 1: one row per distance, the far ones in the outermost rows. Version 2: buckets.
    let first = |distance: i64| distance.clamp(-24, 23);
    let second = |distance: i64| {
        let (near, most) = (4.0, 64.0_f64);
        let far = distance.abs() as f64;
        let bucket = if far <= near {
            far
        } else {
            near + ((far / near).ln() / ((most - 1.0) / near).ln() * (near - 1.0)).ceil()
        };
        (bucket as i64 * distance.signum()).clamp(-8, 7)
    };
    let rules: [Rule; 2] = [
        ("deberta", 24, None, first),
        ("deberta-v2", 8, Some(64), second),
    ];
    for (folder, span, max_distance, rule) in rules {
        let (checkpoint, model) = source(folder, "positions");
        let rows = match max_distance {
            Some(most) => RelativeRows::new(most as usize, Some(span as usize)),
            None => RelativeRows::new(span as usize, None),
        };
        let expected = OffsetRows::Distances(rows.expect("rows"));
        assert_eq!(model.positions, PositionSource::ByOffset(expected, 128));
        assert_eq!((model.heads.count, model.layers), (4, 2));
        assert!(
            block_on(model.read_offset_scores(&checkpoint, 0, None)).is_err(),
            "it needs words"
        );
        let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
        let layer = block_on(model.read_offset_scores(&checkpoint, 0, Some(&inputs)));
        let layer = layer.expect("a layer");
        let LayerScores::Distances(_, _, scores) = &layer else {
            panic!("{folder} has distances");
        };
        let (Some(c2p), Some(p2c)) = (&scores.c2p, &scores.p2c) else {
            panic!("{folder} has both kinds");
        };
        let golden =
            &json(&format!("{folder}/golden.json"))["relative_heads"]["positions"]["layer0"];
        let off = offsets_hold(golden, -47, |head, k| {
            let row = (span + rule(-k)) as usize;
            let score = f64::from(c2p[[row, head]]) + f64::from(p2c[[row, head]]);
            let Scores::Toeplitz(f) = layer.head(head) else {
                panic!("{folder} depends on offsets alone");
            };
            assert_eq!(f.at(k), Some(score), "{folder}, head {head}, k = {k}");
            score
        });
        println!("{folder}: off by {off:.1e}");
    }
}
