//! Several matrices as one figure: panels with letters, titles, axes of their own, and colour bars.

use super::{
    ColorMap, Cursor, Figure, FormulaTerm, Heatmap, Rect, Scene, Table, ValueRange,
    color_bar::{self, BAR, BAR_LABELS},
    panel_heading::{HEADING, draw_heading},
};
use crate::{
    analysis::{MatrixId, MatrixTile},
    math::{Tile, Window},
};
use std::sync::Arc;

/// Space between two panels.
const GAP: f64 = 14.0;
/// Least width of a panel, unless the figure is narrower.
const NARROWEST: f64 = 160.0;
/// Greatest width of a panel.
const WIDEST: f64 = 360.0;
/// Greatest length of the shared bar.
const LONGEST_BAR: f64 = 240.0;
/// Space above the shared bar.
const ABOVE_BAR: f64 = 8.0;

/// A matrix among others.
#[derive(Debug, Clone)]
pub struct MatrixPanel {
    /// The title above it.
    pub title: String,
    /// The line below the title, such as its R².
    pub note: String,
    /// The matrix.
    pub matrix: Heatmap,
    /// The matrix and the drawn part of it, from which finer blocks can be requested.
    pub source: Option<(MatrixId, Option<Window>)>,
    /// The term of formulas that it stands for, see [`Figure::terms`].
    pub term: Option<FormulaTerm>,
}

/// Matrices side by side, in rows of equal length.
#[derive(Debug, Clone)]
pub struct MatrixPanels {
    panels: Vec<MatrixPanel>,
    /// Colour map and ends of the bar that the matrices without a bar share.
    common_scale: Option<(ColorMap, (f64, f64))>,
    table: Table,
    summary: String,
}

impl MatrixPanels {
    /// Arranges matrices, each with a colour bar of its own.
    #[must_use]
    pub fn new(panels: Vec<MatrixPanel>) -> Self {
        Self {
            panels,
            common_scale: None,
            table: Table::new(),
            summary: String::new(),
        }
    }

    /// Draws the given panels on one colour scale, whose bar is below all panels.
    #[must_use]
    pub fn with_shared_range(
        mut self,
        ends: (f64, f64),
        is_shared: impl Fn(usize) -> bool,
    ) -> Self {
        for (at, panel) in self.panels.iter_mut().enumerate() {
            if is_shared(at) {
                self.common_scale = Some((panel.matrix.color_map(), ends));
                panel.matrix = panel.matrix.clone().with_range(ends).without_bar();
            }
        }
        self
    }

    /// Returns the ends of one colour scale for all panels: the union of the ranges of those whose values differ, since a
    /// constant map has a range of its own around its value. (−1, 1) if none differ.
    #[must_use]
    pub fn common_ends(panels: &[MatrixPanel]) -> (f64, f64) {
        let ranges = panels.iter().map(|panel| panel.matrix.range());
        let varied = ranges.filter(|range| range.values.0 < range.values.1);
        ValueRange::union(varied).map_or((-1.0, 1.0), |range| range.ends)
    }

    /// Sets the numbers for download.
    #[must_use]
    pub fn with_table(self, table: Table) -> Self {
        Self { table, ..self }
    }

    /// Sets the description.
    #[must_use]
    pub fn with_summary(self, summary: String) -> Self {
        Self { summary, ..self }
    }

    /// Returns the number of panels in a row of a figure of this width, and the width of a panel.
    #[must_use]
    pub fn columns(panels: usize, width: f64) -> (usize, f64) {
        let count = panels.max(1);
        let most = (((width + GAP) / (NARROWEST + GAP)) as usize).clamp(1, count);
        let columns = count.div_ceil(count.div_ceil(most));
        let panel = ((width + GAP) / columns as f64 - GAP).clamp(1.0, WIDEST);
        (columns, panel)
    }

    /// Returns the width of a panel, and the place of each panel. All panels of a row are equally high.
    fn layout(&self, width: f64) -> (f64, Vec<Rect>) {
        let (columns, panel) = Self::columns(self.panels.len(), width);
        let mut places = Vec::with_capacity(self.panels.len());
        let mut top = 0.0;
        for row in self.panels.chunks(columns) {
            let heights = row.iter().map(|one| one.matrix.height(panel));
            let height = HEADING + heights.fold(0.0, f64::max);
            places.extend((0..row.len()).map(|at| Rect {
                x: at as f64 * (panel + GAP),
                y: top,
                width: panel,
                height,
            }));
            top += height + GAP;
        }
        (panel, places)
    }

    /// Returns the shared bar with its map and range, if there is one.
    fn shared_bar(&self, width: f64) -> Option<(Rect, ColorMap, ValueRange)> {
        let (map, ends) = self.common_scale?;
        let without_bar = self.panels.iter().filter(|panel| !panel.matrix.has_bar());
        let values = ValueRange::union(without_bar.clone().map(|panel| panel.matrix.range()));
        let range = ValueRange {
            ends,
            values: values.map_or(ends, |range| range.values),
        };
        let (panel, places) = self.layout(width);
        let left = without_bar.map(|one| one.matrix.frame(panel).x);
        let x = left.fold(f64::INFINITY, f64::min);
        let bar = Rect {
            x,
            y: places.iter().map(Rect::bottom).fold(0.0, f64::max) + ABOVE_BAR,
            width: (width - x).min(LONGEST_BAR),
            height: BAR,
        };
        Some((bar, map, range))
    }
}

impl Figure for MatrixPanels {
    fn height(&self, width: f64) -> f64 {
        match self.shared_bar(width) {
            Some((bar, _, range)) => {
                let words = color_bar::words_height(range, bar.width);
                bar.bottom() + BAR_LABELS + words + 2.0
            }
            None => {
                let (_, places) = self.layout(width);
                places.iter().map(Rect::bottom).fold(0.0, f64::max)
            }
        }
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let (panel, places) = self.layout(width);
        for (at, (one, place)) in self.panels.iter().zip(&places).enumerate() {
            let words = (one.title.as_str(), one.note.as_str());
            draw_heading(&mut scene, at, ((place.x, place.y), panel), words);
            let shift = (place.x, place.y + HEADING);
            let marks = one.matrix.scene(panel).marks.into_iter();
            scene.marks.extend(marks.map(|mark| mark.translate(shift)));
        }
        if let Some((bar, map, range)) = self.shared_bar(width) {
            color_bar::draw(&mut scene, bar, map, range);
        }
        scene
    }

    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let (panel, places) = self.layout(width);
        for (one, place) in self.panels.iter().zip(&places) {
            let shift = (place.x, place.y + HEADING);
            let marks = one.matrix.overlay(panel, cursor).marks.into_iter();
            scene.marks.extend(marks.map(|mark| mark.translate(shift)));
        }
        scene
    }

    fn cursor_at(&self, width: f64, x: f64, y: f64) -> Option<Cursor> {
        let (panel, places) = self.layout(width);
        let mut panels = self.panels.iter().zip(&places);
        let (one, place) = panels.find(|(_, place)| place.contains(x, y))?;
        let (x, y) = (x - place.x, y - place.y - HEADING);
        one.matrix.cursor_at(panel, x, y)
    }

    fn finer_tiles(&self, width: f64, dots: f64) -> Vec<(usize, MatrixTile)> {
        let (panel, _) = self.layout(width);
        let question = |(at, one): (usize, &MatrixPanel)| {
            let (of, window) = one.source.clone()?;
            let frame = one.matrix.frame(panel);
            let limit = (frame.width.max(frame.height) * dots).round() as usize;
            let question = MatrixTile { of, window, limit };
            one.matrix.is_coarser_than(limit).then_some((at, question))
        };
        self.panels
            .iter()
            .enumerate()
            .filter_map(question)
            .collect()
    }

    fn with_tiles(&self, tiles: Vec<(usize, Tile)>) -> Option<Arc<dyn Figure + Send + Sync>> {
        let mut finer = self.clone();
        for (at, tile) in tiles {
            let panel = finer.panels.get_mut(at)?;
            panel.matrix = panel.matrix.clone().with_tile(Arc::new(tile));
        }
        Some(Arc::new(finer))
    }

    fn terms(&self, width: f64) -> Vec<(FormulaTerm, Rect)> {
        let (_, places) = self.layout(width);
        let panels = self.panels.iter().zip(places);
        panels
            .filter_map(|(panel, place)| Some((panel.term?, place)))
            .collect()
    }

    fn places(&self, width: f64) -> Vec<Rect> {
        self.layout(width).1
    }

    fn summary(&self) -> String {
        self.summary.clone()
    }

    fn table(&self) -> Table {
        self.table.clone()
    }
}
