//! Groups of heads beside what heads with randomly turned keys give.

use super::{HeadGrouping, prelude::*};
use crate::{
    analysis::{
        GroupChance,
        waves::{explain_heads, random_models},
    },
    math::{AttentionMask, NoWaves, Scores, Trace, random_traces},
};
use futures_util::{StreamExt, TryStreamExt, stream};

/// Seed of the random heads. Each head adds its number, counted across all layers.
const SEED: u64 = 1;

/// Turns the keys of every head at random, and compares the groups with such heads: how many are nearest to each group, the
/// mean attention by offset of the group's own heads, and how much of the variance groups of random heads explain. `None`
/// where scores are no products of queries and keys.
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
            let traces = context.spread_in_part(jobs).map(|traces| {
                let traces = traces?.transpose();
                let traces = traces.map_err(|why| Failure::not_there(why.to_string()))?;
                Ok(traces.unwrap_or_default())
            });
            traces.try_collect().await
        };
        let traces = model.random_traces(&input, make).await?;
        let models = random_models(&traces);
        let jobs = models.iter().map(|heads| {
            Ok(GroupTurnedHeads {
                heads: heads.clone(),
                groups: groups.clusters.traces.len(),
                seed: self.grouping.seed,
            })
        });
        let explained_share: Vec<Option<f64>> =
            (context.spread(stream::iter(jobs))).try_collect().await?;
        Ok(GroupChance::compute(
            &groups.clusters,
            &models,
            &explained_share,
        ))
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

/// Groups the heads of a random model, and computes the share of the variance between them that the groups explain.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct GroupTurnedHeads {
    heads: Vec<Trace>,
    groups: usize,
    seed: u64,
}

impl PortableJob for GroupTurnedHeads {
    type Output = Option<f64>;

    async fn run(self, _: &impl Progress) -> Result<Self::Output, LoadError> {
        explain_heads(&self.heads, self.groups, self.seed).await
    }
}
