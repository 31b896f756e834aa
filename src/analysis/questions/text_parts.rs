//! Shares of content and position in the scores of the first layer over a text.

use super::prelude::*;
use crate::analysis::{
    MatrixPart, PartShare, ScorePart, SpecialTokenMode, TextId, TextMatrix, TextValues,
    text::part_shares,
};

/// Shares of the parts of the scores of every head of the first layer, in the order of [`ScorePart::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TextPartShares {
    /// The model.
    pub of: ModelVersion,
    /// The text.
    pub text: TextId,
}

impl Question for TextPartShares {
    list_answer!(PartShare);
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let session = context.session;
        let text = session.text_runs.text(self.of, self.text)?;
        let model = session.model(self.of).await?;
        let first = model.first_text_layer(&text, context).await?;
        let parts = first.parts()?;
        for head in 0..parts.heads() {
            let place = (0, head);
            let shares = part_shares(place, text.tokens(), parts.head(head), first.window());
            context.send(&shares);
            context.pause().await;
        }
        Ok(())
    }
}

/// A part of a head's scores in the first layer over a text, as a map.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TextPartMatrix {
    /// The model.
    pub of: ModelVersion,
    /// The text.
    pub text: TextId,
    /// Head of the first layer, from 0.
    pub head: usize,
    /// The part.
    pub part: ScorePart,
    /// Treatment of special tokens.
    pub special: SpecialTokenMode,
}

impl SingleAnswer for TextPartMatrix {
    type Answer = TextMatrix;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    fn replaces(&self, earlier: &Self) -> bool {
        (self.of, self.text, self.part) == (earlier.of, earlier.text, earlier.part)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<TextMatrix, Failure> {
        let session = context.session;
        let text = session.text_runs.text(self.of, self.text)?;
        let model = session.model(self.of).await?;
        let first = model.first_text_layer(&text, context).await?;
        let parts = first.parts()?;
        if self.head >= parts.heads() {
            return Err(Failure::not_there(format!(
                "The first layer has {} heads, so there is no head {}.",
                parts.heads(),
                self.head + 1
            )));
        }
        context.pause().await;
        let cells = &parts.head(self.head)[self.part as usize];
        Ok(TextMatrix::new(
            cells.view(),
            TextValues::Scores,
            MatrixPart::Whole,
            text.tokens(),
            self.special,
            first.window(),
        ))
    }
}
