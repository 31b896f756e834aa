//! A share as a bar, with a mark for its value by chance.

use super::{Ink, Mark, Rect, Scene};
use crate::math::OffsetR2;

/// A share between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The share. A value that is not finite has no bar.
    pub value: f64,
    /// Its value by chance, if known.
    pub chance: Option<f64>,
}

impl Share {
    /// Returns the shares without k = 0 and of all cells, each with the score of a random table.
    #[must_use]
    pub fn from_r2(r2: OffsetR2, random: Option<OffsetR2>) -> [Self; 2] {
        [
            Self {
                value: r2.off_diagonal,
                chance: random.map(|random| random.off_diagonal),
            },
            Self {
                value: r2.all,
                chance: random.map(|random| random.all),
            },
        ]
    }

    /// Draws the bar in a rectangle whose width represents 1.
    pub(super) fn draw(self, scene: &mut Scene, room: Rect, ink: Ink) {
        let bar = |width: f64, fill| Mark::Box {
            rect: Rect { width, ..room },
            fill: Some(fill),
            stroke: None,
        };
        scene.marks.push(bar(room.width, Ink::Hairline));
        if self.value.is_finite() {
            let length = room.width * self.value.clamp(0.0, 1.0);
            scene.marks.push(bar(length.max(1.0), ink));
        }
        if let Some(chance) = self.chance {
            let x = room.x + room.width * chance.clamp(0.0, 1.0);
            mark(scene, x, room.y, room.height);
        }
    }
}

/// Length by which a mark of chance extends above and below its bar.
const OUT: f64 = 2.0;

/// Draws the mark of chance at x, around a bar whose top is at y.
pub(super) fn mark(scene: &mut Scene, x: f64, y: f64, height: f64) {
    let line = |width| (vec![(x, y - OUT), (x, y + height + OUT)], width);
    // Outlined in the colour of the paper, so that it is visible on the bar and beside it.
    for ((points, width), ink) in [(line(3.5), Ink::Paper), (line(1.5), Ink::Category(1))] {
        scene.line(points, ink, width);
    }
}
