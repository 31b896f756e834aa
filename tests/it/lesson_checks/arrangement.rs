//! Layout of a presented step: blocks stay within the pane, do not overlap, and figures are large.

use crate::math::laws::config;
use diagonal::lesson_checks::arrangement::{Arrangement, Pane, PaneBlock, WIDTH_BONUS, arrange};
use proptest::prelude::*;

/// A block whose height is a share of its width plus a constant, or up to `free` more.
#[derive(Debug, Clone, Copy)]
struct Shape {
    share: f64,
    fixed: f64,
    weight: f64,
    free: f64,
}

impl Shape {
    fn height(self, width: f64) -> f64 {
        self.fixed + self.share * width
    }
}

const LEAST: f64 = 100.0;

fn blocks(shapes: &[Shape]) -> Vec<PaneBlock<'static>> {
    let block = |&shape: &Shape| PaneBlock {
        least: LEAST,
        weight: shape.weight,
        heights: Box::new(move |width| {
            let least = shape.height(width);
            (least, least + shape.free)
        }),
        margins: Box::new(|_| (0.0, 0.0)),
    };
    shapes.iter().map(block).collect()
}

/// Left, top, width and height of each block.
fn places(pane: &Pane, arrangement: &Arrangement) -> Vec<[f64; 4]> {
    let corners = arrangement.corners(pane.gap, &arrangement.heights);
    let all = corners
        .iter()
        .zip(&arrangement.widths)
        .zip(&arrangement.heights);
    all.map(|(((x, y), width), height)| [*x, *y, *width, *height])
        .collect()
}

/// Product of the areas, wider blocks preferred, each to the power of its weight.
fn product(shapes: &[Shape], widths: &[f64], heights: &[f64]) -> f64 {
    let weighted = shapes.iter().zip(widths).zip(heights);
    let area = |((shape, width), height): ((&Shape, &f64), &f64)| {
        let area = width * height.max(1.0);
        (area * width.powf(WIDTH_BONUS)).powf(shape.weight)
    };
    weighted.map(area).product()
}

prop_compose! {
    fn a_shape()(share in 0.0..1.2, fixed in 0.0..200.0, weight in prop_oneof![Just(0.0), Just(1.0), Just(1.5)], free in prop_oneof![Just(0.0), 0.0..900.0]) -> Shape {
        Shape { share, fixed, weight, free }
    }
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn blocks_stay_in_the_pane_and_apart(
        shapes in prop::collection::vec(a_shape(), 1..7),
        width in 300.0..2000.0, height in 300.0..1500.0, gap in 0.0..60.0,
    ) {
        let pane = Pane { width, height, gap };
        let Some(arrangement) = arrange(&pane, &blocks(&shapes)) else {
            return Ok(());
        };
        prop_assert_eq!(arrangement.widths.len(), shapes.len());
        let places = places(&pane, &arrangement);
        for (at, &[x, y, w, h]) in places.iter().enumerate() {
            prop_assert!(w >= LEAST);
            let least = shapes[at].height(w);
            prop_assert!((least - 1e-6..=least + shapes[at].free + 1e-6).contains(&h), "{h} for {least}");
            prop_assert!(x >= 0.0 && x + w <= width + 1e-6, "{places:?}");
            prop_assert!(y >= 0.0 && y + h <= height + 1e-6, "{places:?}");
            for &[x2, y2, w2, h2] in &places[..at] {
                let is_apart = x2 + w2 + gap <= x + 1e-6
                    || x + w + gap <= x2 + 1e-6
                    || y2 + h2 + gap <= y + 1e-6
                    || y + h + gap <= y2 + 1e-6;
                prop_assert!(is_apart, "{places:?}");
            }
        }
    }

    /// A row or a stack of equal blocks never has larger figures, up to the step of the tried sizes.
    #[test]
    fn figures_are_as_large_as_in_a_row_and_in_a_stack(
        shapes in prop::collection::vec(a_shape(), 1..5),
        width in 600.0..2000.0, height in 400.0..1500.0,
    ) {
        let pane = Pane { width, height, gap: 20.0 };
        let count = shapes.len() as f64;
        let widest_in_row = (width - 20.0 * (count - 1.0)) / count;
        let fits_in_row = |w: f64| shapes.iter().all(|shape| shape.height(w) <= height);
        let fits_in_stack = |w: f64| {
            shapes.iter().map(|shape| shape.height(w) + 20.0).sum::<f64>() - 20.0 <= height
        };
        let widest = |most: f64, fits: &dyn Fn(f64) -> bool| {
            (LEAST as usize..=most as usize).rev().map(|w| w as f64).find(|w| fits(*w))
        };
        let row = widest(widest_in_row, &fits_in_row);
        let stack = widest(width, &fits_in_stack);
        // A step of the search, and a pixel of rounding.
        let step = |most: f64| (width.max(most) + 20.0) / 64.0 + 2.0;
        for w in [row, stack].into_iter().flatten() {
            let least = w - step(width);
            if least >= LEAST {
                let found = arrange(&pane, &blocks(&shapes));
                let found = found.map_or(0.0, |found| product(&shapes, &found.widths, &found.heights));
                let heights: Vec<f64> = shapes.iter().map(|shape| shape.height(least)).collect();
                let needed = product(&shapes, &vec![least; shapes.len()], &heights);
                prop_assert!(found >= needed * (1.0 - 1e-9), "{found} for {needed}");
            }
        }
    }
}

#[test]
fn a_matrix_takes_the_height_and_a_long_list_the_rest() {
    let pane = Pane {
        width: 1000.0,
        height: 600.0,
        gap: 20.0,
    };
    let matrix = Shape {
        share: 1.0,
        fixed: 40.0,
        weight: 1.0,
        free: 0.0,
    };
    let controls = Shape {
        share: 0.0,
        fixed: 500.0,
        weight: 0.0,
        free: 0.0,
    };
    let found = arrange(&pane, &blocks(&[matrix, controls])).expect("both fit");
    let places = places(&pane, &found);
    assert!(places[0][2] > 540.0, "{places:?}");
    assert!(places[1][0] >= places[0][2] + 20.0, "{places:?}");
}

#[test]
fn what_is_too_high_at_every_width_has_no_arrangement() {
    let pane = Pane {
        width: 1000.0,
        height: 400.0,
        gap: 20.0,
    };
    let high = Shape {
        share: 0.0,
        fixed: 401.0,
        weight: 1.0,
        free: 0.0,
    };
    assert!(arrange(&pane, &blocks(&[high])).is_none());
}

/// A chart fills what a matrix beside it leaves, and two charts fill the pane.
#[test]
fn free_heights_fill_the_pane() {
    let pane = Pane {
        width: 870.0,
        height: 700.0,
        gap: 20.0,
    };
    let matrix = Shape {
        share: 1.0,
        fixed: 40.0,
        weight: 1.0,
        free: 0.0,
    };
    let chart = Shape {
        share: 0.3,
        fixed: 40.0,
        weight: 1.0,
        free: 5000.0,
    };
    let filled = |shapes: &[Shape]| {
        let found = arrange(&pane, &blocks(shapes)).expect("it fits");
        let areas = found.widths.iter().zip(&found.heights);
        let area: f64 = areas.map(|(width, height)| width * height).sum();
        area / (pane.width * pane.height)
    };
    for shapes in [&[chart][..], &[chart, chart], &[chart, chart, chart]] {
        assert!(filled(shapes) > 0.93, "{}", filled(shapes));
    }
    for shapes in [[matrix, chart], [chart, matrix]] {
        assert!(filled(&shapes) > 0.85, "{}", filled(&shapes));
    }
}

/// Words around a plot do not count: beside two charts, a matrix is large although a narrow one has as high a block.
#[test]
fn plots_count_without_their_words() {
    let pane = Pane {
        width: 1000.0,
        height: 800.0,
        gap: 20.0,
    };
    // Words take more lines where they are narrower.
    let words = |width: f64| 60_000.0 / width;
    let matrix = PaneBlock {
        least: LEAST,
        weight: 1.4,
        heights: Box::new(move |width| (width + words(width), width + words(width))),
        margins: Box::new(move |width| (60.0, words(width) + 60.0)),
    };
    let chart = || PaneBlock {
        least: LEAST,
        weight: 1.0,
        heights: Box::new(move |width| (0.3 * width + words(width), 2.0 * width + words(width))),
        margins: Box::new(move |width| (60.0, words(width) + 60.0)),
    };
    let found = arrange(&pane, &[matrix, chart(), chart()]).expect("it fits");
    assert!(found.widths[0] > 400.0, "{found:?}");
}
