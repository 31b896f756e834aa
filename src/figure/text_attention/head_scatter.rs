//! All heads over a text as points: two of their numbers as axes, a third as colour.

use super::{HeadMeasure, head_pictures};
use crate::{
    analysis::{SpecialTokenMode, TextHeadSummary},
    figure::{
        AxisScale, ColorBar, ColorMap, Dots, Figure, Heatmap, Ink, Mark, Plot, PlotAxis, Raster,
        Rect, ScatterPoint, Scene, Table, ValueRange, number, text::TEXT,
        text::width as text_width,
    },
    math::{Tile, Window},
};
use std::sync::Arc;

/// Radius of a point in pixels, and of the area of its button.
const RADIUS: f64 = 5.0;
const BUTTON: f64 = 9.0;
/// Pixels per side of the raster of a point.
const DISC: usize = 24;
/// Space between plot and colour bar, and height of the bar's name.
const BAR_GAP: f64 = 12.0;
const BAR_NAME: f64 = 18.0;
/// Greatest width of the bar.
const LONGEST_BAR: f64 = 260.0;

/// The numbers that place and colour the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScatterAxes {
    /// Horizontal axis.
    pub x: HeadMeasure,
    /// Vertical axis.
    pub y: HeadMeasure,
    /// Colour.
    pub color: HeadMeasure,
}

/// The heads of a text as points.
#[derive(Debug, Clone)]
pub struct HeadScatter {
    plot: Plot,
    /// Layer and head, coordinates, and colour of each point.
    points: Vec<HeadPoint>,
    bar: ColorBar,
    bar_name: &'static str,
    /// The open head. Exported pictures omit its ring.
    pub open: Option<(usize, usize)>,
}

#[derive(Debug, Clone)]
struct HeadPoint {
    place: (usize, usize),
    at: (f64, f64),
    disc: Arc<Raster>,
}

impl HeadScatter {
    /// Places heads by their numbers. Heads of which one of the axes is not finite are left out. `None` if none
    /// remains.
    #[must_use]
    pub fn new(
        heads: &[TextHeadSummary],
        axes: ScatterAxes,
        special: SpecialTokenMode,
        map: ColorMap,
    ) -> Option<Self> {
        let all: Vec<&TextHeadSummary> = heads.iter().collect();
        let value = |head: &TextHeadSummary, number: HeadMeasure| number.of_head(head, special);
        let at = |head: &TextHeadSummary| (value(head, axes.x), value(head, axes.y));
        let placed: Vec<&TextHeadSummary> = heads
            .iter()
            .filter(|head| at(head).0.is_finite() && at(head).1.is_finite())
            .collect();
        if placed.is_empty() {
            return None;
        }
        let colors: Vec<f32> = placed
            .iter()
            .map(|head| value(head, axes.color) as f32)
            .collect();
        let tile = Tile {
            window: Window::whole(1, colors.len()),
            row_step: 1,
            col_step: 1,
            values: colors,
            cells: None,
        };
        let has_signs = tile.values.iter().any(|value| *value < 0.0);
        let map = match map.is_diverging() && !has_signs {
            true => ColorMap::Viridis,
            false => map,
        };
        let picture = Heatmap::table(Arc::new(tile), map, 0.0);
        let (range, pixels) = (picture.range(), picture.raster());
        let (columns, _) = pixels.rgba.as_chunks::<4>();
        let points = placed.iter().zip(columns).map(|(head, color)| HeadPoint {
            place: (head.layer, head.head),
            at: at(head),
            disc: Arc::new(disc(*color)),
        });
        // The invisible dots give the axes their ranges.
        let dots = Dots::new("", placed.iter().map(|head| ScatterPoint::new(at(head))));
        let axis = |number: HeadMeasure| PlotAxis::with_name(number.title(), AxisScale::Linear);
        let plot = Plot::new(axis(axes.x), axis(axes.y))
            .dots([dots.radius(0.0).ink(Ink::Paper)])
            .aspect(0.62);
        let range_of = |number: HeadMeasure| extent(placed.iter().map(|head| value(head, number)));
        let plot = plot
            .horizontal_range(range_of(axes.x))
            .values(range_of(axes.y));
        let summary = format!(
            "{} Across: {}; up: {}; colour: {}.",
            head_pictures::head_summary(&all, axes.y, special),
            axes.x.title(),
            axes.y.title(),
            axes.color.title()
        );
        Some(Self {
            points: points.collect(),
            bar: ColorBar { map, range },
            bar_name: axes.color.title(),
            open: None,
            plot: plot
                .with_table(head_pictures::head_table(&all, special))
                .with_summary(summary),
        })
    }

    /// Layer and head of each point, in the order of [`Figure::places`].
    pub fn heads(&self) -> impl Iterator<Item = (usize, usize)> {
        self.points.iter().map(|point| point.place)
    }

    fn bar_rect(&self, width: f64) -> Rect {
        let frame = self.plot.frame(width);
        Rect {
            x: frame.x,
            y: self.plot.height(width) + BAR_GAP + BAR_NAME,
            width: frame.width.min(LONGEST_BAR),
            height: 0.0,
        }
    }
}

/// The range of numbers with a margin at both ends; a range of one number is widened.
fn extent(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    let margin = match high - low {
        span if span > 0.0 => 0.06 * span,
        _ => 0.5 * low.abs().max(1.0),
    };
    (low - margin, high + margin)
}

/// A disc of one colour with smooth edges.
fn disc([r, g, b, a]: [u8; 4]) -> Raster {
    let middle = DISC as f64 / 2.0;
    let pixel = |at: usize| {
        let (x, y) = ((at % DISC) as f64 + 0.5, (at / DISC) as f64 + 0.5);
        let inside = (middle - (x - middle).hypot(y - middle)).clamp(0.0, 1.0);
        [r, g, b, (f64::from(a) * inside).round() as u8]
    };
    Raster::new(DISC, DISC, (0..DISC * DISC).flat_map(pixel).collect())
}

impl Figure for HeadScatter {
    fn height(&self, width: f64) -> f64 {
        let bar = self.bar_rect(width);
        bar.y + self.bar.height(bar.width)
    }

    fn with_height(&self, width: f64, height: f64) -> Option<Arc<dyn Figure + Send + Sync>> {
        let below = self.height(width) - self.plot.height(width);
        Some(Arc::new(Self {
            plot: self.plot.in_height(width, height - below),
            ..self.clone()
        }))
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = self.plot.scene(width);
        scene.height = self.height(width);
        // A NaN has a transparent disc, so each point has an outline.
        for (point, place) in self.points.iter().zip(self.places(width)) {
            let middle = (place.x + BUTTON, place.y + BUTTON);
            let is_open = self.open == Some(point.place);
            scene.marks.push(Mark::Dot {
                at: middle,
                radius: if is_open { RADIUS + 3.0 } else { RADIUS },
                fill: Ink::Paper,
                stroke: if is_open { Ink::Chosen } else { Ink::Hairline },
            });
            let rect = Rect {
                x: middle.0 - RADIUS,
                y: middle.1 - RADIUS,
                width: 2.0 * RADIUS,
                height: 2.0 * RADIUS,
            };
            scene
                .marks
                .push(Mark::Raster(rect, Arc::clone(&point.disc)));
        }
        let bar = self.bar_rect(width);
        let name = format!("colour: {}", self.bar_name);
        if text_width(&name, TEXT) <= width - bar.x {
            let at = (bar.x, bar.y - BAR_NAME / 2.0);
            scene.text(name, at, crate::figure::Anchor::Start, Ink::Muted);
        }
        let marks = self.bar.scene(bar.width).marks.into_iter();
        scene
            .marks
            .extend(marks.map(|mark| mark.translate((bar.x, bar.y))));
        scene
    }

    fn places(&self, width: f64) -> Vec<Rect> {
        let area = self.plot.area(width);
        let place = |point: &HeadPoint| {
            let (x, y) = area.pixel(point.at);
            Rect {
                x: x - BUTTON,
                y: y - BUTTON,
                width: 2.0 * BUTTON,
                height: 2.0 * BUTTON,
            }
        };
        self.points.iter().map(place).collect()
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        self.plot.plot_frame(width)
    }

    fn vertical_name(&self) -> &'static str {
        self.plot.vertical_name()
    }

    fn summary(&self) -> String {
        let ValueRange { ends, .. } = self.bar.range;
        let (low, high) = (number(ends.0), number(ends.1));
        format!("{} Colours from {low} to {high}.", self.plot.summary())
    }

    fn table(&self) -> Table {
        self.plot.table()
    }
}
