//! The path of the positions in the space of three components, from an adjustable viewpoint.
//!
//! The projection is orthographic. All three axes have one scale that does not depend on the viewpoint, so that turning
//! does not resize the path. Parts behind the middle are drawn thinner.

use crate::{
    analysis::ComponentSummary,
    figure::{
        Anchor, Figure, Ink, Mark, Scene, Table, plot::frame::plot_height, text::TEXT, text::width,
    },
};

/// Margin around the path, for the names of the axes.
const MARGIN: f64 = 30.0;
const ASPECT: f64 = 0.8;
const NEAR: f64 = 2.0;
const FAR: f64 = 0.9;
/// Length of the axes relative to the reach of the path.
const AXIS: f64 = 1.1;
/// A break in a line.
const GAP: (f64, f64) = (f64::NAN, f64::NAN);

/// A path through three components.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentSpace {
    /// Coordinates of each position.
    pub path: Vec<[f64; 3]>,
    /// Degrees of turn about the second, vertical axis and of tilt towards the viewer.
    pub seen_from: (i32, i32),
}

impl ComponentSpace {
    /// Creates the path along the leading components: before turning, the first points right, the second up and the
    /// third towards the viewer. `None` if there are fewer than three.
    #[must_use]
    pub fn new(found: &ComponentSummary, seen_from: (i32, i32)) -> Option<Self> {
        let [first, second, third, ..] = found.along.as_slice() else {
            return None;
        };
        let places = first.iter().zip(second).zip(third);
        Some(Self {
            path: places.map(|((&x, &y), &z)| [x, y, z]).collect(),
            seen_from,
        })
    }

    /// Returns the coordinates of a point after turning: right, up, and towards the viewer.
    fn view_coordinates(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let radians = |degrees: i32| f64::from(degrees).to_radians().sin_cos();
        let ((sin, cos), (tilt_sin, tilt_cos)) =
            (radians(self.seen_from.0), radians(self.seen_from.1));
        let (across, depth) = (cos * x + sin * z, cos * z - sin * x);
        [
            across,
            tilt_cos * y - tilt_sin * depth,
            tilt_sin * y + tilt_cos * depth,
        ]
    }

    /// The greatest distance of the path from the middle.
    fn reach(&self) -> f64 {
        let lengths = self
            .path
            .iter()
            .map(|place| place.iter().map(|v| v * v).sum::<f64>().sqrt());
        lengths
            .filter(|length| length.is_finite())
            .fold(0.0, f64::max)
    }

    /// Returns the pixel of a point in a scene of this width.
    fn point(&self, width: f64, place: [f64; 3]) -> (f64, f64) {
        let height = self.height(width);
        let reach = self.reach().max(f64::MIN_POSITIVE);
        let unit = (width.min(height) / 2.0 - MARGIN).max(1.0) / reach;
        let [across, upwards, _] = self.view_coordinates(place);
        (width / 2.0 + unit * across, height / 2.0 - unit * upwards)
    }

    fn draw_axes(&self, scene: &mut Scene) {
        for (axis, name) in ["component 1", "component 2", "component 3"]
            .into_iter()
            .enumerate()
        {
            let mut end = [0.0; 3];
            end[axis] = AXIS * self.reach();
            let (from, to) = (
                self.point(scene.width, [0.0; 3]),
                self.point(scene.width, end),
            );
            scene.line(vec![from, to], Ink::Ink, 1.0);
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            // An axis that points at the viewer has no room for its name.
            if dx.hypot(dy) > MARGIN {
                let wide = width(name, TEXT);
                let (anchor, x, y) = if dx.abs() < dy.abs() {
                    (Anchor::Middle, to.0, to.1 + 9.0 * dy.signum())
                } else if dx > 0.0 {
                    (Anchor::Start, (to.0 + 4.0).min(scene.width - wide), to.1)
                } else {
                    (Anchor::End, (to.0 - 4.0).max(wide), to.1)
                };
                let y = y.min(scene.height - TEXT / 2.0).max(TEXT / 2.0);
                scene.text(name, (x, y), anchor, Ink::Ink);
            }
        }
    }

    /// Marks the first and the last position. Their names are in the corner, since the path covers the space beside
    /// them.
    fn draw_ends(&self, scene: &mut Scene) {
        let last = self.path.len().saturating_sub(1);
        let ends = [(0, Ink::Category(1)), (last, Ink::Category(2))];
        for (row, (position, fill)) in ends.into_iter().enumerate() {
            let Some(place) = self.path.get(position) else {
                continue;
            };
            let corner = (8.0, 9.0 + 18.0 * row as f64);
            let at = self.point(scene.width, *place);
            for at in [corner, at] {
                if at.0.is_finite() && at.1.is_finite() {
                    let (radius, stroke) = (4.5, Ink::Paper);
                    scene.marks.push(Mark::Dot {
                        at,
                        radius,
                        fill,
                        stroke,
                    });
                }
            }
            let name = format!("position {position}");
            scene.text(name, (corner.0 + 10.0, corner.1), Anchor::Start, Ink::Muted);
        }
    }

    /// The steps of the path whose middle is before, or behind, the centre, as one interrupted line.
    fn steps(&self, width: f64, is_near: bool) -> Vec<(f64, f64)> {
        let mut points = Vec::new();
        for step in self.path.windows(2) {
            let depth = |place| self.view_coordinates(place)[2];
            if (depth(step[0]) + depth(step[1]) >= 0.0) != is_near {
                continue;
            }
            let [from, to] = [step[0], step[1]].map(|place| self.point(width, place));
            if points.last() != Some(&from) {
                points.extend([GAP, from]);
            }
            points.push(to);
        }
        points
    }
}

impl Figure for ComponentSpace {
    fn height(&self, width: f64) -> f64 {
        plot_height(width, ASPECT)
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        for (is_near, thickness) in [(false, FAR), (true, NEAR)] {
            scene.line(self.steps(width, is_near), Ink::Category(0), thickness);
        }
        self.draw_axes(&mut scene);
        self.draw_ends(&mut scene);
        scene
    }

    fn summary(&self) -> String {
        let (turn, tilt) = self.seen_from;
        format!(
            "The path of {} positions along components 1, 2 and 3, rotated by {turn}° and tilted by {tilt}°.",
            self.path.len()
        )
    }

    /// One row per position, with its three coordinates: `position,x,y,z`.
    fn table(&self) -> Table {
        let along = |axis: usize| self.path.iter().map(|place| place[axis]).collect();
        Table::new()
            .with("position", (0..self.path.len()).collect())
            .with("x", along(0))
            .with("y", along(1))
            .with("z", along(2))
    }
}
