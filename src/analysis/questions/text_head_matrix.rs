//! Map of a head over a text.

use super::prelude::*;
use crate::analysis::{MatrixPart, SpecialTokenMode, TextId, TextMatrix, TextValues};

/// Scores or attention of a head over a text, or their Toeplitz part or residual.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TextHeadMatrix {
    /// The model.
    pub of: ModelVersion,
    /// The text, which must have passed the layers before.
    pub text: TextId,
    /// Layer from 0.
    pub layer: usize,
    /// Head from 0.
    pub head: usize,
    /// Values of the map.
    pub values: TextValues,
    /// Part of the values.
    pub part: MatrixPart,
    /// Treatment of special tokens.
    pub special: SpecialTokenMode,
}

impl SingleAnswer for TextHeadMatrix {
    type Answer = TextMatrix;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    fn replaces(&self, earlier: &Self) -> bool {
        self.of == earlier.of
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<TextMatrix, Failure> {
        let text = context.session.text_runs.text(self.of, self.text)?;
        let model = context.session.model(self.of).await?;
        let place = (self.layer, self.head);
        let head = model.text_head(&text, place, self.values, context).await?;
        let tokens = text.tokens();
        let Self {
            values,
            part,
            special,
            ..
        } = self;
        Ok(TextMatrix::new(
            head.cells.view(),
            values,
            part,
            tokens,
            special,
            head.window,
        ))
    }
}
