//! Link section for the open model in the images view.

use super::{
    codec::{Codec, OneOf, take, whole_within},
    section::fields,
};
use crate::{
    analysis::RESAMPLED_SIDES,
    math::{Grid, Resampling, Similarity},
};

/// Options for the open model in the images view.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageModelsSection {
    /// Measure that compares two patches.
    pub similarity: Similarity,
    /// Grid that the patch table is resampled to. `None` keeps its own.
    pub grid: Option<Grid>,
    /// Interpolation between grid points.
    pub resampling: Resampling,
}

impl Default for ImageModelsSection {
    fn default() -> Self {
        Self {
            similarity: Similarity::Cosine,
            grid: None,
            resampling: Resampling::Bicubic,
        }
    }
}

fields! { ImageModelsSection {
    "patches" => similarity: OneOf(&[(Similarity::Cosine, "cosine"), (Similarity::InnerProduct, "inner-product")]);
    "patch-grid" => grid: GridCodec;
    "resampling" => resampling: OneOf(&[(Resampling::Bicubic, "bicubic"), (Resampling::Bilinear, "bilinear")]);
}}

/// Height and width of a grid: `24x24`.
struct GridCodec;

impl Codec<Option<Grid>> for GridCodec {
    fn read(&self, text: &str, into: &mut Option<Grid>) -> Result<(), String> {
        let side = |text: &str| whole_within(text, RESAMPLED_SIDES);
        let grid = text.split_once('x').and_then(|(height, width)| {
            Some(Grid {
                height: side(height)?,
                width: side(width)?,
            })
        });
        take(text, grid.map(Some), into)
    }

    fn write(&self, value: &Option<Grid>) -> Option<String> {
        value.map(|grid| format!("{}x{}", grid.height, grid.width))
    }
}
