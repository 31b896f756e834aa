//! Terms of a head's scores by word and position.

use super::prelude::*;
use crate::{
    analysis::{
        HeadTerms, HeadWords, ScoreInput, TermSet, TermWeight,
        head_terms::{WeighedTerms, weigh},
        head_words::WordPositions,
        loaded_model::LoadedModel,
        model_cache::CacheKey,
    },
    checkpoint::Weights,
    forward::{ScoreParts, ScoreWeights},
    math::AttentionMask,
    model::HeadLayout,
};
use ndarray::Array2;

/// Terms of the scores of a head whose layer reads the sum of words and positions, at the first
/// [`crate::analysis::MOST_WORD_POSITIONS`] positions. A head of a later layer reads that sum, too, as in the other
/// figures of scores from weights alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreTerms {
    /// The head, by its positions; the mode decides about norms and biases.
    pub of: HeadId,
    /// Words at the positions.
    pub words: HeadWords,
    /// Terms that are added up.
    pub summands: TermSet,
    /// Mask of the scores.
    pub cells: AttentionMask,
}

impl SingleAnswer for ScoreTerms {
    type Answer = HeadTerms;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    fn replaces(&self, earlier: &Self) -> bool {
        self.of == earlier.of
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<HeadTerms, Failure> {
        let model = context.session.model(self.of.model).await?;
        let key = OfTerms {
            layer: self.of.layer,
            head: self.of.head,
            input: self.of.input,
            words: self.words.clone(),
            cells: self.cells,
        };
        let make = async {
            let positions = model.word_positions(self.of, context).await?;
            let parts = form_parts(&model, self.of, &positions, &self.words, context).await?;
            context.pause().await;
            Ok::<_, Failure>(WeighedTerms::new(parts, self.cells))
        };
        let terms = model.cache.get_only(key, Box::pin(make)).await?;
        Ok(terms.add(self.summands))
    }
}

/// The terms that were asked for last, so that a term is switched without forming all of them again. At 512 positions they
/// are 1.6 million numbers.
#[derive(Clone, PartialEq)]
struct OfTerms {
    layer: usize,
    head: usize,
    input: ScoreInput,
    words: HeadWords,
    cells: AttentionMask,
}

impl CacheKey for OfTerms {
    type Value = WeighedTerms;

    fn numbers(value: &WeighedTerms) -> usize {
        value.numbers()
    }
}

/// Weights of the terms of a head for random words, one draw after the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TermDraws {
    /// The head, by its positions.
    pub of: HeadId,
    /// Number of draws, by the seeds 1, 2, ….
    pub draws: u32,
    /// Mask of the scores.
    pub cells: AttentionMask,
}

impl Question for TermDraws {
    // An item has the weights of one draw.
    list_answer!(Vec<TermWeight>);
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let model = context.session.model(self.of.model).await?;
        let positions = model.word_positions(self.of, context).await?;
        for seed in 1..=self.draws {
            let words = HeadWords::Random(seed);
            let parts = form_parts(&model, self.of, &positions, &words, context).await?;
            context.pause().await;
            context.send(&vec![weigh(&parts, self.cells)]);
            context.pause().await;
        }
        Ok(())
    }
}

/// Forms the terms of a head, [n, n] each, in the order of [`crate::analysis::ScorePart::ALL`].
async fn form_parts<W: Weights>(
    model: &LoadedModel<W>,
    of: HeadId,
    WordPositions { table, inputs }: &WordPositions,
    words: &HeadWords,
    watch: &impl Progress,
) -> Result<[Array2<f32>; 5], Failure> {
    let ScoreInput::Positions(mode) = of.input else {
        return Err(Failure::not_there(
            "The terms of a head over a text are in the text view.",
        ));
    };
    let (_, opened) = model.weights_and_model()?;
    let layout = opened.head_layout();
    let layer = model.weights(of.layer, watch).await?;
    let layer = layer.of_heads(of.head..of.head + 1, layout.heads);
    let layout = HeadLayout { heads: 1, ..layout };
    let weights = ScoreWeights::from_layer(&layer, layout, inputs, mode);
    let words = model.word_rows(words, table.dim(), watch).await?;
    let words = words.mapv(|value| value as f32);
    let steps = inputs.steps_of(mode);
    let parts = ScoreParts::from_table(&weights, words, table.clone(), &steps);
    Ok(parts.head(0))
}
