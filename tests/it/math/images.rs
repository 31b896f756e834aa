//! Attention as convolution: heads against the reference implementation, the construction against the convolution.

use super::laws::config;
use diagonal::{
    analysis::{
        FilterSetting, IMAGE_KERNELS, ImageSource, MOST_HEADS, OwnImage, Progress, SAMPLES, Sample,
        alphas, in_their_places, kernel_of, kernel_text,
    },
    math::{
        ConvolutionKernel, Covariance, Grid, HeadShape, Padding, PixelHead, TapSide, reference,
    },
    model::Note,
};
use fastrand::Rng;
use proptest::prelude::*;

/// A progress sink that ignores everything.
pub(super) struct Alone;

impl Progress for Alone {
    fn progress(&self, _read: u64, _size: u64) {}

    fn note(&self, _note: Note) {}

    async fn pause(&self) {}
}

fn shape() -> impl Strategy<Value = HeadShape> {
    let round =
        prop_oneof![Just(0.0), 0.001..3.0, 3.0..100.0, Just(1e6)].prop_map(HeadShape::Round);
    let oval = (0.2..6.0, 0.2..6.0, -0.95..0.95)
        .prop_map(|(y, x, r)| HeadShape::Oval(Covariance::from_deviations(y, x, r)));
    // Decimal fractions, so that pixels at the very edge of a box are not decided by rounding.
    let boxes = (0..30_u32).prop_map(|tenths| HeadShape::Box(f64::from(tenths) / 10.0));
    prop_oneof![round, oval, boxes]
}

fn grid() -> impl Strategy<Value = Grid> {
    (1..9_usize, 1..11_usize).prop_map(|(height, width)| Grid { height, width })
}

fn image(grid: Grid, channels: usize, seed: u64) -> Vec<f64> {
    let mut rng = Rng::with_seed(seed);
    (0..grid.cells() * channels).map(|_| rng.f64()).collect()
}

fn close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (at, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= tolerance, "{at}: {a} and {b}");
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_head_sees_what_its_slow_twin_sees(
        grid in grid(),
        channels in 1..4_usize,
        cy in -6.0..6.0,
        cx in -12.0..12.0,
        shape in shape(),
        seed in any::<u64>(),
    ) {
        let image = image(grid, channels, seed);
        let head = PixelHead { centre: (cy, cx), shape };
        // With scores around 10⁸, only this precision remains.
        let tolerance = if matches!(shape, HeadShape::Round(alpha) if alpha > 1e5) { 1e-6 } else { 1e-11 };
        let slow = reference::look(grid, channels, &image, (cy, cx), shape);
        close(&head.look(grid, channels, &image), &slow, tolerance);
        for query in [0, grid.cells() / 2, grid.cells() - 1] {
            let map = head.attention(grid, grid.place(query));
            close(&map, &reference::pixel_attention(grid, query, (cy, cx), shape), tolerance);
            prop_assert!((map.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn an_oval_head_with_one_width_is_round(
        grid in grid(), alpha in 0.01..20.0, cy in -3.0..3.0, cx in -3.0..3.0, seed in any::<u64>(),
    ) {
        let image = image(grid, 1, seed);
        let round = PixelHead::round((cy, cx), alpha);
        let deviation = (0.5_f64 / alpha).sqrt();
        let nearly = Covariance::from_deviations(deviation, deviation, 1e-12);
        let oval = PixelHead { centre: (cy, cx), shape: HeadShape::Oval(nearly) };
        // A non-zero mixed term selects the general code path.
        prop_assert!(nearly.yx != 0.0);
        close(&oval.look(grid, 1, &image), &round.look(grid, 1, &image), 1e-9);
        prop_assert!((oval.alpha().expect("a Gaussian") - alpha).abs() < 1e-9 * alpha);
    }

    #[test]
    fn a_convolution_is_the_sum_over_its_taps(
        grid in grid(),
        (height, width) in (1..6_usize, 1..6_usize),
        turned in any::<bool>(),
        by_edge in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut rng = Rng::with_seed(seed);
        let weights: Vec<f64> = (0..height * width).map(|_| rng.f64() - 0.5).collect();
        let kernel = ConvolutionKernel::plain((height, width), weights.clone());
        let image = image(grid, 1, seed ^ 1);
        let sign = if turned { -1 } else { 1 };
        let taps: Vec<(i64, i64, f64)> = (0..height * width)
            .map(|tap| {
                let row = (tap / width) as i64 - ((height - 1) / 2) as i64;
                let column = (tap % width) as i64 - ((width - 1) / 2) as i64;
                (sign * row, sign * column, weights[tap])
            })
            .collect();
        let side = if turned { TapSide::Turned } else { TapSide::AsWritten };
        let padding = if by_edge { Padding::Edge } else { Padding::Zeros };
        let made = kernel.convolve(grid, 1, &image, side, padding);
        close(&made, &reference::correlate(grid, &image, &taps, by_edge), 1e-12);
    }

    /// Lemmas 1 and 2: with one sharp head per tap the layer is the convolution; at the edge, the convolution of an
    /// image continued by its edge.
    #[test]
    fn sharp_heads_in_their_places_are_a_convolution(
        grid in grid(),
        (height, width) in (1..6_usize, 1..6_usize),
        turned in any::<bool>(),
        spacing in 1..3_usize,
        channels in prop_oneof![Just((1, 1)), Just((3, 1)), Just((3, 3))],
        seed in any::<u64>(),
    ) {
        let mut rng = Rng::with_seed(seed);
        let count = height * width * channels.0 * channels.1;
        let kernel = ConvolutionKernel {
            size: (height, width),
            spacing,
            channels,
            weights: (0..count).map(|_| 2.0 * rng.f64() - 1.0).collect(),
        };
        let side = if turned { TapSide::Turned } else { TapSide::AsWritten };
        let bytes = (0..grid.cells() * 3).map(|_| rng.u8(..)).collect();
        let setting = FilterSetting {
            image: ImageSource::Own(OwnImage { grid, bytes }),
            heads: in_their_places(&kernel, side, 64.0),
            head_channels: None,
            kernel,
            side,
            padding: Padding::Edge,
            stride: 1,
        };
        let made = pollster::block_on(setting.filter(&Alone));
        prop_assert!(made.error.greatest < 1e-13, "{:?}", made.error);
        prop_assert!(made.difference.iter().all(|apart| apart.abs() < 1e-13));
        prop_assert_eq!(made.attention.len(), grid.cells() * made.channels);
    }
}

fn setting(sample: Sample, side: usize, kernel: &str, alpha: f64) -> FilterSetting {
    let kernel = kernel_of(kernel).expect("a kernel");
    FilterSetting {
        image: ImageSource::Sample(sample, side),
        heads: in_their_places(&kernel, TapSide::AsWritten, alpha),
        head_channels: None,
        kernel,
        side: TapSide::AsWritten,
        padding: Padding::Edge,
        stride: 1,
    }
}

#[test]
fn every_named_kernel_is_met_to_a_hundred_thousandth_of_its_range() {
    for named in IMAGE_KERNELS {
        for (sample, ..) in SAMPLES {
            let setting = setting(*sample, 64, named.id, 64.0);
            let made = pollster::block_on(setting.filter(&Alone));
            let error = made.error;
            assert!(
                error.greatest <= 1e-12 * error.range.max(1.0),
                "{} of {sample:?}: {error:?}",
                named.id
            );
        }
    }
}

/// Inside the image, a pixel's four neighbours have weight e^(−α) each. A head on a single white pixel misses 4·e^(−α)
/// / (1 + 4·e^(−α) + …).
#[test]
fn the_error_falls_like_the_weight_of_the_neighbours() {
    for alpha in [4.0, 8.0, 16.0] {
        let setting = setting(Sample::Point, 32, "identity", alpha);
        let error = pollster::block_on(setting.filter(&Alone)).error;
        let neighbour = (-alpha).exp();
        let expected = 1.0 - 1.0 / (1.0 + 2.0 * neighbour).powi(2);
        let apart = (error.inside.expect("an inside") / expected - 1.0).abs();
        assert!(apart < 1e-2, "{alpha}: {error:?} and {expected}");
    }
}

#[test]
fn errors_come_from_the_sharpest_to_the_widest_and_grow() {
    let setting = setting(Sample::Shapes, 16, "sharpen", 1.0);
    let mut errors = Vec::new();
    pollster::block_on(setting.errors(&Alone, |error| errors.push(error)));
    let mut sharpest_first = alphas();
    sharpest_first.reverse();
    let found: Vec<f64> = errors.iter().map(|error| error.alpha).collect();
    assert_eq!(found, sharpest_first);
    assert!(found.contains(&46.0));
    let above: Vec<f64> = (errors.iter())
        .filter(|error| (1.0..30.0).contains(&error.alpha))
        .map(|error| error.greatest)
        .collect();
    assert!(above.windows(2).all(|pair| pair[0] < pair[1]), "{above:?}");
    assert!(errors[0].greatest < 1e-14);
}

/// Attention cannot make zeros beyond the edge: the difference is confined to the edge.
#[test]
fn zeros_beyond_the_edge_differ_at_the_edge_alone() {
    let mut setting = setting(Sample::Shapes, 16, "blur", 64.0);
    setting.padding = Padding::Zeros;
    let made = pollster::block_on(setting.filter(&Alone));
    assert!(made.error.greatest > 0.1);
    assert!(made.error.inside.expect("an inside") < 1e-14);
    for (at, apart) in made.difference.iter().enumerate() {
        let (y, x) = made.grid.place(at / 3);
        let edge = y == 0 || x == 0 || y == 15 || x == 15;
        assert!(edge || apart.abs() < 1e-14, "({y}, {x}): {apart}");
    }
}

#[test]
fn a_stride_keeps_every_second_pixel() {
    let mut setting = setting(Sample::Rings, 17, "patch", 2.0);
    let whole = pollster::block_on(setting.filter(&Alone));
    setting.stride = 2;
    let made = pollster::block_on(setting.filter(&Alone));
    assert_eq!((made.grid.height, made.grid.width), (9, 9));
    for (at, value) in made.attention.iter().enumerate() {
        let (y, x) = made.grid.place(at);
        assert!((value - whole.attention[2 * y * 17 + 2 * x]).abs() == 0.0);
    }
}

#[test]
fn a_head_without_a_tap_weighs_nothing_and_a_tap_without_a_head_is_left_out() {
    let full = setting(Sample::Shapes, 16, "sharpen", 64.0);
    let whole = pollster::block_on(full.filter(&Alone));
    let mut more = full.clone();
    more.heads.push(PixelHead::round((5.0, 5.0), 0.0));
    assert_eq!(
        pollster::block_on(more.filter(&Alone)).attention,
        whole.attention
    );
    let mut fewer = full;
    fewer.heads.truncate(4);
    assert!(pollster::block_on(fewer.filter(&Alone)).error.greatest > 0.5);
}

#[test]
fn images_of_one_pixel_are_themselves() {
    let own = OwnImage {
        grid: Grid {
            height: 1,
            width: 1,
        },
        bytes: vec![255, 0, 51],
    };
    let kernel = kernel_of("edges").expect("a kernel");
    for alpha in [0.0, 1.0, 1e6] {
        let setting = FilterSetting {
            image: ImageSource::Own(own.clone()),
            heads: in_their_places(&kernel, TapSide::AsWritten, alpha),
            head_channels: None,
            kernel: kernel.clone(),
            side: TapSide::AsWritten,
            padding: Padding::Edge,
            stride: 1,
        };
        let made = pollster::block_on(setting.filter(&Alone));
        assert!(
            made.attention.iter().all(|value| value.abs() < 1e-12),
            "{made:?}"
        );
        assert_eq!(made.error.inside, None);
    }
}

#[test]
fn kernels_read_as_they_are_written() {
    let read = |text: &str| kernel_of(text);
    let sharpen = read("0, −1, 0; -1 5 -1\n0 -1 0").expect("a kernel");
    assert_eq!(sharpen, read("sharpen").expect("a kernel"));
    assert_eq!(read("1/4 3/4").expect("a kernel").weights, [0.25, 0.75]);
    assert_eq!(read("2").expect("a kernel").size, (1, 1));
    let fringes = read("fringes").expect("a kernel");
    assert_eq!((fringes.channels, fringes.size), ((3, 3), (1, 5)));
    // Red is shifted two to the right, blue two to the left.
    assert_eq!(fringes.shift(4), (0, 2));
    assert_eq!(fringes.matrix(4)[0], 1.0);
    assert_eq!(fringes.matrix(0)[8], 1.0);
    for (text, message) in [
        ("", "row by row"),
        ("1 2; 3", "Row 2 has 1"),
        ("1 x", "“x”"),
        ("NaN", "“NaN”"),
        ("1/0", "“1/0”"),
        ("1e7", "10⁶"),
        ("1 2 3 4 5 6 7 8 9 10", "9 taps per side"),
        ("1 / 2", "this has 2"),
        ("1 / 2 3 / 4", "same size"),
    ] {
        let refused = read(text).expect_err(text);
        assert!(refused.contains(message), "{text}: {refused}");
    }
    for named in IMAGE_KERNELS {
        assert_eq!(kernel_text(named.id), named.id);
        let written = kernel_text(named.text);
        assert!(!written.contains(' '), "{written}");
        assert_eq!(read(&written), read(named.id), "{written}");
        assert!(read(named.id).expect("a kernel").taps() <= MOST_HEADS);
    }
}

/// The outlines of the paper's Figures 4, 12 and 14 contain the stated shares.
#[test]
fn outlines_hold_their_share_of_the_attention() {
    let grid = Grid {
        height: 121,
        width: 121,
    };
    let heads = [
        PixelHead::round((0.0, 0.0), 0.02),
        PixelHead {
            centre: (0.0, 0.0),
            shape: HeadShape::Oval(Covariance::from_deviations(4.0, 8.0, 0.6)),
        },
    ];
    for head in heads {
        let map = head.attention(grid, (60, 60));
        for share in [0.5, 0.9] {
            let outline = head.outline(share, 16);
            // The outline is a contour of the score.
            let level = head.score(outline[0]);
            assert!(
                outline
                    .iter()
                    .all(|&at| (head.score(at) - level).abs() < 1e-9)
            );
            let inside = map.iter().enumerate().filter(|(at, _)| {
                let (y, x) = grid.place(*at);
                head.score((y as f64 - 60.0, x as f64 - 60.0)) > level
            });
            let held: f64 = inside.map(|(_, value)| value).sum();
            assert!((held - share).abs() < 0.01, "{head:?}: {held} for {share}");
        }
    }
}

/// In one dimension, softmax of a quadratic head is a Gaussian in k, like a TISA kernel with b = α and c = Δ.
#[test]
fn a_head_on_a_line_is_a_gaussian_in_k() {
    let grid = Grid::line(201);
    let (alpha, centre) = (0.05, 7.0);
    let map = PixelHead::round((0.0, centre), alpha).attention(grid, (0, 100));
    let height = (alpha / std::f64::consts::PI).sqrt();
    for (key, share) in map.iter().enumerate() {
        let k = key as f64 - 100.0;
        let gaussian = height * (-alpha * (k - centre).powi(2)).exp();
        assert!(
            (share - gaussian).abs() < 1e-12,
            "{k}: {share} and {gaussian}"
        );
    }
}

/// The share of attention within a ring is computed on whole pixels, not from a continuous Gaussian.
#[test]
fn rings_hold_what_their_pixels_get() {
    let heads = [0.02, 0.3, 1.0, 2.0, 8.0, 46.0]
        .map(|alpha| [(0.0, 0.0), (1.25, -3.5)].map(|centre| PixelHead::round(centre, alpha)));
    let oval = PixelHead {
        centre: (0.3, -2.0),
        shape: HeadShape::Oval(Covariance::from_deviations(0.7, 1.9, -0.5)),
    };
    let (grid, middle) = (Grid::square(161 * 161).expect("a square"), 80);
    for head in heads.into_iter().flatten().chain([oval]) {
        let map = head.attention(grid, (middle, middle));
        for ring in [0.5, 0.9] {
            let level = head.score(head.outline(ring, 16)[0]);
            let inside = map.iter().enumerate().filter(|(at, _)| {
                let (y, x) = grid.place(*at);
                let away = |at: usize| at as f64 - middle as f64;
                head.score((away(y), away(x))) >= level
            });
            let held: f64 = inside.map(|(_, value)| value).sum();
            let found = head.share_inside(ring).expect("a ring");
            assert!(
                (found - held).abs() < 1e-9,
                "{head:?}, {ring}: {found} {held}"
            );
        }
    }
    let of = |alpha: f64, ring| PixelHead::round((1.0, -2.0), alpha).share_inside(ring);
    for (alpha, ring, held) in [(2.0, 0.5, 0.619), (2.0, 0.9, 0.954), (8.0, 0.5, 0.999)] {
        let found = of(alpha, ring).expect("a ring");
        assert!((found - held).abs() < 5e-4, "{alpha}: {found}");
    }
    // Wider heads approach a continuous Gaussian; a uniform head has no ring.
    for alpha in [1e-3, 1e-5, 1e-9] {
        assert!(
            (of(alpha, 0.5).expect("a ring") - 0.5).abs() < 2e-3,
            "{alpha}"
        );
    }
    assert_eq!(of(0.0, 0.5), None);
    // Ovals narrower than a pixel and too long to count have no share, and the check is fast.
    for length in [1e8, 1e12, 1e16] {
        let oval = PixelHead {
            centre: (0.0, 0.0),
            shape: HeadShape::Oval(Covariance {
                yy: length * length,
                yx: 0.0,
                xx: 1.0 / (length * length),
            }),
        };
        assert_eq!(oval.share_inside(0.5), None, "{length}");
    }
}
