//! The path of three components, seen from any direction.

use crate::support::questions::{FIRST, ask, with_computed};
use diagonal::{
    analysis::{Origin, TableWaves},
    encoding::Sinusoidal,
    figure::{Figure, Ink, Mark, waves::ComponentSpace},
};

/// A path that winds once around the first two axes while it climbs along the third.
pub(super) fn helix(seen_from: (i32, i32)) -> ComponentSpace {
    let place = |at: usize| {
        let angle = std::f64::consts::TAU * at as f64 / 64.0;
        [angle.cos(), angle.sin(), at as f64 / 32.0 - 1.0]
    };
    ComponentSpace {
        path: (0..64).map(place).collect(),
        seen_from,
    }
}

/// The lines of a path by their thickness: those behind, and those in front.
fn path_lines(space: &ComponentSpace) -> [Vec<(f64, f64)>; 2] {
    let lines = |marks: &[Mark], thickness: f64| {
        let of_path = |mark: &Mark| match mark {
            Mark::Line {
                points,
                stroke,
                width,
                ..
            } if *stroke == Ink::Category(0) && *width == thickness => Some(points.clone()),
            _ => None,
        };
        marks
            .iter()
            .filter_map(of_path)
            .flatten()
            .collect::<Vec<_>>()
    };
    let marks = space.scene(480.0).marks;
    [0.9, 2.0].map(|thickness| lines(&marks, thickness))
}

#[test]
fn a_path_in_space_only_turns() {
    let distances = |space: &ComponentSpace| {
        let height = space.height(480.0);
        let [far, near] = path_lines(space);
        let points = far
            .into_iter()
            .chain(near)
            .filter(|point| point.0.is_finite());
        points
            .map(|(x, y)| {
                (
                    (x - 240.0).hypot(y - height / 2.0),
                    (x - 240.0, height / 2.0 - y),
                )
            })
            .collect::<Vec<_>>()
    };
    // Seen along the third axis, the helix is a circle.
    let straight = distances(&helix((0, 0)));
    let (least, most) = straight
        .iter()
        .fold((f64::MAX, 0.0_f64), |(least, most), (radius, _)| {
            (least.min(*radius), most.max(*radius))
        });
    assert!(most - least < 1e-9, "{least} {most}");
    // After half a turn it is seen from behind: left and right are exchanged.
    let mut sides = [(0, 0), (180, 0)].map(|seen_from| {
        let mut points: Vec<_> = distances(&helix(seen_from))
            .into_iter()
            .map(|(_, point)| point)
            .collect();
        points.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()).then(a.1.total_cmp(&b.1)));
        points
    });
    sides
        .iter_mut()
        .for_each(|points| points.dedup_by(|a, b| (a.0 - b.0).hypot(a.1 - b.1) < 1e-9));
    let sums = sides.map(|points| points.iter().map(|point| point.1.abs()).sum::<f64>());
    assert!((sums[0] - sums[1]).abs() < 1.0, "{sums:?}");
    // From every direction, all points lie within the path's reach and on the sheet.
    for turn in (-180..=180).step_by(36) {
        for tilt in (-90..=90).step_by(30) {
            let space = helix((turn, tilt));
            let reach = space.height(480.0) / 2.0;
            assert!(
                distances(&space).iter().all(|(radius, _)| *radius < reach),
                "{turn} {tilt}"
            );
        }
    }
    // Seen along the third axis, half of the path lies in front of the middle.
    let [far, near] = path_lines(&helix((0, 0)));
    assert!(
        far.len().abs_diff(near.len()) <= 4,
        "{} {}",
        far.len(),
        near.len()
    );
}

#[test]
fn a_path_in_space_takes_three_components() {
    let session = with_computed(Origin::Sinusoidal(Sinusoidal {
        rows: 16,
        width: 2,
        base: 10_000.0,
    }));
    let found = ask(&session, TableWaves { of: FIRST }).expect("an answer");
    let components = found.components.expect("components");
    assert_eq!(ComponentSpace::new(&components, (0, 0)), None);
    // NaN breaks the line, and is not drawn.
    let mut broken = helix((30, 20));
    broken.path[10] = [f64::NAN; 3];
    broken.path[63] = [f64::NAN; 3];
    for mark in broken.scene(480.0).marks {
        match mark {
            Mark::Dot { at, .. } | Mark::Text { at, .. } => {
                assert!(at.0.is_finite() && at.1.is_finite());
            }
            _ => {}
        }
    }
}
