//! Comparison of models: CSV columns, scaling, and captions.

use super::pictures::tile;
use crate::analysis::snapshots::brief;
use diagonal::{
    analysis::{Brief, HeadR2, HeadSummary, Scope, Similarity, WeightedHeadR2},
    figure::{
        ColorBar, ColorMap, ColourScale, Cursor, Figure, Heatmap, Mark, Plot, Share, ValueRange,
        model_comparison::{self, ComparedModel, WithHeads},
        training_timeline::{RunPoint, SnapshotScores, training},
    },
    math::{Autocorrelation, OffsetR2, Profile, ToeplitzFit, Window},
};
use proptest::prelude::*;
use std::sync::Arc;

/// A model of n positions with a piecewise linear tent as its profile.
pub(super) fn model(number: usize, name: &str, n: i64) -> ComparedModel {
    let size = number as f64;
    let scope = |name: &str, rows: i64, all| Scope {
        name: name.into(),
        rows: rows as usize,
        r2: OffsetR2::from_numbers(all, all / 2.0),
        random: Some(OffsetR2::from_numbers(0.5, 0.125)),
    };
    ComparedModel {
        number,
        name: name.into(),
        brief: Arc::new(Brief {
            fit: ToeplitzFit {
                f: Profile::from_fn(n as usize, |k| size * (4.0 - k.abs() as f64 / 8.0)),
                mean: size,
                r2: 0.0625 * size,
            },
            scopes: vec![
                scope("whole", n, 0.0625 * size),
                scope("leading-32", n.min(32), 0.75),
                scope("leading-24", n.min(24), 0.5),
                scope("window-12-23", 12, 0.25),
            ],
            tile: tile(Window::whole(n as usize, n as usize), 1, |i, j| {
                size as f32 * (8.0 - i.abs_diff(j) as f32)
            }),
            autocorrelation: Ok({
                let lags = |share: f64| (0..n).map(|lag| share / (1 + lag) as f64).collect();
                Autocorrelation {
                    mean: lags(1.0),
                    low: lags(0.7),
                    high: lags(1.2),
                }
            }),
        }),
    }
}

fn models() -> Vec<ComparedModel> {
    vec![
        model(1, "minilm-l6", 48),
        model(
            2,
            "a name that is far too long for any column-checkpoint-1000",
            64,
        ),
        model(3, "<b>, \"c\"", 32),
        model(11, "dashed", 48),
    ]
}

fn head(layer: usize, head: usize, r2: f64) -> HeadSummary {
    HeadSummary {
        layer,
        head,
        r2,
        causal_r2: r2 / 2.0,
        r2_2d: None,
        softmax_r2: None,
        peak_offset: -1,
        causal_peak_offset: -1,
        thumbnail: tile(Window::whole(2, 2), 1, |_, _| 0.0),
    }
}

fn performances(models: &[ComparedModel]) -> Plot {
    let typed = [80.0, 82.5, 85.0, 90.0];
    let pairs: Vec<_> = models.iter().zip(typed).collect();
    model_comparison::performance(&pairs).expect("a figure").0
}

/// Two versions of two models.
fn versions() -> Plot {
    let models = [
        model(1, "albert-base-v1", 48),
        model(2, "albert-base-v2", 48),
        model(3, "albert-large-v1", 48),
        model(4, "albert-large-v2", 48),
    ];
    let scored: Vec<_> = models.iter().zip([80.0, 82.25, 82.5, 85.75]).collect();
    model_comparison::performance(&scored).expect("a figure").0
}

/// Every figure of the views that compare, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let models = models();
    let cell = Some(Cursor::Cell(20, 28));
    let read: Vec<HeadSummary> = (0..8)
        .map(|at| head(at / 4, at % 4, 0.125 * at as f64))
        .collect();
    let heads = |number, name, size, read| WithHeads {
        number,
        name,
        size,
        heads: read,
        measure: HeadR2::Scores,
    };
    let with_heads = [
        heads(1, "minilm-l6", (2, 4), &read[..]),
        heads(
            2,
            "a model with many heads and a long name",
            (3, 12),
            &read[..3],
        ),
        heads(10, "third", (1, 2), &[]),
    ];
    let small =
        |at: usize| Heatmap::matrix(Arc::new(models[at].brief.tile.clone()), ColorMap::Hot, 0.0);
    let shared = ValueRange::union([small(0).range(), small(1).range()]).expect("a range");
    let steps = [0, 500, 1000, 4000].into_iter().zip(&models);
    let steps: Vec<RunPoint> = steps
        .map(|(step, model)| RunPoint {
            step,
            name: model.name.clone(),
            scores: SnapshotScores::new(&model.brief),
        })
        .collect();
    vec![
        (
            "compare-profiles",
            Box::new(model_comparison::profiles(&models, false, true).expect("a figure")),
            cell,
        ),
        (
            "compare-profiles-scaled",
            Box::new(model_comparison::profiles(&models, true, false).expect("a figure")),
            None,
        ),
        (
            "model-scores",
            Box::new(model_comparison::scores(&models).expect("a figure")),
            None,
        ),
        ("r2-performance", Box::new(performances(&models)), None),
        ("r2-performance-versions", Box::new(versions()), None),
        (
            "training-curves",
            Box::new(training(&steps, Some(500)).expect("a figure")),
            None,
        ),
        (
            "compare-heads",
            Box::new(model_comparison::heads(&with_heads).expect("a figure")),
            None,
        ),
        (
            "autocorrelation",
            Box::new(model_comparison::autocorrelation(&models[0].brief, true).expect("a figure")),
            Some(Cursor::Lag(7)),
        ),
        (
            "matrix-small",
            Box::new(small(0).with_range(shared.ends).small(false)),
            cell,
        ),
        ("matrix-small-own", Box::new(small(2).small(true)), cell),
        (
            "color-bar",
            Box::new(ColorBar {
                map: ColorMap::Diverging,
                range: shared,
            }),
            None,
        ),
    ]
}

#[test]
fn columns_are_those_that_were_promised() {
    let models = models();
    let scores = model_comparison::scores(&models).expect("a figure");
    let csv = scores.table().csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "model,scope,rows,r2,r2_off_diagonal,r2_random,r2_off_diagonal_random",
            "minilm-l6,whole,48,0.0625,0.03125,0.5,0.125"
        ]
    );
    assert_eq!(lines.len(), 1 + 4 * 4);
    // A name that would break a column is quoted, with its quotes doubled.
    assert_eq!(
        lines[9],
        "\"<b>, \"\"c\"\"\",whole,32,0.1875,0.09375,0.5,0.125"
    );
    // Windows and odd lengths appear only in the file.
    assert_eq!(scores.columns, ["k ≠ 0", "all k", "first 32"]);
    let share = |value, chance| {
        Some(Share {
            value,
            chance: Some(chance),
        })
    };
    assert_eq!(
        scores.rows[2].shares,
        [
            share(0.09375, 0.125),
            share(0.1875, 0.5),
            share(0.375, 0.125)
        ]
    );

    let csv = model_comparison::profiles(&models, true, false)
        .expect("a figure")
        .table()
        .csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "model,offset,mean,cells,scaled");
    assert_eq!(lines.len(), 1 + 95 + 127 + 63 + 95);
    assert_eq!(lines[1], "minilm-l6,-47,-1.875,1,-0.9583333333333334");
    assert!(lines[48].starts_with("minilm-l6,0,4,48,"), "{}", lines[48]);

    let csv = performances(&models).table().csv();
    assert!(
        csv.starts_with("model,r2,performance,slope,intercept,correlation\nminilm-l6,0.0625,80,"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 5);

    let read = [head(0, 0, 0.75), head(0, 1, 0.5)];
    let csv = |measure| {
        let model = WithHeads {
            number: 1,
            name: "m",
            size: (1, 2),
            heads: &read[1..],
            measure,
        };
        let figure = model_comparison::heads(&[model]).expect("a figure");
        figure.table().csv()
    };
    assert_eq!(
        csv(HeadR2::Scores),
        "model,layer,head,r2,causal_r2,peak_offset\nm,1,2,0.5,0.25,-1\n"
    );
    let weighted = [(0, 0.875), (1, 0.625)].map(|(head, r2)| WeightedHeadR2 { layer: 0, head, r2 });
    assert_eq!(
        csv(HeadR2::from_weighted(&weighted)),
        "model,layer,head,r2,causal_r2,peak_offset,r2_attention\nm,1,2,0.5,0.25,-1,0.625\n"
    );
    // Not computed yet.
    assert!(csv(HeadR2::from_weighted(&weighted[..1])).ends_with("-1,NaN\n"));
}

#[test]
fn no_models_are_no_figure() {
    assert!(model_comparison::profiles(&[], true, true).is_none());
    assert!(model_comparison::scores(&[]).is_none());
    assert!(model_comparison::performance(&[]).is_none());
    assert!(model_comparison::heads(&[]).is_none());
    assert!(ValueRange::union([]).is_none());
}

#[test]
fn scaled_profiles_span_one_where_means_are_of_many_cells() {
    let mut odd = model(1, "m", 48);
    // The outermost diagonal is a single cell, and random.
    let outermost = odd.brief.fit.f.first();
    let fit = &mut Arc::make_mut(&mut odd.brief).fit;
    fit.f = (fit.f).map(|k, f| if k == outermost { 1e6 } else { f });
    let scaled = odd.scaled_profile();
    let near = &scaled[47 - 24..=47 + 24];
    let (least, greatest) = near
        .iter()
        .fold((f64::MAX, f64::MIN), |(a, b), &v| (a.min(v), b.max(v)));
    assert!((greatest - least - 1.0).abs() < 1e-12);
    assert!(
        (scaled[47] - (4.0 - 1.0) / 3.0).abs() < 1e-12,
        "{}",
        scaled[47]
    );
    let brief = Arc::make_mut(&mut odd.brief);
    brief.fit.f = brief.fit.f.map(|_, _| 2.0);
    brief.fit.mean = 2.0;
    assert!(odd.scaled_profile().iter().all(|v| *v == 0.0));
    assert_eq!(model(1, "one", 1).scaled_profile(), [3.0]);
}

#[test]
fn scaled_profiles_have_no_spikes_of_few_cells() {
    let n = 64;
    let mut odd = model(1, "m", n);
    let few = |k: i64| (n - k.abs()) * 16 < n;
    let fit = &mut Arc::make_mut(&mut odd.brief).fit;
    fit.f = (fit.f).map(|k, f| if few(k) { 1e3 * k.signum() as f64 } else { f });
    let models = [odd.clone(), model(2, "other", n)];
    let scaled = model_comparison::profiles(&models, true, true).expect("a figure");
    for series in scaled.lines() {
        let drawn = |k: i64| series.at(k).is_some_and(f64::is_finite);
        for k in 1 - n..n {
            assert_eq!(drawn(k), !few(k), "{k} of {}", series.name);
        }
    }
    // The spikes do not set the scale.
    let (low, high) = scaled.y.range.expect("a range");
    assert!(high - low < 3.0, "{low} {high}");
    // Unscaled figures and downloads have every diagonal.
    let as_they_are = model_comparison::profiles(&models, false, true).expect("a figure");
    assert_eq!(
        as_they_are.lines().next().and_then(|line| line.at(n - 1)),
        Some(1e3)
    );
    let csv = scaled.table().csv();
    let line = csv.lines().nth(1).expect("a line");
    assert!(line.starts_with("m,-63,-1000,1,-"), "{line}");
    let numbered = |count: usize| {
        let models: Vec<_> = (1..=count).map(|at| model(at, "m", n)).collect();
        let figure = model_comparison::profiles(&models, true, true).expect("a figure");
        let marks = figure.scene(900.0).marks;
        let badges = marks.iter().filter(|mark| matches!(mark, Mark::Dot { .. }));
        badges.count()
    };
    // A number at each line, and one in the legend.
    assert_eq!((numbered(3), numbered(40)), (6, 80));
}

fn range(low: f64, high: f64) -> ValueRange {
    ValueRange {
        ends: (low, high),
        values: (low, high),
    }
}

#[test]
fn a_scale_is_shared_where_no_model_is_blank_on_it() {
    let named = |ranges: &[(f64, f64)]| -> Vec<(String, ValueRange)> {
        let models = ranges.iter().enumerate();
        models
            .map(|(at, ends)| (format!("model {at}"), range(ends.0, ends.1)))
            .collect()
    };
    for (ranges, is_shared) in [
        (&[(0.0, 14.0), (-0.1, 0.57)][..], false),
        (&[(0.0, 14.0), (0.0, 3.0)], true),
        (&[(0.0, 14.0), (0.0, 2.7)], false),
        // Of equal width, and far apart.
        (&[(0.0, 1.0), (100.0, 101.0)], false),
        (&[(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)], true),
        (&[(2.0, 2.0), (0.0, 3.0)], false),
        (&[(0.0, 1.0)], true),
    ] {
        let models = named(ranges);
        let scale = ColourScale::new(&models, None, false);
        assert_eq!(scale.shared_range.is_some(), is_shared, "{ranges:?}");
        let words = &scale.sentence;
        assert_eq!(words.is_empty(), models.len() < 2, "{words}");
        if !is_shared {
            assert!(words.contains("scales are separate, because"), "{words}");
        }
        // A scale that the link sets is used.
        for own in [false, true] {
            let chosen = ColourScale::new(&models, Some(own), false);
            assert_eq!(chosen.shared_range.is_none(), own);
            assert!(models.len() < 2 || chosen.sentence.contains("as chosen"));
        }
    }
    let blank = ColourScale::new(&named(&[(0.0, 14.0), (0.0, 0.57)]), Some(false), false);
    assert!(
        blank.sentence.contains("model 1 is almost one colour"),
        "{}",
        blank.sentence
    );
    let of_all = ColourScale::new(&named(&[(0.0, 2.0), (1.0, 3.0)]), None, false);
    assert_eq!(of_all.shared_range, Some(range(0.0, 3.0)));
    assert_eq!(ColourScale::new(&[], None, false).shared_range, None);
}

proptest! {
    /// Every model spans at least a fifth of a default scale.
    #[test]
    fn no_model_is_blank_by_default(
        ends in prop::collection::vec((-50.0..50.0_f64, 0.0..50.0_f64), 1..8),
    ) {
        let models: Vec<(String, ValueRange)> = (ends.iter().enumerate())
            .map(|(at, (low, span))| (at.to_string(), range(*low, low + span)))
            .collect();
        let scale = ColourScale::new(&models, None, false);
        if let Some(shared) = scale.shared_range {
            let whole = shared.ends.1 - shared.ends.0;
            for (low, span) in ends {
                prop_assert!(5.0 * span >= whole - 1e-9);
                prop_assert!(shared.ends.0 <= low && low + span <= shared.ends.1);
            }
        }
    }
}

#[test]
fn a_model_in_short_says_what_golden_numbers_say() {
    let golden = crate::encoding::relative::golden("bert");
    let brief = brief("bert/model.safetensors", Similarity::InnerProduct);
    let expected = golden["table"]["inner_product_r2"].as_f64().expect("R²");
    assert!((brief.fit.r2 - expected).abs() < 1e-4);
    assert_eq!(brief.r2().all, brief.fit.r2);
}

#[test]
fn diagonals_of_a_cell_or_two_do_not_set_the_axis() {
    let mut far = model(1, "far", 64);
    let with_a_spike = Profile::from_fn(64, |k| {
        if k.abs() == 63 {
            1000.0
        } else {
            far.brief.fit.f.at(k).unwrap_or(0.0)
        }
    });
    let brief = Brief {
        fit: ToeplitzFit {
            f: with_a_spike,
            ..far.brief.fit.clone()
        },
        ..far.brief.as_ref().clone()
    };
    far.brief = Arc::new(brief);
    for scaled in [false, true] {
        let all =
            model_comparison::profiles(std::slice::from_ref(&far), scaled, true).expect("a figure");
        let (low, high) = all.y.range.expect("an axis of its own");
        assert!(-10.0 < low && high < 10.0, "{low} {high}");
        // Values outside the axis are still in the file.
        let csv = all.table().csv();
        assert!(csv.contains("1000"), "{csv}");
    }
}

#[test]
fn short_tables_have_no_columns_of_long_ones() {
    let short = [model(1, "a", 32), model(2, "b", 32)];
    let scores = model_comparison::scores(&short).expect("a figure");
    assert!(scores.columns.iter().all(|name| name != "first 512"));
    assert_eq!(scores.columns.len(), scores.rows[0].shares.len());
}

#[test]
fn a_summary_says_what_the_data_are_and_not_how_long_the_axis_is() {
    let figure =
        model_comparison::profiles(&[model(1, "tent", 32)], false, true).expect("a figure");
    let summary = figure.summary();
    assert!(summary.contains("tent is highest at 0 with 4"), "{summary}");
    // From 4 in the middle to 4 − 31/8 at the ends.
    assert!(summary.ends_with("Values from 0.125 to 4.00."), "{summary}");
}
