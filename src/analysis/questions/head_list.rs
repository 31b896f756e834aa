//! Every head of a model.

use crate::{
    analysis::{
        Compute, Desk, Failure, HeadSummary, Late, Opened, PortableJob, Question, Reply, Urgency,
        Watch, heads::summarise, reading::no_heads,
    },
    checkpoint::ByteSource,
    late::NotFetched,
    math::Scores,
    model::ScoreMode,
};
use futures_util::TryStreamExt;
use serde::{Deserialize, Serialize};

/// Every head in short, a layer at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadList {
    /// The model.
    pub of: Opened,
    /// Paper's equations or the model's own computation.
    pub mode: ScoreMode,
}

impl Question for HeadList {
    type Piece = Vec<HeadSummary>;
    type Answer = Vec<HeadSummary>;
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    fn collect(so_far: Option<Self::Answer>, piece: Self::Piece) -> Self::Answer {
        let mut heads = so_far.unwrap_or_default();
        heads.extend(piece);
        heads
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<(), Failure> {
        let model = desk.session.model(self.of).await?;
        let (layers, heads) = model.size().ok_or_else(no_heads)?;
        desk.session.forget_other_layers(self.of.id);
        let heads_of = model.heads(self.mode, 0..layers, desk);
        let jobs = heads_of.map_ok(|(place, scores)| SummariseHead { scores, place });
        let mut found = desk.spread(jobs);
        let mut row = Vec::with_capacity(heads);
        while let Some(head) = found.try_next().await? {
            row.push(head);
            if row.len() == heads {
                desk.send(&row);
                row.clear();
            }
        }
        Ok(())
    }
}

/// Fits a head's scores and draws them in small.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct SummariseHead {
    scores: Scores,
    place: (usize, usize),
}

impl PortableJob for SummariseHead {
    type Output = HeadSummary;

    async fn run(self, _: &Late, _: &impl Watch) -> Result<HeadSummary, NotFetched> {
        let (layer, head) = self.place;
        Ok(summarise(&self.scores, layer, head, &self.scores.plans()))
    }
}
