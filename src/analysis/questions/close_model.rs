//! A model is closed.

use crate::{
    analysis::{Compute, Desk, Failure, ModelId, Opened, Reply, SingleAnswer, Urgency},
    checkpoint::ByteSource,
};
use serde::{Deserialize, Serialize};

/// Closes a model and lets go of its files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CloseModel {
    /// Which model.
    pub id: ModelId,
}

impl SingleAnswer for CloseModel {
    type Answer = ();
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        None
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<(), Failure> {
        desk.session.close(self.id);
        Ok(())
    }
}
