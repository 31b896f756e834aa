//! An image filtered twice: by heads and by the convolution that they should be.

use super::{ImageSource, MOST_HEADS, Pixels};
use crate::{
    analysis::Progress,
    math::{ConvolutionKernel, Grid, Padding, QuadraticHead, TapSide},
};
use serde::{Deserialize, Serialize};

/// What is filtered, with what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilterSetting {
    /// The image.
    pub image: ImageSource,
    /// The kernel.
    pub kernel: ConvolutionKernel,
    /// The heads, one a tap in the order of the taps.
    pub heads: Vec<QuadraticHead>,
    /// At which side of a pixel taps read.
    pub side: TapSide,
    /// What the convolution takes for pixels beyond the edge. Attention has no choice: softmax stays inside.
    pub padding: Padding,
    /// Every how many pixels there is one in the result.
    pub stride: usize,
}

/// The image filtered both ways.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilteredImage {
    /// Rows and columns of what was made.
    pub grid: Grid,
    /// Its channels.
    pub channels: usize,
    /// What the heads make.
    pub attention: Vec<f32>,
    /// What the convolution makes.
    pub convolution: Vec<f32>,
    /// Heads minus convolution, subtracted before it was rounded to single precision.
    pub difference: Vec<f32>,
    /// How far the two are apart.
    pub error: ErrorAtAlpha,
}

/// How far heads are from the convolution.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ErrorAtAlpha {
    /// α of the heads, where they have one in common.
    pub alpha: f64,
    /// The greatest difference over all pixels and channels.
    pub greatest: f64,
    /// The same over the pixels that the kernel sees no edge from; `None` where there is no such pixel.
    pub inside: Option<f64>,
    /// From the least to the greatest value that the convolution makes.
    pub range: f64,
}

/// Heads in the places of a kernel's taps (Lemmas 1 and 2), one a tap.
#[must_use]
pub fn in_their_places(
    kernel: &ConvolutionKernel,
    side: TapSide,
    alpha: f64,
) -> Vec<QuadraticHead> {
    let head = |tap| {
        let (dy, dx) = side.shift(kernel.shift(tap));
        QuadraticHead::round((dy as f64, dx as f64), alpha)
    };
    (0..kernel.taps().min(MOST_HEADS)).map(head).collect()
}

/// Where errors are looked at: powers of two by halves, and the 46 that the slides name.
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
    /// The image filtered both ways; between two heads others may run.
    pub async fn filter(&self, watch: &impl Progress) -> FilteredImage {
        let image = self.image.pixels();
        let convolution = self.convolve(&image);
        let attention = self.attend(&image, &self.heads, watch).await;
        let alpha = common_alpha(&self.heads).unwrap_or(f64::NAN);
        let (grid, kept) = self.strided(image.grid);
        let channels = self.kernel.channels_of(image.channels);
        let pick = |of: &dyn Fn(usize) -> f64| -> Vec<f32> {
            let cells = kept
                .iter()
                .flat_map(|&pixel| (0..channels).map(move |channel| pixel * channels + channel));
            cells.map(|cell| of(cell) as f32).collect()
        };
        FilteredImage {
            grid,
            channels,
            attention: pick(&|cell| attention[cell]),
            convolution: pick(&|cell| convolution[cell]),
            difference: pick(&|cell| attention[cell] - convolution[cell]),
            error: self.error(alpha, &image, &attention, &convolution),
        }
    }

    /// The errors of round heads in the same centres, an α at a time.
    pub async fn errors(&self, watch: &impl Progress, mut found: impl FnMut(ErrorAtAlpha)) {
        let image = self.image.pixels();
        let convolution = self.convolve(&image);
        // The sharp ones take the least time, and say most.
        for alpha in alphas().into_iter().rev() {
            let heads: Vec<QuadraticHead> = (self.heads.iter())
                .map(|head| QuadraticHead::round(head.centre, alpha))
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

    /// What the layer makes: the sum over heads of what each sees times its W⁽ʰ⁾ (equation 10, without bias).
    async fn attend(
        &self,
        image: &Pixels,
        heads: &[QuadraticHead],
        watch: &impl Progress,
    ) -> Vec<f64> {
        let channels = self.kernel.channels_of(image.channels);
        let mut made = vec![0.0; image.grid.cells() * channels];
        for (tap, head) in heads.iter().enumerate().take(self.kernel.taps()) {
            if self.kernel.matrix(tap).iter().all(|&weight| weight == 0.0) {
                continue;
            }
            let seen = head.look(image.grid, image.channels, &image.values);
            let pixels = seen.chunks_exact(image.channels);
            for (made, seen) in made.chunks_exact_mut(channels).zip(pixels) {
                self.kernel.add(tap, seen, made);
            }
            watch.pause().await;
        }
        made
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
        for pixel in self.strided(image.grid).1 {
            let cells = pixel * channels..(pixel + 1) * channels;
            let mut apart = 0.0_f64;
            for (made, wanted) in attention[cells.clone()].iter().zip(&convolution[cells]) {
                apart = apart.max((made - wanted).abs());
                (low, high) = (low.min(*wanted), high.max(*wanted));
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

    /// The grid of the result, and which pixels it keeps.
    fn strided(&self, grid: Grid) -> (Grid, Vec<usize>) {
        let stride = self.stride.max(1);
        let kept = (0..grid.cells()).filter(|&pixel| {
            let (y, x) = grid.place(pixel);
            y % stride == 0 && x % stride == 0
        });
        let smaller = Grid {
            height: grid.height.div_ceil(stride),
            width: grid.width.div_ceil(stride),
        };
        (smaller, kept.collect())
    }
}

/// α of heads that are all round and as sharp as each other.
fn common_alpha(heads: &[QuadraticHead]) -> Option<f64> {
    let first = heads.first()?.width;
    let same = heads.iter().all(|head| head.width == first);
    match first {
        crate::math::Width::Round(alpha) if same => Some(alpha),
        _ => None,
    }
}
