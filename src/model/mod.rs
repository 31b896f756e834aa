//! Named tensors to positions. Knows no browser, no encoding, and no bytes beyond asking for tensors.
//!
//! A [`Family`] is a description: where a kind of model keeps its position table, its queries and keys, and
//! what stands between the table and the first attention. [`PositionModel::open`] finds the family that a
//! checkpoint belongs to and reads the table; [`PositionModel::read_inputs`] and
//! [`PositionModel::read_layer`] read the rest when heads are asked for. Whatever was inferred, dropped,
//! applied or left out on the way is a [`Note`].
//!
//! Weight matrices leave here as `[in, out]`, so that they act as `x·W`.
//!
//! To add a family: one file that implements [`Family`], one line in [`FAMILIES`].

mod albert;
mod bert;
mod config;
mod error;
mod family;
mod find;
mod heads;
mod inputs;
mod plan;
mod preset;
mod read;
mod roberta;
mod stored;
mod tables;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::checkpoint::{ByteSource, Checkpoint, TensorInfo};

pub use albert::Albert;
pub use bert::Bert;
pub use config::Config;
pub use error::ModelError;
pub use family::{Clues, Dropped, Family, Names};
pub use heads::{Heads, HeadsSource};
pub use inputs::{HiddenStates, Inputs, LayerNorm, Projection, ScoreMode};
pub use preset::{PRESETS, Preset};
pub use roberta::Roberta;
pub use tables::tables;

/// Every family that is recognised, asked in this order: the one with the plainest signs first.
pub const FAMILIES: &[&dyn Family] = &[&Albert, &Roberta, &Bert];

/// What a person chose instead of what would be inferred.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The tensor to take as the position table.
    pub table: Option<String>,
    /// Heads a layer.
    pub heads: Option<u32>,
}

/// Something about an opened model that the numbers alone do not show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// A few words.
    pub title: String,
    /// A sentence or two.
    pub text: String,
}

impl Note {
    fn new(title: &str, text: impl Into<String>) -> Self {
        Self {
            title: title.to_owned(),
            text: text.into(),
        }
    }
}

/// A model's positions, and where to find what its heads make of them.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionModel {
    /// Name of the family; "table" for a tensor that a person chose.
    pub family: &'static str,
    /// The position table, one row a position: rows that stand for no position are dropped.
    pub table: Array2<f32>,
    /// Name of the tensor it was read from.
    pub tensor: String,
    /// Layers whose queries and keys can be read. Layers that share their weights count once.
    pub layers: usize,
    /// Heads of a layer; [`Heads::NONE`] without queries and keys.
    pub heads: Heads,
    /// Width of what enters the attention.
    pub hidden: usize,
    /// Every correction and every guess.
    pub notes: Vec<Note>,
    plan: plan::Plan,
}

/// Queries and keys of one layer, all heads side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerWeights {
    /// [in, out].
    pub query: Array2<f32>,
    /// [in, out].
    pub key: Array2<f32>,
    /// One number an output, where the model has it.
    pub query_bias: Option<Vec<f32>>,
    /// One number an output, where the model has it.
    pub key_bias: Option<Vec<f32>>,
}

impl PositionModel {
    /// Finds a checkpoint's family and reads its position table, and nothing else.
    ///
    /// A configuration that the file carries in its metadata is used where none is given.
    ///
    /// # Errors
    /// [`ModelError::UnknownFamily`] when no family is recognised and no table chosen; else when the table
    /// cannot be read, holds no numbers, or contradicts the configuration.
    pub async fn open<S: ByteSource>(
        checkpoint: &Checkpoint<S>,
        config: Option<&Config>,
        choice: &Choice,
    ) -> Result<Self, ModelError> {
        find::open(checkpoint, config, choice).await
    }

    /// Reads what the positions are added to and sent through: mean word embedding, token type,
    /// `LayerNorm`, projection. Tells `progress` how many of how many bytes are read, after every few MiB.
    ///
    /// Drop the future to stop: between two reads nothing is held but sums.
    ///
    /// # Errors
    /// When a tensor cannot be read, has an impossible shape or holds no number somewhere.
    pub async fn read_inputs<S: ByteSource>(
        &self,
        checkpoint: &Checkpoint<S>,
        progress: impl FnMut(u64, u64),
    ) -> Result<Inputs, ModelError> {
        inputs::read(&self.plan, self.table.ncols(), checkpoint, progress).await
    }

    /// Reads queries and keys of one layer, counted from 0.
    ///
    /// # Errors
    /// When there is no such layer, or its tensors cannot be read, do not fit the model, or hold no number
    /// somewhere.
    pub async fn read_layer<S: ByteSource>(
        &self,
        checkpoint: &Checkpoint<S>,
        layer: usize,
    ) -> Result<LayerWeights, ModelError> {
        let Some(names) = self.plan.layers.get(layer) else {
            return Err(ModelError::NoSuchLayer {
                layer,
                layers: self.layers,
            });
        };
        let query = read::linear(checkpoint, &names.query, self.hidden).await?;
        let key = read::linear(checkpoint, &names.key, self.hidden).await?;
        if query.ncols() != key.ncols() {
            return Err(ModelError::Shape {
                tensor: names.key.name.clone(),
                found: names.key.shape.clone(),
                expected: format!("{} × {}, as the queries have", query.ncols(), self.hidden),
            });
        }
        heads::check(self.heads, query.ncols())?;
        let bias = async |tensor: &Option<TensorInfo>| match tensor {
            Some(tensor) => read::vector(checkpoint, tensor, query.ncols())
                .await
                .map(Some),
            None => Ok(None),
        };
        let (query_bias, key_bias) = (bias(&names.query_bias).await?, bias(&names.key_bias).await?);
        Ok(LayerWeights {
            query,
            key,
            query_bias,
            key_bias,
        })
    }
}
