//! An image as numbers.

use super::Sample;
use crate::math::Grid;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Values from 0 to 1, `channels` a pixel, pixels row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Pixels {
    /// Rows and columns.
    pub grid: Grid,
    /// 3 of an image in colour, 1 of one in grey.
    pub channels: usize,
    /// The values.
    pub values: Vec<f64>,
}

/// Somebody's image, decoded and scaled: red, green and blue, a byte each.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnImage {
    /// Rows and columns.
    pub grid: Grid,
    /// Three bytes a pixel.
    pub bytes: Vec<u8>,
}

// The bytes would fill a screen.
impl std::fmt::Debug for OwnImage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnImage")
            .field("grid", &self.grid)
            .finish_non_exhaustive()
    }
}

/// Where an image comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ImageSource {
    /// One that is drawn here, with so many pixels a side.
    Sample(Sample, usize),
    /// Somebody's own.
    Own(OwnImage),
}

impl ImageSource {
    /// The image.
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

    /// Its rows and columns.
    #[must_use]
    pub fn grid(&self) -> Grid {
        match self {
            Self::Sample(sample, side) => sample.grid(*side),
            Self::Own(own) => own.grid,
        }
    }
}
