//! Heads with few channels: the factors of their matrices, and the layer at one pixel as a product.

use super::laws::config;
use diagonal::{
    analysis::{
        FilterSetting, HeadConcatenation, IMAGE_KERNELS, ImageSource, SAMPLES, in_their_places,
        kernel_of,
    },
    math::{HeadFactors, Padding, TapSide},
};
use ndarray::Array2;
use proptest::{collection::vec, prelude::*};

use super::images::Alone;

fn size(matrix: &Array2<f64>) -> f64 {
    matrix.iter().map(|v| v * v).sum::<f64>().sqrt()
}

proptest! {
    #![proptest_config(config(200))]

    /// Eckart and Young: the error of the closest matrix of rank D_h is the size of the other singular values, and no other
    /// product of that width is closer.
    #[test]
    fn factors_are_the_closest_product(
        (inputs, outputs) in (1..4_usize, 1..4_usize),
        channels in 1..4_usize,
        numbers in vec(-2.0..2.0, 9),
        others in vec(-2.0..2.0, 18),
    ) {
        let matrix = Array2::from_shape_fn((inputs, outputs), |(i, o)| numbers[3 * i + o]);
        let factors = HeadFactors::compute(matrix.view(), channels).expect("factors");
        prop_assert_eq!(factors.values.dim(), (inputs, channels));
        prop_assert_eq!(factors.output.dim(), (channels, outputs));
        let rest = &factors.singular_values[channels.min(factors.singular_values.len())..];
        let expected = rest.iter().map(|s| s * s).sum::<f64>().sqrt();
        let error = size(&(&matrix - &factors.product()));
        prop_assert!((error - expected).abs() < 1e-12, "{} {}", error, expected);
        let left = Array2::from_shape_fn((inputs, channels), |(i, c)| others[3 * i + c]);
        let right = Array2::from_shape_fn((channels, outputs), |(c, o)| others[9 + 3 * c + o]);
        prop_assert!(size(&(&matrix - &left.dot(&right))) >= error - 1e-12);
    }
}

#[test]
fn a_multiple_of_the_identity_passes_on_the_first_channels() {
    let factors = HeadFactors::compute((Array2::eye(3) * -2.0).view(), 2).expect("factors");
    assert_eq!(factors.singular_values, [2.0; 3]);
    let mut expected = Array2::zeros((3, 3));
    (expected[[0, 0]], expected[[1, 1]]) = (-2.0, -2.0);
    assert_eq!(factors.product(), expected);
}

#[test]
fn matrices_of_zeros_and_of_infinities() {
    let factors = HeadFactors::compute(Array2::zeros((3, 1)).view(), 2).expect("factors");
    assert_eq!(factors.product(), Array2::<f64>::zeros((3, 1)));
    let infinite = Array2::from_elem((3, 2), f64::INFINITY);
    assert!(HeadFactors::compute(infinite.view(), 2).is_none());
}

/// Equations 6 and 10: heads side by side times the output matrix are the filtered image, with limited channels too.
#[test]
fn the_product_at_a_pixel_is_the_filtered_image() {
    for named in IMAGE_KERNELS {
        for (sample, ..) in SAMPLES {
            for head_channels in [None, Some(1), Some(2), Some(3)] {
                let kernel = kernel_of(named.id).expect("a kernel");
                let of = FilterSetting {
                    image: ImageSource::Sample(*sample, 16),
                    heads: in_their_places(&kernel, TapSide::AsWritten, 0.7),
                    head_channels,
                    kernel,
                    side: TapSide::AsWritten,
                    padding: Padding::Edge,
                    stride: 1,
                };
                let filtered = pollster::block_on(of.filter(&Alone));
                let query = (filtered.grid.height / 3, 5);
                let at = (query.0 * filtered.grid.width + query.1) * filtered.channels;
                let made = HeadConcatenation::compute(&of, query).expect("numbers");
                for channel in 0..filtered.channels {
                    for (found, expected) in [
                        (made.output[channel], filtered.attention[at + channel]),
                        (
                            made.convolution[channel],
                            filtered.convolution[at + channel],
                        ),
                    ] {
                        let apart = (found - f64::from(expected)).abs();
                        let tolerance = 1e-5 * filtered.error.range.max(1.0);
                        assert!(apart < tolerance, "{} of {sample:?}: {apart}", named.id);
                    }
                }
                let (_, outputs) = made.channels;
                for head in &made.heads {
                    assert!(made.rank(head) <= made.head_channels.min(outputs));
                }
            }
        }
    }
}

/// Each matrix of the kernel of colour fringes has rank 1, so one channel per head is enough.
#[test]
fn a_kernel_of_rank_one_needs_one_channel() {
    let error = |kernel: &str, head_channels| {
        let kernel = kernel_of(kernel).expect("a kernel");
        let of = FilterSetting {
            image: ImageSource::Sample(diagonal::analysis::Sample::Shapes, 16),
            heads: in_their_places(&kernel, TapSide::AsWritten, 64.0),
            head_channels: Some(head_channels),
            kernel,
            side: TapSide::AsWritten,
            padding: Padding::Edge,
            stride: 1,
        };
        pollster::block_on(of.filter(&Alone)).error.greatest
    };
    assert!(error("fringes", 1) < 1e-12);
    assert!(error("edges-of-grey", 1) < 1e-12);
    assert!(error("sharpen", 2) > 0.1);
    assert!(error("sharpen", 3) < 1e-12);
}
