//! Figures: colour ranges, cursor positions, layout.

use super::pictures::tile;
use diagonal::{
    figure::{
        Axis, COLOR_MAPS, ColorMap, Cursor, Figure, Handle, Heatmap, Ink, Mark, Plot, Series,
        Table, Thumbnail, Thumbnails,
    },
    math::Window,
};
use std::sync::Arc;

/// One row of values.
pub(crate) fn row(values: &[f32], map: ColorMap, clip: f64) -> Heatmap {
    let row = tile(Window::whole(1, values.len()), 1, |_, j| values[j]);
    Heatmap::matrix(Arc::new(row), map, clip)
}

pub(crate) fn pixel(heatmap: &Heatmap, at: usize) -> [u8; 4] {
    let raster = heatmap.raster();
    raster.rgba[4 * at..4 * at + 4].try_into().expect("a pixel")
}

/// A table of positions has neither queries nor keys. Exports name columns as for scores.
#[test]
fn a_matrix_of_positions_names_positions() {
    let cells = || Arc::new(tile(Window::whole(4, 4), 1, |i, j| (i + j) as f32));
    let scores = Heatmap::matrix(cells(), ColorMap::Hot, 0.0);
    let positions = Heatmap::matrix(cells(), ColorMap::Hot, 0.0).of_positions();
    for (figure, names, other) in [
        (&scores, ["query i", "key j"], "position"),
        (&positions, ["position i", "position j"], "query"),
    ] {
        let summary = figure.summary();
        assert!(names.iter().all(|name| summary.contains(name)), "{summary}");
        assert!(!summary.contains(other), "{summary}");
        let is_across = |mark: &Mark| matches!(mark, Mark::Text { text, .. } if text == names[1]);
        assert!(figure.scene(400.0).marks.iter().any(is_across));
    }
    assert_eq!(scores.table().csv(), positions.table().csv());
}

#[test]
fn zero_has_one_colour_on_the_diverging_map() {
    for values in [[-1.0, 0.0, 5.0], [-8.0, 0.0, 0.5], [0.0, 0.0, 0.0]] {
        let heatmap = row(&values, ColorMap::Diverging, 0.0);
        let (low, high) = heatmap.range().ends;
        assert!(low == -high && high > 0.0, "{low} {high}");
        let [r, g, b, _] = pixel(&heatmap, 1);
        let grey = r.max(g).max(b) - r.min(g).min(b);
        assert!(grey < 12 && g > 220, "zero is {r} {g} {b}");
    }
    // Blue below, red above.
    let heatmap = row(&[-1.0, 1.0], ColorMap::Diverging, 0.0);
    let (below, above) = (pixel(&heatmap, 0), pixel(&heatmap, 1));
    assert!(below[2] > below[0] && above[0] > above[2]);
}

#[test]
fn clipping_leaves_a_share_beyond_either_end() {
    // Shuffled, so that order does not matter.
    let values: Vec<f32> = (0..=200).map(|v| ((v * 77) % 201) as f32).collect();
    for (clip, low, high) in [(0.0, 0.0, 200.0), (1.0, 2.0, 198.0), (20.0, 40.0, 160.0)] {
        let range = row(&values, ColorMap::Hot, clip).range();
        assert_eq!((range.ends, range.values), ((low, high), (0.0, 200.0)));
    }
    let range = row(&[3.0; 9], ColorMap::Hot, 10.0).range();
    // A constant is drawn relative to zero.
    assert_eq!((range.ends, range.values), ((0.0, 3.0), (3.0, 3.0)));
}

#[test]
fn what_is_no_number_is_left_to_the_paper() {
    let values = [
        f32::NAN,
        0.0,
        1.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    for (map, ..) in COLOR_MAPS {
        let heatmap = row(&values, *map, 1.0);
        assert_eq!(heatmap.range().values, (0.0, 1.0));
        assert_eq!(pixel(&heatmap, 0), [0; 4]);
        assert_eq!(pixel(&heatmap, 5), [0; 4]);
        assert!((1..5).all(|at| pixel(&heatmap, at)[3] == 255));
        assert_eq!(pixel(&heatmap, 3), pixel(&heatmap, 2));
    }
    let nothing = row(&[f32::NAN; 4], ColorMap::Hot, 1.0);
    assert!(nothing.scene(300.0).marks.iter().all(|mark| !matches!(
        mark,
        Mark::Text { text, .. } if text.contains("NaN") || text.contains("inf")
    )));
}

/// Place of the overlay's dot.
fn dot(figure: &dyn Figure, width: f64, cursor: Cursor) -> Option<(f64, f64)> {
    let overlay = figure.overlay(width, Some(cursor));
    overlay.marks.into_iter().find_map(|mark| match mark {
        Mark::Dot { at, .. } => Some(at),
        _ => None,
    })
}

#[test]
fn the_cursor_is_where_it_is_drawn() {
    let window = Window {
        rows: 5..36,
        cols: 20..43,
    };
    for step in [1, 4] {
        let tile = Arc::new(tile(window.clone(), step, |i, j| (i * 100 + j) as f32));
        let heatmap = Heatmap::matrix(Arc::clone(&tile), ColorMap::Hot, 0.0);
        for width in [180.0, 320.0, 641.5] {
            for (i, j) in (5..36).flat_map(|i| (20..43).map(move |j| (i, j))) {
                let cell = Cursor::Cell(i, j);
                let (x, y) = dot(&heatmap, width, cell).expect("inside");
                assert_eq!(heatmap.cursor_at(width, x, y), Some(cell));
                assert_eq!(heatmap.at(cell), tile.at(i, j));
                assert_eq!(cell.offset(), Some(j as i64 - i as i64));
            }
            assert_eq!(dot(&heatmap, width, Cursor::Cell(4, 30)), None);
            let frame = heatmap.frame(width);
            let inside = |x, y| heatmap.cursor_at(width, x, y).is_some();
            assert!(
                inside(frame.x, frame.y) && inside(frame.right() - 0.01, frame.bottom() - 0.01)
            );
            assert!(!inside(frame.x - 0.01, frame.y) && !inside(frame.right(), frame.y));
            assert!(!inside(frame.x, frame.bottom()) && !inside(frame.x, frame.y - 0.01));
        }
        let table = Heatmap::table(tile, ColorMap::Hot, 0.0);
        assert_eq!(table.cursor_at(320.0, 100.0, 50.0), None);
    }
}

fn profile(n: i64) -> Plot {
    let series = vec![Series {
        name: "f".into(),
        first: 1 - n,
        values: (1 - n..n).map(|k| (k * k) as f64).collect(),
        ink: Ink::Ink,
        width: 1.0,
        is_dashed: false,
        is_in_legend: false,
    }];
    let handle = |k, value| Handle {
        k,
        value,
        ink: Ink::Ink,
        hollow: false,
    };
    Plot::over(Axis::Offset)
        .vertical("f(k)")
        .with_table(Series::table_of(&series))
        .series(series)
        .handles([handle(-8.0, 64.0), handle(8.0, 64.0)])
        .aspect(0.5)
}

#[test]
fn lines_share_the_scale_of_the_matrix_above_them() {
    let (n, width) = (30, 500.0);
    let lines = profile(n);
    for k in 1 - n..n {
        let (x, y) = dot(&lines, width, Cursor::Offset(k)).expect("inside");
        assert_eq!(lines.cursor_at(width, x, y), Some(Cursor::Offset(k)));
        let (offset, value) = lines.point_at(width, x, y).expect("a point");
        assert!((offset - k as f64).abs() < 1e-9 && (value - (k * k) as f64).abs() < 1e-6);
    }
    assert_eq!(dot(&lines, width, Cursor::Offset(n)), None);
    // Twice as many offsets as keys in the same width.
    let key = Heatmap::side(width) / n as f64;
    let x = |k| dot(&lines, width, Cursor::Offset(k)).expect("inside").0;
    assert!((x(1) - x(0) - key * n as f64 / (2 * n - 1) as f64).abs() < 1e-9);

    for (at, handle) in lines.handles.iter().enumerate() {
        let (x, y) = dot(&lines, width, Cursor::Offset(handle.k as i64)).expect("inside");
        assert_eq!(lines.handle_at(width, x + 9.0, y - 9.0), Some(at));
        assert_eq!(lines.handle_at(width, x + 9.0, y - 12.0), None);
    }
}

#[test]
fn thumbnails_do_not_touch() {
    let cell = |at: usize| {
        let small = tile(Window::whole(2, 2), 1, |i, j| (i + j) as f32);
        Thumbnail::new(
            small,
            ColorMap::Diverging,
            (at / 12, at % 12),
            String::new(),
        )
    };
    for per_row in [None, Some(12), Some(5)] {
        let grid = Thumbnails {
            cells: (0..30).map(cell).collect(),
            per_row,
            open: None,
            table: Table::new(),
            summary: String::new(),
        };
        for width in [200.0, 320.0, 700.0, 1400.0] {
            let places = grid.places(width);
            assert_eq!(places.len(), 30);
            for (at, a) in places.iter().enumerate() {
                assert!(a.x >= 0.0 && a.right() <= width + 1e-9 && a.width > 20.0);
                assert!(a.bottom() < grid.height(width));
                for b in &places[..at] {
                    let beside = b.right() < a.x || a.right() < b.x;
                    assert!(
                        beside || b.bottom() < a.y || a.bottom() < b.y,
                        "{a:?} {b:?}"
                    );
                }
            }
        }
    }
}
