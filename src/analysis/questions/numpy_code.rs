//! Python code that reads a model.

use super::prelude::*;
use crate::numpy_model::NumpyModel;

/// The Python code with which NumPy programs read a model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NumpyCode {
    /// The model.
    pub of: ModelVersion,
}

impl SingleAnswer for NumpyCode {
    /// A sentence where programs cannot read the model.
    type Answer = Result<NumpyModel, String>;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Self::Answer, Failure> {
        let model = context.session.model(self.of).await?;
        let (file, positions) = model.weights_and_model()?;
        Ok(NumpyModel::write(positions, &file.checkpoint).await)
    }
}
