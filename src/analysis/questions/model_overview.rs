//! Summary of a model for the comparison of several.

use super::prelude::*;
use crate::{
    analysis::{
        Brief, Device, Similarity,
        compare::{BRIEF_LIMIT, autocorrelation},
    },
    math::{TableBreaks, Window},
};

/// R² of a model's positions, their matrix as block means, and the smoothness of its table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelOverview {
    /// The model.
    pub of: ModelVersion,
    /// Similarity measure.
    pub similarity: Similarity,
}

impl SingleAnswer for ModelOverview {
    type Answer = Brief;
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<Brief, Failure> {
        let model = context.session.model(self.of).await?;
        let compared = model.compare_positions(self.similarity, context).await?;
        let (p, table) = (&compared.p, model.positions().rows());
        let start = context.now();
        context.expect_parts(p);
        // Computed before the fits, which hold as many numbers as the table, so that both are never in memory at once.
        let autocorrelation = autocorrelation(table.as_deref());
        let fits = p.fits(&p.plans());
        let brief = Brief {
            scopes: context
                .scopes(
                    p,
                    &fits,
                    model.chance(self.similarity),
                    &TableBreaks::default(),
                )
                .await?,
            fit: fits.fit,
            tile: p.tile(Window::whole(p.n(), p.n()), BRIEF_LIMIT),
            autocorrelation,
        };
        context.report(Device::Cpu, start, None);
        Ok(brief)
    }
}
