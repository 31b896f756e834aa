//! A model is closed.

use crate::{
    analysis::{Compute, Desk, Failure, ModelId, Opened, Question, Reply, Urgency},
    checkpoint::{ByteSource, Fetch},
};
use serde::{Deserialize, Serialize};

/// Closes a model and lets go of its files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CloseModel {
    /// Which model.
    pub id: ModelId,
}

impl Question for CloseModel {
    type Piece = ();
    type Answer = ();
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        None
    }

    fn collect(so_far: Option<Self::Answer>, piece: Self::Piece) -> Self::Answer {
        super::only(so_far, piece);
    }

    async fn answer<L: ByteSource, F: Fetch, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, F, C, R>,
    ) -> Result<(), Failure> {
        desk.session.close(self.id);
        desk.send(&());
        Ok(())
    }
}
