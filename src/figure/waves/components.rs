//! Principal components of a table: their shares, waves and path.

use super::spectra::{left_out, whole};
use crate::{
    analysis::ComponentSummary,
    figure::{Axis, Column, Dots, Ink, Plot, ScatterPoint, Series, Table},
};

/// The shares of variance of the components: `component,share,cumulative`.
#[must_use]
pub fn component_shares(found: &ComponentSummary) -> Plot {
    let count = found.shares.len();
    let table = Table::new()
        .with("component", whole(1..=count))
        .with("share", Column::Number(found.shares.clone()))
        .with("cumulative", Column::Number(found.cumulative.clone()));
    let ninety = found.count_for(0.9);
    let last = found.count_for(0.99).max(8).min(count.max(1));
    Plot::over(Axis::Component)
        .vertical("share of the variance")
        .series([
            Series::new("cumulative", 1, found.cumulative.clone())
                .width(2.0)
                .in_legend(),
            Series::new("each", 1, found.shares.clone())
                .ink(Ink::Category(1))
                .in_legend(),
        ])
        .horizontal_range((0.5, last as f64 + 0.5))
        .values((0.0, 1.0))
        .aspect(0.4)
        .with_table(table)
        .with_summary(format!(
            "{ninety} of {count} components explain 90 % of the variance.{}",
            left_out(found.left_out)
        ))
}

/// Coordinates of the positions along the leading components: `position` and one column per component.
#[must_use]
pub fn component_waves(found: &ComponentSummary, count: usize) -> Plot {
    let drawn_components = found.along.iter().take(count).enumerate();
    let n = found.along.first().map_or(0, Vec::len);
    let mut table = Table::new().with("position", whole(0..n));
    for (at, along) in found.along.iter().enumerate() {
        table = table.with(
            format!("component_{}", at + 1),
            Column::Number(along.clone()),
        );
    }
    Plot::over(Axis::Position)
        .vertical("coordinate")
        .series(drawn_components.map(|(at, along)| {
            Series::new(format!("component {}", at + 1), 0, along.clone())
                .ink(Ink::Category(at))
                .in_legend()
        }))
        .aspect(0.4)
        .with_table(table)
        .with_summary("Coordinates of the positions along the leading components.")
}

/// The path of the positions in the plane of two components, counted from 0. `None` if one of them is missing.
#[must_use]
pub fn component_path(found: &ComponentSummary, of: (usize, usize)) -> Option<Plot> {
    let (x, y) = (found.along.get(of.0)?, found.along.get(of.1)?);
    let table = Table::new()
        .with("position", whole(0..x.len()))
        .with("x", Column::Number(x.clone()))
        .with("y", Column::Number(y.clone()));
    let points = || x.iter().zip(y).map(|(&x, &y)| ScatterPoint::new((x, y)));
    let first = points().take(1);
    Some(
        Plot::scatter(Axis::Component, Some(Axis::OtherComponent))
            .dots([
                Dots::new("path of the positions", points())
                    .ink(Ink::Category(0))
                    .line(),
                Dots::new("position 0", first).ink(Ink::Category(1)),
            ])
            .aspect(0.8)
            .with_table(table)
            .with_summary(format!(
                "The positions in the plane of components {} and {}.",
                of.0 + 1,
                of.1 + 1
            )),
    )
}
