//! Sinks of a layer's heads.

use super::{ForwardError, ForwardPass, tensor_numbers::TensorNumbers};
use crate::{checkpoint::Weights, math::AttentionMask, model::Cut};

/// Sinks of a layer's heads, and the keys with which they compete.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerSinks {
    /// Score s of the sink of every query head.
    pub scores: Vec<f32>,
    /// Keys that each query sees.
    pub mask: AttentionMask,
    /// Greatest distance at which a query sees a key; `None` if there is no limit.
    pub reach: Option<usize>,
}

impl ForwardPass {
    /// Reads the sinks of a layer; `None` if its heads have none.
    ///
    /// # Errors
    /// As [`Self::read_scores`].
    pub async fn read_sinks<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
        pause: &impl AsyncFn(),
    ) -> Result<Option<LayerSinks>, ForwardError> {
        let block = self.block(layer)?;
        let attention = &block.attention;
        let Some(sinks) = attention.sinks.as_deref() else {
            return Ok(None);
        };
        self.check_scores(checkpoint, block).await?;
        let numbers = TensorNumbers::read(checkpoint, &[(sinks, Cut::ROWS)], pause).await?;
        Ok(Some(LayerSinks {
            scores: numbers.vector(sinks)?,
            mask: attention.mask,
            reach: attention.reach.map(|reach| reach as usize),
        }))
    }
}
