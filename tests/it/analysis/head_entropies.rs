//! Entropies of heads equal those computed directly from all cells, and their bars show the open layer first.

use crate::support::questions::{FIRST, ask, folder, head_of_first, open, with_computed};
use diagonal::{
    analysis::{
        AttentionMask, HeadAttentionStats, HeadEntropies, HeadEntropy, HeadOverview, HeadTile,
        MemorySession, Origin, ScoreMode,
    },
    encoding::{Kernels, Sinusoidal},
    figure::{BarChart, Cursor, Figure, entropy_bars},
    math::Window,
    model::ModelOptions,
};

const MASKS: [AttentionMask; 2] = [AttentionMask::Whole, AttentionMask::Causal];

fn entropies(session: &MemorySession, mode: ScoreMode, cells: AttentionMask) -> Vec<HeadEntropy> {
    let question = HeadEntropies {
        of: FIRST,
        input: mode.into(),
        cells,
        layer: None,
    };
    ask(session, question).expect("entropies")
}

/// −Σ p·log₂ p of the softmax of each row in `f64`, averaged over the rows.
fn direct(scores: &[f32], n: usize, cells: AttentionMask) -> f64 {
    let row = |(i, row): (usize, &[f32])| -> f64 {
        let row = &row[..cells.visible_keys(i, n)];
        let high = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights = row.iter().map(|v| (f64::from(*v) - f64::from(high)).exp());
        let weights: Vec<f64> = weights.collect();
        let total: f64 = weights.iter().sum();
        let shares = weights.iter().map(|weight| weight / total);
        -shares
            .filter(|p| *p > 0.0)
            .map(|p| p * p.log2())
            .sum::<f64>()
    };
    scores.chunks_exact(n).enumerate().map(row).sum::<f64>() / n as f64
}

#[test]
fn entropies_are_those_of_all_cells() {
    // A table, biases by offset, windows of an image, a table on a grid.
    for model in ["bert", "t5", "swin", "vit"] {
        let session = MemorySession::default();
        open(&session, folder(model), ModelOptions::default()).expect(model);
        for mode in [ScoreMode::Paper, ScoreMode::AsComputed] {
            for cells in MASKS {
                let heads = entropies(&session, mode, cells);
                assert!(heads.len() > 1, "{model}");
                for HeadEntropy {
                    layer,
                    head,
                    entropy,
                    most,
                } in heads
                {
                    let of = head_of_first(mode, layer, head);
                    let n = ask(&session, HeadOverview { of })
                        .expect("a head")
                        .fit
                        .f
                        .n();
                    let window = Window::whole(n, n);
                    let limit = n;
                    let tile = HeadTile { of, window, limit };
                    let scores = ask(&session, tile).expect("scores").values;
                    let name = format!("{model}, {mode:?}, {cells:?}, {layer}.{head}");
                    let expected = direct(&scores, n, cells);
                    assert!(
                        (entropy - expected).abs() < 1e-4,
                        "{name}: {entropy}, {expected}"
                    );
                    let even = direct(&vec![0.0; n * n], n, cells);
                    assert!((most - even).abs() < 1e-9, "{name}: {most}, {even}");
                    assert!(entropy <= most + 1e-4, "{name}: {entropy} of {most}");
                }
            }
        }
    }
}

#[test]
fn a_layer_has_the_entropies_that_it_has_among_all() {
    let session = crate::support::questions::with_bert();
    let mode = ScoreMode::AsComputed;
    let all = entropies(&session, mode, AttentionMask::Whole);
    for layer in 0..2 {
        let question = HeadEntropies {
            of: FIRST,
            input: mode.into(),
            cells: AttentionMask::Whole,
            layer: Some(layer),
        };
        let heads = ask(&session, question).expect("entropies");
        let expected = all.iter().filter(|head| head.layer == layer);
        assert!(!heads.is_empty() && heads.iter().eq(expected));
    }
}

#[test]
fn entropies_are_those_of_the_kernels_view() {
    let session = crate::support::questions::with_bert();
    for cells in MASKS {
        for head in entropies(&session, ScoreMode::AsComputed, cells) {
            let of = head_of_first(ScoreMode::AsComputed, head.layer, head.head);
            let stats = HeadAttentionStats {
                of,
                kernels: Kernels::default(),
                n: usize::MAX,
                cells,
            };
            let stats = ask(&session, stats).expect("statistics");
            assert!((stats.entropy - head.entropy).abs() < 1e-6, "{head:?}");
        }
    }
}

#[test]
fn a_table_without_heads_has_no_entropies() {
    let session = with_computed(Origin::Sinusoidal(Sinusoidal::default()));
    let question = HeadEntropies {
        of: FIRST,
        input: ScoreMode::Paper.into(),
        cells: AttentionMask::Whole,
        layer: None,
    };
    let failure = ask(&session, question).expect_err("no heads");
    assert!(failure.to_string().contains("no heads"), "{failure}");
}

/// Two layers of three heads, in any order; one has no entropy.
fn heads() -> Vec<HeadEntropy> {
    let bits = [4.5, 0.75, 6.0, f64::NAN, 2.0, 5.25];
    let heads = bits
        .into_iter()
        .enumerate()
        .map(|(at, entropy)| HeadEntropy {
            layer: at / 3,
            head: at % 3,
            entropy,
            most: 7.0,
        });
    heads.rev().collect()
}

/// The figure, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let bars = entropy_bars(&heads(), (0, 1)).expect("bars");
    vec![("head-entropy", Box::new(bars), None)]
}

fn labels(chart: &BarChart) -> Vec<&str> {
    chart.rows.iter().map(|row| row.label.as_str()).collect()
}

#[test]
fn bars_are_the_open_layer_and_the_mean_of_each() {
    let chart = entropy_bars(&heads(), (1, 2)).expect("bars");
    assert_eq!(labels(&chart), ["2.1", "2.2", "2.3", "layer 1", "layer 2"]);
    let strong = chart.rows.iter().map(|row| row.strong);
    let strong: Vec<bool> = strong.collect();
    assert_eq!(strong, [false, false, true, false, true]);
    let means = chart.rows[3..].iter().map(|row| row.bars[0].value);
    assert_eq!(means.collect::<Vec<_>>(), [3.75, 3.625]);
    assert_eq!(chart.rows[3].note, "0.75 to 6.00");
    assert_eq!(chart.rows[0].bars[0].text, "–");
    assert_eq!(chart.rule.map(|(most, _)| most), Some(7.0));
    assert_eq!(
        chart.summary,
        "6 heads, mean entropy 3.70 bits. The least has head 2 of layer 1 with 0.75 of at most 7.00 bits, the most \
         head 3 of layer 1 with 6.00 of at most 7.00 bits."
    );
    let csv = chart.table().csv();
    let rows: Vec<&str> = csv.lines().take(3).collect();
    assert_eq!(rows, ["layer,head,entropy,most", "1,1,4.5,7", "1,2,0.75,7"]);
}

#[test]
fn bars_grow_while_layers_arrive() {
    assert!(entropy_bars(&[], (0, 0)).is_none());
    let first: Vec<HeadEntropy> = heads().into_iter().filter(|head| head.layer == 0).collect();
    // One layer alone has no means; a layer that has not arrived has no heads.
    let chart = entropy_bars(&first, (0, 0)).expect("bars");
    assert_eq!(labels(&chart), ["1.1", "1.2", "1.3"]);
    let chart = entropy_bars(&first, (1, 0)).expect("bars");
    assert_eq!(labels(&chart), ["layer 1"]);
    // A large model stays on a screen.
    let many = (0..32 * 32).map(|at| HeadEntropy {
        layer: at / 32,
        head: at % 32,
        entropy: 3.0,
        most: 9.0,
    });
    let many: Vec<HeadEntropy> = many.collect();
    let chart = entropy_bars(&many, (4, 4)).expect("bars");
    assert!(chart.rows.len() == 64 && chart.height(640.0) < 1100.0);
}
