//! The map of heads and wavelengths as a figure: a matrix of colours with bars beside its rows.

use super::head_rows::HeadRow;
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
    /// The heads, those of each line from the top, and the wavelengths at both ends of the axis.
    places: Arc<PairPlaces>,
}

/// Places of the pairs in the picture.
#[derive(Debug, PartialEq)]
pub(super) struct PairPlaces {
    pub(super) rows: Vec<HeadRow>,
    /// Indices of rows; several where there are more heads than lines.
    pub(super) lines: Vec<Vec<usize>>,
    pub(super) wavelengths: (f64, f64),
}

impl PairPlaces {
    /// The row at a share of the height, from the top.
    fn row_at(&self, share: f64) -> Option<&HeadRow> {
        let place = share * self.lines.len() as f64;
        let line = self.lines.get(place as usize)?;
        let at = (place.fract() * line.len() as f64) as usize;
        self.rows.get(*line.get(at)?)
    }

    /// Ends of the row in the picture, as shares of its height.
    fn ends(&self, row: usize) -> Option<(f64, f64)> {
        let holds = |line: &Vec<usize>| line.contains(&row);
        let first = self.lines.iter().position(holds)?;
        let count = self.lines[first..]
            .iter()
            .take_while(|line| holds(line))
            .count();
        let all = self.lines.len() as f64;
        Some((first as f64 / all, (first + count) as f64 / all))
    }

    /// Place of a wavelength, as a share of the width.
    fn share_of(&self, wavelength: f64) -> f64 {
        let (low, high) = self.wavelengths;
        (wavelength / low).ln() / (high / low).ln()
    }

    /// The row and the place in the order of wavelengths of a pair.
    fn find(&self, cursor: Option<Cursor>) -> Option<(usize, usize)> {
        let Some(Cursor::Pair { layer, head, pair }) = cursor else {
            return None;
        };
        let is_row = |row: &HeadRow| (row.layer, row.head) == (layer, head);
        let row = self.rows.iter().position(is_row)?;
        Some((row, self.rows[row].place_of(pair)?))
    }
}

impl FrequencyMap {
    pub(super) fn new(plot: Plot, effective: Vec<f64>, most: usize, places: PairPlaces) -> Self {
        Self {
            plot,
            effective,
            most,
            places: Arc::new(places),
        }
    }

    /// The rectangle of a pair.
    fn rect_of(&self, width: f64, cursor: Option<Cursor>) -> Option<Rect> {
        let (row, at) = self.places.find(cursor)?;
        let (top, bottom) = self.places.ends(row)?;
        let (from, to) = self.places.rows[row].edges().nth(at)?;
        let [from, to] =
            [from, to].map(|wavelength| self.places.share_of(wavelength).clamp(0.0, 1.0));
        let frame = self.plot.frame(self.plot_width(width));
        Some(Rect {
            x: frame.x + from * frame.width,
            y: frame.y + top * frame.height,
            width: (to - from) * frame.width,
            height: (bottom - top) * frame.height,
        })
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

    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        if let Some(rect) = self.rect_of(width, cursor) {
            // Rows of large models are lower than the outline is wide.
            let rect = Rect {
                x: rect.x - 1.0,
                y: rect.y - 1.0,
                width: rect.width + 2.0,
                height: rect.height + 2.0,
            };
            let outline = |stroke| Mark::Box {
                rect,
                fill: None,
                stroke: Some(stroke),
            };
            scene.marks.push(outline((Ink::Paper, 4.0)));
            scene.marks.push(outline((Ink::Accent, 2.0)));
        }
        scene
    }

    fn cursor_at(&self, width: f64, x: f64, y: f64) -> Option<Cursor> {
        let frame = self.plot.frame(self.plot_width(width));
        if !frame.contains(x, y) {
            return None;
        }
        let row = self.places.row_at((y - frame.y) / frame.height)?;
        let (low, high) = self.places.wavelengths;
        let share = (x - frame.x) / frame.width;
        row.cursor_at(row.place_at(low * (high / low).powf(share))?)
    }

    /// Steps to the next head of the order and to the next pair by wavelength; the first ones without a pair.
    fn step_cursor(&self, cursor: Option<Cursor>, (down, right): (i64, i64)) -> Option<Cursor> {
        let order = || {
            let mut order: Vec<usize> = self.places.lines.iter().flatten().copied().collect();
            order.dedup();
            order
        };
        let Some((row, at)) = self.places.find(cursor) else {
            let first = order().into_iter().next()?;
            return self.places.rows[first].cursor_at(0);
        };
        let order = order();
        let place = order.iter().position(|other| *other == row)?;
        let step = |at: usize, by: i64, count: usize| {
            let last = count.saturating_sub(1) as i64;
            (at as i64 + by).clamp(0, last) as usize
        };
        let row = &self.places.rows[*order.get(step(place, down, order.len()))?];
        row.cursor_at(step(at, right, row.pairs.len()))
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
