//! Constants of the images view.

use super::{
    Choices, Literal,
    positions::{mask_name, similarity_name},
};
use crate::{
    analysis::{OwnImage, SAMPLES, Sample, kernel_of},
    math::{Covariance, HeadShape, Padding, PixelHead, Resampling, TapSide},
    url_state::{FigureId, View},
};
use std::fmt::Write;

pub(super) const CONSTANTS: &[(&str, &str)] = &[
    ("IMAGE_SHAPE", "rows and columns of the image"),
    (
        "IMAGE_BYTES",
        "red, green and blue of each pixel, two hexadecimal digits each",
    ),
    ("KERNEL", "taps; or [out, in, rows, columns]"),
    ("TAP_SPACING", "pixels between two taps"),
    ("TAPS", "as written, or turned"),
    ("STRIDE", "one pixel of the result for so many"),
    ("PADDING", "values beyond the edge"),
    (
        "GAUSSIANS",
        "heads: Δy, Δx, and α, the covariance, or \"box\" and τ; None at the taps",
    ),
    ("ALPHA", "sharpness of heads at the taps"),
    ("HEAD_CHANNELS", "D_h; None for as many as the kernel needs"),
    ("QUERY", "row and column of the query"),
    ("PATCH_GRID", "rows and columns of patches of another image"),
    ("RESAMPLING", "interpolation of the table"),
    ("MASK", "keys that queries see"),
];

impl Choices {
    pub(super) fn images_constant(&self, name: &str) -> Option<String> {
        if self.figure.views().first() != Some(&View::Images) {
            return None;
        }
        let images = &self.link.images;
        Some(match name {
            "IMAGE_SHAPE" => self.image_shape()?.literal(),
            "KERNEL" => kernel_literal(&images.kernel)?,
            "TAP_SPACING" => images.spacing.literal(),
            "TAPS" => match images.taps {
                TapSide::AsWritten => "as written",
                TapSide::Turned => "turned",
            }
            .literal(),
            "STRIDE" => images.stride.literal(),
            "PADDING" => match images.padding {
                Padding::Edge => "edge",
                Padding::Zeros => "zeros",
            }
            .literal(),
            "GAUSSIANS" => match &images.heads {
                None => None::<u32>.literal(),
                Some(heads) => {
                    let heads: Vec<String> = heads.iter().map(gaussian_literal).collect();
                    format!("[{}]", heads.join(", "))
                }
            },
            "ALPHA" => images.alpha.literal(),
            "HEAD_CHANNELS" => images.head_channels.literal(),
            "QUERY" => {
                let (rows, columns) = self.image_shape()?;
                let (y, x) = images.query.unwrap_or((rows / 2, columns / 2));
                (
                    y.min(rows.saturating_sub(1)),
                    x.min(columns.saturating_sub(1)),
                )
                    .literal()
            }
            "PATCH_GRID" => {
                let grid = self
                    .link
                    .image_models
                    .grid
                    .or(self.summary.as_ref()?.grid)?;
                (grid.height, grid.width).literal()
            }
            "RESAMPLING" => match self.link.image_models.resampling {
                Resampling::Bicubic => "bicubic",
                Resampling::Bilinear => "bilinear",
            }
            .literal(),
            "SIMILARITY" => similarity_name(self.link.image_models.similarity).literal(),
            "MASK" => mask_name(self.cells).literal(),
            _ => return None,
        })
    }

    /// Conditions in the programs of the images view.
    pub(super) fn images_condition(&self, condition: &str) -> Option<bool> {
        if self.figure.views().first() != Some(&View::Images) {
            return None;
        }
        let of = |name: &str| {
            SAMPLES
                .iter()
                .find(|(_, id, _)| *id == name)
                .map(|(sample, ..)| *sample)
        };
        match (self.figure, condition) {
            (FigureId::GridSimilarity, "by-head") => Some(self.has_heads_by_offset()),
            (_, name) => of(name).map(|of_name: Sample| self.sample() == Some(of_name)),
        }
    }

    /// The sample image that is shown; `None` for the visitor's own.
    fn sample(&self) -> Option<Sample> {
        let is_own = (self.of_view)("own-image").is_some_and(|value| value == "True");
        (!is_own).then(|| self.link.images.sample.unwrap_or(Sample::Shapes))
    }

    /// Rows and columns of the sample image; `None` for the visitor's own.
    fn image_shape(&self) -> Option<(usize, usize)> {
        let grid = self.sample()?.grid(self.link.images.side);
        Some((grid.height, grid.width))
    }
}

/// Bytes of an image in a line of a program.
const BYTES_OF_LINE: usize = 48;

/// A constant or a condition of programs of the visitor's own image, with the query pixel.
#[must_use]
pub fn own_image_constant(image: &OwnImage, query: (usize, usize), name: &str) -> Option<String> {
    Some(match name {
        "own-image" => true.literal(),
        "IMAGE_SHAPE" => (image.grid.height, image.grid.width).literal(),
        "QUERY" => query.literal(),
        "IMAGE_BYTES" => {
            let line = |bytes: &[u8]| {
                let mut digits = String::new();
                for byte in bytes {
                    // Writing to a String cannot fail.
                    let _ = write!(digits, "{byte:02x}");
                }
                format!("    \"{digits}\"\n")
            };
            let lines: Vec<String> = image.bytes.chunks(BYTES_OF_LINE).map(line).collect();
            format!("(\n{})", lines.concat())
        }
        _ => return None,
    })
}

/// The kernel: a matrix of taps, or blocks of such matrices for every output and input channel.
fn kernel_literal(text: &str) -> Option<String> {
    let kernel = kernel_of(text).ok()?;
    let ((rows, columns), (inputs, outputs)) = (kernel.size, kernel.channels);
    let weight = |out: usize, input: usize, row: usize, column: usize| {
        let tap = row * columns + column;
        kernel.weights[(tap * inputs + input) * outputs + out]
    };
    let block = |out, input| {
        let row = |row| {
            (0..columns)
                .map(|column| weight(out, input, row, column))
                .collect()
        };
        (0..rows).map(row).collect::<Vec<Vec<f64>>>()
    };
    Some(match kernel.channels {
        (1, 1) => block(0, 0).literal(),
        _ => {
            let blocks =
                (0..outputs).map(|out| (0..inputs).map(|input| block(out, input)).collect());
            blocks.collect::<Vec<Vec<_>>>().literal()
        }
    })
}

/// Δy, Δx, and α of a round head, the covariance of an oval one, or `"box"` and its radius.
fn gaussian_literal(head: &PixelHead) -> String {
    let (y, x) = head.centre;
    match head.shape {
        HeadShape::Round(alpha) => (y, x, alpha).literal(),
        HeadShape::Oval(Covariance { yy, yx, xx }) => (y, x, yy, yx, xx).literal(),
        HeadShape::Box(radius) => (y, x, "box", radius).literal(),
    }
}
