//! A matrix as an image: one colour per block, a colour bar, and ticks on both axes.

use super::{
    Axis, ColorMap, Cursor, Figure, Ink, LinearScale, Mark, Raster, Rect, Scene, Table,
    color_bar::{self, BAR, BAR_LABELS, MarkedValue},
    highlighted_cells::lit_runs,
    number,
    plot::frame::{
        ABOVE, BELOW, bottom_tick, bottom_ticks, horizontal_name, left_margin, value_tick,
        vertical_name,
    },
    plot::scale::tick_label,
    table::Side,
};
use crate::math::{AttentionMask, Tile};
use row_kernels::finite_range;
use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

/// Space left of the matrix. Shared with line plots below it, so that both have the same scale.
pub(super) const LEFT: f64 = 44.0;
/// Space right of the matrix.
pub(super) const RIGHT: f64 = 12.0;
const BAR_GAP: f64 = 10.0;

/// Least height over width of tables.
const LOWEST_ASPECT: f64 = 0.4;

/// Percent of the cells of a causal map that may exceed the colours, since only the first queries reach such values.
const FIRST_QUERIES: f64 = 1.0;

/// Range of the colours and range of the values. The label of the bar states both if they differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueRange {
    /// Ends of the colour bar.
    pub shown: (f64, f64),
    /// Least and greatest drawn value.
    pub values: (f64, f64),
}

impl ValueRange {
    /// Returns the union of ranges. `None` if there are none.
    #[must_use]
    pub fn union(ranges: impl IntoIterator<Item = Self>) -> Option<Self> {
        let both = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
        ranges.into_iter().reduce(|a, b| Self {
            shown: both(a.shown, b.shown),
            values: both(a.values, b.values),
        })
    }
}

/// Rule for the range of the colours.
#[derive(Debug, Clone, Copy)]
enum Span {
    /// The range of the values without this percentage at either end.
    Values(f64),
    /// From zero to the greatest value, without the given percentage of the greatest, and at least to the second
    /// number. For shares.
    Shares(f64, f64),
    /// A given range.
    Given((f64, f64)),
}

/// Axes and bar around a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dress {
    /// Axes and a colour bar.
    Full,
    /// Only a colour bar.
    Bar,
    /// Neither. The matrix is one of several that share a bar.
    Bare,
}

/// A matrix with its colours.
#[derive(Debug, Clone)]
pub struct Heatmap {
    tile: Arc<Tile>,
    map: ColorMap,
    down: Axis,
    across: Axis,
    /// Numbers of the first row and column on the axes.
    first: (i64, i64),
    span: Span,
    /// Computed on first access. A given range needs no percentiles.
    range: OnceLock<ValueRange>,
    /// Least and greatest cell behind block means, if known.
    cells: Option<(f32, f32)>,
    marked: Option<MarkedValue>,
    square: bool,
    dress: Dress,
    /// Whether a picture that replaces this one may show block means.
    may_be_blocks: bool,
    raster: OnceLock<Arc<Raster>>,
}

impl Heatmap {
    /// A matrix of queries and keys. `clip` percent of the values at either end are beyond the colour bar.
    #[must_use]
    pub fn matrix(tile: Arc<Tile>, map: ColorMap, clip: f64) -> Self {
        Self::new(tile, map, clip, Axis::Query, Axis::Key, true)
    }

    /// Names the axes “position i” and “position j”, for a matrix that compares positions and has no queries and keys.
    /// The columns of its table keep their names, `query` and `key_0`, ….
    #[must_use]
    pub fn of_positions(self) -> Self {
        Self {
            down: Axis::PositionI,
            across: Axis::PositionJ,
            ..self
        }
    }

    /// An attention map of n keys. Its colours range from zero to at least 2/n. The mark 1/n is the value of every cell
    /// if attention is uniform, so a nearly uniform map looks uniform.
    ///
    /// In a causal map the first queries have few keys, the first one only one. Values that only they reach are beyond
    /// the colours.
    #[must_use]
    pub fn attention(tile: Arc<Tile>, map: ColorMap, n: usize, cells: AttentionMask) -> Self {
        // Attention is never negative, so half of a diverging map would be unused.
        let map = if map.is_diverging() {
            ColorMap::Viridis
        } else {
            map
        };
        let uniform = 1.0 / n.max(1) as f64;
        let clip = match cells {
            AttentionMask::Whole => 0.0,
            AttentionMask::Causal => FIRST_QUERIES,
        };
        Self {
            span: Span::Shares(clip, 2.0 * uniform),
            marked: Some((uniform, "1/n")),
            ..Self::matrix(tile, map, clip)
        }
    }

    /// A table of positions and dimensions.
    #[must_use]
    pub fn table(tile: Arc<Tile>, map: ColorMap, clip: f64) -> Self {
        Self::new(tile, map, clip, Axis::Position, Axis::Dimension, false)
    }

    /// A map of offsets (Δy, Δx) with (0, 0) in the middle.
    #[must_use]
    pub fn offsets(tile: Arc<Tile>, map: ColorMap, clip: f64) -> Self {
        let middle = |length: usize| -(length as i64 / 2);
        let first = (
            middle(tile.window.rows.len()),
            middle(tile.window.cols.len()),
        );
        Self {
            first,
            ..Self::new(tile, map, clip, Axis::Down, Axis::Across, true)
        }
    }

    fn new(
        tile: Arc<Tile>,
        map: ColorMap,
        clip: f64,
        down: Axis,
        across: Axis,
        square: bool,
    ) -> Self {
        Self {
            span: Span::Values(clip),
            range: OnceLock::new(),
            cells: tile.cells,
            tile,
            map,
            down,
            across,
            first: (0, 0),
            marked: None,
            square,
            dress: Dress::Full,
            may_be_blocks: false,
            raster: OnceLock::new(),
        }
    }

    /// Removes the axes, for a small matrix among others. Keeps the colour bar if `bar`.
    #[must_use]
    pub fn small(mut self, bar: bool) -> Self {
        self.dress = if bar { Dress::Bar } else { Dress::Bare };
        self
    }

    /// Fixes the range of the colours; see [`ValueRange::union`].
    #[must_use]
    pub fn spanning(self, shown: (f64, f64)) -> Self {
        Self {
            span: Span::Given(shown),
            range: OnceLock::new(),
            raster: OnceLock::new(),
            ..self
        }
    }

    /// Sets the least and greatest cell behind the block means, unless the tile has them.
    #[must_use]
    pub fn with_cells(mut self, range: Option<(f32, f32)>) -> Self {
        self.cells = self.cells.or(range);
        self
    }

    /// Reserves space for the lines about block means, if `limit` blocks per side would require them. So the height
    /// stays the same when block means replace this picture during a drag.
    #[must_use]
    pub fn high_enough_for(self, limit: usize) -> Self {
        Self {
            may_be_blocks: self.tile.window.step(limit) > 1,
            ..self
        }
    }

    /// Replaces the blocks of the same matrix or window. Colours that span the values are computed again; a given range
    /// stays.
    #[must_use]
    pub fn with_tile(self, tile: Arc<Tile>) -> Self {
        Self {
            cells: tile.cells.or(self.cells),
            tile,
            range: OnceLock::new(),
            raster: OnceLock::new(),
            ..self
        }
    }

    /// Returns the ranges of colours and values.
    #[must_use]
    pub fn range(&self) -> ValueRange {
        *self.range.get_or_init(|| {
            let values = &self.tile.values;
            let ends = finite_range(values).unwrap_or((0.0, 1.0));
            let ends = (f64::from(ends.0), f64::from(ends.1));
            let shown = match self.span {
                Span::Values(clip) => spread(values, ends, self.map, clip),
                Span::Shares(clip, least) => {
                    (0.0, spread(values, ends, self.map, clip).1.max(least))
                }
                Span::Given(shown) => shown,
            };
            ValueRange {
                shown,
                values: ends,
            }
        })
    }

    /// Returns the drawn blocks.
    #[must_use]
    pub fn tile(&self) -> &Tile {
        &self.tile
    }

    /// Returns the drawn value at the cursor.
    #[must_use]
    pub fn at(&self, cursor: Cursor) -> Option<f32> {
        let (i, j) = cursor.cell()?;
        self.tile.at(i, j)
    }

    /// Returns the pixels, one per block.
    #[must_use]
    pub fn raster(&self) -> Arc<Raster> {
        Arc::clone(self.raster.get_or_init(|| Arc::new(self.paint())))
    }

    fn paint(&self) -> Raster {
        // NaN cells are transparent.
        let pixels =
            row_kernels::colours(&self.tile.values, self.range().shown, self.map.palette());
        Raster {
            width: self.tile.width(),
            height: self.tile.height(),
            rgba: pixels.into_flattened(),
        }
    }

    /// Returns the approximate width of the matrix in a figure of this width. Long row numbers reduce it slightly.
    #[must_use]
    pub fn side(width: f64) -> f64 {
        (width - LEFT.min(width / 2.0) - RIGHT).max(1.0)
    }

    /// Returns the frame of the cells at a width.
    #[must_use]
    pub fn frame(&self, width: f64) -> Rect {
        let full = self.dress == Dress::Full;
        let left = if full { self.left(width) } else { 0.0 };
        let side = if full {
            (width - left - RIGHT).max(1.0)
        } else {
            width
        };
        let aspect = self.tile.window.rows.len() as f64 / self.tile.window.cols.len().max(1) as f64;
        let height = if self.square {
            side * aspect
        } else {
            side * aspect.clamp(LOWEST_ASPECT, 1.0)
        };
        Rect {
            x: left,
            y: if full { ABOVE } else { 0.0 },
            width: side,
            height,
        }
    }

    /// Returns the lines below the bar: values beyond its colours, and block means.
    fn words(&self, bar: f64) -> Vec<String> {
        let of_blocks = color_bar::block_words(&self.tile, self.cells, bar);
        // The range of the cells contains that of their means.
        let knows_cells = !of_blocks.is_empty() && self.cells.is_some();
        let mut words = match knows_cells {
            true => color_bar::colour_words(self.range(), self.marked, bar),
            false => color_bar::range_words(self.range(), self.marked, bar),
        };
        words.extend(of_blocks);
        words
    }

    /// Height of these lines. The same before and after the range of cells is known.
    fn words_height(&self, width: f64) -> f64 {
        if self.dress == Dress::Bare {
            return 0.0;
        }
        let bar = self.frame(width).width;
        let of_blocks = color_bar::block_lines(bar);
        let lines = self.words(bar).len();
        let least = match self.dress {
            Dress::Full if self.may_be_blocks => of_blocks,
            Dress::Full if !self.tile.is_exact() => {
                color_bar::range_words(self.range(), self.marked, bar).len() + of_blocks
            }
            Dress::Full | Dress::Bar | Dress::Bare => 0,
        };
        lines.max(least) as f64 * BAR_LABELS
    }

    fn scales(&self, frame: &Rect) -> (LinearScale, LinearScale) {
        let window = &self.tile.window;
        let of = |range: &Range<usize>, first: i64| {
            (
                (range.start as i64 + first) as f64,
                (range.end as i64 + first) as f64,
            )
        };
        (
            LinearScale::new(of(&window.cols, self.first.1), (frame.x, frame.right())),
            LinearScale::new(of(&window.rows, self.first.0), (frame.y, frame.bottom())),
        )
    }

    fn axes(&self, scene: &mut Scene, frame: &Rect) {
        let (x, y) = self.scales(frame);
        // Ticks are at the middle of their cell.
        for (tick, label) in bottom_ticks(&x, frame.width, true) {
            let at = x.pixel(tick + 0.5);
            if at < frame.right() {
                bottom_tick(scene, frame, at, label);
            }
        }
        horizontal_name(scene, frame, self.across.title());
        let (ticks, _) = y.ticks((frame.height / 70.0) as usize);
        for tick in ticks.into_iter().filter(|tick| tick.fract().abs() < 1e-9) {
            let at = y.pixel(tick + 0.5);
            if at < frame.bottom() {
                value_tick(scene, frame, at, tick_label(tick, 0));
            }
        }
        vertical_name(scene, frame, self.down.title());
    }

    /// Space left of the matrix: more than [`LEFT`] if row numbers are long.
    fn left(&self, width: f64) -> f64 {
        let last = self.tile.window.rows.end as i64 + self.first.0;
        let ends = [
            tick_label(last as f64, 0),
            tick_label(self.first.0 as f64, 0),
        ];
        left_margin(ends.iter().map(String::as_str), LEFT, width)
    }
}

/// Computes the range of the finite values: cut at percentiles, and symmetric for a diverging map.
fn spread(values: &[f32], extremes: (f64, f64), map: ColorMap, clip: f64) -> (f64, f64) {
    let (mut low, mut high) = extremes;
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
        // All values are equal: the range starts at zero, so that the bar shows their size.
        (low, high) = if low == 0.0 {
            (-0.5, 0.5)
        } else {
            (low.min(0.0), high.max(0.0))
        };
    }
    (low, high)
}

impl Figure for Heatmap {
    fn height(&self, width: f64) -> f64 {
        let below = match self.dress {
            Dress::Full => BELOW + BAR_GAP + BAR + BAR_LABELS + 2.0 + self.words_height(width),
            Dress::Bar => BAR_GAP + BAR + BAR_LABELS + 2.0 + self.words_height(width),
            Dress::Bare => 0.0,
        };
        self.frame(width).bottom() + below
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let frame = self.frame(width);
        scene.marks.push(Mark::Raster(frame, self.raster()));
        let axis = match self.dress {
            Dress::Full => {
                self.axes(&mut scene, &frame);
                BELOW
            }
            Dress::Bar => 0.0,
            Dress::Bare => return scene,
        };
        let bar = Rect {
            y: frame.bottom() + axis + BAR_GAP,
            height: BAR,
            ..frame
        };
        color_bar::draw_bar(&mut scene, bar, self.map, self.range(), self.marked);
        color_bar::write_under(&mut scene, bar, self.words(bar.width));
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
        for run in lit_runs(cursor, window) {
            let ends = run.map(|(i, j)| (x.pixel(j), y.pixel(i)));
            scene.lit_line(ends.to_vec());
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
        // At the last pixel, rounding may give the edge behind the last cell.
        let cell = |value: f64, range: &Range<usize>| {
            (value as usize).clamp(range.start, range.end.saturating_sub(1).max(range.start))
        };
        let window = &self.tile.window;
        Some(Cursor::Cell(
            cell(y.value(py), &window.rows),
            cell(x.value(px), &window.cols),
        ))
    }

    fn as_heatmap(&self) -> Option<&Heatmap> {
        Some(self)
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        (self.dress == Dress::Full).then(|| self.frame(width))
    }

    fn vertical_name(&self) -> &'static str {
        match self.dress {
            Dress::Full => self.down.title(),
            Dress::Bar | Dress::Bare => "",
        }
    }

    fn summary(&self) -> String {
        let window = &self.tile.window;
        let (least, greatest) = self.range().values;
        let cells = match self.cells {
            Some((low, high)) if !self.tile.is_exact() => {
                let (low, high) = (number(low.into()), number(high.into()));
                format!(" Single cells from {low} to {high}.")
            }
            _ => String::new(),
        };
        let blocks = if self.tile.is_exact() {
            String::new()
        } else {
            format!(
                ", shown as means of {}×{} blocks",
                self.tile.row_step, self.tile.col_step
            )
        };
        format!(
            "{} {} to {} against {} {} to {}{blocks}. Values from {} to {}.{cells}",
            self.down.title(),
            window.rows.start,
            window.rows.end.saturating_sub(1),
            self.across.title(),
            window.cols.start,
            window.cols.end.saturating_sub(1),
            number(least),
            number(greatest),
        )
    }

    /// One row per query and one column per key, named `query` and `key_0`, `key_1`, …; only a few are listed on the
    /// page. A block mean is named after all of its keys: `key_0–3`.
    fn table(&self) -> Table {
        let rows = self.tile.window.rows.clone();
        let cols = self.tile.window.cols.clone();
        let picks = |range: Range<usize>, block: usize| {
            let step = range.len().div_ceil(8).max(1).next_multiple_of(block);
            range.step_by(step).collect::<Vec<_>>()
        };
        let (down, across) = (self.down.word(), self.across.word());
        let side = |word, first| Side { word, first };
        Table::from_matrix(
            Arc::clone(&self.tile),
            (side(down, self.first.0), side(across, self.first.1)),
            (
                &picks(rows, self.tile.row_step),
                &picks(cols, self.tile.col_step),
            ),
        )
    }
}
