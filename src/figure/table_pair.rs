//! A position table beside the sinusoidal table of its shape.

use super::{ColorMap, Column, Heatmap, MatrixPanel, MatrixPanels, Table, number};
use crate::analysis::SmoothTable;
use std::sync::Arc;

/// Draws a model's position table and the sinusoidal table of its shape, each on its own colour scale, with the
/// correlation of neighbouring values down the positions and across the dimensions. The table has a row for each:
/// `table,positions,dimensions,least,greatest,r_down,r_across`. Least and greatest are those of the drawn blocks.
#[must_use]
pub fn table_pair(tables: &[SmoothTable; 2], map: ColorMap, clip: f64) -> MatrixPanels {
    const NAMES: [&str; 2] = ["this model", "sinusoidal"];
    let panels = tables.iter().zip(NAMES).map(|(table, name)| MatrixPanel {
        title: name.to_owned(),
        note: format!(
            "r {} down, {} across",
            short(table.down),
            short(table.across)
        ),
        matrix: Heatmap::table(Arc::new(table.tile.clone()), map, clip),
        source: None,
        term: None,
    });
    let panels: Vec<MatrixPanel> = panels.collect();
    let ranges: Vec<(f64, f64)> = panels
        .iter()
        .map(|panel| panel.matrix.range().values)
        .collect();
    let real = |of: &dyn Fn(&SmoothTable) -> f64| -> Column { tables.iter().map(of).collect() };
    let numbers = Table::new()
        .with("table", ["model", "sinusoidal"].into_iter().collect())
        .with(
            "positions",
            tables
                .iter()
                .map(|table| table.tile.window.rows.len())
                .collect(),
        )
        .with(
            "dimensions",
            tables
                .iter()
                .map(|table| table.tile.window.cols.len())
                .collect(),
        )
        .with("least", ranges.iter().map(|range| range.0).collect())
        .with("greatest", ranges.iter().map(|range| range.1).collect())
        .with("r_down", real(&|table| table.down))
        .with("r_across", real(&|table| table.across));
    let words = tables.iter().zip(NAMES).map(|(table, name)| {
        format!(
            "{name}: neighbouring positions correlate with r = {}, neighbouring dimensions with r = {}",
            number(table.down),
            number(table.across)
        )
    });
    let words: Vec<String> = words.collect();
    MatrixPanels::new(panels)
        .with_table(numbers)
        .with_summary(format!("Two tables. {}.", words.join("; ")))
}

/// A correlation to two decimals.
fn short(r: f64) -> String {
    match r.is_finite() {
        true => format!("{r:.2}").replace('-', "−"),
        false => number(r),
    }
}
