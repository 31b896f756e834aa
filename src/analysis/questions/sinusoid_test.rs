//! Learned or sinusoidal?

use crate::{
    analysis::{
        Compute, Desk, Failure, Opened, Reply, SingleAnswer, SinusoidEvidence, SinusoidSearch,
        Urgency, Watch, compute::Job, reading::no_wave_table,
    },
    checkpoint::ByteSource,
};
use serde::{Deserialize, Serialize};

/// How much of the table a few sinusoids explain, and how far it is from every computed layout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SinusoidTest {
    /// The model.
    pub of: Opened,
}

impl SingleAnswer for SinusoidTest {
    type Answer = Result<SinusoidEvidence, String>;
    const URGENCY: Urgency = Urgency::Later;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Result<SinusoidEvidence, String>, Failure> {
        let model = desk.session.model(self.of).await?;
        let rows = model.positions().rows().ok_or_else(no_wave_table)?;
        let waves = (desk.session.late.waves)().await?;
        let search = match waves.sinusoids(rows.view()) {
            Ok(search) => search,
            // That there is nothing to test is an answer about the table: nothing has gone wrong.
            Err(why) => return Ok(Err(why.to_string())),
        };
        Ok(Ok(desk.compute(Test(search)).await))
    }
}

/// The whole test.
struct Test(Box<dyn SinusoidSearch>);

impl Job for Test {
    type Output = SinusoidEvidence;

    async fn run(mut self, watch: &impl Watch) -> SinusoidEvidence {
        while self.0.step() {
            watch.pause().await;
        }
        self.0.finish()
    }
}
