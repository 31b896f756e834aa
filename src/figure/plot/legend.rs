//! Legends: line samples with names in rows above a plot, and numbered models below it.

use super::{Plot, PlotMark, Series};
use crate::figure::{
    Anchor, Ink, Mark, Scene,
    scene::BADGE,
    text::TEXT,
    text::{fit_name, width as text_width},
};

/// A line sample and its name.
pub(super) struct LegendEntry<'a> {
    name: &'a str,
    ink: Ink,
    width: f64,
    is_dashed: bool,
}

impl<'a> LegendEntry<'a> {
    pub(super) fn from_line(series: &'a Series) -> Self {
        Self {
            name: &series.name,
            ink: series.ink,
            width: series.width.max(1.5),
            is_dashed: series.is_dashed,
        }
    }
}

/// A legend above several plots that have the same lines.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::figure) struct LineLegend(Vec<Series>);

impl LineLegend {
    /// The layout starts at the left edge of the figure, above all plots.
    const LAYOUT: LegendLayout = LegendLayout {
        left: 0.0,
        ..super::LINES.legend
    };
    /// Space below the entries.
    const BELOW: f64 = 8.0;

    /// Lists lines in this order.
    pub(in crate::figure) fn new<'a>(lines: impl IntoIterator<Item = &'a Series>) -> Self {
        // The values are in the plots.
        let lines = lines.into_iter().map(|line| Series {
            name: line.name.clone(),
            values: Vec::new(),
            ..*line
        });
        Self(lines.collect())
    }

    fn entries(&self) -> Vec<LegendEntry<'_>> {
        self.0.iter().map(LegendEntry::from_line).collect()
    }

    pub(in crate::figure) fn height(&self, width: f64) -> f64 {
        Self::LAYOUT.height(&self.entries(), width) + Self::BELOW
    }

    /// Draws the entries at the top of a figure.
    pub(in crate::figure) fn draw(&self, scene: &mut Scene) {
        Self::LAYOUT.draw(scene, &self.entries());
    }
}

/// Width of a column of the legend of models.
const MODEL: f64 = 176.0;
/// Height of a row of the legend of models, and the space above it.
const MODEL_ROW: f64 = 22.0;
const MODELS_ABOVE: f64 = 6.0;

impl Plot {
    /// Returns the legend's entries: labelled lines, the first one first, then named dots.
    fn entries(&self) -> Vec<LegendEntry<'_>> {
        let lines = self.lines().filter(|series| series.is_in_legend);
        let lines = lines.map(LegendEntry::from_line);
        let dots = self.marks.iter().filter_map(|mark| match mark {
            PlotMark::Dots(dots) if !dots.name.is_empty() => Some(LegendEntry {
                name: &dots.name,
                ink: dots.ink,
                width: dots.width,
                is_dashed: dots.is_dashed,
            }),
            _ => None,
        });
        lines.chain(dots).collect()
    }

    pub(super) fn legend_height(&self, width: f64) -> f64 {
        self.layout.legend.height(&self.entries(), width)
    }

    pub(super) fn draw_legend(&self, scene: &mut Scene) {
        self.layout.legend.draw(scene, &self.entries());
    }

    /// Returns the number of columns of the legend of models, and its height.
    fn model_columns(&self, width: f64) -> (usize, f64) {
        let columns = ((width / MODEL) as usize).max(1);
        let rows = self.models.len().div_ceil(columns);
        (columns, rows as f64 * MODEL_ROW + MODELS_ABOVE)
    }

    pub(super) fn models_height(&self, width: f64) -> f64 {
        match self.models.is_empty() {
            true => 0.0,
            false => self.model_columns(width).1,
        }
    }

    /// Writes the numbers and names of the models in columns below `top`.
    pub(super) fn draw_models(&self, scene: &mut Scene, top: f64) {
        let (columns, _) = self.model_columns(scene.width);
        let top = top + MODELS_ABOVE + MODEL_ROW / 2.0;
        let column = scene.width / columns as f64;
        for (at, (number, name)) in self.models.iter().enumerate() {
            let left = (at % columns) as f64 * column;
            let middle = top + (at / columns) as f64 * MODEL_ROW;
            scene.badge((left + BADGE + 1.0, middle), *number);
            let place = (left + 2.0 * BADGE + 8.0, middle);
            let name = fit_name(name, column - 2.0 * BADGE - 16.0);
            scene.text(name, place, Anchor::Start, Ink::Ink);
        }
    }
}

/// Places in a legend, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LegendLayout {
    pub(super) left: f64,
    /// Height of a row.
    pub(super) row: f64,
    /// Length of a line sample, the start of its name, and the space to the next entry.
    pub(super) sample: f64,
    pub(super) name: f64,
    pub(super) apart: f64,
}

impl LegendLayout {
    pub(super) fn height(&self, entries: &[LegendEntry<'_>], width: f64) -> f64 {
        self.row * self.place(entries, width).1 as f64
    }

    /// Draws the entries at the top of a figure.
    pub(super) fn draw(&self, scene: &mut Scene, entries: &[LegendEntry<'_>]) {
        let (places, _) = self.place(entries, scene.width);
        for (entry, (x, row)) in entries.iter().zip(places) {
            let y = 9.0 + self.row * row as f64;
            scene.marks.push(Mark::Line {
                points: vec![(x, y), (x + self.sample, y)],
                stroke: entry.ink,
                width: entry.width,
                dash: entry.is_dashed.then_some(3.0),
            });
            let name = fit_name(entry.name, scene.width - x - self.name);
            scene.text(name, (x + self.name, y), Anchor::Start, Ink::Muted);
        }
    }

    /// Returns the x position and row of each entry, and the number of rows. The rows start at the left edge of the
    /// plot, or of the figure if a name is too long otherwise.
    fn place(&self, entries: &[LegendEntry<'_>], width: f64) -> (Vec<(f64, usize)>, usize) {
        let widths = entries.iter().map(|entry| text_width(entry.name, TEXT));
        let widest = widths.clone().fold(0.0, f64::max);
        let left = match self.left + self.name + widest <= width {
            true => self.left,
            false => 0.0,
        };
        // The space after the last entry of a row may be outside.
        let widths = widths.map(|name| self.name + name + self.apart);
        legend_rows(widths, left, width + self.apart)
    }
}

/// Places legend entries in rows that start at `left`. Returns the x position and row of each entry, and the number of
/// rows. `widths` includes the space after each entry.
pub(in crate::figure) fn legend_rows(
    widths: impl IntoIterator<Item = f64>,
    left: f64,
    figure: f64,
) -> (Vec<(f64, usize)>, usize) {
    let (mut x, mut row, mut places) = (left, 0, Vec::new());
    for width in widths {
        if x + width > figure && x > left {
            (x, row) = (left, row + 1);
        }
        places.push((x, row));
        x += width;
    }
    let rows = if places.is_empty() { 0 } else { row + 1 };
    (places, rows)
}
