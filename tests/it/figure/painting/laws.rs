//! Laws of painted pictures, for all scenes.

use super::{Bitmap, paint};
use crate::support::root;
use diagonal::{
    export::{TextOutlines, TextPlacement},
    figure::{Anchor, Extent, Ink, LIGHT, Mark, Raster, Rect, Scene},
};
use proptest::prelude::*;
use std::sync::Arc;

/// Width and height of the sheets, in scene pixels.
const SIZE: f64 = 48.0;
/// Common device pixel ratios.
const SCALES: [f64; 3] = [1.0, 1.5, 2.0];

fn scene(marks: impl IntoIterator<Item = Mark>) -> Scene {
    let mut scene = Scene::new(SIZE, SIZE);
    scene.marks.extend(marks);
    scene
}

fn rect(x: f64, y: f64, width: f64, height: f64) -> Rect {
    Rect {
        x,
        y,
        width,
        height,
    }
}

fn line(points: Vec<(f64, f64)>, dash: Option<f64>) -> Mark {
    Mark::Line {
        points,
        stroke: Ink::Black,
        width: 2.0,
        dash,
    }
}

fn text(anchor: Anchor, at: (f64, f64)) -> Mark {
    Mark::Text {
        text: "key j".into(),
        at,
        size: 10.0,
        anchor,
        ink: Ink::Black,
    }
}

fn rgb(ink: Ink) -> [u8; 3] {
    let hex = u32::from_str_radix(&LIGHT.color(ink)[1..], 16).expect("a colour");
    let [_, r, g, b] = hex.to_be_bytes();
    [r, g, b]
}

/// Darkness of a pixel, from 0 to 1.
fn black(bitmap: &Bitmap, x: usize, y: usize) -> f64 {
    let paper = f64::from(rgb(Ink::Paper)[0]);
    1.0 - f64::from(bitmap.pixel(x, y)[0]) / paper
}

/// Total darkness, in pixels.
fn amount(bitmap: &Bitmap) -> f64 {
    weighted_mean(bitmap, |_, _| 1.0)
}

fn weighted_mean(bitmap: &Bitmap, weight: impl Fn(f64, f64) -> f64) -> f64 {
    let (width, height) = bitmap.size();
    let all = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    all.map(|(x, y)| black(bitmap, x, y) * weight(x as f64 + 0.5, y as f64 + 0.5))
        .sum()
}

/// Centroid of the darkness, in scene pixels.
fn middle(bitmap: &Bitmap, scale: f64) -> (f64, f64) {
    let all = amount(bitmap) * scale;
    assert!(all > 0.0, "nothing is drawn");
    (
        weighted_mean(bitmap, |x, _| x) / all,
        weighted_mean(bitmap, |_, y| y) / all,
    )
}

/// One mark of each kind that can have any place, starting at a point.
fn marks((x, y): (f64, f64)) -> Vec<Mark> {
    let pixels = Raster::new(3, 2, [0, 0, 0, 255].repeat(6));
    let ring = vec![(x, y), (x + 20.0, y + 3.0), (x + 6.0, y + 24.0)];
    vec![
        line(ring.clone(), None),
        line(ring.clone(), Some(3.0)),
        Mark::Area {
            points: ring,
            fill: Ink::Black,
        },
        Mark::Box {
            rect: rect(x, y, 9.0, 7.0),
            fill: Some(Ink::Black),
            stroke: None,
        },
        Mark::Box {
            rect: rect(x + 1.0, y + 1.0, 15.0, 12.0),
            fill: None,
            stroke: Some((Ink::Black, 1.3)),
        },
        Mark::Dot {
            at: (x + 8.0, y + 8.0),
            radius: 5.5,
            fill: Ink::Black,
            stroke: Ink::Black,
        },
        Mark::Raster(rect(x, y, 12.0, 10.0), Arc::new(pixels)),
        text(Anchor::Start, (x, y + 6.0)),
    ]
}

/// Extra scale for text: its strokes are too thin to measure at few pixels.
fn fineness(mark: &Mark) -> f64 {
    match mark {
        Mark::Text { .. } => 4.0,
        _ => 1.0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_mark_moves_by_its_offset(
        from in (1.0..5.0, 1.0..5.0),
        (dx, dy) in (0.0..12.0, 0.0..12.0),
        scale in prop::sample::select(&SCALES),
    ) {
        // Antialiasing resolves a quarter of a pixel, so each picture may be off by an eighth, plus rounding to 255
        // shades.
        const NEAR: f64 = 0.27;
        let there = marks((from.0 + dx, from.1 + dy));
        for (here, there) in marks(from).into_iter().zip(there) {
            let scale = scale * fineness(&here);
            let [a, b] = [here.clone(), there].map(|mark| paint(&scene([mark]), scale));
            let (a, b) = (middle(&a, scale), middle(&b, scale));
            let moved = (b.0 - a.0, b.1 - a.1);
            let off: [f64; 2] = [moved.0 - dx, moved.1 - dy];
            prop_assert!(off.iter().all(|off| off.abs() < NEAR), "{here:?} moved by {moved:?} and not by {:?}", (dx, dy));
        }
    }

    #[test]
    fn a_cell_of_a_raster_lands_on_its_pixels(
        (x, y) in (0usize..6, 0usize..6),
        (width, height) in (1usize..7, 1usize..7),
        (wide, high) in (1usize..6, 1usize..6),
        scale in prop::sample::select(&SCALES),
    ) {
        let color = |i: usize, j: usize| [(40 * i) as u8, (40 * j) as u8, 99];
        let cells = (0..height).flat_map(|i| (0..width).map(move |j| (i, j)));
        let rgba = cells.flat_map(|(i, j)| { let [r, g, b] = color(i, j); [r, g, b, 255] });
        let raster = Raster::new(width, height, rgba.collect());
        let size = |cells: usize, pixels: usize| (cells * pixels) as f64;
        // Place and size are whole pixels of the bitmap.
        let place = rect(x as f64, y as f64, size(width, wide), size(height, high));
        let on_screen = rect(place.x / scale, place.y / scale, place.width / scale, place.height / scale);
        let bitmap = paint(&scene([Mark::Raster(on_screen, Arc::new(raster))]), scale);
        for (i, j) in (0..height * high).flat_map(|i| (0..width * wide).map(move |j| (i, j))) {
            prop_assert_eq!(bitmap.pixel(x + j, y + i), color(i / high, j / wide), "row {}, column {}", i, j);
        }
    }
}

#[test]
fn a_raster_of_more_cells_than_pixels_is_averaged() {
    // Black and white stripes, two per pixel.
    let stripes = [[0, 0, 0, 255], [255, 255, 255, 255]].concat().repeat(40);
    let raster = Raster::new(80, 1, stripes);
    let mark = Mark::Raster(rect(4.0, 4.0, 40.0, 8.0), Arc::new(raster));
    let bitmap = paint(&scene([mark]), 1.0);
    for x in 5..43 {
        let [r, ..] = bitmap.pixel(x, 8);
        assert!((100..156).contains(&r), "{r} at {x}");
    }
}

#[test]
fn a_dash_has_gaps() {
    for scale in SCALES {
        let ends = || vec![(4.0, 10.0), (40.0, 10.0)];
        let [whole, dashed] =
            [None, Some(3.0)].map(|dash| paint(&scene([line(ends(), dash)]), scale));
        for x in 4..40 {
            // In the middle of a scene pixel.
            let at = |x: f64| (x * scale) as usize;
            let row = at(10.0);
            let is_dash = (x - 4) / 3 % 2 == 0;
            let column = at(f64::from(x) + 0.5);
            assert!(black(&whole, column, row) > 0.99, "{x} at {scale}");
            let found = black(&dashed, column, row);
            let expected = if is_dash { 1.0 } else { 0.0 };
            assert!((found - expected).abs() < 0.51, "{x} at {scale}: {found}");
        }
        let share = amount(&dashed) / amount(&whole);
        assert!((share - 0.5).abs() < 0.01, "{share} at {scale}");
    }
}

#[test]
fn a_line_that_follows_a_dashed_one_has_no_gaps() {
    let at = |y| vec![(4.0, y), (40.0, y)];
    let alone = paint(&scene([line(at(30.0), None)]), 1.0);
    let after = [line(at(10.0), Some(3.0)), line(at(30.0), None)];
    let after = paint(&scene(after), 1.0);
    for x in 0..48 {
        assert_eq!(alone.pixel(x, 30), after.pixel(x, 30));
    }
}

#[test]
fn what_is_no_number_is_a_gap() {
    for nothing in [f64::NAN, f64::INFINITY] {
        let points = vec![
            (4.0, 10.0),
            (16.0, 10.0),
            (22.0, nothing),
            (28.0, 10.0),
            (40.0, 10.0),
        ];
        let broken = paint(&scene([line(points, None)]), 1.0);
        let inked: Vec<usize> = (0..48).filter(|&x| black(&broken, x, 10) > 0.5).collect();
        let expected: Vec<usize> = (4..16).chain(28..40).collect();
        assert_eq!(inked, expected);
    }
}

#[test]
fn columns_leave_no_seams_and_keep_their_heights() {
    for scale in SCALES {
        let extents = (0..30).map(|at| Extent {
            x: 6.0 + f64::from(at) * 1.1,
            high: if at % 2 == 0 { 8.0 } else { 14.0 },
            low: 40.0,
        });
        let mark = Mark::Extents {
            extents: extents.collect(),
            fill: Ink::Black,
        };
        let bitmap = paint(&scene([mark]), scale);
        let device = |pixels: f64| (pixels * scale) as usize;
        for x in device(7.0)..device(37.0) {
            assert!(black(&bitmap, x, device(20.0)) > 0.999, "{x} at {scale}");
        }
        let at_height = |y| {
            let across = device(7.0)..device(37.0);
            let count = across.len() as f64;
            across.map(|x| black(&bitmap, x, device(y))).sum::<f64>() / count
        };
        // Every second one reaches this height.
        assert!((at_height(11.0) - 0.5).abs() < 0.05);
        assert!(at_height(4.0) == 0.0 && at_height(44.0) == 0.0);
    }
}

#[test]
fn text_stands_where_its_anchor_says() {
    let at = (24.0, 20.0);
    let places = [Anchor::Start, Anchor::Middle, Anchor::End]
        .map(|anchor| middle(&paint(&scene([text(anchor, at)]), 2.0), 2.0));
    let [start, centred, end] = places;
    assert!((centred.0 - at.0).abs() < 1.5, "{centred:?}");
    // Half of its width to either side.
    let (right, left) = (start.0 - centred.0, centred.0 - end.0);
    assert!(
        (right - left).abs() < 0.1 && (10.0..14.0).contains(&right),
        "{left} {right}"
    );
    for (_, y) in places {
        assert!((y - at.1).abs() < 2.0, "{y}");
    }
}

#[test]
fn letters_look_like_the_text_they_stand_for() {
    let font = root().join("www/fonts/inter.otf");
    let font = std::fs::read(font).expect("the font");
    let letters = TextOutlines::read(&font).expect("a font");
    let place = TextPlacement {
        at: (4.25, 21.6),
        size: 10.0,
        anchor: Anchor::Start,
        upwards: false,
    };
    let outlined = Mark::Letters {
        text: "key j".into(),
        path: letters.outline("key j", place).expect("its letters"),
        ink: Ink::Black,
    };
    let [shapes, text] =
        [outlined, text(Anchor::Start, place.at)].map(|mark| paint(&scene([mark]), 2.0).rgb());
    let most = shapes.iter().zip(&text).map(|(a, b)| a.abs_diff(*b)).max();
    // Outlines are rounded to hundredths of a scene pixel.
    assert!(most < Some(24), "{most:?}");

    let ring = letters.outline(
        "o",
        TextPlacement {
            at: (24.0, 24.0),
            size: 40.0,
            anchor: Anchor::Middle,
            upwards: false,
        },
    );
    let ring = paint(
        &scene([Mark::Letters {
            text: "o".into(),
            path: ring.expect("an o"),
            ink: Ink::Black,
        }]),
        1.0,
    );
    let (x, y) = middle(&ring, 1.0);
    assert!(
        black(&ring, x as usize, y as usize) < 0.01,
        "it has no hole"
    );
}

#[test]
fn twice_the_pixels_show_the_same() {
    let marks = || marks((6.3, 5.8));
    for mark in marks() {
        let scales = [1.0, 2.0].map(|scale| scale * fineness(&mark));
        let [small, large] = scales.map(|scale| paint(&scene([mark.clone()]), scale));
        let (once, four) = (amount(&small), amount(&large) / 4.0);
        // For thin lines, whose edges are resolved to a quarter of a pixel.
        assert!((once - four).abs() < 0.12 * once, "{mark:?}: {once} {four}");
        let (a, b) = (middle(&small, scales[0]), middle(&large, scales[1]));
        assert!((a.0 - b.0).hypot(a.1 - b.1) < 0.25, "{mark:?}: {a:?} {b:?}");
    }
}

#[test]
fn inks_are_those_of_the_theme() {
    let inks = [
        Ink::Ink,
        Ink::Muted,
        Ink::Chosen,
        Ink::Hairline,
        Ink::Paper,
        Ink::Band,
        Ink::Accent,
        Ink::Black,
        Ink::White,
    ];
    for ink in inks.into_iter().chain((0..9).map(Ink::Category)) {
        let filled = Mark::Box {
            rect: rect(10.0, 10.0, 20.0, 20.0),
            fill: Some(ink),
            stroke: None,
        };
        let stroked = Mark::Line {
            points: vec![(10.0, 38.0), (30.0, 38.0)],
            stroke: ink,
            width: 4.0,
            dash: None,
        };
        let bitmap = paint(&scene([filled, stroked]), 1.0);
        assert_eq!(bitmap.pixel(20, 20), rgb(ink), "{ink:?}");
        assert_eq!(bitmap.pixel(20, 38), rgb(ink), "{ink:?}");
        assert_eq!(bitmap.pixel(2, 2), rgb(Ink::Paper));
    }
}
