//! The groups that heads with randomly turned keys would be in.

use super::{HeadGrouping, prelude::*};
use crate::{
    analysis::GroupChance,
    math::{AttentionMask, NoWaves, Scores, Trace, random_traces},
};
use futures_util::{StreamExt, TryStreamExt};

/// Seed of the random heads. Each head adds its number, counted across all layers.
const SEED: u64 = 1;

/// Turns the keys of every head at random, and gives each such head to the group whose mean attention by offset is the
/// nearest to its own. `None` where scores are no products of queries and keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RandomGroups {
    /// The groups of the heads as they are.
    pub grouping: HeadGrouping,
}

impl SingleAnswer for RandomGroups {
    type Answer = Option<GroupChance>;
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.grouping.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Option<GroupChance>, Failure> {
        let groups = self.grouping.groups(context, false).await?;
        let (of, input) = (self.grouping.of, self.grouping.input);
        let (model, input) = (context.session.model_with_input(of, input)).await?;
        let (layers, heads) = model.some_heads(&input)?;
        let cells = model
            .model()
            .map_or_else(AttentionMask::default, |model| model.cells());
        let make = async {
            let jobs = model.heads(&input, 0..layers, context);
            let jobs = jobs.map_ok(|((layer, head), scores)| TurnHead {
                scores,
                cells,
                seed: SEED + (layer * heads + head) as u64,
            });
            let traces = context.spread(jobs).map(|traces| {
                let traces = traces?.transpose();
                let traces = traces.map_err(|why| Failure::not_there(why.to_string()))?;
                Ok(traces.unwrap_or_default())
            });
            traces.try_collect().await
        };
        let traces = model.random_traces(&input, make).await?;
        Ok(GroupChance::compute(&groups.clusters, &traces))
    }
}

/// Computes the traces of heads that are one head with randomly turned keys.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct TurnHead {
    scores: Scores,
    cells: AttentionMask,
    seed: u64,
}

impl PortableJob for TurnHead {
    type Output = Option<Result<Vec<Trace>, NoWaves>>;

    async fn run(self, _: &impl Progress) -> Result<Self::Output, LoadError> {
        Ok(random_traces(&self.scores, self.cells, self.seed))
    }
}
