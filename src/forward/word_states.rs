//! Words of a vocabulary as they enter the first layer: all of them, or an evenly spread sample.

use futures_util::StreamExt;
use ndarray::{Array2, ArrayView2};
use std::{ops::Range, pin::pin};

use super::{
    Embedding, ForwardError, ForwardPass, LinearMap, ScoreWeights,
    embedding::{self, TextContent},
};
use crate::{
    checkpoint::{TensorInfo, Weights},
    model::{
        EmbeddingContent, ModelError,
        read::{self, refuse_non_numbers},
        words::{WordUse, all_rows, read_ranges, sample_blocks, sample_rows},
    },
};

/// Reader of the words of a vocabulary as states.
pub(super) struct WordStates<'a, W> {
    checkpoint: &'a W,
    tensor: TensorInfo,
    /// Number of words.
    pub(super) count: u64,
    width: usize,
    /// Embedding without words.
    embedding: Embedding,
    /// Factor of the stored rows.
    scale: f32,
    map: Option<LinearMap>,
}

/// Rows of a vocabulary.
pub(super) struct WordRows {
    ranges: Vec<Range<u64>>,
    /// Whether they are equal blocks of a sample.
    pub(super) is_sample: bool,
}

impl WordRows {
    /// Number of rows.
    pub(super) fn count(&self) -> u64 {
        self.ranges.iter().map(|rows| rows.end - rows.start).sum()
    }
}

impl<'a, W: Weights> WordStates<'a, W> {
    /// Reads all of the embedding but its words.
    pub(super) async fn open(
        checkpoint: &'a W,
        pass: &ForwardPass,
        pause: &impl AsyncFn(),
    ) -> Result<Self, ForwardError> {
        let description = &pass.description.embedding;
        let Some(EmbeddingContent::Words {
            tensor,
            is_scaled,
            map,
        }) = &description.content
        else {
            return Err(ModelError::NoWords.into());
        };
        let tensor = checkpoint.locate(tensor).await?;
        let width = tensor.shape.last().map_or(0, |width| *width as usize);
        let map = match map {
            Some(map) => Some(embedding::read_map(checkpoint, map, pause).await?),
            None => None,
        };
        let outputs = map.as_ref().map_or(width, |map| map.weight.ncols());
        let no_words = ArrayView2::from_shape((0, outputs), &[]).expect("no numbers");
        let content = TextContent::Rows(&[no_words]);
        Ok(Self {
            checkpoint,
            count: read::rows_of(&tensor, width)? as u64,
            width,
            embedding: embedding::read(checkpoint, description, content, pause).await?,
            scale: if *is_scaled {
                (outputs as f64).sqrt() as f32
            } else {
                1.0
            },
            tensor,
            map,
        })
    }

    /// Rows of the vocabulary: all, or a sample where these would take seconds. `maps_words` is whether each word is
    /// mapped to queries and keys.
    pub(super) fn rows(
        &self,
        weights: &ScoreWeights,
        maps_words: bool,
        is_exact: bool,
    ) -> WordRows {
        let outputs = weights.query.weight.ncols() + weights.key.weight.ncols();
        let words = WordUse {
            maps: (weights.query.weight.nrows(), outputs),
            maps_words,
            is_exact,
            is_remote: self.checkpoint.is_remote(),
        };
        let blocks = sample_blocks(&self.tensor, words);
        let is_sample = blocks.is_some();
        let ranges = match blocks {
            Some(blocks) => sample_rows(self.count, blocks),
            None => all_rows(&self.tensor, self.count),
        };
        WordRows { ranges, is_sample }
    }

    /// Reads rows range by range, and passes each on as the states that enter the first layer, [words, hidden]. Calls
    /// `progress` with the bytes of words read and their total.
    pub(super) async fn read(
        &mut self,
        rows: &WordRows,
        mut add: impl AsyncFnMut(Array2<f32>),
        progress: &mut impl FnMut(u64, u64),
        pause: &impl AsyncFn(),
    ) -> Result<(), ForwardError> {
        let row_bytes = self.tensor.bytes() / self.count.max(1);
        let total = rows.count() * row_bytes;
        let (checkpoint, tensor) = (self.checkpoint, self.tensor.clone());
        let mut bytes = 0;
        let mut reads = pin!(read_ranges(checkpoint, &tensor, rows.ranges.clone()));
        while let Some(chunk) = reads.next().await {
            let (range, numbers) = chunk?;
            refuse_non_numbers(&numbers, &tensor, range.start, self.width)?;
            let states = self.states(numbers, pause).await;
            add(states).await;
            bytes += (range.end - range.start) * row_bytes;
            progress(bytes, total);
            pause().await;
        }
        Ok(())
    }

    /// States that enter the first layer, of rows of the table.
    async fn states(&mut self, numbers: Vec<f32>, pause: &impl AsyncFn()) -> Array2<f32> {
        let count = numbers.len() / self.width.max(1);
        let mut words = Array2::from_shape_vec((count, self.width), numbers).expect("whole rows");
        if let Some(map) = &self.map {
            words = map.apply(words.view(), pause).await;
        }
        if self.scale != 1.0 {
            words *= self.scale;
        }
        (self.embedding.content, self.embedding.lengths) = (words, vec![1; count]);
        self.embedding.states().rows().clone()
    }
}
