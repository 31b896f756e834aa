//! Convolution of an image with a small kernel, as in equation 8 of the slides.
//!
//! A tap has a shift δ = (δy, δx) from the centre of the kernel. Equation 8 reads the pixel at q − δ. The paper behind
//! the slides and deep-learning libraries read the one at q + δ, which is the same with the kernel rotated by 180°.
//! Pixels beyond the edge are zero or repeat the edge.

use super::{Grid, HeadFactors};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Side of the pixel at which a tap reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TapSide {
    /// q + δ: the tap's place in the kernel as written.
    #[default]
    AsWritten,
    /// q − δ: equation 8.
    Turned,
}

impl TapSide {
    /// Shift from the pixel to the one that a tap reads.
    #[must_use]
    pub fn shift(self, (dy, dx): (i64, i64)) -> (i64, i64) {
        match self {
            Self::AsWritten => (dy, dx),
            Self::Turned => (-dy, -dx),
        }
    }
}

/// Values beyond the edge of the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Padding {
    /// Nearest pixel of the edge.
    #[default]
    Edge,
    /// Zero.
    Zeros,
}

/// Weights of `height` × `width` taps. Each tap is a matrix from `channels_in` to `channels_out`; with one channel
/// each, it is a number that multiplies every channel of an image.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConvolutionKernel {
    /// Height and width in taps.
    pub size: (usize, usize),
    /// Distance between taps in pixels: 1, or more for a dilated kernel.
    pub spacing: usize,
    /// Number of input and output channels.
    pub channels: (usize, usize),
    /// [taps, in, out], taps row by row.
    pub weights: Vec<f64>,
}

impl ConvolutionKernel {
    /// A kernel of one number per tap, applied to every channel.
    #[must_use]
    pub fn plain(size: (usize, usize), weights: Vec<f64>) -> Self {
        Self {
            size,
            spacing: 1,
            channels: (1, 1),
            weights,
        }
    }

    /// Number of taps.
    #[must_use]
    pub fn taps(&self) -> usize {
        self.size.0 * self.size.1
    }

    /// The shift δ of a tap from the centre. A kernel of even size has one more tap behind its centre than before it,
    /// as with `same` padding in libraries.
    #[must_use]
    pub fn shift(&self, tap: usize) -> (i64, i64) {
        let (height, width) = self.size;
        let away = |at: usize, size: usize| {
            (at as i64 - (size.saturating_sub(1) / 2) as i64) * self.spacing as i64
        };
        (away(tap / width, height), away(tap % width, width))
    }

    /// Matrix of a tap, [in, out].
    #[must_use]
    pub fn matrix(&self, tap: usize) -> &[f64] {
        let size = self.channels.0 * self.channels.1;
        &self.weights[tap * size..(tap + 1) * size]
    }

    /// Number of output channels for an image of `channels` channels.
    #[must_use]
    pub fn channels_of(&self, channels: usize) -> usize {
        if self.channels == (1, 1) {
            channels
        } else {
            self.channels.1
        }
    }

    /// W⁽ʰ⁾ of the head at a tap for an image of `channels` channels, [in, out].
    #[must_use]
    pub fn head_matrix(&self, tap: usize, channels: usize) -> Array2<f64> {
        let matrix = self.matrix(tap);
        if self.channels == (1, 1) {
            return Array2::from_diag_elem(channels, matrix[0]);
        }
        let (inputs, outputs) = (channels.min(self.channels.0), self.channels.1);
        Array2::from_shape_fn((inputs, outputs), |(i, o)| matrix[i * outputs + o])
    }

    /// The kernel whose every matrix is the closest to that of this kernel among those of heads with at most
    /// `head_channels` channels, for an image of `channels` channels.
    #[must_use]
    pub fn with_head_channels(&self, head_channels: usize, channels: usize) -> Self {
        let matrices = (0..self.taps()).map(|tap| self.head_matrix(tap, channels));
        let closest =
            matrices.map(
                |matrix| match HeadFactors::compute(matrix.view(), head_channels) {
                    Some(factors) if head_channels < matrix.nrows().min(matrix.ncols()) => {
                        factors.product()
                    }
                    _ => matrix,
                },
            );
        let closest: Vec<Array2<f64>> = closest.collect();
        Self {
            channels: closest.first().map_or(self.channels, Array2::dim),
            weights: closest.into_iter().flatten().collect(),
            ..self.clone()
        }
    }

    /// Adds a tap's contribution from the channels of a pixel.
    pub fn add(&self, tap: usize, pixel: &[f64], to: &mut [f64]) {
        let matrix = self.matrix(tap);
        if self.channels == (1, 1) {
            for (to, value) in to.iter_mut().zip(pixel) {
                *to += matrix[0] * value;
            }
            return;
        }
        for (value, row) in pixel.iter().zip(matrix.chunks_exact(self.channels.1)) {
            for (to, weight) in to.iter_mut().zip(row) {
                *to += value * weight;
            }
        }
    }

    /// Convolves an image with `channels` values per pixel, pixels row by row.
    #[must_use]
    pub fn convolve(
        &self,
        grid: Grid,
        channels: usize,
        image: &[f64],
        side: TapSide,
        padding: Padding,
    ) -> Vec<f64> {
        let out = self.channels_of(channels);
        let mut values = vec![0.0; grid.cells() * out];
        for tap in 0..self.taps() {
            let shift = side.shift(self.shift(tap));
            for (query, values) in values.chunks_exact_mut(out).enumerate() {
                if let Some(key) = neighbour(grid, grid.place(query), shift, padding) {
                    let at = key * channels;
                    self.add(tap, &image[at..at + channels], values);
                }
            }
        }
        values
    }

    /// Convolves an image at one pixel (y, x), see [`Self::convolve`].
    #[must_use]
    pub fn convolve_at(
        &self,
        (grid, query): (Grid, (usize, usize)),
        channels: usize,
        image: &[f64],
        side: TapSide,
        padding: Padding,
    ) -> Vec<f64> {
        let mut values = vec![0.0; self.channels_of(channels)];
        for tap in 0..self.taps() {
            let shift = side.shift(self.shift(tap));
            if let Some(key) = neighbour(grid, query, shift, padding) {
                let at = key * channels;
                self.add(tap, &image[at..at + channels], &mut values);
            }
        }
        values
    }

    /// Whether all taps at a pixel read inside the image.
    #[must_use]
    pub fn is_inside(&self, grid: Grid, (y, x): (usize, usize), side: TapSide) -> bool {
        let ends = [0, self.taps().saturating_sub(1)];
        ends.into_iter().all(|tap| {
            let (dy, dx) = side.shift(self.shift(tap));
            (0..grid.height as i64).contains(&(y as i64 + dy))
                && (0..grid.width as i64).contains(&(x as i64 + dx))
        })
    }
}

/// The pixel at a shift from the pixel (y, x): beyond the edge the nearest one, or `None` for zeros.
fn neighbour(
    grid: Grid,
    (y, x): (usize, usize),
    (dy, dx): (i64, i64),
    padding: Padding,
) -> Option<usize> {
    let (height, width) = (grid.height as i64, grid.width as i64);
    let (y, x) = (y as i64 + dy, x as i64 + dx);
    let is_inside = (0..height).contains(&y) && (0..width).contains(&x);
    let (y, x) = (y.clamp(0, height - 1), x.clamp(0, width - 1));
    (is_inside || padding == Padding::Edge).then_some((y * width + x) as usize)
}
