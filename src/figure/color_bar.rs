//! What the colours mean: a bar of them with the range they span.

use super::{
    Anchor, ColorMap, Column, Figure, Ink, LinearScale, Mark, Raster, Rect, Scene, Table,
    ValueRange, number, scene::CHARACTER,
};
use crate::math::Tile;
use std::sync::Arc;

/// Height of the bar.
pub(super) const BAR: f64 = 10.0;
/// Room for the numbers under it.
pub(super) const BAR_LABELS: f64 = 16.0;

/// A value that is marked on a bar, with its name.
pub(super) type MarkedValue = (f64, &'static str);

/// Draws the bar, its ends, a marked value and, where there is room, its zero.
pub(super) fn draw(
    scene: &mut Scene,
    bar: Rect,
    map: ColorMap,
    range: ValueRange,
    marked: Option<MarkedValue>,
) {
    let palette = map.palette();
    let raster = Raster {
        width: palette.len(),
        height: 1,
        rgba: palette.as_flattened().to_vec(),
    };
    scene.marks.push(Mark::Raster(bar, Arc::new(raster)));
    let (low, high) = range.shown;
    let (least, greatest) = range.values;
    let below = bar.bottom() + 10.0;
    let end = |clipped: bool, shown: f64, value: f64, sign: &str| {
        // What differs by rounding alone is not worth a word.
        if clipped && number(shown) != number(value) {
            format!("{sign} {} (to {})", number(shown), number(value))
        } else {
            number(shown)
        }
    };
    // A label, with some air.
    let room = |label: &str| CHARACTER * label.chars().count() as f64 + 12.0;
    let in_words = (
        end(least < low, low, least, "≤"),
        end(greatest > high, high, greatest, "≥"),
    );
    let (lower, upper) = if room(&in_words.0) + room(&in_words.1) <= bar.width {
        in_words
    } else {
        (number(low), number(high))
    };
    let free = bar.x + room(&lower)..bar.right() - room(&upper);
    scene.text(lower, (bar.x, below), Anchor::Start, Ink::Muted);
    scene.text(upper, (bar.right(), below), Anchor::End, Ink::Muted);
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
        // Beside the label of the lower end, which is a zero.
        let at = at.clamp(bar.x + 26.0, (bar.right() - 56.0).max(bar.x + 26.0));
        scene.text(name, (at, below), Anchor::Middle, Ink::Muted);
    } else if low < 0.0 && high > 0.0 {
        let zero = scale.pixel(0.0);
        if free.contains(&zero) {
            tick(scene, 0.0);
            scene.text("0", (zero, below), Anchor::Middle, Ink::Muted);
        }
    }
}

/// Characters that block means and the range of their cells take on one line.
const BLOCK_WORDS: usize = 50;

/// Lines under a bar of a width that say what the colours of block means are: as many before the range of cells is
/// known as after.
pub(super) fn block_lines(width: f64) -> usize {
    if BLOCK_WORDS as f64 * CHARACTER <= width {
        1
    } else {
        2
    }
}

/// What these lines say.
pub(super) fn block_words(tile: &Tile, cells: Option<(f32, f32)>, width: f64) -> Vec<String> {
    if tile.is_exact() {
        return Vec::new();
    }
    let means = format!("means of {}×{} cells", tile.row_step, tile.col_step);
    let Some((low, high)) = cells else {
        return vec![means];
    };
    let cells = format!("cells {} to {}", number(low.into()), number(high.into()));
    match block_lines(width) {
        1 => vec![format!("{means}; {cells}")],
        _ => vec![means, cells],
    }
}

/// A bar on its own, for matrices that share it.
#[derive(Debug, Clone, Copy)]
pub struct ColorBar {
    /// The colours.
    pub map: ColorMap,
    /// What they span.
    pub range: ValueRange,
}

impl Figure for ColorBar {
    fn height(&self, _: f64) -> f64 {
        BAR + BAR_LABELS + 2.0
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let bar = Rect {
            x: 0.0,
            y: 0.0,
            width,
            height: BAR,
        };
        draw(&mut scene, bar, self.map, self.range, None);
        scene
    }

    fn summary(&self) -> String {
        let (low, high) = self.range.shown;
        format!("Colours from {} to {}.", number(low), number(high))
    }

    fn table(&self) -> Table {
        let (low, high) = self.range.shown;
        Table::new().with("range", Column::Number(vec![low, high]))
    }
}
