//! A matrix of values over two numeric scales as colours, with an optional line.
//!
//! A [`crate::figure::Heatmap`] has integer rows and columns; here both sides are angles, frequencies or values.

use crate::figure::{
    Axis, ColorMap, Cursor, Figure, Ink, LinearScale, Mark, Raster, Rect, Scene, Table, ValueRange,
    color_bar::{self, BAR, BAR_LABELS},
    heatmap::{LEFT, RIGHT},
    number,
    plot::frame::{
        ABOVE, BELOW, Tick, bottom_tick, bottom_ticks, horizontal_name, left_margin, plot_height,
        value_tick, vertical_name,
    },
    plot::scale::tick_label,
};
use row_kernels::finite_range;
use std::sync::{Arc, OnceLock};

const BAR_GAP: f64 = 10.0;

/// Share of the values that may be beyond the upper end of the colours. Otherwise a single peak would leave all others
/// dark.
const BEYOND: f64 = 0.005;

/// A side of the picture: the numbers at its two edges, and its name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueAxis {
    /// The number at the left or the upper edge.
    pub from: f64,
    /// The number at the right or the lower edge.
    pub to: f64,
    /// Its name.
    pub title: &'static str,
    /// Labelled ticks such as multiples of π. Empty for ticks at round numbers.
    pub marks: &'static [(f64, &'static str)],
}

impl ValueAxis {
    /// An axis with ticks at round numbers.
    #[must_use]
    pub fn new(from: f64, to: f64, title: &'static str) -> Self {
        Self {
            from,
            to,
            title,
            marks: &[],
        }
    }

    /// An axis of integers, each at the middle of a cell.
    #[must_use]
    pub fn cells(first: usize, count: usize, title: &'static str) -> Self {
        let from = first as f64 - 0.5;
        Self::new(from, from + count as f64, title)
    }

    /// Replaces the ticks.
    #[must_use]
    pub fn marked(self, marks: &'static [(f64, &'static str)]) -> Self {
        Self { marks, ..self }
    }

    /// Ticks from left to right.
    fn ticks_across(&self, scale: &LinearScale, length: f64) -> Vec<Tick> {
        self.marked_ticks()
            .unwrap_or_else(|| bottom_ticks(scale, length, false))
    }

    /// Ticks from top to bottom.
    fn ticks_down(&self, scale: &LinearScale, length: f64) -> Vec<Tick> {
        self.marked_ticks().unwrap_or_else(|| {
            let (ticks, digits) = scale.ticks(((length / 42.0) as usize).max(1));
            let label = |tick: f64| (tick, tick_label(tick, digits));
            ticks.into_iter().map(label).collect()
        })
    }

    fn marked_ticks(&self) -> Option<Vec<Tick>> {
        let marks = self.marks.iter();
        let ticks = marks.map(|(at, name)| (*at, (*name).to_owned()));
        (!self.marks.is_empty()).then(|| ticks.collect())
    }
}

/// A matrix of values over two scales.
#[derive(Debug, Clone)]
pub struct ValueMap {
    /// Values in rows from the top, `columns` each.
    pub values: Vec<f32>,
    /// Number of values per row.
    pub columns: usize,
    /// The horizontal side, from left to right.
    pub across: ValueAxis,
    /// The vertical side, from top to bottom.
    pub down: ValueAxis,
    /// Quantity of the cursor on the horizontal side, if any.
    pub cursor: Option<Axis>,
    /// The colour map.
    pub map: ColorMap,
    /// A line over the values, in the numbers of both sides. NaN interrupts it.
    pub line: Vec<(f64, f64)>,
    /// Height over width.
    pub aspect: f64,
    /// Numbers behind the figure, for download.
    pub table: Table,
    /// A text summary.
    pub summary: String,
    raster: OnceLock<(Arc<Raster>, Option<ValueRange>)>,
}

impl ValueMap {
    /// Creates the map from values in rows from the top.
    #[must_use]
    pub fn new(values: Vec<f32>, columns: usize, across: ValueAxis, down: ValueAxis) -> Self {
        Self {
            values,
            columns: columns.max(1),
            across,
            down,
            cursor: None,
            map: ColorMap::Viridis,
            line: Vec::new(),
            aspect: 0.6,
            table: Table::new(),
            summary: String::new(),
            raster: OnceLock::new(),
        }
    }

    /// Adds a line over the values.
    #[must_use]
    pub fn line(self, line: Vec<(f64, f64)>) -> Self {
        Self { line, ..self }
    }

    /// Sets the quantity of the cursor on the horizontal side.
    #[must_use]
    pub fn pointing(self, axis: Axis) -> Self {
        Self {
            cursor: Some(axis),
            ..self
        }
    }

    /// Sets height over width.
    #[must_use]
    pub fn aspect(self, aspect: f64) -> Self {
        Self { aspect, ..self }
    }

    /// Sets the numbers behind the figure.
    #[must_use]
    pub fn with_table(self, table: Table) -> Self {
        Self { table, ..self }
    }

    /// Sets the text summary.
    #[must_use]
    pub fn with_summary(self, summary: impl Into<String>) -> Self {
        Self {
            summary: summary.into(),
            ..self
        }
    }

    /// Returns the frame of the colours at a width.
    #[must_use]
    pub fn frame(&self, width: f64) -> Rect {
        let height = plot_height((width - LEFT - RIGHT).max(1.0), self.aspect);
        let down = LinearScale::new((self.down.from, self.down.to), (0.0, height));
        let ticks = self.down.ticks_down(&down, height);
        let left = left_margin(ticks.iter().map(|(_, label)| label.as_str()), LEFT, width);
        let inner = (width - left - RIGHT).max(1.0);
        Rect {
            x: left,
            y: ABOVE,
            width: inner,
            height: plot_height(inner, self.aspect),
        }
    }

    fn scales(&self, frame: &Rect) -> (LinearScale, LinearScale) {
        let of = |side: ValueAxis, pixels| LinearScale::new((side.from, side.to), pixels);
        (
            of(self.across, (frame.x, frame.right())),
            of(self.down, (frame.y, frame.bottom())),
        )
    }

    /// Returns the pixels and the colour range. The range is `None` if no value is finite.
    fn painted(&self) -> &(Arc<Raster>, Option<ValueRange>) {
        self.raster.get_or_init(|| {
            let finite = finite_range(&self.values);
            let ends = finite.unwrap_or((0.0, 1.0));
            let mut sorted: Vec<f32> = self
                .values
                .iter()
                .copied()
                .filter(|v| v.is_finite())
                .collect();
            let low = ends.0.min(0.0);
            let mut high = ends.1;
            if let Some(last) = sorted.len().checked_sub(1).filter(|last| *last > 0) {
                let place = last - (BEYOND * last as f64) as usize;
                high = *sorted.select_nth_unstable_by(place, f32::total_cmp).1;
            }
            let high = if high > low { high } else { low + 1.0 };
            let palette = self.map.palette();
            let steps = (palette.len() - 1) as f32;
            let pixel = |value: &f32| {
                // The cast saturates at the ends of the palette. NaN is transparent.
                let step = ((value - low) / (high - low) * steps + 0.5) as u8;
                if value.is_nan() {
                    [0; 4]
                } else {
                    palette[usize::from(step)]
                }
            };
            let raster = Raster {
                width: self.columns,
                height: self.values.len() / self.columns,
                rgba: self
                    .values
                    .iter()
                    .map(pixel)
                    .collect::<Vec<_>>()
                    .into_flattened(),
            };
            let range = ValueRange {
                shown: (f64::from(low), f64::from(high)),
                values: (f64::from(ends.0), f64::from(ends.1)),
            };
            (Arc::new(raster), finite.map(|_| range))
        })
    }

    fn axes(&self, scene: &mut Scene, frame: &Rect) {
        let (x, y) = self.scales(frame);
        for (tick, label) in self.across.ticks_across(&x, frame.width) {
            let at = x.pixel(tick);
            if (frame.x - 0.5..=frame.right() + 0.5).contains(&at) {
                bottom_tick(scene, frame, at, label);
            }
        }
        horizontal_name(scene, frame, self.across.title);
        for (tick, label) in self.down.ticks_down(&y, frame.height) {
            let at = y.pixel(tick);
            if (frame.y - 0.5..=frame.bottom() + 0.5).contains(&at) {
                value_tick(scene, frame, at, label);
            }
        }
        vertical_name(scene, frame, self.down.title);
    }
}

impl Figure for ValueMap {
    fn height(&self, width: f64) -> f64 {
        let frame = self.frame(width);
        let range = self.painted().1;
        let words = range.map_or(0.0, |range| color_bar::words_height(range, frame.width));
        frame.bottom() + BELOW + BAR_GAP + BAR + BAR_LABELS + words + 2.0
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let frame = self.frame(width);
        let (raster, range) = self.painted();
        scene.marks.push(Mark::Raster(frame, Arc::clone(raster)));
        if !self.line.is_empty() {
            let (x, y) = self.scales(&frame);
            let inside = |at: &(f64, f64)| {
                let at = (x.pixel(at.0), y.pixel(at.1));
                // Points outside the frame interrupt the line.
                let is_inside = (frame.x..=frame.right()).contains(&at.0)
                    && (frame.y..=frame.bottom()).contains(&at.1);
                if is_inside { at } else { (f64::NAN, f64::NAN) }
            };
            let points: Vec<_> = self.line.iter().map(inside).collect();
            for (ink, width) in [(Ink::Black, 3.2), (Ink::White, 1.6)] {
                scene.line(points.clone(), ink, width);
            }
        }
        self.axes(&mut scene, &frame);
        let bar = Rect {
            x: frame.x,
            y: frame.bottom() + BELOW + BAR_GAP,
            width: frame.width,
            height: BAR,
        };
        if let Some(range) = range {
            color_bar::draw(&mut scene, bar, self.map, *range);
        }
        scene
    }

    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let at = self
            .cursor
            .zip(cursor)
            .and_then(|(axis, cursor)| axis.place(cursor));
        let frame = self.frame(width);
        if let Some(at) = at.map(|at| self.scales(&frame).0.pixel(at as f64))
            && (frame.x..=frame.right()).contains(&at)
        {
            scene.lit_line(vec![(at, frame.y), (at, frame.bottom())]);
        }
        scene
    }

    fn cursor_at(&self, width: f64, px: f64, py: f64) -> Option<Cursor> {
        let frame = self.frame(width);
        if !frame.contains(px, py) {
            return None;
        }
        let at = self.scales(&frame).0.value(px).round() as i64;
        self.cursor?.cursor(at)
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        Some(self.frame(width))
    }

    fn vertical_name(&self) -> &'static str {
        self.down.title
    }

    fn summary(&self) -> String {
        let sentence = match self.painted().1 {
            Some(range) => {
                let (low, high) = range.values;
                format!("Values from {} to {}.", number(low), number(high))
            }
            None => "No value is a number.".to_owned(),
        };
        format!("{} {sentence}", self.summary)
    }

    fn table(&self) -> Table {
        self.table.clone()
    }
}
