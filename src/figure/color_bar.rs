//! What the colours mean: a bar of them with the range they span.

use super::{
    Anchor, ColorMap, Column, Figure, Ink, LinearScale, Mark, Raster, Rect, Scene, Table,
    ValueRange, number,
};
use std::sync::Arc;

/// Height of the bar.
pub(super) const BAR: f64 = 10.0;
/// Room for the numbers under it.
pub(super) const BAR_LABELS: f64 = 16.0;
/// Bars narrower than this have room for the ends alone, and no words.
const ROOMY: f64 = 220.0;

/// Draws the bar, its ends and, where there is room, its zero.
pub(super) fn draw(scene: &mut Scene, bar: Rect, map: ColorMap, range: ValueRange) {
    let palette = map.palette();
    let raster = Raster {
        width: palette.len(),
        height: 1,
        rgba: palette
            .iter()
            .flat_map(|&[r, g, b]| [r, g, b, 255])
            .collect(),
    };
    scene.marks.push(Mark::Raster(bar, Arc::new(raster)));
    let (low, high) = range.shown;
    let (least, greatest) = range.values;
    let below = bar.bottom() + 10.0;
    let end = |clipped: bool, shown: f64, value: f64, sign: &str| {
        // What differs by rounding alone is not worth a word.
        if clipped && bar.width >= ROOMY && number(shown) != number(value) {
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
        let zero = LinearScale::new((low, high), (bar.x, bar.right())).pixel(0.0);
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
        draw(&mut scene, bar, self.map, self.range);
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
