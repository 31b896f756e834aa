//! Layout of small pictures side by side, each with its name above and a number below.

use crate::{
    figure::{Anchor, Ink, Mark, Raster, Rect, Scene, scene::fit_name},
    math::Grid,
};
use std::sync::Arc;

const GAP: f64 = 12.0;
const NAME: f64 = 18.0;

/// Layout of pictures of equal shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Panels {
    /// Number of pictures.
    pub(super) count: usize,
    /// Height over width.
    pub(super) aspect: f64,
    /// Least width of a picture, unless the figure is narrower.
    pub(super) narrowest: f64,
    /// Greatest width of a picture.
    pub(super) widest: f64,
    /// Space below each picture.
    pub(super) below: f64,
}

/// A picture with its name.
pub(super) struct Panel<'a> {
    pub(super) raster: Arc<Raster>,
    pub(super) name: &'a str,
    pub(super) ink: Ink,
}

impl Panels {
    /// Returns the frame of each picture.
    pub(super) fn places(&self, width: f64) -> Vec<Rect> {
        let most = (((width + GAP) / (self.narrowest + GAP)) as usize).clamp(1, self.count.max(1));
        // Rows of equal length, if possible.
        let columns = self.count.max(1).div_ceil(self.count.max(1).div_ceil(most));
        let across = ((width + GAP) / columns as f64 - GAP).clamp(1.0, self.widest);
        let down = (across * self.aspect).max(12.0);
        let place = |at: usize| Rect {
            x: (at % columns) as f64 * (across + GAP),
            y: NAME + (at / columns) as f64 * (NAME + down + self.below),
            width: across,
            height: down,
        };
        (0..self.count).map(place).collect()
    }

    /// Returns the total height.
    pub(super) fn height(&self, width: f64) -> f64 {
        let places = self.places(width);
        places.last().map_or(0.0, |last| last.bottom() + self.below)
    }

    /// Draws a picture in its frame.
    pub(super) fn draw(scene: &mut Scene, place: Rect, panel: Panel<'_>) {
        let name = fit_name(panel.name, place.width);
        let above = (place.x, place.y - 9.0);
        scene.text(name, above, Anchor::Start, panel.ink);
        scene.marks.push(Mark::Raster(place, panel.raster));
        scene.marks.push(Mark::Box {
            rect: place,
            fill: None,
            stroke: Some((Ink::Hairline, 1.0)),
        });
    }
}

/// Marks a pixel of a picture. The mark of a pixel that is small on the screen surrounds it.
pub(super) fn mark_pixel(scene: &mut Scene, place: Rect, grid: Grid, (y, x): (usize, usize)) {
    let across = place.width / grid.width as f64;
    let down = place.height / grid.height as f64;
    let room = (7.0 - across.min(down)).max(0.0) / 2.0;
    for (ink, out) in [(Ink::Black, room + 1.0), (Ink::White, room)] {
        scene.marks.push(Mark::Box {
            rect: Rect {
                x: place.x + x as f64 * across - out,
                y: place.y + y as f64 * down - out,
                width: across + 2.0 * out,
                height: down + 2.0 * out,
            },
            fill: None,
            stroke: Some((ink, 1.5)),
        });
    }
}

/// Returns the pixel (y, x) at a point, in whichever picture.
pub(super) fn pixel_at(places: &[Rect], grid: Grid, px: f64, py: f64) -> Option<(usize, usize)> {
    let place = places.iter().find(|place| place.contains(px, py))?;
    let cell = |from: f64, room: f64, cells: usize| {
        ((from / room * cells as f64) as usize).min(cells.saturating_sub(1))
    };
    Some((
        cell(py - place.y, place.height, grid.height),
        cell(px - place.x, place.width, grid.width),
    ))
}
