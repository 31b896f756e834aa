//! Running a job that another worker has sent.

use crate::{
    analysis::{
        AnswerContext, AnyJob, Compute, Failure, ModelVersion, Question, ResponseSink, Urgency,
    },
    checkpoint::ByteSource,
};
use serde::{Deserialize, Serialize};

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

    async fn answer<L: ByteSource, C: Compute, R: ResponseSink>(
        self,
        context: &AnswerContext<'_, Self, L, C, R>,
    ) -> Result<(), Failure> {
        let broken = || Failure::ours("A part of this computation did not arrive whole.");
        let job = AnyJob::decode(&self.job).ok_or_else(broken)?;
        context.send_bytes(job.run(context).await?);
        Ok(())
    }
}
