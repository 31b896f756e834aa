//! Sinks of heads: the question, its figure, and what they take from attention over a text.

use crate::support::questions::{FIRST, ask, forward_folder, open};
use diagonal::{
    analysis::{
        AttentionSinks, HeadSink, MemorySession, RunTexts, ScoreMode, SpecialTokenMode,
        TextHeadProfile, TextTokens, TextValues,
    },
    figure::{BarChart, Cursor, Figure, sink_bars},
    model::ModelOptions,
};

fn session(model: &str) -> MemorySession {
    let session = MemorySession::default();
    let opened = open(&session, forward_folder(model), ModelOptions::default()).expect(model);
    assert_eq!(opened.has_sinks, model == "gpt-oss");
    let mut titles = opened.notes.iter().map(|note| note.title.as_str());
    assert_eq!(titles.any(|title| title == "Sinks"), opened.has_sinks);
    session
}

/// Sinks of layers 1 and 3 compete with at most five keys, those of layer 2 with more and more.
#[test]
fn sinks_of_windows_keep_their_share() {
    let sinks = ask(
        &session("gpt-oss"),
        AttentionSinks {
            of: FIRST,
            input: ScoreMode::AsComputed.into(),
        },
    )
    .expect("sinks");
    let places: Vec<(usize, usize)> = sinks.iter().map(|sink| (sink.layer, sink.head)).collect();
    let expected: Vec<(usize, usize)> = (0..3)
        .flat_map(|layer| (0..4).map(move |head| (layer, head)))
        .collect();
    assert_eq!(places, expected);
    for sink in &sinks {
        assert_eq!(
            sink.sink,
            [-2.0, 0.5, 1.5, 4.0][sink.head] - 0.25 * sink.layer as f64
        );
        assert!(
            0.0 < sink.last && sink.last < sink.share && sink.share < sink.first,
            "{sink:?}"
        );
        let has_window = sink.layer != 1;
        assert_eq!(sink.keys == 5, has_window, "{sink:?}");
        assert_eq!(
            sink.last / sink.first > 0.1,
            has_window || sink.head == 3,
            "{sink:?}"
        );
    }
}

#[test]
fn models_without_sinks_have_a_sentence() {
    let failure = ask(
        &session("qwen2"),
        AttentionSinks {
            of: FIRST,
            input: ScoreMode::AsComputed.into(),
        },
    )
    .expect_err("no sinks");
    assert!(failure.to_string().contains("no sinks"), "{failure}");
}

/// Means of the attention along the diagonals, times their numbers of cells, lack the share of the sink: in the text and
/// in the profile from weights.
#[test]
fn profiles_over_texts_leave_a_share_to_the_sink() {
    let session = session("gpt-oss");
    let n = 11_u32;
    let run = RunTexts {
        of: FIRST,
        run: 1,
        texts: vec![TextTokens::plain((0..n).map(|at| 7 + 3 * at).collect())],
        stores_bytes: false,
    };
    ask(&session, run).expect("a run");
    for head in 0..4 {
        let question = |values| TextHeadProfile {
            of: FIRST,
            run: 1,
            layer: 1,
            head,
            values,
            special: SpecialTokenMode::Shown,
        };
        let [scores, attention] = [TextValues::Scores, TextValues::Attention]
            .map(|values| ask(&session, question(values)).expect("a profile"));
        let sum = |means: &[f64]| -> f64 {
            let means = attention.offsets.iter().zip(means);
            let means = means.filter(|(k, _)| **k <= 0);
            let sums = means.map(|(k, mean)| mean * (f64::from(n) - k.unsigned_abs() as f64));
            sums.sum::<f64>() / f64::from(n)
        };
        let of_text = sum(&attention.mean);
        assert!(of_text < 0.99, "head {head}: {of_text}");
        // By the definition, from the scores by offset.
        let f = scores.weights.expect("a profile from weights");
        let at = |k: usize| f[n as usize - 1 - k].exp();
        let sink = ([-2.0, 0.5, 1.5, 4.0][head] - 0.25_f64).exp();
        let shares = (0..n as usize).map(|i| {
            let total: f64 = (0..=i).map(at).sum();
            total / (total + sink)
        });
        let expected = shares.sum::<f64>() / f64::from(n);
        let found = sum(&attention.weights.expect("a profile from weights"));
        assert!(
            (found - expected).abs() < 1e-5,
            "head {head}: {found} {expected}"
        );
    }
}

/// Two layers of two heads.
fn heads() -> Vec<HeadSink> {
    let heads = [
        (0.5, 0.75, 0.25),
        (0.125, 0.5, 0.0625),
        (0.875, 0.96875, 0.8125),
        (0.25, 0.5, 0.125),
    ];
    let heads = heads
        .into_iter()
        .enumerate()
        .map(|(at, (share, first, last))| HeadSink {
            layer: at / 2,
            head: at % 2,
            sink: at as f64 - 1.5,
            share,
            first,
            last,
            keys: if at < 2 { 128 } else { 512 },
        });
    heads.rev().collect()
}

/// The figure, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let bars = sink_bars(&heads(), (0, 1)).expect("bars");
    vec![("attention-sinks", Box::new(bars), None)]
}

fn labels(chart: &BarChart) -> Vec<&str> {
    chart.rows.iter().map(|row| row.label.as_str()).collect()
}

#[test]
fn bars_are_the_heads_of_a_layer_and_the_means_of_all() {
    let chart = sink_bars(&heads(), (1, 0)).expect("bars");
    assert_eq!(labels(&chart), ["2.1", "2.2", "layer 1", "layer 2"]);
    assert_eq!(chart.rows[0].bars[0].value, 0.875);
    assert_eq!(chart.rows[2].bars[0].value, 0.3125);
    let csv = chart.table().csv();
    let rows: Vec<&str> = csv.lines().take(2).collect();
    let expected = [
        "layer,head,sink,share,first,last,keys",
        "1,1,-1.5,0.5,0.75,0.25,128",
    ];
    assert_eq!(rows, expected);
    assert!(
        chart.summary.contains("head 1 of layer 2"),
        "{}",
        chart.summary
    );
    // The open layer may have no sinks; the first is drawn then.
    let chart = sink_bars(&heads()[2..], (5, 0)).expect("bars");
    assert_eq!(labels(&chart), ["1.1", "1.2"]);
    assert!(sink_bars(&[], (0, 0)).is_none());
}
