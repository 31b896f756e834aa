//! A matrix as an image: one colour a block, a true colour bar, ticks on both axes.

use super::{
    Anchor, ColorMap, Column, Cursor, Figure, Ink, Linear, Mark, Raster, Rect, Scene, Table,
    number, scale::tick_label, signed,
};
use crate::math::Tile;
use std::sync::{Arc, OnceLock};

/// Space left of the matrix, shared with the lines under it so that both have one scale.
pub(super) const LEFT: f64 = 44.0;
/// Space right of it.
pub(super) const RIGHT: f64 = 12.0;
const TOP: f64 = 4.0;
const AXIS: f64 = 20.0;
const BAR: f64 = 10.0;
const BAR_GAP: f64 = 10.0;
const BAR_LABELS: f64 = 16.0;

/// Tables much wider or taller than square are drawn in this frame.
const LOWEST_ASPECT: f64 = 0.4;

/// Values shown and values held: the colour bar runs over the first, its label tells both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Ends of the colour bar.
    pub shown: (f64, f64),
    /// Least and greatest value drawn.
    pub values: (f64, f64),
}

/// A matrix and how it is coloured.
#[derive(Debug, Clone)]
pub struct Heatmap {
    tile: Arc<Tile>,
    map: ColorMap,
    row_name: &'static str,
    col_name: &'static str,
    range: Range,
    square: bool,
    raster: OnceLock<Arc<Raster>>,
}

impl Heatmap {
    /// A matrix of queries and keys. `clip` percent of the values at either end go beyond the colour bar.
    #[must_use]
    pub fn matrix(tile: Arc<Tile>, map: ColorMap, clip: f64) -> Self {
        Self::new(tile, map, clip, "query i", "key j", true)
    }

    /// A table of positions and dimensions.
    #[must_use]
    pub fn table(tile: Arc<Tile>, map: ColorMap, clip: f64) -> Self {
        Self::new(tile, map, clip, "position", "dimension", false)
    }

    fn new(
        tile: Arc<Tile>,
        map: ColorMap,
        clip: f64,
        row_name: &'static str,
        col_name: &'static str,
        square: bool,
    ) -> Self {
        Self {
            range: range(&tile.values, map, clip),
            tile,
            map,
            row_name,
            col_name,
            square,
            raster: OnceLock::new(),
        }
    }

    /// What the colours span.
    #[must_use]
    pub fn range(&self) -> Range {
        self.range
    }

    /// What is drawn.
    #[must_use]
    pub fn tile(&self) -> &Tile {
        &self.tile
    }

    /// The drawn value at the cursor.
    #[must_use]
    pub fn at(&self, cursor: Cursor) -> Option<f32> {
        match cursor {
            Cursor::Cell(i, j) => self.tile.at(i, j),
            Cursor::Offset(_) => None,
        }
    }

    /// The pixels, one a block.
    #[must_use]
    pub fn raster(&self) -> Arc<Raster> {
        Arc::clone(self.raster.get_or_init(|| Arc::new(self.paint())))
    }

    fn paint(&self) -> Raster {
        let palette = self.map.palette();
        let (low, high) = self.range.shown;
        let steps = (palette.len() - 1) as f64;
        let scale = if high > low {
            steps / (high - low)
        } else {
            0.0
        };
        let (low, scale) = (low as f32, scale as f32);
        // A cell that does not count stays transparent: the paper shows.
        let mut rgba = vec![0; self.tile.values.len() * 4];
        for (pixel, &value) in rgba.chunks_exact_mut(4).zip(&self.tile.values) {
            if !value.is_nan() {
                // A cast saturates at the ends of the palette.
                let [r, g, b] = palette[usize::from(((value - low) * scale + 0.5) as u8)];
                (pixel[0], pixel[1], pixel[2], pixel[3]) = (r, g, b, 255);
            }
        }
        Raster {
            width: self.tile.width(),
            height: self.tile.height(),
            rgba,
        }
    }

    /// How wide all columns are together in a figure of a width.
    #[must_use]
    pub fn side(width: f64) -> f64 {
        (width - LEFT - RIGHT).max(1.0)
    }

    /// Where the cells are at a width.
    #[must_use]
    pub fn frame(&self, width: f64) -> Rect {
        let side = Self::side(width);
        let aspect = self.tile.window.rows.len() as f64 / self.tile.window.cols.len().max(1) as f64;
        let height = if self.square {
            side * aspect
        } else {
            side * aspect.clamp(LOWEST_ASPECT, 1.0)
        };
        Rect {
            x: LEFT,
            y: TOP,
            width: side,
            height,
        }
    }

    fn scales(&self, frame: &Rect) -> (Linear, Linear) {
        let window = &self.tile.window;
        let of = |range: &std::ops::Range<usize>| (range.start as f64, range.end as f64);
        (
            Linear::new(of(&window.cols), (frame.x, frame.right())),
            Linear::new(of(&window.rows), (frame.y, frame.bottom())),
        )
    }

    fn axes(&self, scene: &mut Scene, frame: &Rect) {
        let (x, y) = self.scales(frame);
        let whole = |scale: Linear, room: f64| {
            let (ticks, _) = scale.ticks((room / 70.0) as usize);
            ticks
                .into_iter()
                .filter(|t| t.fract().abs() < 1e-9)
                .collect::<Vec<_>>()
        };
        let name_room = 7.0 * self.col_name.len() as f64;
        for tick in whole(x, frame.width) {
            // Ticks stand at the middle of their cell.
            let at = x.pixel(tick + 0.5);
            if at < frame.right() - name_room - 14.0 {
                scene.line(
                    vec![(at, frame.bottom()), (at, frame.bottom() + 4.0)],
                    Ink::Muted,
                    1.0,
                );
                scene.text(
                    tick_label(tick, 0),
                    (at, frame.bottom() + 12.0),
                    Anchor::Middle,
                    Ink::Muted,
                );
            }
        }
        scene.text(
            self.col_name,
            (frame.right(), frame.bottom() + 12.0),
            Anchor::End,
            Ink::Muted,
        );
        for tick in whole(y, frame.height) {
            let at = y.pixel(tick + 0.5);
            if at < frame.bottom() {
                scene.line(vec![(frame.x - 4.0, at), (frame.x, at)], Ink::Muted, 1.0);
                scene.text(
                    tick_label(tick, 0),
                    (frame.x - 7.0, at.max(frame.y + 6.0)),
                    Anchor::End,
                    Ink::Muted,
                );
            }
        }
    }

    fn color_bar(&self, scene: &mut Scene, frame: &Rect) {
        let top = frame.bottom() + AXIS + BAR_GAP;
        let palette = self.map.palette();
        let raster = Raster {
            width: palette.len(),
            height: 1,
            rgba: palette
                .iter()
                .flat_map(|&[r, g, b]| [r, g, b, 255])
                .collect(),
        };
        let bar = Rect {
            x: frame.x,
            y: top,
            width: frame.width,
            height: BAR,
        };
        scene.marks.push(Mark::Raster(bar, Arc::new(raster)));
        let (low, high) = self.range.shown;
        let (least, greatest) = self.range.values;
        let below = bar.bottom() + 10.0;
        let end = |clipped: bool, shown: f64, value: f64, sign: &str| {
            if clipped {
                format!("{sign} {} (to {})", number(shown), number(value))
            } else {
                number(shown)
            }
        };
        scene.text(
            end(least < low, low, least, "≤"),
            (bar.x, below),
            Anchor::Start,
            Ink::Muted,
        );
        scene.text(
            end(greatest > high, high, greatest, "≥"),
            (bar.right(), below),
            Anchor::End,
            Ink::Muted,
        );
        if low < 0.0 && high > 0.0 {
            let zero = Linear::new((low, high), (bar.x, bar.right())).pixel(0.0);
            if zero > bar.x + 90.0 && zero < bar.right() - 90.0 {
                scene.line(
                    vec![(zero, bar.bottom()), (zero, bar.bottom() + 4.0)],
                    Ink::Muted,
                    1.0,
                );
                scene.text("0", (zero, below), Anchor::Middle, Ink::Muted);
            }
        }
    }
}

/// The range of the finite values, cut by percentiles and made symmetric for a diverging map.
fn range(values: &[f32], map: ColorMap, clip: f64) -> Range {
    // One pass in single precision: this runs for every picture of a moving slider.
    let (mut least, mut greatest) = (f32::INFINITY, f32::NEG_INFINITY);
    for &value in values {
        if value < least && value.is_finite() {
            least = value;
        }
        if value > greatest && value.is_finite() {
            greatest = value;
        }
    }
    let whole = if least <= greatest {
        (f64::from(least), f64::from(greatest))
    } else {
        (0.0, 1.0)
    };
    let (mut low, mut high) = whole;
    if clip > 0.0 {
        let mut sorted: Vec<f32> = values.iter().copied().filter(|v| v.is_finite()).collect();
        let last = sorted.len().saturating_sub(1);
        let cut = ((clip / 100.0 * last as f64).round() as usize).min(last / 2);
        if last > 0 {
            low = f64::from(*sorted.select_nth_unstable_by(cut, f32::total_cmp).1);
            high = f64::from(*sorted.select_nth_unstable_by(last - cut, f32::total_cmp).1);
        }
    }
    if map.is_diverging() {
        high = high.abs().max(low.abs());
        low = -high;
    }
    if low == high {
        (low, high) = (low - 0.5, high + 0.5);
    }
    Range {
        shown: (low, high),
        values: whole,
    }
}

impl Figure for Heatmap {
    fn height(&self, width: f64) -> f64 {
        self.frame(width).bottom() + AXIS + BAR_GAP + BAR + BAR_LABELS + 2.0
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let frame = self.frame(width);
        scene.marks.push(Mark::Raster(frame, self.raster()));
        self.axes(&mut scene, &frame);
        self.color_bar(&mut scene, &frame);
        scene
    }

    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let (Some(cursor), true) = (cursor, self.square) else {
            return scene;
        };
        let frame = self.frame(width);
        let (x, y) = self.scales(&frame);
        let window = &self.tile.window;
        let k = cursor.offset() as f64;
        // The part of the diagonal j = i + k that lies in the window.
        let first = (window.rows.start as f64).max(window.cols.start as f64 - k);
        let last = (window.rows.end as f64).min(window.cols.end as f64 - k);
        if first < last {
            scene.lit_line(vec![
                (x.pixel(first + k), y.pixel(first)),
                (x.pixel(last + k), y.pixel(last)),
            ]);
        }
        if let Cursor::Cell(i, j) = cursor
            && window.rows.contains(&i)
            && window.cols.contains(&j)
        {
            scene.marks.push(Mark::Dot {
                at: (x.pixel(j as f64 + 0.5), y.pixel(i as f64 + 0.5)),
                radius: 5.0,
                fill: Ink::Accent,
                stroke: Ink::White,
            });
        }
        scene
    }

    fn cursor_at(&self, width: f64, px: f64, py: f64) -> Option<Cursor> {
        let frame = self.frame(width);
        if !self.square || !frame.contains(px, py) {
            return None;
        }
        let (x, y) = self.scales(&frame);
        Some(Cursor::Cell(y.value(py) as usize, x.value(px) as usize))
    }

    fn summary(&self) -> String {
        let window = &self.tile.window;
        let (least, greatest) = self.range.values;
        let blocks = if self.tile.is_exact() {
            String::new()
        } else {
            format!(
                ", shown as means of {}×{} blocks",
                self.tile.row_step, self.tile.col_step
            )
        };
        format!(
            "{} {} to {} against {} {} to {}{blocks}. Values from {} to {}.",
            self.row_name,
            window.rows.start,
            window.rows.end.saturating_sub(1),
            self.col_name,
            window.cols.start,
            window.cols.end.saturating_sub(1),
            number(least),
            number(greatest),
        )
    }

    fn table(&self) -> Table {
        let rows = self.tile.window.rows.clone();
        let cols = self.tile.window.cols.clone();
        let picks = |range: std::ops::Range<usize>| {
            let step = range.len().div_ceil(8).max(1);
            range.step_by(step).collect::<Vec<_>>()
        };
        let queries = picks(rows);
        let mut table = Table::new().with(
            self.row_name,
            Column::Whole(queries.iter().map(|&i| i as i64).collect()),
        );
        for j in picks(cols) {
            let values = queries
                .iter()
                .map(|&i| f64::from(self.tile.at(i, j).unwrap_or(f32::NAN)));
            table = table.with(
                format!("{} {}", self.col_name, signed(j as i64)),
                Column::Number(values.collect()),
            );
        }
        table
    }
}
