//! An image filtered twice: by heads, and by the convolution that they should equal.

use super::{ImageSource, MOST_HEADS, Pixels};
use crate::{
    analysis::Progress,
    math::{ConvolutionKernel, Grid, Padding, PixelHead, TapSide},
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Image, kernel and heads of a filter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilterSetting {
    /// The image.
    pub image: ImageSource,
    /// The kernel.
    pub kernel: ConvolutionKernel,
    /// The heads, one per tap in the order of the taps.
    pub heads: Vec<PixelHead>,
    /// `D_h`, the number of channels between the value and the output matrix of a head. `None` for as many as the kernel
    /// needs.
    pub head_channels: Option<usize>,
    /// Side of a pixel at which taps read.
    pub side: TapSide,
    /// Padding of the convolution beyond the edge. Attention needs none, since softmax covers only the image.
    pub padding: Padding,
    /// Distance in pixels between two pixels of the result.
    pub stride: usize,
}

/// The image filtered both ways.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilteredImage {
    /// Rows and columns of the result.
    pub grid: Grid,
    /// Number of channels of the result.
    pub channels: usize,
    /// Result of the heads.
    pub attention: Vec<f32>,
    /// Result of the convolution.
    pub convolution: Vec<f32>,
    /// Heads minus convolution, subtracted in `f64` before rounding to `f32`.
    pub difference: Vec<f32>,
    /// Size of the difference.
    pub error: ErrorAtAlpha,
    /// Largest difference between the heads and the convolution of the image averaged by their common profile, away from
    /// the edge, if they have one and whole offsets as centres.
    pub profile_difference: Option<f64>,
}

/// Difference between heads and convolution.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ErrorAtAlpha {
    /// α that all heads share; NaN if they do not.
    pub alpha: f64,
    /// Largest absolute difference over all pixels and channels.
    pub greatest: f64,
    /// The same over the pixels at which the kernel does not reach the edge; `None` if there are none.
    pub inside: Option<f64>,
    /// Maximum minus minimum of the convolution's result.
    pub range: f64,
}

/// Heads centred on a kernel's taps (Lemmas 1 and 2), one per tap and at most [`MOST_HEADS`].
#[must_use]
pub fn in_their_places(kernel: &ConvolutionKernel, side: TapSide, alpha: f64) -> Vec<PixelHead> {
    let head = |tap| {
        let (dy, dx) = side.shift(kernel.shift(tap));
        PixelHead::round((dy as f64, dx as f64), alpha)
    };
    (0..kernel.taps().min(MOST_HEADS)).map(head).collect()
}

/// Values of α for the error curve: powers of √2 from 2⁻⁶ to 2⁷, and 46, which the slides name.
#[must_use]
pub fn alphas() -> Vec<f64> {
    let mut alphas: Vec<f64> = (-12..=14)
        .map(|half| 2_f64.powf(f64::from(half) / 2.0))
        .collect();
    let place = alphas.partition_point(|&alpha| alpha < 46.0);
    alphas.insert(place, 46.0);
    alphas
}

impl FilterSetting {
    /// Filters the image both ways; pauses between heads so that other tasks can run.
    pub async fn filter(&self, watch: &impl Progress) -> FilteredImage {
        let image = self.image.pixels();
        let convolution = self.convolve(&image);
        let attention = self.attend(&image, &self.heads, watch).await;
        let alpha = common_alpha(&self.heads).unwrap_or(f64::NAN);
        let (grid, pixels) = self.stride(image.grid);
        let channels = self.kernel.channels_of(image.channels);
        let pick = |of: &dyn Fn(usize) -> f64| -> Vec<f32> {
            let cells = pixels
                .iter()
                .flat_map(|&pixel| (0..channels).map(move |channel| pixel * channels + channel));
            cells.map(|cell| of(cell) as f32).collect()
        };
        FilteredImage {
            profile_difference: self.profile_difference(&image, &attention),
            grid,
            channels,
            attention: pick(&|cell| attention[cell]),
            convolution: pick(&|cell| convolution[cell]),
            difference: pick(&|cell| attention[cell] - convolution[cell]),
            error: self.error(alpha, &image, &attention, &convolution),
        }
    }

    /// Computes the errors of round heads with the same centres for every α, and passes each to `found`.
    pub async fn errors(&self, watch: &impl Progress, mut found: impl FnMut(ErrorAtAlpha)) {
        let image = self.image.pixels();
        let convolution = self.convolve(&image);
        // Sharp heads come first: they take the least time and are the most informative.
        for alpha in alphas().into_iter().rev() {
            let heads: Vec<PixelHead> = (self.heads.iter())
                .map(|head| PixelHead::round(head.centre, alpha))
                .collect();
            let attention = self.attend(&image, &heads, watch).await;
            found(self.error(alpha, &image, &attention, &convolution));
        }
    }

    fn convolve(&self, image: &Pixels) -> Vec<f64> {
        let Pixels {
            grid,
            channels,
            values,
        } = image;
        self.kernel
            .convolve(*grid, *channels, values, self.side, self.padding)
    }

    /// Output of the layer: the sum over heads of the attended values times W⁽ʰ⁾ (equation 10, without bias).
    async fn attend(&self, image: &Pixels, heads: &[PixelHead], watch: &impl Progress) -> Vec<f64> {
        let kernel = self.head_kernel(image.channels);
        let channels = kernel.channels_of(image.channels);
        let mut output = vec![0.0; image.grid.cells() * channels];
        for (tap, head) in heads.iter().enumerate().take(kernel.taps()) {
            if kernel.matrix(tap).iter().all(|&weight| weight == 0.0) {
                continue;
            }
            let gathered_pixels = head.look(image.grid, image.channels, &image.values);
            let pixels = gathered_pixels.chunks_exact(image.channels);
            for (output, pixel) in output.chunks_exact_mut(channels).zip(pixels) {
                kernel.add(tap, pixel, output);
            }
            watch.pause().await;
        }
        output
    }

    /// The matrices W⁽ʰ⁾ of the heads as a kernel: those of the taps, with at most `D_h` channels.
    pub(super) fn head_kernel(&self, channels: usize) -> Cow<'_, ConvolutionKernel> {
        match self.head_channels {
            Some(limit) => Cow::Owned(self.kernel.with_head_channels(limit, channels)),
            None => Cow::Borrowed(&self.kernel),
        }
    }

    fn error(
        &self,
        alpha: f64,
        image: &Pixels,
        attention: &[f64],
        convolution: &[f64],
    ) -> ErrorAtAlpha {
        let channels = self.kernel.channels_of(image.channels);
        let (mut greatest, mut inside) = (0.0_f64, None);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for pixel in self.stride(image.grid).1 {
            let cells = pixel * channels..(pixel + 1) * channels;
            let mut apart = 0.0_f64;
            for (value, expected) in attention[cells.clone()].iter().zip(&convolution[cells]) {
                apart = apart.max((value - expected).abs());
                (low, high) = (low.min(*expected), high.max(*expected));
            }
            greatest = greatest.max(apart);
            let place = image.grid.place(pixel);
            if self.kernel.is_inside(image.grid, place, self.side) {
                inside = Some(inside.unwrap_or(0.0_f64).max(apart));
            }
        }
        ErrorAtAlpha {
            alpha,
            greatest,
            inside,
            range: high - low,
        }
    }

    /// Grid of the result, and the pixels that it keeps.
    fn stride(&self, grid: Grid) -> (Grid, Vec<usize>) {
        let stride = self.stride.max(1);
        let pixels = (0..grid.cells()).filter(|&pixel| {
            let (y, x) = grid.place(pixel);
            y % stride == 0 && x % stride == 0
        });
        let smaller = Grid {
            height: grid.height.div_ceil(stride),
            width: grid.width.div_ceil(stride),
        };
        (smaller, pixels.collect())
    }
}

/// α of heads that are all round and equally sharp.
fn common_alpha(heads: &[PixelHead]) -> Option<f64> {
    let first = heads.first()?.shape;
    let same = heads.iter().all(|head| head.shape == first);
    match first {
        crate::math::HeadShape::Round(alpha) if same => Some(alpha),
        _ => None,
    }
}
