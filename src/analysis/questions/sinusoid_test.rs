//! Test whether a position table is learned or sinusoidal.

use super::prelude::*;
use crate::analysis::{
    SinusoidEvidence,
    reading::no_wave_table,
    waves::{SinusoidSearch, finish_sinusoid_search, start_sinusoid_search, step_sinusoid_search},
};

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

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Result<SinusoidEvidence, String>, Failure> {
        let model = context.session.model(self.of).await?;
        let rows = model.positions().rows().ok_or_else(no_wave_table)?;
        let search = match start_sinusoid_search(rows.view()).await? {
            Ok(search) => search,
            // A table without anything to test is an answer, not a failure.
            Err(why) => return Ok(Err(why.to_string())),
        };
        Ok(Ok(context.compute(Test(search)).await?))
    }
}

/// Runs the whole test.
struct Test(SinusoidSearch);

impl Job for Test {
    type Output = Result<SinusoidEvidence, LoadError>;

    async fn run(mut self, watch: &impl Progress) -> Self::Output {
        while step_sinusoid_search(&mut self.0).await? {
            watch.pause().await;
        }
        finish_sinusoid_search(self.0).await
    }
}
