//! How alike are two positions, and how far does that depend on their distance alone?

use crate::{
    analysis::{
        Compute, Computer, Desk, Failure, Opened, PositionSummary, Reply, Similarity, SingleAnswer,
        TILE_LIMIT, Urgency,
    },
    checkpoint::ByteSource,
    math::Window,
};
use serde::{Deserialize, Serialize};

/// Scores, profile and first picture of the position table, or of what is in its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionOverview {
    /// The model.
    pub of: Opened,
    /// How two positions are compared.
    pub similarity: Similarity,
}

impl SingleAnswer for PositionOverview {
    type Answer = PositionSummary;
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<PositionSummary, Failure> {
        let model = desk.session.model(self.of).await?;
        let compared = model.compared(self.similarity, desk).await?;
        let p = &compared.p;
        let begun = desk.now();
        desk.expect_parts(p);
        let fits = p.fits(&p.plans());
        compared.keep(&fits.fit);
        let summary = PositionSummary {
            tile: desk
                .tile(p, Window::whole(p.n(), p.n()), TILE_LIMIT)
                .await?,
            scopes: desk.scopes(p, &fits, model.chance(self.similarity)).await?,
            fit: fits.fit,
            grid_fit: fits.grid_fit,
        };
        desk.computed(Computer::Cpu, begun, None);
        Ok(summary)
    }
}
