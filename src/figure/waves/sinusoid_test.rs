//! Comparison of a table with sinusoids.

use super::spectra::whole;
use crate::{
    analysis::{FEW, SinusoidEvidence},
    figure::{BarRow, Share, ShareChart, Table},
    math::{Layout, LayoutDistance},
};

/// The distance of the table from each computed layout, and the share that sinusoids explain, equal in every row:
/// `layout,distance,distance_in_order,few_count,few_share,few_random,own_share,own_random`. A bar is 1 − distance, or a
/// share: of a few sinusoids common to all columns, or of one sinusoid per column; of this table, or of random numbers.
#[must_use]
pub fn sinusoid_test(found: &SinusoidEvidence) -> ShareChart {
    let distances = &found.distances;
    // A table with values that are not finite has no distance from any layout. The shares of sinusoids are still known,
    // and have a row.
    let rows = distances.len().max(1);
    let column = |of: &dyn Fn(usize) -> f64| (0..rows).map(of).collect();
    let distance =
        |of: fn(&LayoutDistance) -> f64| column(&|at| distances.get(at).map_or(f64::NAN, of));
    let name = |at| {
        distances
            .get(at)
            .map_or("none", |found: &LayoutDistance| found.layout.name())
    };
    let few = found.shared_frequencies.len().min(FEW);
    let table = Table::new()
        .with("layout", (0..rows).map(|at| name(at).to_owned()).collect())
        .with("distance", distance(|found| found.distance))
        .with("distance_in_order", distance(|found| found.in_order))
        .with("few_count", whole(std::iter::repeat_n(few, rows)))
        .with("few_share", column(&|_| found.few()))
        .with("few_random", column(&|_| found.random_few))
        .with("own_share", column(&|_| found.own))
        .with("own_random", column(&|_| found.random_own));
    let share = |value: f64, chance: Option<f64>| Share { value, chance };
    let none = share(f64::NAN, None);
    let few = share(found.few(), Some(found.random_few));
    let own = share(found.own, Some(found.random_own));
    let shared = [
        BarRow::new(format!("{FEW} shared sinusoids"), [few, none]),
        BarRow::new("one sinusoid per column", [own, none]),
    ];
    let layouts = distances.iter().map(|found| {
        let layout = match found.layout {
            Layout::Whisper => "Whisper",
            other => other.name(),
        };
        let alike = [found.distance, found.in_order].map(|distance| share(1.0 - distance, None));
        BarRow::new(format!("1 − distance to {layout}"), alike)
    });
    ShareChart::new(
        ["share", "same column order"],
        Some("random numbers"),
        shared.into_iter().chain(layouts),
    )
    .with_table(table)
    .with_summary(found.sentence())
}
