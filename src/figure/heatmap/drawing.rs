//! Drawing of a matrix: its frame, axes and colour bar, the cursor on it, and its table.

use super::{Dress, Heatmap};
use crate::figure::{
    Cursor, Figure, Ink, LinearScale, Mark, Rect, Scene, Table,
    color_bar::{self, BAR, BAR_LABELS},
    highlighted_cells::lit_runs,
    margins::{LEFT, RIGHT},
    number,
    plot::frame::{
        ABOVE, BELOW, Tick, bottom_tick, bottom_ticks, horizontal_name, left_margin, value_tick,
        vertical_name,
    },
    row_marks::{self, RowMark, marks_in_words},
    scale::tick_label,
    table::Side,
};
use std::{ops::Range, sync::Arc};

const BAR_GAP: f64 = 10.0;
/// Approximate distance between two ticks of rows that are not numbered like the columns.
const ROW_TICKS_APART: f64 = 70.0;

/// Least height over width of tables.
const LOWEST_ASPECT: f64 = 0.4;

impl Heatmap {
    /// Returns the approximate width of the matrix in a figure of this width. Long row numbers reduce it slightly.
    #[must_use]
    pub fn side(width: f64) -> f64 {
        (width - LEFT.min(width / 2.0) - RIGHT).max(1.0)
    }

    fn has_axes(&self) -> bool {
        matches!(self.dress, Dress::Full | Dress::Axes)
    }

    /// Returns the frame of the cells at a width.
    #[must_use]
    pub fn frame(&self, width: f64) -> Rect {
        let full = self.has_axes();
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
        if self.dress == Dress::Axes {
            return of_blocks;
        }
        // The range of the cells contains that of their means.
        let knows_cells = !of_blocks.is_empty() && self.cells.is_some();
        let mut words = match knows_cells {
            true => color_bar::colour_words(self.range(), self.marked_value, bar),
            false => color_bar::range_words(self.range(), self.marked_value, bar),
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
                color_bar::range_words(self.range(), self.marked_value, bar).len() + of_blocks
            }
            Dress::Full | Dress::Axes | Dress::Bar | Dress::Bare => 0,
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
        let across = bottom_ticks(&x, frame.width, true);
        // Rows and columns of the same numbers have the same ticks.
        let down = match self.square && self.numbers_rows_like_columns() {
            true => across.clone(),
            false => row_ticks(&y, frame.height),
        };
        for (tick, label) in across {
            let at = x.pixel(tick + 0.5);
            if at < frame.right() {
                bottom_tick(scene, frame, at, label);
            }
        }
        horizontal_name(scene, frame, self.across.title());
        for (tick, label) in down {
            let at = y.pixel(tick + 0.5);
            if at < frame.bottom() {
                value_tick(scene, frame, at, label);
            }
        }
        vertical_name(scene, frame, self.down.title());
    }

    /// The marks inside the window.
    fn row_marks_inside(&self) -> impl Iterator<Item = &RowMark> {
        let rows = &self.tile.window.rows;
        let inside = rows.start as f64..rows.end as f64;
        let marks = self.row_marks.iter();
        marks.filter(move |mark| inside.start < mark.at && mark.at < inside.end)
    }

    fn draw_row_marks(&self, scene: &mut Scene, frame: &Rect) {
        let (_, y) = self.scales(frame);
        for mark in self.row_marks_inside() {
            row_marks::draw_across(scene, frame, y.pixel(mark.at), &mark.label);
        }
    }

    fn numbers_rows_like_columns(&self) -> bool {
        let window = &self.tile.window;
        window.rows == window.cols && self.first.0 == self.first.1
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

impl Figure for Heatmap {
    fn height(&self, width: f64) -> f64 {
        let below = match self.dress {
            Dress::Full => BELOW + BAR_GAP + BAR + BAR_LABELS + 2.0 + self.words_height(width),
            Dress::Axes => BELOW + self.words_height(width),
            Dress::Bar => BAR_GAP + BAR + BAR_LABELS + 2.0 + self.words_height(width),
            Dress::Bare => 0.0,
        };
        self.frame(width).bottom() + below
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let frame = self.frame(width);
        scene.marks.push(Mark::Raster(frame, self.raster()));
        if self.has_axes() {
            self.draw_row_marks(&mut scene, &frame);
        }
        let axis = match self.dress {
            Dress::Full => {
                self.axes(&mut scene, &frame);
                BELOW
            }
            Dress::Axes => {
                self.axes(&mut scene, &frame);
                // The lines begin where those of a bar would, were its lower edge there.
                let bar = Rect {
                    y: frame.bottom() + BELOW - BAR_LABELS - 2.0,
                    height: 0.0,
                    ..frame
                };
                color_bar::write_under(&mut scene, bar, self.words(bar.width));
                return scene;
            }
            Dress::Bar => 0.0,
            Dress::Bare => return scene,
        };
        let bar = Rect {
            y: frame.bottom() + axis + BAR_GAP,
            height: BAR,
            ..frame
        };
        color_bar::draw_bar(&mut scene, bar, self.map, self.range(), self.marked_value);
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
        self.has_axes().then(|| self.frame(width))
    }

    fn vertical_name(&self) -> &'static str {
        match self.dress {
            Dress::Full | Dress::Axes => self.down.title(),
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
        let marks: Vec<RowMark> = self.row_marks_inside().cloned().collect();
        format!(
            "{} {} to {} against {} {} to {}{blocks}. Values from {} to {}.{cells}{}",
            self.down.title(),
            window.rows.start,
            window.rows.end.saturating_sub(1),
            self.across.title(),
            window.cols.start,
            window.cols.end.saturating_sub(1),
            number(least),
            number(greatest),
            marks_in_words(&marks),
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

/// Integers at the rows of a matrix of this height.
fn row_ticks(y: &LinearScale, height: f64) -> Vec<Tick> {
    let (ticks, _) = y.ticks((height / ROW_TICKS_APART) as usize);
    let whole = ticks.into_iter().filter(|tick| tick.fract().abs() < 1e-9);
    whole.map(|tick| (tick, tick_label(tick, 0))).collect()
}
