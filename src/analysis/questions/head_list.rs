//! Summaries of all heads of a model.

use super::prelude::*;
use crate::analysis::{HeadSummary, ScoreInput, project_layer::HeadRange, reading::no_heads};
use futures_util::TryStreamExt;

/// Minimum milliseconds between chunks of the answer: the page redraws for each chunk, which takes 35 ms for 144 heads.
const BETWEEN_MS: f64 = 200.0;

/// Summaries of every head, sent as they are computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadList {
    /// The model.
    pub of: ModelVersion,
    /// Input of the scores.
    pub input: ScoreInput,
}

impl Question for HeadList {
    list_answer!(HeadSummary);
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let (model, input) = (context.session.model_with_input(self.of, self.input)).await?;
        let (layers, heads) = model.size(&input).ok_or_else(no_heads)?;
        context.session.forget_other_layers(self.of.id);
        let parts = model.heads_in_parts(&input, 0..layers, context);
        let mut summaries = context.spread(parts.map_ok(SummariseHeads));
        let (mut pending, mut last_send) = (Vec::with_capacity(layers * heads), None);
        while let Some(heads) = summaries.try_next().await? {
            pending.extend(heads);
            if last_send.is_none_or(|last| context.now() - last >= BETWEEN_MS) {
                context.send(&pending);
                pending.clear();
                last_send = Some(context.now());
            }
        }
        if !pending.is_empty() {
            context.send(&pending);
        }
        Ok(())
    }
}

/// Forms some heads of a layer if necessary, fits their scores and draws thumbnails.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct SummariseHeads(HeadRange);

impl PortableJob for SummariseHeads {
    type Output = Vec<HeadSummary>;
    const MOST_BEFORE: usize = 1;

    async fn run(self, watch: &impl Progress) -> Result<Vec<HeadSummary>, LoadError> {
        let layer = self.0.layer;
        let mut summaries = Vec::new();
        for (head, scores) in self.0.scores() {
            watch.pause().await;
            summaries.push(HeadSummary::new(&scores, layer, head, &scores.plans()));
        }
        Ok(summaries)
    }
}
