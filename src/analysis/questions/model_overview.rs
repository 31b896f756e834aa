//! A model in short, to stand beside others.

use crate::{
    analysis::{
        Brief, Compute, Computer, Desk, Failure, Opened, Reply, Similarity, SingleAnswer, Urgency,
        compare::{BRIEF_LIMIT, autocorrelation},
    },
    checkpoint::ByteSource,
    math::Window,
};
use serde::{Deserialize, Serialize};

/// R² of a model's positions, their matrix in small, and how smooth its table is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelOverview {
    /// The model.
    pub of: Opened,
    /// How two positions are compared.
    pub similarity: Similarity,
}

impl SingleAnswer for ModelOverview {
    type Answer = Brief;
    const URGENCY: Urgency = Urgency::Later;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Brief, Failure> {
        let model = desk.session.model(self.of).await?;
        let compared = model.compared(self.similarity, desk).await?;
        let (p, table) = (&compared.p, model.positions().rows());
        let begun = desk.now();
        desk.expect_parts(p);
        // Before the fits, which hold as many numbers as the table, so that both are never held at once.
        let autocorrelation = autocorrelation(table.as_deref());
        let fits = p.fits(&p.plans());
        let brief = Brief {
            scopes: desk.scopes(p, &fits, model.chance(self.similarity)).await?,
            fit: fits.fit,
            tile: p.tile(Window::whole(p.n(), p.n()), BRIEF_LIMIT),
            autocorrelation,
        };
        desk.computed(Computer::Cpu, begun, None);
        Ok(brief)
    }
}
