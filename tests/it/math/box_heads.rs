//! Heads that attend to a box of pixels, and layers of heads with one profile.

use diagonal::{
    analysis::{FilterSetting, ImageSource, Sample, in_their_places, kernel_of},
    math::{Grid, HeadShape, Padding, PixelHead, TapSide},
};

use super::images::Alone;

fn box_head(centre: (f64, f64), radius: f64) -> PixelHead {
    PixelHead {
        centre,
        shape: HeadShape::Box(radius),
    }
}

fn setting(kernel: &str, shape: HeadShape) -> FilterSetting {
    let kernel = kernel_of(kernel).expect("a kernel");
    let mut heads = in_their_places(&kernel, TapSide::AsWritten, 1.0);
    for head in &mut heads {
        head.shape = shape;
    }
    FilterSetting {
        image: ImageSource::Sample(Sample::Rings, 32),
        heads,
        head_channels: None,
        kernel,
        side: TapSide::AsWritten,
        padding: Padding::Edge,
        stride: 1,
    }
}

/// The slides' box profile: 1/τ within it, 0 outside.
#[test]
fn a_box_attends_alike_to_its_pixels() {
    let grid = Grid {
        height: 9,
        width: 11,
    };
    let map = box_head((1.0, -2.0), 1.0).attention(grid, (4, 5));
    for (key, share) in map.iter().enumerate() {
        let (y, x) = grid.place(key);
        let is_inside = (4..=6).contains(&y) && (2..=4).contains(&x);
        let expected = if is_inside { 1.0 / 9.0 } else { 0.0 };
        assert!((share - expected).abs() < 1e-15, "({y}, {x}): {share}");
    }
}

/// Beyond the edge a box attends to the pixels nearest to it, as sharp Gaussian heads do.
#[test]
fn a_box_beyond_the_edge_attends_to_the_edge() {
    let grid = Grid {
        height: 4,
        width: 5,
    };
    let map = box_head((-3.0, 0.0), 1.0).attention(grid, (0, 0));
    assert_eq!(map[0], 0.5);
    assert_eq!(map[1], 0.5);
    let corner = box_head((1e6, 1e6), 2.0).attention(grid, (0, 0));
    assert_eq!(corner[grid.cells() - 1], 1.0);
}

/// A box without radius is hard attention: the heads are the convolution to the last bit.
#[test]
fn boxes_of_one_pixel_are_the_convolution() {
    let of = setting("emboss", HeadShape::Box(0.0));
    let filtered = pollster::block_on(of.filter(&Alone));
    assert_eq!(filtered.error.greatest, 0.0);
}

/// "If heads are elements of a translation group, they express a single convolution": that of the averaged image.
#[test]
fn heads_with_one_profile_are_one_convolution() {
    for shape in [
        HeadShape::Box(1.0),
        HeadShape::Box(2.0),
        HeadShape::Round(2.0),
    ] {
        let of = setting("sharpen", shape);
        let filtered = pollster::block_on(of.filter(&Alone));
        assert!(filtered.error.greatest > 0.1, "{shape:?}");
        let difference = filtered.profile_difference.expect("an inside");
        assert!(difference < 1e-13, "{shape:?}: {difference}");
    }
    let mut mixed = setting("sharpen", HeadShape::Box(1.0));
    mixed.heads[0].shape = HeadShape::Box(2.0);
    let filtered = pollster::block_on(mixed.filter(&Alone));
    assert_eq!(filtered.profile_difference, None);
    // A uniform head reaches every edge.
    let uniform = setting("sharpen", HeadShape::Round(0.0));
    let filtered = pollster::block_on(uniform.filter(&Alone));
    assert_eq!(filtered.profile_difference, None);
}

#[test]
fn rings_of_a_box_hold_what_their_pixels_get() {
    // The square of √0.5·1.5 around the centre of 3 × 3 pixels holds all nine; that of √0.5·2.5 holds nine of 25.
    assert_eq!(box_head((0.0, 0.0), 1.0).share_inside(0.5), Some(1.0));
    assert_eq!(
        box_head((0.0, 0.0), 2.0).share_inside(0.5),
        Some(9.0 / 25.0)
    );
    for (y, x) in box_head((2.0, -1.0), 2.0).outline(0.5, 32) {
        let away = (y - 2.0_f64).abs().max((x + 1.0_f64).abs());
        assert!((away - 2.5 * 0.5_f64.sqrt()).abs() < 1e-12);
    }
}

/// Lemma 2: v·r_δ is the score up to its value at δ = 0.
#[test]
fn the_score_vector_gives_the_score() {
    use diagonal::math::Covariance;
    let round = PixelHead::round((1.5, -2.0), 0.7);
    let oval = PixelHead {
        centre: (-0.5, 3.0),
        shape: HeadShape::Oval(Covariance::from_deviations(0.7, 1.9, -0.5)),
    };
    for offset in [(0.0, 0.0), (1.0, 2.0), (-3.0, 0.5)] {
        let (y, x): (f64, f64) = offset;
        for (head, r) in [
            (round, vec![y * y + x * x, y, x]),
            (oval, vec![y * y, x * x, y * x, y, x]),
        ] {
            let v = head.score_vector().expect("a quadratic score");
            let product: f64 = v.iter().zip(&r).map(|(v, r)| v * r).sum();
            let expected = head.score(offset) - head.score((0.0, 0.0));
            assert!((product - expected).abs() < 1e-12, "{head:?} at {offset:?}");
        }
    }
    assert_eq!(box_head((0.0, 0.0), 1.0).score_vector(), None);
}
