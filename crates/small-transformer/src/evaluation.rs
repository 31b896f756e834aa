//! Measures of what a model has learned: its loss, also at other lengths, where its heads look, and its kernels.

use crate::{
    HeldOutScore, Real, TokenBatch, TrainingError, encodings::TisaKernel, model::SmallTransformer,
    pass_buffers::PassBuffers, trainer::Trainer,
};

/// Mean attention of one head over sequences of one length.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanAttention {
    /// Index of the layer.
    pub layer: usize,
    /// Index of the head.
    pub head: usize,
    /// Length of the sequences.
    pub n: usize,
    /// Mean attention \[n, n\]: row = query, column = key.
    pub mean: Vec<f64>,
}

impl MeanAttention {
    /// Mean attention at each offset.
    #[must_use]
    pub fn by_offset(&self) -> HeadOffsets {
        let n = self.n;
        let mut attention = vec![0.0; 2 * n - 1];
        for (i, row) in self.mean.chunks_exact(n).enumerate() {
            for (sum, cell) in attention[n - 1 - i..].iter_mut().zip(row) {
                *sum += cell;
            }
        }
        for (at, sum) in attention.iter_mut().enumerate() {
            *sum /= (n - at.abs_diff(n - 1)) as f64;
        }
        HeadOffsets {
            layer: self.layer,
            head: self.head,
            attention,
        }
    }
}

/// Mean attention of one head at each offset.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadOffsets {
    /// Index of the layer.
    pub layer: usize,
    /// Index of the head.
    pub head: usize,
    /// Mean attention over the pairs of places at offset k = −(n−1) … n−1.
    pub attention: Vec<f64>,
}

impl HeadOffsets {
    /// The offset with the greatest mean attention; the first of several.
    #[must_use]
    pub fn peak(&self) -> i64 {
        let greatest = (0..self.attention.len()).reduce(|best, at| {
            if self.attention[at] > self.attention[best] {
                at
            } else {
                best
            }
        });
        greatest.unwrap_or(0) as i64 - (self.attention.len() / 2) as i64
    }
}

impl<T: Real> SmallTransformer<T> {
    /// Loss and accuracy over batches of one shape.
    pub(crate) fn evaluate(
        &self,
        weights: &[T],
        batches: &[TokenBatch],
        buffers: &mut PassBuffers<T>,
        step: u32,
    ) -> Result<HeldOutScore, TrainingError> {
        let (mut loss, mut right, mut count) = (0.0, 0, 0);
        for batch in batches {
            let sum = self.forward(weights, batch, buffers);
            loss += sum.loss;
            right += sum.right;
            count += batch.target_count();
        }
        let count = count.max(1) as f64;
        if !loss.is_finite() {
            return Err(TrainingError::Loss { step });
        }
        Ok(HeldOutScore {
            loss: loss / count,
            accuracy: right as f64 / count,
        })
    }

    /// Mean attention of every head over the sequences of a batch.
    #[must_use]
    pub fn mean_attention(
        &self,
        weights: &[T],
        batch: &TokenBatch,
        buffers: &mut PassBuffers<T>,
    ) -> Vec<MeanAttention> {
        self.forward(weights, batch, buffers);
        let (n, heads) = (batch.n, self.shape().heads);
        let mut means = Vec::new();
        for layer in 0..self.shape().layers {
            let attention = buffers.attention(layer);
            let sequences = attention.len() / (heads * n * n);
            for head in 0..heads {
                let mut mean = vec![0.0; n * n];
                for cells in attention.chunks_exact(n * n).skip(head).step_by(heads) {
                    for (sum, cell) in mean.iter_mut().zip(cells) {
                        *sum += cell.to_f64();
                    }
                }
                for sum in &mut mean {
                    *sum /= sequences as f64;
                }
                means.push(MeanAttention {
                    layer,
                    head,
                    n,
                    mean,
                });
            }
        }
        means
    }
}

impl Trainer {
    /// Mean attention of every head on a fixed batch that the model never learns from.
    #[must_use]
    pub fn mean_attention(&mut self) -> Vec<MeanAttention> {
        let batch = self.held_out_batch(0, self.recipe().size.n);
        let (model, weights, buffers) = self.passes();
        model.mean_attention(weights, &batch, buffers)
    }

    /// Mean attention by offset of every head on the same batch.
    #[must_use]
    pub fn attention_by_offset(&mut self) -> Vec<HeadOffsets> {
        let heads = self.mean_attention();
        heads.iter().map(MeanAttention::by_offset).collect()
    }

    /// The kernels of every layer and head; none where the encoding has none.
    #[must_use]
    pub fn kernels(&self) -> Vec<TisaKernel> {
        let encodings = self.model().encodings().iter();
        encodings
            .flat_map(|encoding| encoding.kernels(self.weights()))
            .collect()
    }

    /// Loss and accuracy on sequences of another length, from half to four times the trained one. Needs memory for
    /// longer sequences while it computes.
    ///
    /// # Errors
    /// If the length is beyond these, the encoding has no positions for it, or the loss is infinite or no number.
    pub fn evaluate_at(&self, length: usize) -> Result<HeldOutScore, TrainingError> {
        let (n, encoding) = (self.recipe().size.n, self.recipe().encoding);
        let longest = self.model().longest();
        let most = crate::encodings::MOST_LENGTHS * n;
        if length < n.div_ceil(2) || length > most {
            let least = n.div_ceil(2);
            let sentence = format!(
                "A model of length {n} is evaluated at lengths {least} to {most}, not at {length}."
            );
            return Err(TrainingError::Length(sentence));
        }
        if length > longest {
            let sentence = format!(
                "The encoding `{encoding}` has {longest} positions, so that it cannot read {length}."
            );
            return Err(TrainingError::Length(sentence));
        }
        // One sequence at a time, and as many tokens as otherwise.
        let mut buffers = PassBuffers::new(self.model().shape(), 1, length);
        let batch = self.held_out_batch(0, length);
        let sequences = batch
            .sequences()
            .take((self.recipe().size.tokens() / length).max(1));
        let batches = sequences.map(|(inputs, targets)| {
            let mut batch = TokenBatch::new(length);
            batch.push(inputs, targets);
            batch
        });
        let batches: Vec<TokenBatch> = batches.collect();
        self.model()
            .evaluate(self.weights(), &batches, &mut buffers, self.steps_done())
    }
}
