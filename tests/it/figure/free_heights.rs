//! Figures whose height is free, in other heights than their own.

use super::pictures::figures;

/// A figure in another height has that height, as far as its rows allow, and fills no more and no less of its scene.
#[test]
fn figures_take_the_height_that_they_are_given() {
    let mut free = 0;
    for (name, figure, _) in figures() {
        let own = figure.height(WIDTH);
        for times in [0.7, 1.0, 1.6, 2.5] {
            let height = times * own.max(200.0);
            let Some(other) = figure.with_height(WIDTH, height) else {
                continue;
            };
            free += 1;
            let reached = other.height(WIDTH);
            assert_eq!(other.scene(WIDTH).height, reached, "{name}");
            assert_eq!(other.overlay(WIDTH, None).height, reached, "{name}");
            let again = other.with_height(WIDTH, reached).expect("it is free");
            assert!((again.height(WIDTH) - reached).abs() < 1e-6, "{name}");
            assert_eq!(other.summary(), figure.summary(), "{name}");
        }
    }
    assert!(free > 20, "{free} pictures");
}

const WIDTH: f64 = 640.0;
