//! The lowest cosine of positions by offset, and the cone below it.

use super::{Axis, Column, Ink, Plot, Series, Table, number, scale::extent, shown_offsets};
use crate::{analysis::TableCones, math::ConeBound};

/// Space below the lowest line and above 1, as a share of the range of the cosines.
const MARGIN: f64 = 0.06;

/// Plots the mean and the lowest cosine by offset and the cone 1 − C·|k| that touches it, beside the lowest cosines and the
/// cone of the sinusoidal table, at offsets near zero or at all:
/// `offset,mean,lowest,cone,sinusoid_lowest,sinusoid_cone` of all. Cosines are symmetric, so offsets begin at 0.
#[must_use]
pub fn lipschitz_cone(cones: &TableCones, all_offsets: bool) -> Plot {
    let TableCones {
        table, sinusoidal, ..
    } = cones;
    let n = table.lowest.len();
    let cone = |bound: &ConeBound| -> Vec<f64> {
        let height = |k: usize| 1.0 - bound.slope * k as f64;
        (0..n).map(height).collect()
    };
    let (of_table, of_sinusoid) = (cone(&table.bound), cone(&sinusoidal.bound));
    let numbers = Table::new()
        .with("offset", (0..n).collect())
        .with("mean", Column::Number(table.mean.clone()))
        .with("lowest", Column::Number(table.lowest.clone()))
        .with("cone", Column::Number(of_table.clone()))
        .with("sinusoid_lowest", Column::Number(sinusoidal.lowest.clone()))
        .with("sinusoid_cone", Column::Number(of_sinusoid.clone()));
    let (_, last) = shown_offsets(n, all_offsets);
    let shown_cells = (last.floor() as usize + 1).min(n);
    // Cones leave the range of cosines soon and do not set that of the axis.
    let cosines = [&table.mean, &table.lowest, &sinusoidal.lowest];
    let cosines = cosines.into_iter().flat_map(|line| &line[..shown_cells]);
    let range = extent(cosines.copied().filter(|v| v.is_finite()), MARGIN);
    let line = |name: &str, values: &[f64]| Series::new(name, 0, values.to_vec()).in_legend();
    let muted = |name: &str, values: &[f64], width| {
        let line = line(name, values).ink(Ink::Muted).width(width);
        line.with_dashes(true)
    };
    Plot::over(Axis::Offset)
        .vertical("cosine")
        .series([
            line("lowest", &table.lowest)
                .ink(Ink::Category(0))
                .width(1.6),
            line("1 − C|k|", &of_table).ink(Ink::Category(1)).width(1.6),
            line("mean", &table.mean),
            muted("lowest, sinusoidal", &sinusoidal.lowest, 1.3),
            muted("1 − C|k|, sinusoidal", &of_sinusoid, 1.0),
        ])
        .horizontal_range((-0.5, last))
        .values(range.map(std::ops::RangeInclusive::into_inner))
        .aspect(0.5)
        .with_table(numbers)
        .with_summary(cone_words(cones))
}

/// The smallest C and the pair that forces it, C without the special rows and breaks of the table, and C of the
/// sinusoidal table, in sentences.
#[must_use]
pub fn cone_words(cones: &TableCones) -> String {
    let TableCones {
        table,
        sinusoidal,
        breaks,
    } = cones;
    let pair = |bound: &ConeBound| {
        let (first, second) = bound.rows;
        let cosine = number(bound.cosine);
        format!("forced by positions {first} and {second} (cosine {cosine})")
    };
    let (slope, forced) = (number(table.bound.slope), pair(&table.bound));
    let seams = breaks.seams.iter();
    let seams = seams.map(|seam| format!("the seam {}–{}", seam.last_before, seam.first_behind));
    let tail = breaks.tail.iter();
    let tail = tail.map(|tail| format!("the untrained rows from {}", tail.first));
    let special: Vec<String> = seams.chain(tail).collect();
    let rest = match &special[..] {
        [] => "row 0".to_owned(),
        [one] => format!("row 0 and {one}"),
        [others @ .., last] => format!("row 0, {} and {last}", others.join(", ")),
    };
    let without = match &table.bound_in_parts {
        Some(bound) if bound.rows == table.bound.rows => {
            format!(" It is the same without {rest}.")
        }
        Some(bound) => format!(
            " Without {rest} it is {}, {}.",
            number(bound.slope),
            pair(bound)
        ),
        None => String::new(),
    };
    let undefined = match table.rows_without_direction {
        0 => String::new(),
        1 => " One row is zero or not finite, and its pairs do not count.".to_owned(),
        many => format!(" {many} rows are zero or not finite, and their pairs do not count."),
    };
    let of_sinusoid = number(sinusoidal.bound.slope);
    format!(
        "The smallest C is {slope}, {forced}.{without} The sinusoidal table of the same shape has C = {of_sinusoid}.{undefined}"
    )
}
