//! R² against performance: published scores, the line, and arrows between versions.

use super::compare::model;
use diagonal::{
    figure::{Figure, Mark, Plot, PlotMark, model_comparison},
    math::linear_fit,
    model::published_performance,
};
use proptest::prelude::*;

#[test]
fn published_averages_go_by_whole_names() {
    for (name, average) in [
        ("albert-base-v1", Some(80.1)),
        ("albert/albert-xxlarge-v1", Some(91.0)),
        ("albert/albert-base-v2@main", Some(82.3)),
        ("ALBERT_large_v2.safetensors", Some(85.7)),
        ("albert-xlarge-v2/model.safetensors", Some(87.9)),
        ("albert-xxlarge-v2", Some(90.9)),
        ("twmkn9/albert-base-v2-squad2", None),
        ("albert", None),
        ("model.safetensors", None),
        ("", None),
    ] {
        assert_eq!(published_performance(name), average, "{name}");
    }
}

#[test]
fn a_line_needs_three_points_that_differ() {
    let line = linear_fit(&[(0.0, 1.0), (1.0, 3.0), (3.0, 7.0)]).expect("a line");
    assert!((line.slope - 2.0).abs() < 1e-12 && (line.intercept - 1.0).abs() < 1e-12);
    assert!((line.correlation - 1.0).abs() < 1e-12);
    assert!(linear_fit(&[(0.0, 1.0), (1.0, 3.0)]).is_none());
    assert!(linear_fit(&[(0.1, 1.0); 7]).is_none());
    assert!(linear_fit(&[(0.1, 1.0), (0.1, 2.0), (0.1, 4.0)]).is_none());
    assert!(linear_fit(&[(1.0, 0.1), (2.0, 0.1), (4.0, 0.1)]).is_none());
    // r of Anscombe's first set is 0.816.
    let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
    let y = [
        8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68,
    ];
    let points: Vec<(f64, f64)> = x.into_iter().zip(y).collect();
    let line = linear_fit(&points).expect("a line");
    assert!((line.correlation - 0.816_420_516).abs() < 1e-8);
    assert!(
        (line.slope - 0.500_090_909).abs() < 1e-8 && (line.intercept - 3.000_090_909).abs() < 1e-8
    );
}

proptest! {
    #[test]
    fn correlation_is_blind_to_units(
        points in prop::collection::vec((-10.0..10.0f64, -10.0..10.0f64), 3..30),
        (scale, shift) in (0.1..50.0f64, -100.0..100.0f64),
    ) {
        let moved: Vec<_> = points.iter().map(|(x, y)| (scale * x + shift, y - shift)).collect();
        let turned: Vec<_> = points.iter().map(|(x, y)| (-x, *y)).collect();
        if let (Some(a), Some(b), Some(c)) = (linear_fit(&points), linear_fit(&moved), linear_fit(&turned)) {
            prop_assert!((-1.0..=1.0).contains(&a.correlation));
            prop_assert!((a.correlation - b.correlation).abs() < 1e-6);
            prop_assert!((a.correlation + c.correlation).abs() < 1e-12);
            // Residuals of the line have mean zero.
            let rest: f64 = points.iter().map(|(x, y)| y - a.slope * x - a.intercept).sum();
            prop_assert!(rest.abs() < 1e-6);
        }
    }
}

/// TISA paper, Figure 2: from version 1 to version 2 of the same size.
#[test]
fn arrows_lead_from_a_version_to_the_next() {
    let models = [
        model(1, "albert-base-v2", 48),
        model(2, "albert-base-v1", 48),
        model(3, "albert-large-v1", 48),
        model(4, "minilm-l6", 48),
    ];
    let scored: Vec<_> = models.iter().zip([82.25, 80.0, 82.5, 60.0]).collect();
    let (plot, _) = model_comparison::performance(&scored).expect("a figure");
    let arrows = plot.marks.iter().filter_map(|mark| match mark {
        PlotMark::Dots(dots) if dots.is_arrow => Some(dots.points.as_slice()),
        _ => None,
    });
    let arrows: Vec<_> = arrows.collect();
    let ends: Vec<Vec<(f64, f64)>> = (arrows.iter())
        .map(|points| points.iter().map(|point| point.at).collect())
        .collect();
    assert_eq!(ends, [[(0.125, 80.0), (0.0625, 82.25)]]);
    let summary = plot.summary();
    assert!(
        summary.starts_with(
            "4 models. Arrows lead from a version to the next: albert-base-v1 to albert-base-v2 (R² −0.0625, performance +2.25)."
        ),
        "{summary}"
    );
    // A line for the shaft and one for the head, and nothing else changes.
    let lines = |plot: &Plot| {
        let marks = plot.scene(640.0).marks;
        marks
            .iter()
            .filter(|mark| matches!(mark, Mark::Line { .. }))
            .count()
    };
    let mut without = plot.clone();
    without
        .marks
        .retain(|mark| !matches!(mark, PlotMark::Dots(dots) if dots.is_arrow));
    assert_eq!(lines(&plot), lines(&without) + 2);
    assert_eq!(
        (plot.x_range(), plot.y_range()),
        (without.x_range(), without.y_range())
    );
}
