//! Test whether a position table is learned or sinusoidal.

use crate::{
    analysis::{
        AnswerContext, Compute, Failure, ModelVersion, Progress, ResponseSink, SingleAnswer,
        SinusoidEvidence, SinusoidSearch, Urgency, compute::Job, reading::no_wave_table,
    },
    checkpoint::ByteSource,
};
use serde::{Deserialize, Serialize};

/// Share of the table that a few sinusoids explain, and its distance from every computed layout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SinusoidTest {
    /// The model.
    pub of: ModelVersion,
}

impl SingleAnswer for SinusoidTest {
    type Answer = Result<SinusoidEvidence, String>;
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<L: ByteSource, C: Compute, R: ResponseSink>(
        self,
        context: &AnswerContext<'_, Self, L, C, R>,
    ) -> Result<Result<SinusoidEvidence, String>, Failure> {
        let model = context.session.model(self.of).await?;
        let rows = model.positions().rows().ok_or_else(no_wave_table)?;
        let waves = (context.session.lazy_parts.waves)().await?;
        let search = match waves.sinusoids(rows.view()) {
            Ok(search) => search,
            // A table without anything to test is an answer, not a failure.
            Err(why) => return Ok(Err(why.to_string())),
        };
        Ok(Ok(context.compute(Test(search)).await))
    }
}

/// Runs the whole test.
struct Test(Box<dyn SinusoidSearch>);

impl Job for Test {
    type Output = SinusoidEvidence;

    async fn run(mut self, watch: &impl Progress) -> SinusoidEvidence {
        while self.0.step() {
            watch.pause().await;
        }
        self.0.finish()
    }
}
