//! Labels on sheets: axes, colours, notes, and values beyond the colours.

use super::{matrix, sheet_of, texts, with_outliers, words};
use crate::support::spec;
use diagonal::{
    export::{FigureLabels, LabelContext, SheetWidth},
    figure::{ColorMap, Figure, Heatmap, Mark, Scene, number},
    figure_spec::LabelScope,
    math::AttentionMask,
    model::PositionKind,
    url_state::{FigureId, Link},
};
use proptest::prelude::*;
use std::sync::Arc;

#[test]
fn scores_by_offset_have_no_two_ways_to_be_computed() {
    let notes = |kind, query| {
        let (link, _) = Link::parse(query);
        let words = FigureLabels::new(LabelContext {
            figure: spec("head-matrix"),
            link: &link,
            cells: AttentionMask::Whole,
            kind,
            text_tokens: None,
        });
        words.notes.concat()
    };
    let (paper, computed) = ("?view=heads", "?view=heads&mode=computed");
    let table = PositionKind::Table;
    assert_ne!(notes(table, paper), notes(table, computed));
    for kind in [
        PositionKind::Line,
        PositionKind::Window,
        PositionKind::Rotary,
    ] {
        assert_eq!(notes(kind, paper), notes(kind, computed));
        assert!(notes(kind, computed).contains("by offset alone"));
    }
}

/// Pictures of heads over a text say over how many tokens, whether or not another note describes the scores.
#[test]
fn pictures_over_a_text_say_how_many_tokens() {
    let notes = |figure: &str, query: &str, text_tokens: Option<usize>| {
        let (link, _) = Link::parse(query);
        let words = FigureLabels::new(LabelContext {
            figure: spec(figure),
            link: &link,
            cells: AttentionMask::Whole,
            kind: PositionKind::Rotary,
            text_tokens,
        });
        words.notes.concat()
    };
    for (figure, view) in [
        ("head-grid", "heads"),
        ("head-matrix", "heads"),
        ("head-entropy", "heads"),
        ("attention-sinks", "heads"),
        ("position-budget", "heads"),
        ("fit-residual", "kernels"),
        ("added-scores", "kernels"),
    ] {
        let query = format!("?view={view}&centres=text");
        let words = notes(figure, &query, Some(8));
        assert_eq!(
            words.matches("over 8 tokens of a text").count(),
            1,
            "{figure}: {words}"
        );
        assert!(notes(figure, &query, Some(1)).contains("over one token of a text"));
        let unknown = notes(figure, &query, None);
        assert!(
            unknown.contains("over the tokens of a text"),
            "{figure}: {unknown}"
        );
        let from_weights = notes(figure, &format!("?view={view}"), None);
        assert!(
            !from_weights.contains("of a text"),
            "{figure}: {from_weights}"
        );
    }
    let weights = notes(
        "position-budget",
        "?view=heads&centres=text&budget=weights",
        Some(8),
    );
    assert!(!weights.contains("of a text"), "{weights}");
}

#[test]
fn a_sheet_names_the_model_the_axes_and_the_colours() {
    let words = words(
        "position-matrix",
        "?view=positions&compare=cosine&part=residual",
    );
    for width in [SheetWidth::Column, SheetWidth::Page] {
        let scene = sheet_of(&matrix().of_positions(), &words, width);
        let labels = texts(&scene);
        for expected in [
            "How alike are two positions?",
            "minilm-l6, 512 positions, width 384",
            "position i",
            "position j",
            "Colour: cosine of two positions; minus its diagonal mean.",
        ] {
            assert!(labels.contains(&expected), "{expected}: {labels:?}");
        }
        // All text is outlines.
        let is_text = |mark: &&Mark| matches!(mark, Mark::Text { .. });
        assert_eq!(scene.marks.iter().find(is_text), None);
    }
}

/// Figures that need no title or caption: tables, bars with labels, axes that are named on the page, too.
const SAY_IT_THEMSELVES: [FigureId; 10] = [
    FigureId::PositionBudget,
    FigureId::FitCurve,
    FigureId::ParameterCount,
    FigureId::Phasors,
    FigureId::Criteria,
    FigureId::Permutation,
    FigureId::ModelScores,
    FigureId::R2Performance,
    FigureId::TrainingCurves,
    FigureId::TrainingLengths,
];

#[test]
fn every_figure_has_its_words() {
    for figure in FigureId::ALL {
        let has_some = words(figure.id(), "") != FigureLabels::default();
        let needs_none = SAY_IT_THEMSELVES.contains(figure);
        assert!(has_some != needs_none, "{figure:?}");
    }
    let scope = |figure, query| spec(figure).scope.in_link(&Link::parse(query).0);
    assert_eq!(scope("position-matrix", ""), LabelScope::Model);
    assert_eq!(scope("head-profile", ""), LabelScope::Head);
    assert_eq!(scope("kernel-attention", ""), LabelScope::Kernels);
    assert_eq!(scope("criteria", ""), LabelScope::Itself);
    assert_eq!(scope("added-attention", ""), LabelScope::Head);
    assert_eq!(scope("flat-lines", ""), LabelScope::Sinusoid);
}

/// Texts of a scene with the height of their baselines. [`crate::figure::text_boxes`] tests that texts do not overlap.
fn texts_by_height(scene: &Scene) -> Vec<(String, f64)> {
    let of_mark = |mark: &Mark| match mark {
        Mark::Text { text, at, .. } => Some((text.clone(), at.1)),
        _ => None,
    };
    scene.marks.iter().filter_map(of_mark).collect()
}

proptest! {
    /// Values beyond the colour range are mentioned at every width, however long their numbers are.
    #[test]
    fn the_true_range_is_never_dropped(
        width in 220.0..900.0_f64,
        sizes in (-6..7_i32, -6..7_i32),
        mantissas in (1.0..9.99_f32, 1.0..9.99_f32),
        is_attention in any::<bool>(),
        step in 1..3_usize,
        is_small in any::<bool>(),
    ) {
        let low = -mantissas.0 * 10_f32.powi(sizes.0);
        let high = mantissas.1 * 10_f32.powi(sizes.1);
        let cells = (step > 1 && is_small).then_some((2.0 * low, 2.0 * high));
        let mut matrix = with_outliers(low, high, step, cells);
        if is_attention {
            let tile = Arc::new(matrix.tile().clone());
            matrix = Heatmap::attention(tile, ColorMap::Viridis, 40, AttentionMask::Causal);
        }
        let matrix = if is_small { matrix.small(true) } else { matrix };
        let scene = matrix.scene(width);
        let bottom = matrix.frame(width).bottom();
        let under: Vec<_> = texts_by_height(&scene).into_iter().filter(|(_, y)| *y > bottom + 24.0).collect();
        let labels = under.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(" ");
        let range = matrix.range();
        let (low, high) = cells.map_or(range.values, |(low, high)| (low.into(), high.into()));
        for (limit, value, is_beyond) in [
            (range.ends.0, low, range.values.0 < range.ends.0),
            (range.ends.1, high, range.values.1 > range.ends.1),
        ] {
            prop_assert!(labels.contains(&number(limit)), "{labels} lacks {limit}");
            if is_beyond && number(limit) != number(value) {
                prop_assert!(labels.contains(&number(value)), "{labels} lacks {value}");
            }
        }
        prop_assert!(under.iter().all(|(_, y)| y + 6.0 <= scene.height + 1.0), "{labels}");
    }
}

#[test]
fn a_saved_matrix_says_what_lies_beyond_its_colours() {
    for width in [SheetWidth::Column, SheetWidth::Page] {
        let matrix = with_outliers(-0.0391, 0.199, 1, None);
        let scene = sheet_of(&matrix, &FigureLabels::default(), width);
        let labels = texts(&scene).join(" ");
        let clipped = matrix.range().ends.1;
        assert!(
            clipped < 0.1 && labels.contains(&number(clipped)),
            "{labels}"
        );
        assert!(
            labels.contains("−0.0391") && labels.contains("0.199"),
            "{labels}"
        );
    }
}
