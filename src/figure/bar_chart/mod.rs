//! Horizontal bar charts: rows from top to bottom, each with one bar or several.

mod on_axis;

use super::{Figure, Scene, Share, Table, group_thousands, number};
use std::sync::Arc;

/// A bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Its value. A value that is not finite has no bar.
    pub value: f64,
    /// Its value in words, to the right of the bars. May be empty.
    pub text: String,
    /// A value to compare with, such as that by chance. It is marked on the bar.
    pub reference: Option<f64>,
}

impl Bar {
    /// Creates a bar with its number.
    #[must_use]
    pub fn new(value: f64) -> Self {
        Self {
            value,
            text: number(value),
            reference: None,
        }
    }

    /// Creates a bar of a count, with all digits.
    #[must_use]
    pub fn count(count: u64) -> Self {
        Self::new(count as f64).text(group_thousands(count))
    }

    /// Replaces the number by a text.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }
}

impl From<Share> for Bar {
    fn from(share: Share) -> Self {
        let text = match share.value.is_finite() {
            true => format!("{:.4}", share.value),
            false => "–".to_owned(),
        };
        Self {
            value: share.value,
            text,
            reference: share.chance,
        }
    }
}

/// A row of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct BarRow {
    /// Subject of the bars.
    pub label: String,
    /// A note beside the label, in wide charts. May be empty.
    pub note: String,
    /// The bars. Each chart has the same number in all rows.
    pub bars: Vec<Bar>,
    /// Whether the bars are darker.
    pub strong: bool,
    /// Whether there is a gap above, before a group of rows.
    pub starts_group: bool,
}

impl BarRow {
    /// Creates a row from its label and its bars.
    #[must_use]
    pub fn new(label: impl Into<String>, bars: impl IntoIterator<Item = impl Into<Bar>>) -> Self {
        Self {
            label: label.into(),
            note: String::new(),
            bars: bars.into_iter().map(Into::into).collect(),
            strong: false,
            starts_group: false,
        }
    }

    /// Returns the texts of the bars, side by side.
    fn numbers(&self) -> String {
        let texts = self.bars.iter().map(|bar| bar.text.as_str());
        let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
        texts.join("  ")
    }

    /// Sum of the values that are numbers.
    fn sum(&self) -> f64 {
        let values = self.bars.iter().map(|bar| bar.value);
        values.filter(|value| value.is_finite()).sum()
    }

    /// Adds a note beside the label.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Sets whether the bars are darker.
    #[must_use]
    pub fn strong(mut self, strong: bool) -> Self {
        self.strong = strong;
        self
    }

    /// Sets whether there is a gap above.
    #[must_use]
    pub fn starts_group(mut self, starts_group: bool) -> Self {
        self.starts_group = starts_group;
        self
    }
}

/// The map from values to lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarScale {
    /// Linear from 0, in both directions, with ticks at round numbers below the bars.
    Linear,
    /// Logarithmic from 1, with ticks at powers of ten below the bars. Values below 1 have no bar.
    Log,
}

/// Rows of bars.
///
/// The entropy of every head as bars, in groups by layer:
///
/// ```
/// use diagonal::figure::{Bar, BarChart, BarRow, Figure};
///
/// let entropies = [[1.5, 0.25], [2.0, 3.0]];
/// let rows = entropies.iter().enumerate().flat_map(|(layer, heads)| {
///     heads.iter().enumerate().map(move |(head, &bits)| {
///         let label = format!("{}.{}", layer + 1, head + 1);
///         BarRow::new(label, [Bar::new(bits)]).starts_group(layer > 0 && head == 0)
///     })
/// });
/// let chart = BarChart::linear("entropy in bits", rows)
///     .row_height(14.0)
///     .rule(3.0, "uniform")
///     .with_summary("Entropies of four heads.");
/// assert!(chart.height(400.0) > 4.0 * 14.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BarChart {
    /// The rows, from top to bottom.
    pub rows: Vec<BarRow>,
    /// The map from values to lengths.
    pub scale: BarScale,
    /// Name of the axis below the bars. May be empty.
    pub axis: &'static str,
    /// Name of each bar of a row. Empty if a row has one bar.
    pub names: Vec<&'static str>,
    /// Name of the marks of references. `None` if there are none.
    pub reference: Option<&'static str>,
    /// Whether the bars of a row lie end to end, as parts of a whole, instead of one below another.
    pub is_stacked: bool,
    /// A value that is marked across all rows, and its name.
    pub rule: Option<(f64, &'static str)>,
    /// Distance of rows in pixels, at least the font size.
    pub row_height: f64,
    /// Numbers behind the figure, for download.
    pub table: Table,
    /// A text summary.
    pub summary: String,
}

impl BarChart {
    fn new(scale: BarScale, rows: impl IntoIterator<Item = BarRow>) -> Self {
        Self {
            rows: rows.into_iter().collect(),
            scale,
            axis: "",
            names: Vec::new(),
            reference: None,
            is_stacked: false,
            rule: None,
            row_height: on_axis::ROW,
            table: Table::new(),
            summary: String::new(),
        }
    }

    /// Creates a chart of positive and negative values on a linear axis with a name.
    #[must_use]
    pub fn linear(axis: &'static str, rows: impl IntoIterator<Item = BarRow>) -> Self {
        Self {
            axis,
            ..Self::new(BarScale::Linear, rows)
        }
    }

    /// Creates a chart of values of very different sizes, such as counts, on a logarithmic axis.
    #[must_use]
    pub fn log(rows: impl IntoIterator<Item = BarRow>) -> Self {
        Self::new(BarScale::Log, rows)
    }

    /// Names the bars of each row, if these are several.
    #[must_use]
    pub fn names(mut self, names: impl IntoIterator<Item = &'static str>) -> Self {
        self.names = names.into_iter().collect();
        self
    }

    /// Lays the bars of each row end to end. Their values are parts of a whole, none below 0.
    #[must_use]
    pub fn stack(mut self) -> Self {
        self.is_stacked = true;
        self
    }

    /// Marks a value across all rows of an axis.
    #[must_use]
    pub fn rule(mut self, value: f64, name: &'static str) -> Self {
        self.rule = Some((value, name));
        self
    }

    /// Sets the distance of rows in pixels, at least 12.
    #[must_use]
    pub fn row_height(mut self, height: f64) -> Self {
        self.row_height = height;
        self
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
}

impl Figure for BarChart {
    fn height(&self, _: f64) -> f64 {
        self.height_on_axis()
    }

    fn with_height(&self, _: f64, height: f64) -> Option<Arc<dyn Figure + Send + Sync>> {
        let rows = self.rows.len().max(1) as f64;
        let rest = self.height_on_axis() - rows * self.row_height;
        let row_height = ((height - rest) / rows).clamp(on_axis::ROWS.0, on_axis::ROWS.1);
        Some(Arc::new(Self {
            row_height,
            ..self.clone()
        }))
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        self.draw_on_axis(&mut scene);
        scene
    }

    fn summary(&self) -> String {
        self.summary.clone()
    }

    fn table(&self) -> Table {
        self.table.clone()
    }
}
