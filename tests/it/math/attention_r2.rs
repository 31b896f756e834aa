//! R² of scores weighted by attention, against numpy, its slow twin, and its laws.

use crate::{
    analysis::golden_minilm,
    support::{
        models::data,
        questions::{FIRST, ask, folder, open},
    },
};
use diagonal::{
    analysis::{HeadAttentionR2, MemorySession, ScoreMode},
    math::{AttentionMask, LowRank, Profile, Scores, Toeplitz, attention_r2, reference},
    model::ModelOptions,
};
use ndarray::Array2;
use proptest::prelude::*;
use serde_json::Value;

fn scores(cells: &Array2<f32>) -> Scores {
    Scores::Product(
        LowRank::product(cells.clone(), Array2::eye(cells.nrows()), 0.0),
        None,
    )
}

#[test]
fn heads_have_the_numbers_of_numpy() {
    let text = std::fs::read(data("weighted-r2.json")).expect("golden numbers");
    let golden: Vec<Value> = serde_json::from_slice(&text).expect("json");
    for name in ["bert", "gpt2", "minilm-l6"] {
        let session = match name {
            "minilm-l6" => golden_minilm::open().0,
            _ => {
                let session = MemorySession::default();
                open(&session, folder(name), ModelOptions::default()).expect(name);
                session
            }
        };
        for (mode, mode_name) in [
            (ScoreMode::Paper, "paper"),
            (ScoreMode::AsComputed, "computed"),
        ] {
            for cells in [AttentionMask::Whole, AttentionMask::Causal] {
                let is_here = |head: &&Value| {
                    head["folder"] == name
                        && head["mode"] == mode_name
                        && head["causal"] == (cells == AttentionMask::Causal)
                };
                let golden: Vec<&Value> = golden.iter().filter(is_here).collect();
                if golden.is_empty() {
                    continue;
                }
                let question = HeadAttentionR2 {
                    of: FIRST,
                    input: mode.into(),
                    cells,
                };
                let heads = ask(&session, question).expect("heads");
                for head in golden {
                    let here = heads
                        .iter()
                        .find(|one| head["layer"] == one.layer && head["head"] == one.head);
                    let (r2, expected) =
                        (here.expect("the head").r2, head["r2"].as_f64().expect("r2"));
                    assert!((r2 - expected).abs() < 1e-5, "{head}: {r2}");
                }
            }
        }
    }
}

fn cells(n: usize) -> impl Strategy<Value = Array2<f32>> {
    let cells = proptest::collection::vec(-3.0_f32..3.0, n * n);
    cells.prop_map(move |cells| Array2::from_shape_vec((n, n), cells).expect("n × n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn it_is_that_of_the_slow_twin(cells in (3..9_usize).prop_flat_map(cells), causal: bool) {
        let mask = if causal { AttentionMask::Causal } else { AttentionMask::Whole };
        let slow = reference::attention_r2(&cells.mapv(f64::from), causal);
        let fast = attention_r2(&scores(&cells), mask);
        prop_assert!((slow - fast).abs() < 1e-5, "{slow} {fast}");
    }

    /// Softmax ignores a constant of a row, and so does this R².
    #[test]
    fn constants_of_rows_do_not_count(cells in cells(8), shifts in proptest::collection::vec(-4.0_f32..4.0, 8)) {
        let mut shifted = cells.clone();
        for (mut row, shift) in shifted.rows_mut().into_iter().zip(shifts) {
            row += shift;
        }
        let [a, b] = [&cells, &shifted].map(|cells| attention_r2(&scores(cells), AttentionMask::Whole));
        prop_assert!((a - b).abs() < 1e-4, "{a} {b}");
    }

    #[test]
    fn scores_by_offset_with_constants_of_rows_are_explained(
        f in proptest::collection::vec(-3.0_f32..3.0, 15),
        shifts in proptest::collection::vec(-4.0_f32..4.0, 8),
    ) {
        let cells = Array2::from_shape_fn((8, 8), |(i, j)| f[j + 7 - i] + shifts[i]);
        let r2 = attention_r2(&scores(&cells), AttentionMask::Whole);
        prop_assert!((r2 - 1.0).abs() < 1e-5, "{r2}");
    }
}

#[test]
fn equal_scores_and_numbers_that_are_none_have_no_r2() {
    let equal = Array2::from_elem((6, 6), 2.5);
    assert!(attention_r2(&scores(&equal), AttentionMask::Whole).is_nan());
    let mut broken = equal;
    broken[[2, 3]] = f32::NAN;
    assert!(attention_r2(&scores(&broken), AttentionMask::Whole).is_nan());
    let one = Array2::from_elem((1, 1), 1.0);
    assert!(attention_r2(&scores(&one), AttentionMask::Causal).is_nan());
    let tent = Toeplitz::new(Profile::from_fn(7, |k| -k.abs() as f64));
    let r2 = attention_r2(&Scores::Toeplitz(tent), AttentionMask::Causal);
    assert!((r2 - 1.0).abs() < 1e-6, "{r2}");
}
