//! Heads of a layer that share a profile, beside those of heads with randomly turned keys.

use super::prelude::*;
use crate::{
    analysis::{ScoreInput, head_convolution::head_convolution},
    math::{
        AttentionMask, AttentionProfile, ChanceRange, Scores, TRACED_POSITIONS, random_heads,
        shared_profiles,
    },
    model::PositionModel,
};
use futures_util::TryStreamExt;

/// Seed of the random heads. Each head adds its number, counted across all layers.
const SEED: u64 = 1;

/// Counts the heads of a layer whose profile another head of the layer has, too, and counts them again after the keys of
/// every head are turned at random. Among the first 512 positions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RandomProfiles {
    /// The model.
    pub of: ModelVersion,
    /// Input of the scores.
    pub input: ScoreInput,
    /// Layer from 0.
    pub layer: usize,
}

/// Number of heads of a layer that share a profile.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SharedProfiles {
    /// Layer from 0.
    pub layer: usize,
    /// Number of heads of the layer.
    pub heads: usize,
    /// Heads that share their profile with another head.
    pub sharing: usize,
    /// The same over 20 layers of heads with randomly turned keys.
    pub chance: ChanceRange,
}

impl SingleAnswer for RandomProfiles {
    /// `None` if scores are no products of queries and keys, or are between more than 512 patches of an image.
    type Answer = Option<SharedProfiles>;
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Self::Answer, Failure> {
        let (model, input) = (context.session.model_with_input(self.of, self.input)).await?;
        let (layers, heads) = model.some_heads(&input)?;
        let cells = model
            .model()
            .map_or(AttentionMask::Whole, PositionModel::cells);
        let layer = self.layer.min(layers.saturating_sub(1));
        let jobs = model.heads(&input, layer..layer + 1, context);
        let jobs = jobs.map_ok(|((layer, head), scores)| ProfileTurnedHeads {
            scores,
            cells,
            seed: SEED + (layer * heads + head) as u64,
        });
        let profiles: Vec<Option<Vec<AttentionProfile>>> =
            context.spread(jobs).try_collect().await?;
        let profiles: Option<Vec<_>> = profiles.into_iter().collect();
        Ok(profiles.map(|profiles| SharedProfiles::count(layer, &profiles)))
    }
}

impl SharedProfiles {
    /// Counts from the profiles of each head: its own, then those of random heads.
    fn count(layer: usize, heads: &[Vec<AttentionProfile>]) -> Self {
        let sharing = |draw: usize| {
            let profiles: Vec<AttentionProfile> =
                heads.iter().map(|draws| draws[draw].clone()).collect();
            count_sharing(&shared_profiles(&profiles))
        };
        let draws = heads.first().map_or(1, Vec::len);
        let mut random: Vec<f64> = (1..draws).map(|draw| sharing(draw) as f64).collect();
        Self {
            layer,
            heads: heads.len(),
            sharing: sharing(0),
            chance: ChanceRange::from_draws(&mut random),
        }
    }
}

/// Number of heads whose group has at least two heads.
fn count_sharing(groups: &[Option<usize>]) -> usize {
    let has_twin = |group: &Option<usize>| {
        group.is_some() && groups.iter().filter(|other| *other == group).count() > 1
    };
    groups.iter().filter(|group| has_twin(group)).count()
}

/// Computes the profile of a head, and of heads that are this head with randomly turned keys.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct ProfileTurnedHeads {
    scores: Scores,
    cells: AttentionMask,
    seed: u64,
}

impl PortableJob for ProfileTurnedHeads {
    type Output = Option<Vec<AttentionProfile>>;

    async fn run(self, watch: &impl Progress) -> Result<Self::Output, LoadError> {
        let (n, grid) = (self.scores.n(), self.scores.grid());
        let Some(turned) = random_heads(&self.scores, self.seed) else {
            return Ok(None);
        };
        if grid.is_some() && n > TRACED_POSITIONS {
            // The first positions of a grid need not be whole rows.
            return Ok(None);
        }
        let own = self.scores.leading_block(n.min(TRACED_POSITIONS));
        let turned = turned.map(|scores| match scores {
            Scores::Product(product, _) => Scores::Product(product, grid),
            others => others,
        });
        let mut profiles = Vec::new();
        for scores in std::iter::once(own).chain(turned) {
            let head = head_convolution(&scores, self.cells, watch).await;
            profiles.push(head.into_profile());
        }
        Ok(Some(profiles))
    }
}
