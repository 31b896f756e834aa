//! Convolution of an image with a small kernel, written as the slides' equation 8 says it.
//!
//! A tap stands at a shift δ = (δy, δx) from the middle of the kernel. Equation 8 reads the pixel at q − δ; the paper
//! behind the slides and libraries for deep learning read the one at q + δ, which is the same with the kernel turned
//! by half a turn. Pixels beyond the edge are zeros, or those of the edge.

use super::Grid;
use serde::{Deserialize, Serialize};

/// At which side of the pixel a tap reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TapSide {
    /// At q + δ: where the tap stands in the kernel as it is written down.
    #[default]
    AsWritten,
    /// At q − δ: equation 8.
    Turned,
}

impl TapSide {
    /// The shift from the pixel to what a tap reads.
    #[must_use]
    pub fn shift(self, (dy, dx): (i64, i64)) -> (i64, i64) {
        match self {
            Self::AsWritten => (dy, dx),
            Self::Turned => (-dy, -dx),
        }
    }
}

/// What lies beyond the edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Padding {
    /// The nearest pixel of the edge.
    #[default]
    Edge,
    /// Zeros.
    Zeros,
}

/// Weights of `height` × `width` taps, each a matrix from `channels_in` to `channels_out`; or, with one channel each,
/// a number that every channel of an image is multiplied by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConvolutionKernel {
    /// Taps down and across.
    pub size: (usize, usize),
    /// How far apart taps are, in pixels: 1, or more where the kernel is dilated.
    pub spacing: usize,
    /// Channels in and out.
    pub channels: (usize, usize),
    /// [taps, in, out], taps row by row.
    pub weights: Vec<f64>,
}

impl ConvolutionKernel {
    /// One number a tap, for every channel alike.
    #[must_use]
    pub fn plain(size: (usize, usize), weights: Vec<f64>) -> Self {
        Self {
            size,
            spacing: 1,
            channels: (1, 1),
            weights,
        }
    }

    /// How many taps there are.
    #[must_use]
    pub fn taps(&self) -> usize {
        self.size.0 * self.size.1
    }

    /// The shift δ of a tap from the middle. A kernel of an even size has one tap more behind its middle than before
    /// it, as where libraries pad to the `same` size.
    #[must_use]
    pub fn shift(&self, tap: usize) -> (i64, i64) {
        let (height, width) = self.size;
        let away = |at: usize, size: usize| {
            (at as i64 - (size.saturating_sub(1) / 2) as i64) * self.spacing as i64
        };
        (away(tap / width, height), away(tap % width, width))
    }

    /// The matrix of a tap, [in, out].
    #[must_use]
    pub fn matrix(&self, tap: usize) -> &[f64] {
        let size = self.channels.0 * self.channels.1;
        &self.weights[tap * size..(tap + 1) * size]
    }

    /// Channels of what comes of an image of so many.
    #[must_use]
    pub fn channels_of(&self, channels: usize) -> usize {
        if self.channels == (1, 1) {
            channels
        } else {
            self.channels.1
        }
    }

    /// Adds what a tap makes of a pixel's channels.
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

    /// The convolution of an image of `channels` values a pixel, pixels row by row.
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
        let mut made = vec![0.0; grid.cells() * out];
        let (height, width) = (grid.height as i64, grid.width as i64);
        for tap in 0..self.taps() {
            let (dy, dx) = side.shift(self.shift(tap));
            for (query, made) in made.chunks_exact_mut(out).enumerate() {
                let (y, x) = grid.place(query);
                let (y, x) = (y as i64 + dy, x as i64 + dx);
                let inside = (0..height).contains(&y) && (0..width).contains(&x);
                if inside || padding == Padding::Edge {
                    let (y, x) = (y.clamp(0, height - 1), x.clamp(0, width - 1));
                    let at = (y * width + x) as usize * channels;
                    self.add(tap, &image[at..at + channels], made);
                }
            }
        }
        made
    }

    /// Whether every tap of a pixel reads inside the image.
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
