//! Heads that rotate patches in every question about heads, and their map by rows and columns.

use crate::support::questions::{FIRST, ask, folder, head_of_first, open};
use diagonal::{
    analysis::{
        AttentionMask, BudgetSource, FitOptions, HeadEntropies, HeadFit, HeadList, HeadOverview,
        MemorySession, PositionBudgets, PositionOverview, RotaryFrequencies, ScoreMode, Similarity,
    },
    figure::{ColorMap, Figure, GridProfile, patch_rotation_caption},
    model::{ModelOptions, PositionKind},
};

fn session(model: &str, source: &str) -> MemorySession {
    let session = MemorySession::default();
    let choice = ModelOptions {
        source: Some(source.to_owned()),
        ..ModelOptions::default()
    };
    let opened = open(&session, folder(&format!("patch-heads/{model}")), choice).expect(model);
    assert_eq!(opened.kind, PositionKind::Patches, "{model}");
    session
}

#[test]
fn heads_have_scores_by_rows_and_columns() {
    for (model, source, heads, sentence) in [
        ("dinov3", "positions", 2, "(axial)"),
        ("qwen2-vl", "vision", 2, "(axial)"),
        ("timm-pe", "rotation", 1, "(axial)"),
        ("timm-mixed", "positions", 2, "(mixed)"),
    ] {
        let session = session(model, source);
        let list = HeadList {
            of: FIRST,
            input: ScoreMode::AsComputed.into(),
        };
        let list = ask(&session, list).expect(model);
        assert_eq!(list.len(), 2 * heads, "{model}");
        for head in &list {
            let r2 = head.r2_2d.expect("patches");
            assert!((r2 - 1.0).abs() < 1e-9, "{model}: {r2}");
            assert!(head.r2 < 1.0, "{model}: {}", head.r2);
        }
        let of = head_of_first(ScoreMode::Paper, 1, heads - 1);
        let detail = ask(&session, HeadOverview { of }).expect(model);
        let fit = detail.grid_fit.expect("patches");
        let caption = patch_rotation_caption(&fit);
        assert!(caption.contains(sentence), "{model}: {caption}");
        // The figure has a number for every step, and says which grid it is of.
        let figure = GridProfile::new(&fit, ColorMap::Hot, 0.0);
        let (rows, columns) = fit.grid.reach();
        let csv = figure.table().csv();
        assert_eq!(csv.lines().count(), rows * columns + 1, "{model}");
        assert!(csv.starts_with("dy,dx,mean,cells"), "{model}: {csv}");
        let grid = format!("{} by {} patches", fit.grid.height, fit.grid.width);
        assert!(figure.summary().contains(&grid), "{}", figure.summary());
    }
}

/// Scores can be fitted and attended with; words and tokens have no part in them.
#[test]
fn questions_about_heads_are_answered_and_others_say_why_not() {
    let session = session("dinov3", "positions");
    let entropies = HeadEntropies {
        of: FIRST,
        input: ScoreMode::Paper.into(),
        cells: AttentionMask::Whole,
        layer: None,
    };
    let entropies = ask(&session, entropies).expect("entropies");
    assert_eq!(entropies.len(), 4);
    let of = head_of_first(ScoreMode::Paper, 0, 1);
    let options = FitOptions::default();
    let fit = ask(&session, HeadFit { of, options }).expect("a fit");
    assert!(!fit.fits.is_empty());
    let overview = PositionOverview {
        of: FIRST,
        similarity: Similarity::Cosine,
    };
    assert!(ask(&session, overview).is_ok());
    let budgets = PositionBudgets {
        of: FIRST,
        cells: AttentionMask::Whole,
        source: BudgetSource::Words,
    };
    assert!(ask(&session, budgets).is_err());
    let frequencies = RotaryFrequencies {
        of: FIRST,
        measure: Default::default(),
        reads_all: false,
    };
    assert!(ask(&session, frequencies).is_err());
}

/// Pixtral's maps and norms have no biases, so that nothing is shared.
#[test]
fn models_without_a_shared_part_have_no_heads() {
    let session = MemorySession::default();
    let files = folder("patch-heads/pixtral");
    let opened = open(&session, files, ModelOptions::default()).expect("a model");
    assert_eq!(opened.kind, PositionKind::Patches);
    assert_eq!((opened.layers, opened.heads), (0, None));
    let session = self::session("qwen2-5-vl", "vision");
    let list = HeadList {
        of: FIRST,
        input: ScoreMode::Paper.into(),
    };
    // Here biases of queries and keys are all that is shared.
    let list = ask(&session, list).expect("heads");
    assert_eq!(list.len(), 4);
}
