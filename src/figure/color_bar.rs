//! Colour bars: a bar of colours with the range they span.

use super::{
    Anchor, ColorMap, Column, Figure, Ink, LinearScale, Mark, Rect, Scene, Table, ValueRange,
    color_map::STEPS, number, text, text::TEXT,
};
use crate::math::Tile;
use std::sync::Arc;

/// Height of the bar.
pub(super) const BAR: f64 = 10.0;
/// Height of the numbers below it.
pub(super) const BAR_LABELS: f64 = 16.0;

/// A value that is marked on a bar, with its name.
pub(super) type MarkedValue = (f64, &'static str);

/// Texts at the ends of a bar and on lines below them.
#[derive(Debug, Clone, Default, PartialEq)]
struct BarWords {
    lower: String,
    upper: String,
    /// The range of the colours, if the ends do not fit next to each other.
    colours: Vec<String>,
    /// The range of the values, if it exceeds that of the colours and does not fit at the ends.
    values: Vec<String>,
}

/// Least space between two labels of a bar.
const APART: f64 = 10.0;
/// Additional space around the label of zero, which would otherwise seem to be part of the label of an end.
const ZERO_APART: f64 = 8.0;

/// Width of a label at an end of a bar, including the space to the other end.
fn end_width(label: &str) -> f64 {
    text::width(label, TEXT) + APART
}

/// Returns the texts of a bar of this width. The whole range is stated at any width: what does not fit next to the ends
/// and the marked value goes on lines below.
fn bar_words(range: ValueRange, marked_value: Option<MarkedValue>, width: f64) -> BarWords {
    let (low, high) = range.ends;
    let (least, greatest) = range.values;
    // Ranges that differ only by rounding are not mentioned.
    let differs = |end: f64, value: f64| number(end) != number(value);
    let below = least < low && differs(low, least);
    let above = greatest > high && differs(high, greatest);
    let sign = |is_beyond: bool, sign: &str, end: f64| match is_beyond {
        true => format!("{sign} {}", number(end)),
        false => number(end),
    };
    let ends = (sign(below, "≤", low), sign(above, "≥", high));
    let with_value = |is_beyond: bool, end: &str, value: f64| match is_beyond {
        true => format!("{end} (to {})", number(value)),
        false => end.to_owned(),
    };
    let in_full = (
        with_value(below, &ends.0, least),
        with_value(above, &ends.1, greatest),
    );
    let between = marked_value.map_or(0.0, |(_, name)| end_width(name));
    let fits = |ends: &(String, String)| end_width(&ends.0) + between + end_width(&ends.1) <= width;
    if fits(&in_full) {
        let (lower, upper) = in_full;
        return BarWords {
            lower,
            upper,
            ..BarWords::default()
        };
    }
    let from_to = |(low, high): (f64, f64)| format!("{} to {}", number(low), number(high));
    let mut words = BarWords::default();
    if fits(&ends) {
        (words.lower, words.upper) = ends;
    } else {
        words.colours = text::break_lines(&format!("colours {}", from_to(range.ends)), width);
    }
    if below || above {
        words.values = text::break_lines(&format!("values {}", from_to(range.values)), width);
    }
    words
}

/// Returns the lines below the ends of a bar: the parts of the range that do not fit at the ends.
pub(super) fn range_words(
    range: ValueRange,
    marked: Option<MarkedValue>,
    width: f64,
) -> Vec<String> {
    let words = bar_words(range, marked, width);
    [words.colours, words.values].concat()
}

/// Like [`range_words`], without the range of the values. Use it where another line states that.
pub(super) fn colour_words(
    range: ValueRange,
    marked: Option<MarkedValue>,
    width: f64,
) -> Vec<String> {
    bar_words(range, marked, width).colours
}

/// Height of the [`range_words`].
pub(super) fn words_height(range: ValueRange, width: f64) -> f64 {
    range_words(range, None, width).len() as f64 * BAR_LABELS
}

/// Writes lines below the ends of a bar.
pub(super) fn write_under(scene: &mut Scene, bar: Rect, lines: Vec<String>) {
    for (line, at) in lines.into_iter().zip(1..) {
        let y = bar.bottom() + 10.0 + f64::from(at) * BAR_LABELS;
        scene.text(line, (bar.x, y), Anchor::Start, Ink::Muted);
    }
}

/// Draws the bar, its ends and, if it fits, its zero. Texts that do not fit at the ends go below and take
/// [`words_height`].
pub(super) fn draw(scene: &mut Scene, bar: Rect, map: ColorMap, range: ValueRange) {
    draw_bar(scene, bar, map, range, None);
    write_under(scene, bar, range_words(range, None, bar.width));
}

/// Draws the bar, its ends, a marked value or, if it fits, zero. Writes nothing below them.
pub(super) fn draw_bar(
    scene: &mut Scene,
    bar: Rect,
    map: ColorMap,
    range: ValueRange,
    marked: Option<MarkedValue>,
) {
    let raster = map.raster((STEPS, 1), |palette| palette.to_vec());
    scene.marks.push(Mark::Raster(bar, Arc::new(raster)));
    let (low, high) = range.ends;
    let below = bar.bottom() + 10.0;
    let BarWords { lower, upper, .. } = bar_words(range, marked, bar.width);
    let free = bar.x + end_width(&lower)..bar.right() - end_width(&upper);
    for (at, end, anchor) in [
        (bar.x, lower, Anchor::Start),
        (bar.right(), upper, Anchor::End),
    ] {
        if !end.is_empty() {
            scene.text(end, (at, below), anchor, Ink::Muted);
        }
    }
    let scale = LinearScale::new((low, high), (bar.x, bar.right()));
    let tick = |scene: &mut Scene, value: f64| {
        let at = scale.pixel(value);
        scene.line(
            vec![(at, bar.bottom()), (at, bar.bottom() + 4.0)],
            Ink::Muted,
            1.0,
        );
        at
    };
    if let Some((value, name)) = marked.filter(|(value, _)| (low..=high).contains(value)) {
        let at = tick(scene, value);
        // Centred on its value as far as the labels of the ends allow.
        let half = text::width(name, TEXT) / 2.0;
        let at = at.min(free.end - half).max(free.start + half);
        scene.text(name, (at, below), Anchor::Middle, Ink::Muted);
    } else if low < 0.0 && high > 0.0 {
        let zero = scale.pixel(0.0);
        let half = text::width("0", TEXT) / 2.0 + ZERO_APART;
        if (free.start + half..=free.end - half).contains(&zero) {
            tick(scene, 0.0);
            scene.text("0", (zero, below), Anchor::Middle, Ink::Muted);
        }
    }
}

/// The line about block means with the widest possible numbers, to count lines before the range of cells is known.
const WIDEST_BLOCKS: [&str; 2] = ["means of 444×444 cells", "cells −4.44e−44 to −4.44e−44"];

/// Number of lines below a bar of this width that explain the colours of block means. The same before and after the
/// range of cells is known.
pub(super) fn block_lines(width: f64) -> usize {
    let [means, cells] = WIDEST_BLOCKS;
    if text::width(&format!("{means}; {cells}"), TEXT) <= width {
        return 1;
    }
    text::break_lines(means, width).len() + text::break_lines(cells, width).len()
}

/// Returns these lines. Empty if every cell is drawn.
pub(super) fn block_words(tile: &Tile, cells: Option<(f32, f32)>, width: f64) -> Vec<String> {
    if tile.is_exact() {
        return Vec::new();
    }
    let means = format!("means of {}×{} cells", tile.row_step, tile.col_step);
    let Some((low, high)) = cells else {
        return text::break_lines(&means, width);
    };
    let cells = format!("cells {} to {}", number(low.into()), number(high.into()));
    if block_lines(width) == 1 {
        return vec![format!("{means}; {cells}")];
    }
    let lines = [means, cells].map(|words| text::break_lines(&words, width));
    lines.concat()
}

/// A bar on its own, shared by several matrices.
#[derive(Debug, Clone, Copy)]
pub struct ColorBar {
    /// The colour map.
    pub map: ColorMap,
    /// The range they span.
    pub range: ValueRange,
}

impl Figure for ColorBar {
    fn height(&self, width: f64) -> f64 {
        BAR + BAR_LABELS + words_height(self.range, width) + 2.0
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let bar = Rect {
            x: 0.0,
            y: 0.0,
            width,
            height: BAR,
        };
        draw(&mut scene, bar, self.map, self.range);
        scene
    }

    fn summary(&self) -> String {
        let (low, high) = self.range.ends;
        format!("Colours from {} to {}.", number(low), number(high))
    }

    fn table(&self) -> Table {
        let (low, high) = self.range.ends;
        Table::new().with("range", Column::Number(vec![low, high]))
    }
}
