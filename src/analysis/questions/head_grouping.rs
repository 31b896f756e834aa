//! Groups of heads with similar attention.

use super::prelude::*;
use crate::{
    analysis::{
        HeadGroups, ScoreInput, TracesOf,
        waves::{group_heads, load_waves},
    },
    math::{AttentionMask, GroupCount, NoWaves, Scores, TRACED_POSITIONS, Trace},
};
use futures_util::{StreamExt, TryStreamExt, stream::TryChunksError};

/// Groups all heads by their attention by offset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadGrouping {
    /// The model.
    pub of: ModelVersion,
    /// Input of the scores.
    pub input: ScoreInput,
    /// Number of groups, or how to choose it.
    pub count: GroupCount,
    /// Seed of the random starts of the clustering.
    pub seed: u64,
}

impl SingleAnswer for HeadGrouping {
    type Answer = HeadGroups;
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<HeadGroups, Failure> {
        self.groups(context, true).await
    }
}

impl HeadGrouping {
    /// The groups, from cached traces where there are any; `reports` says whether to report how long the traces take.
    pub(super) async fn groups<Q: Question, H: Host>(
        &self,
        context: &AnswerContext<'_, Q, H>,
        reports: bool,
    ) -> Result<HeadGroups, Failure> {
        let (model, input) = (context.session.model_with_input(self.of, self.input)).await?;
        // First, because traces take long.
        load_waves().await?;
        let (layers, heads) = model.some_heads(&input)?;
        let cells = model
            .model()
            .map_or_else(AttentionMask::default, |model| model.cells());
        let make = async {
            let jobs = model.heads(&input, 0..layers, context);
            let jobs = jobs.map_ok(|(_, scores)| TraceHead { scores, cells });
            let traces = match reports {
                true => context.spread(jobs),
                false => context.spread_in_part(jobs),
            };
            let traces =
                traces.map(|trace| trace?.map_err(|why| Failure::not_there(why.to_string())));
            let of_layers = traces.try_chunks(heads);
            of_layers
                .map_err(|TryChunksError(_, failure)| failure)
                .try_collect()
                .await
        };
        let traces = model.traces(&input, make).await?;
        let of = TracesOf {
            n: model.positions_of(&input).min(TRACED_POSITIONS),
            cells,
        };
        Ok(group_heads(&traces, of, self.count, self.seed).await?)
    }
}

/// Computes the trace of a head's attention.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct TraceHead {
    scores: Scores,
    cells: AttentionMask,
}

impl PortableJob for TraceHead {
    type Output = Result<Trace, NoWaves>;

    async fn run(self, _: &impl Progress) -> Result<Self::Output, LoadError> {
        Ok(Trace::compute(&self.scores, self.cells))
    }
}
