//! Several plots as one figure: panels with letters and titles, whose frames are at the same heights.

use super::{
    Cursor, Figure, Plot, Rect, Scene, Series, Table,
    panel_heading::{HEADING, draw_heading, draw_plain_heading},
    plot::LineLegend,
};
use std::sync::Arc;

/// Space between two panels of a row, and between two rows.
const GAP: (f64, f64) = (14.0, 12.0);
/// Least width of a panel, unless the figure is narrower.
const NARROWEST: f64 = 230.0;
/// The same of small multiples.
const NARROWEST_MULTIPLE: f64 = 150.0;

/// A plot among others.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotPanel {
    /// The title above it.
    pub title: String,
    /// The line below the title.
    pub note: String,
    /// The plot. Its table and its summary are those of the panels.
    pub plot: Plot,
}

/// Plots side by side, in rows of equal length. For plots of one kind on equal axes, such as those of several runs.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotPanels {
    panels: Vec<PlotPanel>,
    table: Table,
    summary: String,
    /// The legend of all panels, and panels that are narrow and have no letters.
    multiples: Option<LineLegend>,
}

impl PlotPanels {
    /// Arranges plots, with a table of their numbers and a description.
    #[must_use]
    pub fn new(panels: Vec<PlotPanel>, table: Table, summary: String) -> Self {
        Self {
            panels,
            table,
            summary,
            multiples: None,
        }
    }

    /// Draws the panels as small multiples: narrow, without letters, under one legend of lines that all of them have.
    #[must_use]
    pub fn as_multiples<'a>(self, legend: impl IntoIterator<Item = &'a Series>) -> Self {
        Self {
            multiples: Some(LineLegend::new(legend)),
            ..self
        }
    }

    /// The panels in reading order.
    #[must_use]
    pub fn panels(&self) -> &[PlotPanel] {
        &self.panels
    }

    /// Returns the number of panels in a row of a figure of this width, and the width of a panel.
    fn columns(&self, width: f64) -> (usize, f64) {
        let count = self.panels.len().max(1);
        let narrowest = match self.multiples {
            Some(_) => NARROWEST_MULTIPLE,
            None => NARROWEST,
        };
        let most = (((width + GAP.0) / (narrowest + GAP.0)) as usize).clamp(1, count);
        let columns = count.div_ceil(count.div_ceil(most));
        let panel = (width + GAP.0) / columns as f64 - GAP.0;
        (columns, panel.max(1.0))
    }

    /// Returns the places of the panels. The frames of a row begin at the same height, although some legends are higher
    /// than others.
    fn layout(&self, width: f64) -> Vec<PanelPlace> {
        let (columns, panel) = self.columns(width);
        let mut places = Vec::with_capacity(self.panels.len());
        let mut top = (self.multiples.as_ref()).map_or(0.0, |legend| legend.height(width));
        for row in self.panels.chunks(columns) {
            let frame_top = |one: &PlotPanel| one.plot.frame(panel).y;
            let lowest = row.iter().map(frame_top).fold(0.0, f64::max);
            let place = |(at, one): (usize, &PlotPanel)| PanelPlace {
                top,
                plot: Rect {
                    x: at as f64 * (panel + GAP.0),
                    y: top + HEADING + lowest - frame_top(one),
                    width: panel,
                    height: one.plot.height(panel),
                },
            };
            let row = row.iter().enumerate().map(place).collect::<Vec<_>>();
            let bottoms = row.iter().map(|place| place.plot.bottom());
            let bottom = bottoms.fold(top, f64::max);
            places.extend(row);
            top = bottom + GAP.1;
        }
        places
    }
}

/// The place of a panel.
#[derive(Debug, Clone, Copy)]
struct PanelPlace {
    /// Top of its heading.
    top: f64,
    plot: Rect,
}

impl PanelPlace {
    fn whole(&self) -> Rect {
        Rect {
            y: self.top,
            height: self.plot.bottom() - self.top,
            ..self.plot
        }
    }
}

impl Figure for PlotPanels {
    fn height(&self, width: f64) -> f64 {
        let bottoms = self.layout(width).into_iter();
        bottoms.map(|place| place.plot.bottom()).fold(0.0, f64::max)
    }

    fn with_height(&self, width: f64, height: f64) -> Option<Arc<dyn Figure + Send + Sync>> {
        let (columns, panel) = self.columns(width);
        let rows = self.panels.len().div_ceil(columns).max(1);
        let more = (height - self.height(width)) / rows as f64;
        let panels = self.panels.iter().map(|one| PlotPanel {
            plot: one.plot.in_height(panel, one.plot.height(panel) + more),
            ..one.clone()
        });
        Some(Arc::new(Self {
            panels: panels.collect(),
            ..self.clone()
        }))
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        if let Some(legend) = &self.multiples {
            legend.draw(&mut scene);
        }
        for (at, (one, place)) in self.panels.iter().zip(self.layout(width)).enumerate() {
            let PanelPlace { top, plot } = place;
            let (corner, words) = ((plot.x, top), (one.title.as_str(), one.note.as_str()));
            match self.multiples {
                Some(_) => draw_plain_heading(&mut scene, (corner, plot.width), words),
                None => draw_heading(&mut scene, at, (corner, plot.width), words),
            }
            let marks = one.plot.scene(plot.width).marks.into_iter();
            let marks = marks.map(|mark| mark.translate((plot.x, plot.y)));
            scene.marks.extend(marks);
        }
        scene
    }

    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        for (one, PanelPlace { plot, .. }) in self.panels.iter().zip(self.layout(width)) {
            let marks = one.plot.overlay(plot.width, cursor).marks.into_iter();
            let marks = marks.map(|mark| mark.translate((plot.x, plot.y)));
            scene.marks.extend(marks);
        }
        scene
    }

    fn cursor_at(&self, width: f64, x: f64, y: f64) -> Option<Cursor> {
        let mut panels = self.panels.iter().zip(self.layout(width));
        let (one, place) = panels.find(|(_, place)| place.plot.contains(x, y))?;
        let PanelPlace { plot, .. } = place;
        one.plot.cursor_at(plot.width, x - plot.x, y - plot.y)
    }

    fn places(&self, width: f64) -> Vec<Rect> {
        let places = self.layout(width).into_iter();
        places.map(|place| place.whole()).collect()
    }

    fn summary(&self) -> String {
        self.summary.clone()
    }

    fn table(&self) -> Table {
        self.table.clone()
    }
}
