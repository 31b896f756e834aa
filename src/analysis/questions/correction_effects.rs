//! What each correction that can be switched does to R².

use crate::{
    analysis::{Compute, Desk, Effect, Failure, Opened, Reply, SingleAnswer, Urgency},
    checkpoint::ByteSource,
};
use serde::{Deserialize, Serialize};

/// R² with and without each correction, everything else as chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorrectionEffects {
    /// The model.
    pub of: Opened,
}

impl SingleAnswer for CorrectionEffects {
    type Answer = Vec<Effect>;
    const URGENCY: Urgency = Urgency::Soon;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Vec<Effect>, Failure> {
        let model = desk.session.model(self.of).await?;
        model.effects(desk).await
    }
}
