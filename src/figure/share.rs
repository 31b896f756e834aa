//! A share of something as a bar, and what the share would be by chance as a mark on it.

use super::{Ink, Mark, Rect, Scene};
use crate::math::OffsetR2;

/// A share between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The share; one that is not a number has no bar.
    pub value: f64,
    /// What it would be by chance, where that is known.
    pub chance: Option<f64>,
}

impl Share {
    /// Without k = 0 and of all cells, each beside what a random table scores.
    #[must_use]
    pub fn of_r2(r2: OffsetR2, random: Option<OffsetR2>) -> [Self; 2] {
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

    /// Draws the bar in its room, which stands for 1.
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

/// How far a mark of chance stands out above and below its bar.
const OUT: f64 = 2.0;

/// The mark of chance at x, around a bar that begins at y.
pub(super) fn mark(scene: &mut Scene, x: f64, y: f64, height: f64) {
    let line = |width| (vec![(x, y - OUT), (x, y + height + OUT)], width);
    // Paper around it, so that it is seen on the bar as well as beside it.
    for ((points, width), ink) in [(line(3.5), Ink::Paper), (line(1.5), Ink::Category(1))] {
        scene.line(points, ink, width);
    }
}
