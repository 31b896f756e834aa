//! Every head of a model.

use crate::{
    analysis::{
        Compute, Desk, Failure, HeadSummary, Opened, Question, Reply, Urgency, Watch, compute::Job,
        heads::summarise, reading::no_heads,
    },
    checkpoint::ByteSource,
    math::{Plans, Scores},
    model::ScoreMode,
};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

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
        let plans = Rc::new(model.plans());
        for layer in 0..layers {
            let scores = model.layer(self.mode, layer, desk).await?;
            let mut row = Vec::new();
            for head in 0..heads {
                let job = SummariseHead {
                    scores: scores.head(head),
                    place: (layer, head),
                    plans: Rc::clone(&plans),
                };
                row.push(desk.compute(job).await);
                desk.pause().await;
            }
            desk.send(&row);
        }
        Ok(())
    }
}

/// Fits a head's scores and draws them in small.
struct SummariseHead {
    scores: Scores,
    place: (usize, usize),
    plans: Rc<Plans>,
}

impl Job for SummariseHead {
    type Output = HeadSummary;

    async fn run(self, _watch: &impl Watch) -> HeadSummary {
        let (layer, head) = self.place;
        summarise(&self.scores, layer, head, &self.plans)
    }
}
