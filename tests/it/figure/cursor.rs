//! The shared cursor: the cursor under a point of a figure, and how figures highlight it.

use super::{compare, encodings_view, pictures};
use diagonal::{
    figure::{Axis, ColorMap, Cursor, Figure, GridProfile, Heatmap, Mark, Plot, Series},
    math::{Grid, GridToeplitz, Profile, Window, offset, offsets},
};
use proptest::prelude::*;
use std::{collections::BTreeSet, sync::Arc};

fn lines(n: usize, shown: (f64, f64)) -> Plot {
    let f = Profile::from_fn(n, |k| k as f64);
    Plot::over(Axis::Offset)
        .series([Series::from_profile("f", &f)])
        .horizontal_range(shown)
}

fn lit(figure: &dyn Figure, cursor: Cursor) -> usize {
    figure.overlay(500.0, Some(cursor)).marks.len()
}

proptest! {
    #[test]
    fn a_cursor_stands_for_a_cell_of_any_matrix(
        n in 0..70_usize,
        k in prop_oneof![-80..80_i64, any::<i64>()],
        i in 0..90_usize,
        j in 0..90_usize,
    ) {
        let cursors = [Cursor::Offset(k), Cursor::Cell(i, j), Cursor::Offset(i64::MIN)];
        for cursor in cursors {
            let cell = cursor.as_cell(n);
            prop_assert_eq!(cell.is_some(), n > 0);
            if let Some((i, j)) = cell {
                prop_assert!(i < n && j < n);
            }
        }
        if n > 0 && offsets(n).contains(&k) {
            let (i, j) = Cursor::Offset(k).as_cell(n).expect("a cell");
            prop_assert_eq!(offset(i, j), k);
            // The cell is the middle one of its diagonal.
            prop_assert!((i as i64 + j as i64 - (n as i64 - 1)).abs() <= 1);
        }
        if i < n && j < n {
            prop_assert_eq!(Cursor::Cell(i, j).as_cell(n), Some((i, j)));
        }
        prop_assert_eq!(Cursor::Lag(i).as_cell(n), None);
    }

    #[test]
    fn a_grid_offset_stands_for_two_patches_that_far_apart(height in 1..9_usize, width in 1..9_usize) {
        let grid = Grid { height, width };
        for (dy, dx) in grid.offsets() {
            let (i, j) = Cursor::GridOffset { grid, dy, dx }.as_cell(grid.cells()).expect("a pair");
            prop_assert_eq!(grid.offset(i, j), (dy, dx));
        }
    }

    #[test]
    fn lines_point_at_offsets_they_have(
        n in 1..80_usize,
        reach in 0.5..90.0_f64,
        width in 80.0..1400.0_f64,
        share in 0.0..1.0_f64,
    ) {
        let whole = n as f64 - 0.5;
        for reach in [whole, whole.min(reach.floor() + 0.5)] {
            let lines = lines(n, (-reach, reach));
            let inside = Heatmap::side(width);
            // The leftmost pixel belongs to the half step before the first offset.
            for x in [0.0, share * inside, inside - 1e-9] {
                let x = width - inside - 12.0 + x;
                let cursor = lines.cursor_at(width, x, 60.0).expect("inside");
                let k = cursor.offset().expect("an offset");
                prop_assert!(offsets(n).contains(&k), "{k} of {n}");
                prop_assert!(cursor.as_cell(n).is_some());
            }
        }
    }
}

#[test]
fn the_leftmost_pixel_of_thirty_two_positions_is_their_first_offset() {
    let lines = lines(32, (-31.5, 31.5));
    assert_eq!(
        lines.cursor_at(500.0, 44.0, 60.0),
        Some(Cursor::Offset(-31))
    );
    assert_eq!(Cursor::Offset(-32).as_cell(32), Some((31, 0)));
}

#[test]
fn a_lag_lights_no_diagonal() {
    let lags = Plot::over(Axis::Lag).series([Series::new("r", 0, vec![1.0; 64])]);
    let at = lags.cursor_at(500.0, 200.0, 60.0).expect("inside");
    assert!(matches!(at, Cursor::Lag(_)));
    assert!(lit(&lags, at) > 0);
    assert_eq!((at.offset(), at.cell()), (None, None));

    let tile = pictures::tile(Window::whole(64, 64), 1, |i, j| (i + j) as f32);
    let matrix = Heatmap::matrix(Arc::new(tile), ColorMap::Hot, 0.0);
    assert_eq!(lit(&matrix, at), 0);
    assert_eq!(lit(&lines(64, (-63.5, 63.5)), at), 0);
    assert_eq!(lit(&lags, Cursor::Offset(3)), 0);
    assert!(lit(&matrix, Cursor::Offset(3)) > 0);
}

#[test]
fn a_grid_offset_lights_the_cells_that_have_it() {
    let grid = Grid {
        height: 3,
        width: 5,
    };
    let a = GridToeplitz::from_fn(grid, |dy, dx| (dy * dy + dx) as f64);
    let n = grid.cells();
    let matrix = Heatmap::matrix(Arc::new(a.tile(Window::whole(n, n), n)), ColorMap::Hot, 0.0);
    let (width, frame) = (500.0, matrix.frame(500.0));
    for (dy, dx) in grid.offsets() {
        let overlay = matrix.overlay(width, Some(Cursor::GridOffset { grid, dy, dx }));
        let runs: Vec<_> = overlay
            .marks
            .iter()
            .filter_map(|mark| match mark {
                Mark::Line { points, width, .. } if *width == 1.8 => Some(points.clone()),
                _ => None,
            })
            .collect();
        let is_lit = |i: usize, j: usize| {
            let middle = |at: usize, from: f64| from + (at as f64 + 0.5) * frame.width / n as f64;
            let (x, y) = (middle(j, frame.x), middle(i, frame.y));
            runs.iter().any(|run| {
                let (from, to) = (run[0], run[1]);
                let along = (x - from.0) / (to.0 - from.0);
                (0.0..=1.0).contains(&along) && (from.1 + along * (to.1 - from.1) - y).abs() < 1e-6
            })
        };
        for i in 0..n {
            for j in 0..n {
                assert_eq!(
                    is_lit(i, j),
                    grid.offset(i, j) == (dy, dx),
                    "{i} {j}, {dy} {dx}"
                );
            }
        }
    }
}

#[test]
fn a_grid_profile_points_at_every_offset_it_has() {
    let grid = Grid {
        height: 4,
        width: 3,
    };
    let a = GridToeplitz::from_fn(grid, |dy, dx| (dy * dx) as f64);
    let fit = diagonal::math::GridFit {
        grid,
        f: a.profile().to_vec(),
        mean: 0.0,
        r2: 1.0,
    };
    let figure = GridProfile::new(&fit, ColorMap::Hot, 0.0);
    let mut met = BTreeSet::new();
    for y in 0..600 {
        for x in (0..500).step_by(5) {
            if let Some(cursor) = figure.cursor_at(500.0, f64::from(x), f64::from(y)) {
                let (dy, dx) = cursor.grid_offset(grid).expect("on its own grid");
                assert_eq!(lit(&figure, cursor), 1);
                met.insert((dy, dx));
            }
        }
    }
    assert!(met.into_iter().eq(grid.offsets()));
    // A cell has one offset on the grid; an offset along the line may have several, or none.
    assert_eq!(lit(&figure, Cursor::Cell(0, 11)), 1);
    assert_eq!(lit(&figure, Cursor::Offset(2)), 2);
    assert_eq!(lit(&figure, Cursor::Cell(0, 12)), 0);
}

#[test]
fn nothing_lies_over_a_figure_without_a_cursor() {
    for (name, figure, _) in pictures::figures()
        .into_iter()
        .chain(compare::pictures())
        .chain(encodings_view::pictures())
    {
        let overlay = figure.overlay(480.0, None);
        assert!(overlay.marks.is_empty(), "{name}");
        assert_eq!(overlay.height, figure.height(480.0), "{name}");
    }
}
