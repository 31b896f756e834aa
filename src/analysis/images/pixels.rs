//! Images as numbers.

use super::Sample;
use crate::math::Grid;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Pixel values from 0 to 1, `channels` per pixel, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Pixels {
    /// Rows and columns.
    pub grid: Grid,
    /// 3 for a colour image, 1 for a grey one.
    pub channels: usize,
    /// Values of all pixels.
    pub values: Vec<f64>,
}

/// The user's image, decoded and scaled: red, green and blue, one byte each.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnImage {
    /// Rows and columns.
    pub grid: Grid,
    /// Three bytes per pixel.
    pub bytes: Vec<u8>,
}

// Omits the bytes, which would fill a screen.
impl std::fmt::Debug for OwnImage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnImage")
            .field("grid", &self.grid)
            .finish_non_exhaustive()
    }
}

/// Source of an image.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ImageSource {
    /// A built-in sample with this number of pixels per side.
    Sample(Sample, usize),
    /// The user's image.
    Own(OwnImage),
}

impl ImageSource {
    /// Pixel values of the image.
    #[must_use]
    pub fn pixels(&self) -> Arc<Pixels> {
        match self {
            Self::Sample(sample, side) => sample.draw(*side),
            Self::Own(own) => Arc::new(Pixels {
                grid: own.grid,
                channels: 3,
                values: (own.bytes.iter())
                    .map(|&byte| f64::from(byte) / f64::from(u8::MAX))
                    .collect(),
            }),
        }
    }

    /// Rows and columns of the image.
    #[must_use]
    pub fn grid(&self) -> Grid {
        match self {
            Self::Sample(sample, side) => sample.grid(*side),
            Self::Own(own) => own.grid,
        }
    }
}
