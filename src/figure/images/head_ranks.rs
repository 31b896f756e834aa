//! Singular values of the heads' matrices, in two parts: those that a head passes on, and those that it leaves out.

use crate::{
    analysis::HeadConcatenation,
    figure::{Bar, BarChart, BarRow, Table, format_signed},
};

/// Distance of rows in pixels: a kernel of 9 × 9 taps has 81 rows.
const ROW: f64 = 16.0;

/// Plots the sum of the singular values that each head passes on, and of those that it leaves out. Heads without weight
/// have no row. The table has a row per head and singular value, both counted from 1: `head,index,singular_value,rank`.
/// `None` if no head has weight.
#[must_use]
pub fn head_ranks(concatenation: &HeadConcatenation) -> Option<BarChart> {
    let heads = concatenation.heads.iter().enumerate();
    let rows = heads.clone().filter_map(|(at, head)| {
        let rank = concatenation.rank(head);
        let parts = head
            .singular_values
            .split_at(rank.min(head.singular_values.len()));
        let [passed_on, rest] = [parts.0, parts.1].map(|values| values.iter().sum::<f64>());
        if passed_on + rest == 0.0 {
            return None;
        }
        let (y, x) = head.shift;
        let label = format!("{} at ({}, {})", at + 1, format_signed(y), format_signed(x));
        let bars = [
            Bar::new(passed_on).text(format!("rank {rank}")),
            Bar::new(rest).text(""),
        ];
        Some(BarRow::new(label, bars))
    });
    let rows: Vec<BarRow> = rows.collect();
    if rows.is_empty() {
        return None;
    }
    let count = |of: &dyn Fn(usize, usize) -> f64| {
        let cells = heads
            .clone()
            .flat_map(|(at, head)| (0..head.singular_values.len()).map(move |index| (at, index)));
        cells.map(|(at, index)| of(at, index)).collect()
    };
    let heads = &concatenation.heads;
    let table = Table::new()
        .with("head", count(&|at, _| (at + 1) as f64))
        .with("index", count(&|_, index| (index + 1) as f64))
        .with(
            "singular_value",
            count(&|at, index| heads[at].singular_values[index]),
        )
        .with(
            "rank",
            count(&|at, _| concatenation.rank(&heads[at]) as f64),
        );
    let chart = BarChart::linear("sum of singular values", rows)
        .names(["passed on", "left out"])
        .stack()
        .row_height(ROW)
        .with_table(table)
        .with_summary(summary(concatenation));
    Some(chart)
}

/// States the greatest rank beside its bound.
fn summary(concatenation: &HeadConcatenation) -> String {
    let heads = concatenation.heads.iter();
    let highest = heads
        .map(|head| concatenation.rank(head))
        .max()
        .unwrap_or(0);
    let (inputs, outputs) = concatenation.channels;
    let width = concatenation.head_channels;
    let bound = width.min(outputs);
    format!(
        "The greatest rank of a head is {highest}. The bound min(D_h, D_out) is min({width}, {outputs}) = {bound}; the image has {inputs} channels."
    )
}
