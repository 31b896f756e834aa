//! What comes out of a job that another worker has sent?

use crate::{
    analysis::{AnyJob, Compute, Desk, Failure, Opened, Question, Reply, Urgency},
    checkpoint::ByteSource,
};
use serde::{Deserialize, Serialize};

/// Runs a [`PortableJob`](crate::analysis::PortableJob). What comes out is said as bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunJob {
    /// An encoded [`AnyJob`].
    #[serde(with = "serde_bytes")]
    pub job: Vec<u8>,
}

impl Question for RunJob {
    type Piece = ();
    type Answer = ();
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        None
    }

    fn collect(_: Option<()>, (): ()) {}

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<(), Failure> {
        let broken = || Failure::ours("A part of this computation did not arrive whole.");
        let job = AnyJob::decode(&self.job).ok_or_else(broken)?;
        desk.send_bytes(job.run(&desk.session.late, desk).await?);
        Ok(())
    }
}
