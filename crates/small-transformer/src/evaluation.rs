//! Measures of what a model has learned: its loss, also at other lengths, where its heads look, and its kernels.

use crate::{
    HeldOutScore, PairEnergy, Real, TokenBatch, TrainingError, encoder_layer::LayerPass,
    encodings::TisaKernel, model::SmallTransformer, operations::loss::LossSum,
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

/// Mean attention of the heads of a model, layer by layer.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeadAttentionMeans {
    heads: Vec<MeanAttention>,
}

impl HeadAttentionMeans {
    /// Adds the attention of a layer, over all sequences of a batch.
    pub(crate) fn add<T: Real>(&mut self, pass: &mut LayerPass<'_, T>, heads: usize) {
        let (layer, n, first) = (pass.layer, pass.input.n, self.heads.len());
        self.heads.extend((0..heads).map(|head| MeanAttention {
            layer,
            head,
            n,
            mean: vec![0.0; n * n],
        }));
        let means = &mut self.heads[first..];
        let mut matrices = 0;
        pass.for_each_attention(|head, cells| {
            matrices += 1;
            for (sum, cell) in means[head].mean.iter_mut().zip(cells) {
                *sum += cell.to_f64();
            }
        });
        let sequences = (matrices / heads) as f64;
        for sum in means.iter_mut().flat_map(|head| &mut head.mean) {
            *sum /= sequences;
        }
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
        let mut sums = LossSums::default();
        for batch in batches {
            sums.add(&self.forward(weights, batch, buffers), batch);
        }
        sums.score(step)
    }
}

/// Sums of losses over batches.
#[derive(Clone, Copy, Debug, Default)]
struct LossSums {
    loss: f64,
    right: usize,
    count: usize,
}

impl LossSums {
    fn add(&mut self, sum: &LossSum, batch: &TokenBatch) {
        self.loss += sum.loss;
        self.right += sum.right;
        self.count += batch.target_count();
    }

    /// The means; an error if the loss is infinite or no number.
    fn score(self, step: u32) -> Result<HeldOutScore, TrainingError> {
        let count = self.count.max(1) as f64;
        if !self.loss.is_finite() {
            return Err(TrainingError::Loss { step });
        }
        Ok(HeldOutScore {
            loss: self.loss / count,
            accuracy: self.right as f64 / count,
        })
    }
}

/// An evaluation of a model on sequences that it never learns from, batch by batch, so that its owner can do other things
/// in between. See [`Trainer::evaluate_batch`]. Training meanwhile would mix the states of two steps.
#[derive(Clone, Debug, Default)]
pub struct HeldOutEvaluation {
    batches: usize,
    sums: LossSums,
    attention: HeadAttentionMeans,
    pairs: Vec<PairEnergy>,
}

/// Results of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluationReport {
    /// Loss and accuracy over all batches.
    pub score: HeldOutScore,
    /// Mean attention of every head over the first batch, layer by layer.
    pub heads: Vec<MeanAttention>,
    /// Energies of the pairs of every head over the first batch; none where the encoding turns nothing.
    pub pairs: Vec<PairEnergy>,
}

impl Trainer {
    /// Evaluates the model on the next batch. Returns whether more follow.
    pub fn evaluate_batch(&mut self, evaluation: &mut HeldOutEvaluation) -> bool {
        let (model, weights, buffers, held_out) = self.passes();
        let Some(batch) = held_out.get(evaluation.batches) else {
            return false;
        };
        let is_first = evaluation.batches == 0;
        let heads = model.shape().heads;
        let HeldOutEvaluation {
            attention, pairs, ..
        } = evaluation;
        let sum = model.forward_observed(weights, batch, buffers, &mut |mut pass| {
            if is_first {
                pairs.extend(model.pair_energies_of(&pass));
                attention.add(&mut pass, heads);
            }
        });
        evaluation.sums.add(&sum, batch);
        evaluation.batches += 1;
        evaluation.batches < held_out.len()
    }

    /// Results of an evaluation of all batches.
    ///
    /// # Errors
    /// If the loss is infinite or no number.
    pub fn evaluation_report(
        &self,
        evaluation: HeldOutEvaluation,
    ) -> Result<EvaluationReport, TrainingError> {
        Ok(EvaluationReport {
            score: evaluation.sums.score(self.steps_done())?,
            heads: evaluation.attention.heads,
            pairs: evaluation.pairs,
        })
    }

    /// Loss and accuracy on sequences that the model never learns from.
    ///
    /// # Errors
    /// If the loss is infinite or no number.
    pub fn evaluate(&mut self) -> Result<HeldOutScore, TrainingError> {
        let step = self.steps_done();
        let (model, weights, buffers, held_out) = self.passes();
        model.evaluate(weights, held_out, buffers, step)
    }

    /// Mean attention of every head on a fixed batch that the model never learns from.
    #[must_use]
    pub fn mean_attention(&mut self) -> Vec<MeanAttention> {
        let mut evaluation = HeldOutEvaluation::default();
        self.evaluate_batch(&mut evaluation);
        evaluation.attention.heads
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
