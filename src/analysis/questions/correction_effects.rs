//! What each correction that can be switched does to R².

use crate::{
    analysis::{Compute, Desk, Effect, Failure, Opened, Question, Reply, Urgency},
    checkpoint::{ByteSource, Fetch},
};
use serde::{Deserialize, Serialize};

/// R² with and without each correction, everything else as chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorrectionEffects {
    /// The model.
    pub of: Opened,
}

impl Question for CorrectionEffects {
    type Piece = Vec<Effect>;
    type Answer = Vec<Effect>;
    const URGENCY: Urgency = Urgency::Soon;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    fn collect(so_far: Option<Self::Answer>, piece: Self::Piece) -> Self::Answer {
        super::only(so_far, piece)
    }

    async fn answer<L: ByteSource, F: Fetch, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, F, C, R>,
    ) -> Result<(), Failure> {
        let model = desk.session.model(self.of).await?;
        let effects = model.effects(desk).await?;
        desk.send(&effects);
        Ok(())
    }
}
