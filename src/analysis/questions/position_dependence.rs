//! Attention of a head by offset for several words at its positions.

use super::prelude::*;
use crate::{
    analysis::{
        AttentionStats, HeadWords, ScoreInput, attention_stats::attention_of_scores,
        project_layer::ProjectLayer,
    },
    math::AttentionMask,
    model::LayerScores,
};
use std::rc::Rc;

/// Number of draws of random words.
pub const WORD_DRAWS: u32 = 20;

/// Attention by offset of a head for the mean word, for [`WORD_DRAWS`] draws of random words, and for the words of a
/// text, at the first [`crate::analysis::MOST_WORD_POSITIONS`] positions. The mode of the scores decides about norms and
/// biases. A head whose scores depend on the offset alone has one line, under the mean word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionDependence {
    /// The head, by its positions.
    pub of: HeadId,
    /// Words of a text as rows of the word table; none without a text.
    pub text: Vec<u32>,
    /// Mask of the attention.
    pub cells: AttentionMask,
}

/// Attention by offset for some words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WordAttention {
    /// The words.
    pub words: HeadWords,
    /// Attention by offset, averaged over the queries.
    pub stats: AttentionStats,
}

impl Question for PositionDependence {
    type Chunk = Vec<WordAttention>;
    type Answer = Vec<WordAttention>;
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    fn fold(so_far: Option<Self::Answer>, piece: Self::Chunk) -> Self::Answer {
        append(so_far, piece)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let model = context.session.model(self.of.model).await?;
        let seam = model.breaks().main_seam();
        let seam = seam.map(|seam| seam.first_behind);
        let of = self.of;
        let (_, opened) = model.weights_and_model()?;
        let mode = match of.input {
            ScoreInput::Positions(mode) if opened.added_table().is_some() => mode,
            _ => {
                let scores = context.session.head(of, context).await?;
                let stats = attention_of_scores(&scores, self.cells, None, context).await;
                let words = HeadWords::Mean;
                context.send(&vec![WordAttention { words, stats }]);
                return Ok(());
            }
        };
        let positions = model.word_positions(of, context).await?;
        let table = positions.table.mapv(f64::from);
        let weights = model.weights(of.layer, context).await?;
        let layout = opened.head_layout();
        let mut contents = vec![HeadWords::Mean];
        if opened.has_words() {
            contents.extend((!self.text.is_empty()).then_some(HeadWords::Ids(self.text)));
            contents.extend((1..=WORD_DRAWS).map(HeadWords::Random));
        }
        for words in contents {
            // A text is as long as it is; other words stand at every position.
            let n = match &words {
                HeadWords::Ids(ids) => ids.len().min(table.nrows()),
                _ => table.nrows(),
            };
            let rows = model.word_rows(&words, (n, table.ncols()), context).await?;
            let sums = rows + table.slice(ndarray::s![..n, ..]);
            let layer = ProjectLayer {
                states: Rc::new(positions.inputs.states(sums, mode)),
                weights: Rc::clone(&weights),
                layout,
            };
            let head = layer.of_heads(of.head..of.head + 1).here();
            let scores = LayerScores::Products(head).head(0);
            context.pause().await;
            let stats = attention_of_scores(&scores, self.cells, seam, context).await;
            context.send(&vec![WordAttention { words, stats }]);
            context.pause().await;
        }
        Ok(())
    }
}
