//! Bars of shares: tracks from 0 to 1 beside their labels, and the shares in columns at the right edge.

use super::{Anchor, BarRow, Figure, Ink, Rect, Scene, Share, Table, share::mark, text::fit_name};
use std::sync::Arc;

const HEAD: f64 = 24.0;
/// Preferred height of a row without its label's own line, and its limits.
const ROW: f64 = 30.0;
const ROWS: (f64, f64) = (24.0, 96.0);
/// Width of a number.
const NUMBER: f64 = 58.0;
/// Least width of the labels, enough for “first 1024 positions”.
const LABEL: f64 = 126.0;
/// Greatest width of the labels.
const WIDEST_LABEL: f64 = 168.0;
/// Width of labels and bars below which each label is on a line of its own above its bars.
const WIDE: f64 = LABEL + 60.0;
/// Height of that line.
const LABEL_LINE: f64 = 16.0;
/// Top of each bar of a row, from its middle, and its height.
const ONE_BAR: &[(f64, f64)] = &[(-4.0, 8.0)];
/// The same for two bars. The main share is the thicker one.
const TWO_BARS: &[(f64, f64)] = &[(-7.0, 6.0), (5.0, 3.0)];

/// Rows of shares between 0 and 1. Unlike a [`super::BarChart`] it has no axis, since its ends are known. It is the chart
/// of the first view, which thus loads none of the code for axes of bars.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareChart {
    /// Name of each share of a row.
    pub names: Vec<&'static str>,
    /// Name of the marks of references. `None` if there are none.
    pub reference: Option<&'static str>,
    /// The rows, from top to bottom.
    pub rows: Vec<BarRow>,
    /// Numbers behind the figure, for download.
    pub table: Table,
    /// A text summary.
    pub summary: String,
    /// Height of a row in pixels, without its label's own line.
    row: f64,
}

impl ShareChart {
    /// Creates a chart of named shares. `chance` is the name of the marks at their values by chance. The first row is the
    /// whole and is darker.
    #[must_use]
    pub fn new(
        names: impl IntoIterator<Item = &'static str>,
        chance: Option<&'static str>,
        rows: impl IntoIterator<Item = BarRow>,
    ) -> Self {
        let mut rows: Vec<BarRow> = rows.into_iter().collect();
        if let Some(first) = rows.first_mut() {
            first.strong = true;
        }
        Self {
            names: names.into_iter().collect(),
            reference: chance,
            rows,
            table: Table::new(),
            summary: String::new(),
            row: ROW,
        }
    }

    /// Sets the numbers behind the figure.
    #[must_use]
    pub fn with_table(mut self, table: Table) -> Self {
        self.table = table;
        self
    }

    /// Sets the text summary.
    #[must_use]
    pub fn with_summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = summary.into();
        self
    }

    /// Height of a row, and the part of it for the label's own line.
    fn share_row(&self, width: f64) -> (f64, f64) {
        let is_wide = width >= WIDE + NUMBER * self.names.len() as f64;
        let label = if is_wide { 0.0 } else { LABEL_LINE };
        (self.row + label, label)
    }
}

impl Figure for ShareChart {
    fn height(&self, width: f64) -> f64 {
        HEAD + self.share_row(width).0 * self.rows.len() as f64 + 2.0
    }

    fn with_height(&self, width: f64, height: f64) -> Option<Arc<dyn Figure + Send + Sync>> {
        let rows = self.rows.len().max(1) as f64;
        let row = (height - HEAD - 2.0) / rows - self.share_row(width).1;
        Some(Arc::new(Self {
            row: row.clamp(ROWS.0, ROWS.1),
            ..self.clone()
        }))
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let columns = self.names.len();
        let number = |column: usize| width - NUMBER * (columns - 1 - column) as f64;
        let end = width - NUMBER * columns as f64 - 12.0;
        let (height, label_line) = self.share_row(width);
        let labels = match label_line > 0.0 {
            true => 0.0,
            false => (width * 0.36).clamp(LABEL, WIDEST_LABEL),
        };
        let bar_width = (end - labels).max(1.0);
        for (column, name) in self.names.iter().enumerate() {
            let place = (number(column), HEAD / 2.0);
            scene.text(*name, place, Anchor::End, Ink::Muted);
        }
        if let Some(chance) = self.reference {
            mark(&mut scene, 1.0, HEAD / 2.0 - 3.0, 6.0);
            let at = (8.0, HEAD / 2.0);
            scene.text(chance, at, Anchor::Start, Ink::Muted);
        }
        let rule = |scene: &mut Scene, y| {
            scene.line(vec![(0.0, y), (width, y)], Ink::Hairline, 1.0);
        };
        rule(&mut scene, HEAD);
        let bars = match columns {
            0 | 1 => ONE_BAR,
            _ => TWO_BARS,
        };
        for (at, row) in self.rows.iter().enumerate() {
            let top = HEAD + height * at as f64;
            let middle = top + label_line + self.row / 2.0;
            let ink = if row.strong { Ink::Ink } else { Ink::Muted };
            let (label, label_width) = match label_line > 0.0 {
                true => (top + LABEL_LINE / 2.0 + 3.0, width),
                false => (middle, labels - 4.0),
            };
            let name = fit_name(&row.label, label_width);
            scene.text(name, (0.0, label), Anchor::Start, Ink::Ink);
            // Bars are thicker in higher rows.
            let times = (self.row / ROW).max(1.0);
            for (bar, &(y, height)) in row.bars.iter().zip(bars) {
                let track = Rect {
                    x: labels,
                    y: middle + times * y,
                    width: bar_width,
                    height: times * height,
                };
                let share = Share {
                    value: bar.value,
                    chance: bar.reference,
                };
                share.draw(&mut scene, track, ink);
            }
            for (column, bar) in row.bars.iter().enumerate() {
                let ink = if column == 0 { Ink::Ink } else { Ink::Muted };
                scene.text(bar.text.clone(), (number(column), middle), Anchor::End, ink);
            }
            rule(&mut scene, top + height);
        }
        scene
    }

    fn summary(&self) -> String {
        self.summary.clone()
    }

    fn table(&self) -> Table {
        self.table.clone()
    }
}
