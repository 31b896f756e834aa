//! Similarity of positions, and how far it depends on their distance alone.

use super::prelude::*;
use crate::{
    analysis::{Device, PositionSummary, Similarity, TILE_LIMIT},
    math::Window,
};

/// R², profile and first tile of the position table, or of its equivalent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionOverview {
    /// The model.
    pub of: ModelVersion,
    /// Similarity measure.
    pub similarity: Similarity,
}

impl SingleAnswer for PositionOverview {
    type Answer = PositionSummary;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<PositionSummary, Failure> {
        let model = context.session.model(self.of).await?;
        let compared = model.compare_positions(self.similarity, context).await?;
        let p = &compared.p;
        let start = context.now();
        context.expect_parts(p);
        let fits = p.fits(&p.plans());
        compared.keep(&fits.fit);
        let summary = PositionSummary {
            tile: context
                .tile(p, Window::whole(p.n(), p.n()), TILE_LIMIT)
                .await?,
            scopes: context
                .scopes(p, &fits, model.chance(self.similarity), model.breaks())
                .await?,
            fit: fits.fit,
            grid_fit: fits.grid_fit,
        };
        context.report(Device::Cpu, start, None);
        Ok(summary)
    }
}
