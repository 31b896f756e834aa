//! Running a job that another worker has sent.

use super::{AnyJob, prelude::*};

/// Runs a [`PortableJob`](crate::analysis::PortableJob). The output is sent as bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunJob {
    /// An encoded [`AnyJob`].
    #[serde(with = "serde_bytes")]
    pub job: Vec<u8>,
}

impl Question for RunJob {
    type Chunk = ();
    type Answer = ();
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        None
    }

    fn fold(_: Option<()>, (): ()) {}

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let broken = || Failure::ours("A part of this computation did not arrive whole.");
        let job = AnyJob::decode(&self.job).ok_or_else(broken)?;
        context.send_bytes(job.run(context).await?);
        Ok(())
    }
}
