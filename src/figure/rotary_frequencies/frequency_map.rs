//! The map of heads and wavelengths as a figure: a matrix of colours with bars beside its rows.

use crate::figure::{
    Cursor, Figure, Ink, Mark, Plot, Rect, Scene, Table,
    plot::frame::{bottom_tick, horizontal_name},
};
use std::sync::Arc;

/// Width of the bars as a share of the figure's, its ends in pixels, and the distance to the matrix.
const BARS: f64 = 0.2;
const NARROWEST: f64 = 56.0;
const WIDEST: f64 = 110.0;
const GAP: f64 = 10.0;
/// Space on the right of the bars for the last label.
const RIGHT: f64 = 12.0;

/// Heads by wavelength, with the effective number of pairs of each beside its row.
#[derive(Debug, Clone, PartialEq)]
pub struct FrequencyMap {
    /// The matrix of colours.
    pub plot: Plot,
    /// Effective number of pairs of each row from the top; NaN for none. Empty if there are no bars.
    pub effective: Vec<f64>,
    /// Number of pairs at the right end of the bars.
    most: usize,
}

impl FrequencyMap {
    pub(super) fn new(plot: Plot, effective: Vec<f64>, most: usize) -> Self {
        Self {
            plot,
            effective,
            most,
        }
    }

    /// Width of the matrix with its labels.
    fn plot_width(&self, width: f64) -> f64 {
        match self.effective.is_empty() {
            true => width,
            false => width - self.bars_width(width) - GAP,
        }
    }

    fn bars_width(&self, width: f64) -> f64 {
        (BARS * width).clamp(NARROWEST, WIDEST)
    }

    fn draw_bars(&self, scene: &mut Scene, width: f64) {
        let plot = self.plot.frame(self.plot_width(width));
        let frame = Rect {
            x: width - self.bars_width(width),
            width: self.bars_width(width) - RIGHT,
            ..plot
        };
        let most = self.most.max(1) as f64;
        let height = frame.height / self.effective.len().max(1) as f64;
        let rows: Vec<(usize, f64)> = self.effective.iter().copied().enumerate().collect();
        // One outline around neighbouring rows, since there are more rows than pixels in large models.
        for rows in rows.split(|(_, pairs)| pairs.is_nan()) {
            let (Some((first, _)), Some((last, _))) = (rows.first(), rows.last()) else {
                continue;
            };
            let y = |row: usize| frame.y + row as f64 * height;
            let mut points = vec![(frame.x, y(*first))];
            for (row, pairs) in rows {
                let x = frame.x + frame.width * (pairs / most).min(1.0);
                points.extend([(x, y(*row)), (x, y(*row + 1))]);
            }
            points.push((frame.x, y(*last + 1)));
            scene.marks.push(Mark::Area {
                points,
                fill: Ink::Muted,
            });
        }
        let base = vec![(frame.x, frame.y), (frame.x, frame.bottom())];
        scene.line(base, Ink::Muted, 1.0);
        bottom_tick(scene, &frame, frame.x, "0".to_owned());
        bottom_tick(scene, &frame, frame.right(), self.most.to_string());
        horizontal_name(scene, &frame, "pairs in use");
    }
}

impl Figure for FrequencyMap {
    fn height(&self, width: f64) -> f64 {
        self.plot.height(self.plot_width(width))
    }

    fn with_height(&self, width: f64, height: f64) -> Option<Arc<dyn Figure + Send + Sync>> {
        Some(Arc::new(Self {
            plot: self.plot.in_height(self.plot_width(width), height),
            ..self.clone()
        }))
    }

    fn scene(&self, width: f64) -> Scene {
        let plot = self.plot.scene(self.plot_width(width));
        let mut scene = Scene::new(width, self.height(width));
        scene.marks = plot.marks;
        if !self.effective.is_empty() {
            self.draw_bars(&mut scene, width);
        }
        scene
    }

    fn cursor_at(&self, width: f64, x: f64, y: f64) -> Option<Cursor> {
        self.plot.cursor_at(self.plot_width(width), x, y)
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        self.plot.plot_frame(self.plot_width(width))
    }

    fn vertical_name(&self) -> &'static str {
        self.plot.vertical_name()
    }

    fn summary(&self) -> String {
        self.plot.summary()
    }

    fn table(&self) -> Table {
        self.plot.table()
    }
}
