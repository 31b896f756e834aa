//! Attention of a head by offset for several words at its positions.

use super::prelude::*;
use crate::{
    analysis::{
        AttentionStats, HeadWords, ScoreInput, attention_stats::attention_of_scores,
        project_layer::ProjectLayer,
    },
    math::AttentionMask,
    model::{HeadLayout, LayerScores},
};
use futures_util::{StreamExt, stream};
use ndarray::s;
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
    list_answer!(WordAttention);
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
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
        let layout = opened.head_layout();
        let weights = model.weights(of.layer, context).await?;
        let weights = Rc::new(weights.of_heads(of.head..of.head + 1, layout.heads));
        let layout = HeadLayout { heads: 1, ..layout };
        let mut contents = vec![HeadWords::Mean];
        if opened.has_words() {
            contents.extend((!self.text.is_empty()).then_some(HeadWords::Ids(self.text)));
            contents.extend((1..=WORD_DRAWS).map(HeadWords::Random));
        }
        let (model, table, inputs, weights) = (&model, &table, &positions.inputs, &weights);
        let jobs = stream::iter(&contents).then(|words| async move {
            // A text is as long as it is; other words stand at every position.
            let n = match words {
                HeadWords::Ids(ids) => ids.len().min(table.nrows()),
                _ => table.nrows(),
            };
            let rows = model.word_rows(words, (n, table.ncols()), context).await?;
            let sums = rows + table.slice(s![..n, ..]);
            context.pause().await;
            let head = ProjectLayer {
                states: Rc::new(inputs.states(sums, mode)),
                weights: Rc::clone(weights),
                layout,
            };
            Ok(AttendToWords {
                head,
                cells: self.cells,
                seam,
            })
        });
        let mut answers = context.spread(jobs).zip(stream::iter(contents.clone()));
        while let Some((stats, words)) = answers.next().await {
            context.send(&vec![WordAttention {
                words,
                stats: stats?,
            }]);
        }
        Ok(())
    }
}

/// Forms the queries and keys of a head for some words, and computes its attention by offset.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct AttendToWords {
    head: ProjectLayer,
    cells: AttentionMask,
    /// First query behind the table's seam.
    seam: Option<usize>,
}

impl PortableJob for AttendToWords {
    type Output = AttentionStats;

    async fn run(self, watch: &impl Progress) -> Result<AttentionStats, LoadError> {
        let scores = LayerScores::Products(self.head.here()).head(0);
        watch.pause().await;
        Ok(attention_of_scores(&scores, self.cells, self.seam, watch).await)
    }
}
