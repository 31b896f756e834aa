//! R² of positions by step.

use super::{runs, trained_run, with_kernels, with_table, without_positions};
use diagonal::{
    figure::{
        Figure, Plot, PlotMark,
        training::{curves_table, r2_curves},
    },
    math::{NoR2, OffsetR2},
};
use std::sync::Arc;

/// Names of lines and numbers of their points.
fn lines(plot: &Plot) -> Vec<(&str, usize)> {
    let dots = plot.marks.iter().filter_map(|mark| match mark {
        PlotMark::Dots(dots) => Some((&*dots.name, dots.points.len())),
        _ => None,
    });
    dots.collect()
}

#[test]
fn runs_without_positions_have_no_line() {
    let runs = runs();
    let plot = r2_curves(&runs, Some(1)).expect("positions");
    assert_eq!(
        lines(&plot),
        [
            ("chance, with k = 0", 2),
            ("without k = 0", 2),
            ("", 4),
            ("", 4),
            ("chain · learned", 4),
            ("chain · tisa2", 4)
        ]
    );
    assert_eq!(plot.marked_place, Some(1.0));
    // The table is that of all figures by step.
    assert_eq!(plot.table().csv(), curves_table(&runs).csv());
    assert!(r2_curves(&[without_positions()], None).is_none());
    assert!(r2_curves(&[], None).is_none());
}

#[test]
fn scores_by_offset_have_no_chance() {
    let plot = r2_curves(&[with_kernels()], None).expect("positions");
    assert_eq!(lines(&plot), [("", 4), ("chain · tisa2", 4)]);
}

#[test]
fn the_summary_has_r2_without_the_main_diagonal() {
    let plot = r2_curves(&runs(), None).expect("positions");
    assert_eq!(
        plot.summary(),
        "chain · learned: R² without k = 0 from 0.000 at step 0 to 0.438 at step 400. chain · tisa2: R² without k = 0 \
         from 0.000 at step 0 to 0.438 at step 400."
    );
    let mut constant = with_table();
    let first = Arc::make_mut(&mut constant.reports[0]);
    let positions = first.positions.as_mut().expect("positions");
    let none = || Err(NoR2::NothingVaries);
    positions.inner_products.scopes[0].r2 = OffsetR2::new(none(), none());
    let plot = r2_curves(&[constant], None).expect("positions");
    assert_eq!(
        plot.summary(),
        format!(
            "chain · learned: R² without k = 0 from none at step 0 ({}) to 0.438 at step 400.",
            NoR2::NothingVaries.name()
        )
    );
}

#[test]
fn kernels_are_toeplitz_at_every_step() {
    let run = trained_run("chain.tisa2.n16d16l2h2r2b4.1.20");
    let plot = r2_curves(&[run], None).expect("positions");
    let mut r2 = plot.points().map(|point| point.at.1);
    assert!(r2.all(|r2| r2.is_nan() || (r2 - 1.0).abs() < 1e-6));
    assert!(plot.points().any(|point| point.at.1.is_finite()));
}
