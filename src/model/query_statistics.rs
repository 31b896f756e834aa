//! Statistics of the queries of rotary heads over a text, in the files of TriAttention (Mao et al., arXiv 2604.04921).
//!
//! For each head a file has three vectors with a number for each pair of columns m, of queries before they are rotated:
//! the real and the imaginary part of E q_m, and E|q_m|. It has nothing of keys, so that it does not determine the
//! head's scores by offset.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::{ModelError, RotaryDescription, read};
use crate::checkpoint::Weights;

/// Endings of the names of the three vectors of a head, after the name that they share: of the real and of the imaginary part of
/// E q_m, and of E|q_m|.
pub const VECTOR_ENDINGS: [&str; 3] = [".q_mean_real", ".q_mean_imag", SIZE];
const SIZE: &str = ".q_abs_mean";
/// Most heads of a layer, more than any model has.
const MOST_HEADS: usize = 4096;

/// The heads of a file of statistics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryStatistics {
    /// Name of each head's vectors without their endings, by layer and head from 0.
    heads: BTreeMap<(usize, usize), String>,
}

/// Statistics of the queries of a head, a number for each pair of columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadQuerySizes {
    /// Head of the layer, from 0.
    pub head: usize,
    /// E|q_m|.
    pub sizes: Vec<f64>,
    /// |E q_m|.
    pub mean_sizes: Vec<f64>,
}

impl QueryStatistics {
    /// Finds the heads by the names of tensors, such as `stats.layer00_head03.q_abs_mean`; `None` without any.
    #[must_use]
    pub fn find<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let heads = names.into_iter().filter_map(|name| {
            let stem = name.strip_suffix(SIZE)?;
            let place = stem.rsplit('.').next()?;
            let (layer, head) = place.strip_prefix("layer")?.split_once("_head")?;
            let (layer, head) = (layer.parse().ok()?, head.parse().ok()?);
            let is_possible = layer < RotaryDescription::MOST_LAYERS && head < MOST_HEADS;
            is_possible.then(|| ((layer, head), stem.to_owned()))
        });
        let heads: BTreeMap<_, _> = heads.collect();
        (!heads.is_empty()).then_some(Self { heads })
    }

    /// Number of layers up to the last one with statistics.
    #[must_use]
    pub fn layers(&self) -> usize {
        let last = self.heads.last_key_value();
        last.map_or(0, |((layer, _), _)| layer + 1)
    }

    /// Number of heads up to the last one with statistics in any layer.
    #[must_use]
    pub fn heads(&self) -> usize {
        let heads = self.heads.keys().map(|(_, head)| head + 1);
        heads.max().unwrap_or(0)
    }

    /// Layer and head from 0 of each head in order, with the name of its vectors without their endings.
    pub fn places(&self) -> impl Iterator<Item = ((usize, usize), &str)> {
        self.heads
            .iter()
            .map(|(place, stem)| (*place, stem.as_str()))
    }

    /// Number of pairs of columns of the heads of a layer, by the first of them; `None` if it has none.
    ///
    /// # Errors
    /// If its vector cannot be found.
    pub async fn pairs<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
    ) -> Result<Option<usize>, ModelError> {
        let Some((_, stem)) = self.heads.range((layer, 0)..(layer + 1, 0)).next() else {
            return Ok(None);
        };
        let tensor = checkpoint.locate(&format!("{stem}{SIZE}")).await?;
        let pairs = tensor.shape.iter().product::<u64>();
        Ok(Some(usize::try_from(pairs).unwrap_or(usize::MAX)))
    }

    /// Reads the heads of a layer that have `pairs` pairs of columns.
    ///
    /// # Errors
    /// If a vector is missing, has another length, or is not finite.
    pub async fn read<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
        pairs: usize,
    ) -> Result<Vec<HeadQuerySizes>, ModelError> {
        let mut found = Vec::new();
        for ((_, head), stem) in self.heads.range((layer, 0)..(layer + 1, 0)) {
            let mut vectors = Vec::new();
            for ending in VECTOR_ENDINGS {
                let tensor = checkpoint.locate(&format!("{stem}{ending}")).await?;
                let numbers = read::vector(checkpoint, &tensor, pairs).await?;
                vectors.push(numbers.into_iter().map(f64::from).collect::<Vec<_>>());
            }
            let means = vectors[0].iter().zip(&vectors[1]);
            found.push(HeadQuerySizes {
                head: *head,
                mean_sizes: means
                    .map(|(real, imaginary)| real.hypot(*imaginary))
                    .collect(),
                sizes: vectors.swap_remove(2),
            });
        }
        Ok(found)
    }
}
