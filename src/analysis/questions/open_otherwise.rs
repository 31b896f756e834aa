//! A model looked at with another choice: other positions of it, another number of heads, another correction.

use crate::{
    analysis::{Compute, Desk, Failure, Opened, Opening, Reply, SingleAnswer, Urgency},
    checkpoint::ByteSource,
    model::Choice,
};
use serde::{Deserialize, Serialize};

/// Looks at an open file, or one that waits for a choice, in another way. What was open under its number stays
/// until this succeeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenOtherwise {
    /// What it will be known as.
    pub opened: Opened,
    /// How it is looked at.
    pub choice: Choice,
}

impl SingleAnswer for OpenOtherwise {
    type Answer = Opening;
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        Some(self.opened)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Opening, Failure> {
        let session = desk.session;
        let gate = session.gate(self.opened.id);
        let _alone = gate.lock().await;
        let file = session.files.borrow().get(&self.opened.id).cloned();
        let file = file.ok_or_else(Failure::closed)?;
        session
            .open_file(self.opened, file, &self.choice, desk)
            .await
    }
}
