//! A layer of heads as a convolution along the positions.

use super::prelude::*;
use crate::{
    analysis::{FailureKind, ScoreInput, attention_stats::attention_of_scores},
    math::AttentionMask,
};

/// Greatest offset of a tap, to either side.
const REACH: i64 = 16;

/// The taps of a layer: with the mean attention a_h(k) of each head at offset k, the attention of a layer whose heads attend
/// by offset alone is Σ_k K_k·(states shifted by k) with K_k = Σ_h a_h(k)·W_V·W_O (Cordonnier et al. 2020, proof of Lemma 1
/// backwards). Attention is that of positions alone, as the model computes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerConvolution {
    /// The model.
    pub of: ModelVersion,
    /// Layer from 0.
    pub layer: usize,
    /// Mask of the attention.
    pub cells: AttentionMask,
}

/// Taps of a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerTaps {
    /// Layer from 0.
    pub layer: usize,
    /// The taps, by offset.
    pub taps: Vec<ConvolutionTap>,
    /// Frobenius norm of W_V·W_O of each head.
    pub head_norms: Vec<f64>,
}

/// The matrix K_k that a layer applies to the state at offset k.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConvolutionTap {
    /// Offset k.
    pub offset: i64,
    /// Its Frobenius norm.
    pub norm: f64,
    /// Mean attention of each head at this offset, over the queries that have a key there.
    pub attention: Vec<f64>,
    /// Share of each head in the square of the norm. The shares add up to 1.
    pub shares: Vec<f64>,
}

impl SingleAnswer for LayerConvolution {
    /// A sentence instead of taps where the file or the model has none.
    type Answer = Result<LayerTaps, String>;
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Self::Answer, Failure> {
        match self.taps(context).await {
            Err(failure) if failure.kind == FailureKind::NotThere => Ok(Err(failure.sentence)),
            taps => taps.map(Ok),
        }
    }
}

impl LayerConvolution {
    async fn taps<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<LayerTaps, Failure> {
        let input = ScoreInput::Positions(ScoreMode::AsComputed);
        let (model, input) = (context.session.model_with_input(self.of, input)).await?;
        let (_, heads) = model.some_heads(&input)?;
        let products = model.output_products(self.layer, context).await?;
        if products.heads() != heads {
            return Err(Failure::not_there(
                "The values of this layer have another number of heads than its scores.",
            ));
        }
        let mut means = Vec::with_capacity(heads);
        for head in 0..heads {
            let place = HeadId {
                model: self.of,
                input: ScoreInput::Positions(ScoreMode::AsComputed),
                layer: self.layer,
                head,
            };
            let scores = model.head(place, &input, context).await?;
            let stats = attention_of_scores(&scores, self.cells, None, context).await;
            let n = scores.n() as f64;
            means.push(stats.share.map(|k, share| share * n / (n - k.abs() as f64)));
        }
        let n = means.iter().map(|mean| mean.n() as i64).min().unwrap_or(1);
        let reach = REACH.min(n - 1);
        let last = match self.cells {
            AttentionMask::Whole => reach,
            AttentionMask::Causal => 0,
        };
        let taps = (-reach..=last).map(|offset| {
            let of_head = means.iter().map(|mean| mean.at(offset).unwrap_or(0.0));
            let attention: Vec<f64> = of_head.collect();
            let (norm, shares) = products.weighted_norm(&attention);
            ConvolutionTap {
                offset,
                norm,
                attention,
                shares,
            }
        });
        Ok(LayerTaps {
            layer: self.layer,
            taps: taps.collect(),
            head_norms: (products.0.diag().iter())
                .map(|square| square.max(0.0).sqrt())
                .collect(),
        })
    }
}
