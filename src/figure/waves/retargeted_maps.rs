//! Attention maps of a head before and after its keys are turned.

use crate::{
    analysis::AttentionChange,
    figure::{
        ColorMap, Heatmap, MatrixPanel, MatrixPanels, Table, ValueRange, format_signed,
        words::format_count,
    },
    math::{AttentionMask, Tile},
};
use std::sync::Arc;

/// Draws both maps on one colour scale. The table has a row per cell that the mask leaves: `query,key,before,after`.
#[must_use]
pub fn retargeted_maps(
    change: &AttentionChange,
    shift: i64,
    (map, cells): (ColorMap, AttentionMask),
) -> MatrixPanels {
    let panel = |title: String, tile: &Tile| {
        let n = tile.window.cols.end;
        MatrixPanel {
            title,
            note: String::new(),
            matrix: Heatmap::attention(Arc::new(tile.clone()), map, n, cells),
            source: None,
            term: None,
        }
    };
    let turned = match shift {
        0 => "nothing turned yet".to_owned(),
        _ => format!("keys turned by {}", format_signed(shift)),
    };
    let panels = vec![
        panel("as it is".to_owned(), &change.before),
        panel(turned, &change.after),
    ];
    let ranges = panels.iter().map(|panel| panel.matrix.range());
    let ends = ValueRange::union(ranges).map_or((0.0, 1.0), |range| range.ends);
    let n = change.before.window.rows.len();
    MatrixPanels::new(panels)
        .with_shared_range(ends, |_| true)
        .with_table(table(change, cells))
        .with_summary(format!(
            "Attention among the first {}, before and after the keys are turned by {}.",
            format_count(n, "position", "positions"),
            format_count(shift.unsigned_abs() as usize, "token", "tokens")
        ))
}

fn table(change: &AttentionChange, cells: AttentionMask) -> Table {
    let n = change.before.window.cols.len();
    let visible = (0..n * n).filter(|at| cells == AttentionMask::Whole || at % n <= at / n);
    let at: Vec<usize> = visible.collect();
    let values = |tile: &Tile| at.iter().map(|&at| f64::from(tile.values[at])).collect();
    Table::new()
        .with("query", at.iter().map(|at| at / n).collect())
        .with("key", at.iter().map(|at| at % n).collect())
        .with("before", values(&change.before))
        .with("after", values(&change.after))
}
