//! Shares of the attention that the sinks of heads take, by their scores by offset.

use super::prelude::*;
use crate::{
    analysis::ScoreInput,
    math::{Scores, sink_shares},
};

/// Share of the sink in the attention of every head that has scores by offset, layer by layer. Mask and window
/// are those of the layer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AttentionSinks {
    /// The model.
    pub of: ModelVersion,
    /// Input of the scores of its heads.
    pub input: ScoreInput,
}

/// Sink of a head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadSink {
    /// Layer, from 0.
    pub layer: usize,
    /// Head of the layer, from 0.
    pub head: usize,
    /// Score s of the sink.
    pub sink: f64,
    /// Share of the attention that the sink takes, averaged over the queries.
    pub share: f64,
    /// The same for the first query, which sees the fewest keys.
    pub first: f64,
    /// The same for the last query.
    pub last: f64,
    /// Number of keys that the last query sees.
    pub keys: usize,
}

impl Question for AttentionSinks {
    list_answer!(HeadSink);
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let session = context.session;
        let (model, input) = session.model_with_input(self.of, self.input).await?;
        let (_, positions) = model.weights_and_model()?;
        if !positions.has_sinks() {
            return Err(Failure::not_there("The heads of this model have no sinks."));
        }
        let (layers, _) = model.some_heads(&input)?;
        for layer in 0..layers {
            let Some(sinks) = model.sinks(layer, context).await? else {
                continue;
            };
            let scores = model.layer(&input, layer, context).await?;
            for (head, sink) in sinks.scores.into_iter().map(f64::from).enumerate() {
                let Scores::Toeplitz(f) = scores.head(head) else {
                    return Err(Failure::not_there(
                        "The scores of this model's heads depend on more than the offset, so the share of their sinks is known for texts alone.",
                    ));
                };
                let shares = sink_shares(&f, sinks.mask, sinks.reach, sink);
                let ends = shares.first().copied().zip(shares.last().copied());
                let Some((first, last)) = ends else { continue };
                let n = shares.len();
                context.send(&vec![HeadSink {
                    layer,
                    head,
                    sink,
                    share: shares.iter().sum::<f64>() / n as f64,
                    first,
                    last,
                    keys: sinks.reach.map_or(n, |reach| n.min(reach + 1)),
                }]);
                context.pause().await;
            }
        }
        Ok(())
    }
}
