//! Heads of rotary models in every question about heads, and their budgets of position and content.

use crate::support::questions::{FIRST, ask, forward_folder, head_of_first, hear, open};
use diagonal::{
    analysis::{
        AttentionMask, BudgetSource, FitOptions, HeadBudget, HeadDeviations, HeadEntropies,
        HeadFit, HeadList, HeadOverview, MemorySession, PositionBudgets, ScoreMode,
    },
    figure::{BarChart, Cursor, Figure, budget_bars},
    model::{HeadsSource, ModelOptions, PositionKind},
};

fn session(model: &str) -> MemorySession {
    let session = MemorySession::default();
    open(&session, forward_folder(model), ModelOptions::default()).expect(model);
    session
}

fn budgets(session: &MemorySession, cells: AttentionMask, source: BudgetSource) -> Vec<HeadBudget> {
    let of = FIRST;
    ask(session, PositionBudgets { of, cells, source }).expect("budgets")
}

/// Layers whose heads are shown: the first of all, and others by their biases.
#[test]
fn rotary_models_have_heads_where_weights_determine_them() {
    for (model, layers, heads) in [
        ("llama", 1, 4),
        ("llama-yarn", 1, 4),
        ("qwen2", 2, 4),
        ("qwen2-vl", 2, 2),
        ("qwen3", 1, 4),
        ("qwen3-vl", 1, 4),
        ("gemma3", 1, 4),
        ("gpt-neox", 2, 2),
        ("gpt-oss", 3, 4),
        ("modernbert", 1, 2),
        ("smollm3", 1, 2),
    ] {
        let session = MemorySession::default();
        let opened = open(&session, forward_folder(model), ModelOptions::default()).expect(model);
        assert_eq!(opened.kind, PositionKind::Rotary, "{model}");
        assert_eq!(opened.layers, layers, "{model}");
        let expected = Some((heads as u32, HeadsSource::Config));
        assert_eq!(opened.heads, expected, "{model}");
        let notes = opened.notes.iter().filter(|note| note.title == "Heads");
        let notes: Vec<&str> = notes.map(|note| note.text.as_str()).collect();
        assert_eq!(notes.len(), 1, "{model}");
        assert_eq!(
            notes[0].contains("view Text"),
            layers == 1,
            "{model}: {notes:?}"
        );
        let list = HeadList {
            of: FIRST,
            input: ScoreMode::AsComputed.into(),
        };
        let list = ask(&session, list).expect(model);
        assert_eq!(list.len(), layers * heads, "{model}");
        assert!(
            list.iter().all(|head| (head.r2 - 1.0).abs() < 1e-9),
            "{model}"
        );
    }
}

/// Scores by offset are the same in both ways to compute them, and can be fitted, compared and attended with.
#[test]
fn every_question_about_heads_is_answered() {
    let session = session("qwen2");
    for layer in 0..2 {
        let [paper, computed] = [ScoreMode::Paper, ScoreMode::AsComputed].map(|mode| {
            let of = head_of_first(mode, layer, 1);
            ask(&session, HeadOverview { of }).expect("a head")
        });
        assert_eq!(paper.fit.f, computed.fit.f);
        assert!(
            paper
                .fit
                .f
                .values()
                .iter()
                .any(|f| *f != paper.fit.f.values()[0])
        );
        let of = head_of_first(ScoreMode::Paper, layer, 1);
        let deviations = ask(&session, HeadDeviations { of }).expect("deviations");
        assert!(deviations.values().iter().all(|d| d.abs() < 1e-9));
    }
    let entropies = HeadEntropies {
        of: FIRST,
        input: ScoreMode::Paper.into(),
        cells: AttentionMask::Causal,
        layer: None,
    };
    assert_eq!(ask(&session, entropies).expect("entropies").len(), 8);
    let of = head_of_first(ScoreMode::Paper, 0, 0);
    let options = FitOptions::default();
    let fit = ask(&session, HeadFit { of, options }).expect("a fit");
    assert!(!fit.fits.is_empty());
}

#[test]
fn layers_that_depend_on_the_text_say_so() {
    let session = session("llama");
    let of = head_of_first(ScoreMode::AsComputed, 1, 0);
    let failure = ask(&session, HeadOverview { of }).expect_err("no such scores");
    assert!(
        failure.to_string().contains("view Text") || failure.to_string().contains("layer"),
        "{failure}"
    );
}

#[test]
fn budgets_add_up_in_every_head() {
    let cells = AttentionMask::Causal;
    for model in [
        "llama",
        "qwen3",
        "qwen3-vl",
        "gpt-neox",
        "modernbert",
        "smollm3",
    ] {
        let session = session(model);
        let words = budgets(&session, cells, BudgetSource::Words);
        assert!(words.iter().all(|head| head.layer == 0), "{model}");
        assert!(
            words
                .iter()
                .all(|head| head.words.0 == head.words.1 && head.words.0 > 0)
        );
        let weights = budgets(&session, cells, BudgetSource::Weights);
        let layers = weights.iter().map(|head| head.layer).max();
        assert!(layers >= Some(1), "{model}");
        for head in words.iter().chain(&weights) {
            let sum: f64 = head.shares.iter().sum();
            assert!((sum - 1.0).abs() < 1e-9, "{model}: {head:?}");
            assert!(
                head.shares.iter().all(|share| *share >= -1e-12),
                "{model}: {head:?}"
            );
        }
        assert!(weights.iter().all(|head| head.shares[0] == 0.0), "{model}");
        assert!(words.iter().any(|head| head.shares[2] > 1e-6), "{model}");
    }
}

/// A causal mask counts other offsets than the whole matrix.
#[test]
fn budgets_depend_on_the_offsets_that_count() {
    let session = session("llama");
    let [whole, causal] = [AttentionMask::Whole, AttentionMask::Causal]
        .map(|cells| budgets(&session, cells, BudgetSource::Words));
    assert_ne!(whole, causal);
}

#[test]
fn models_without_rotation_have_no_budget() {
    let session = MemorySession::default();
    open(
        &session,
        crate::support::questions::folder("bert"),
        ModelOptions::default(),
    )
    .expect("bert");
    let question = PositionBudgets {
        of: FIRST,
        cells: AttentionMask::Whole,
        source: BudgetSource::Words,
    };
    let failure = hear(&session, question, Vec::new())
        .answer()
        .expect_err("no budget");
    assert!(failure.to_string().contains("rotary"), "{failure}");
}

/// Two layers of two heads; one does not vary.
fn heads() -> Vec<HeadBudget> {
    let shares = [
        [0.25, 0.5, 0.25],
        [0.0, 1.0, 0.0],
        [f64::NAN; 3],
        [0.75, 0.125, 0.125],
    ];
    let heads = shares
        .into_iter()
        .enumerate()
        .map(|(at, shares)| HeadBudget {
            layer: at / 2,
            head: at % 2,
            shares,
            words: (40, 40),
        });
    heads.rev().collect()
}

/// The figure, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let bars = budget_bars(&heads(), BudgetSource::Words, (0, 1)).expect("bars");
    vec![("position-budget", Box::new(bars), None)]
}

fn labels(chart: &BarChart) -> Vec<&str> {
    chart.rows.iter().map(|row| row.label.as_str()).collect()
}

#[test]
fn bars_are_the_heads_of_a_layer_and_the_means_of_all() {
    let chart = budget_bars(&heads(), BudgetSource::Words, (1, 1)).expect("bars");
    assert_eq!(labels(&chart), ["2.1", "2.2", "layer 1", "layer 2"]);
    assert_eq!(chart.rows[0].bars[0].text, "–");
    assert_eq!(chart.rows[2].bars[1].value, 0.75);
    assert_eq!(chart.rows[3].bars[0].value, 0.75);
    let csv = chart.table().csv();
    let rows: Vec<&str> = csv.lines().take(2).collect();
    let expected = [
        "layer,head,position,content,both,source",
        "1,1,0.25,0.5,0.25,words",
    ];
    assert_eq!(rows, expected);
    assert!(
        chart.summary.contains("head 2 of layer 2"),
        "{}",
        chart.summary
    );
    // The open layer may have no budget; the first is shown then.
    let first: Vec<HeadBudget> = heads().into_iter().filter(|head| head.layer == 0).collect();
    let chart = budget_bars(&first, BudgetSource::Words, (5, 0)).expect("bars");
    assert_eq!(labels(&chart), ["1.1", "1.2"]);
    assert!(budget_bars(&[], BudgetSource::Words, (0, 0)).is_none());
}
