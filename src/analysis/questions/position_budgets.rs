//! Shares of position, content and both in the scores of rotary heads.

use super::prelude::*;
use crate::{
    analysis::TextId,
    forward::{ForwardError, HeadMoments},
    math::AttentionMask,
    model::{Correction, PositionSource},
};

/// Words over which the scores of a budget vary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BudgetSource {
    /// Those of the vocabulary, in the first layer.
    #[default]
    Words,
    /// The tokens of a text, in every layer that it has passed: all but the first one and special ones.
    Text(TextId),
    /// None: states in all directions alike, in every layer. Then no offset is preferred on average, and position shows
    /// in what the rotation changes.
    Weights,
}

/// Shares of position, content and both in the variance of the scores of every head, layer by layer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PositionBudgets {
    /// The model.
    pub of: ModelVersion,
    /// Cells that count: with a causal mask, offsets up to 0.
    pub cells: AttentionMask,
    /// Words over which scores vary.
    pub source: BudgetSource,
}

/// Budget of a head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadBudget {
    /// Layer, from 0.
    pub layer: usize,
    /// Head of the layer, from 0.
    pub head: usize,
    /// Shares of position, content and both, which add up to 1; NaN if the scores do not vary.
    pub shares: [f64; 3],
    /// Number of words over which the shares are taken, and of all words; zeros without words.
    pub words: (u64, u64),
}

impl Question for PositionBudgets {
    list_answer!(HeadBudget);
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let model = context.session.model(self.of).await?;
        let (file, positions) = model.weights_and_model()?;
        let PositionSource::Rotary(rotary) = &positions.positions else {
            return Err(Failure::not_there(
                "Only rotary models have a budget of position and content by offset.",
            ));
        };
        let checkpoint = &file.checkpoint;
        let pass = model.score_pass().await?;
        let text_states = |text| context.session.text_runs.text(self.of, text);
        let layers = match self.source {
            BudgetSource::Words if positions.layers == 0 => {
                return Err(ForwardError::NoCenters { layer: 0 }.into());
            }
            BudgetSource::Words => 0..1,
            BudgetSource::Text(text) => 0..text_states(text)?.layers(),
            BudgetSource::Weights => 0..pass.layers(),
        };
        let pause = async || context.pause().await;
        let is_scaled = positions.choice().does(Correction::AngleScaling);
        for layer in layers {
            let weights = pass.read_scores(checkpoint, layer, &pause).await?;
            let progress = |_, _| context.progress(checkpoint.bytes_read(), checkpoint.size());
            let moments = match self.source {
                BudgetSource::Words => {
                    let is_exact = positions.choice().does(Correction::ExactWords);
                    let moments =
                        pass.read_moments(checkpoint, &weights, is_exact, progress, &pause);
                    moments.await?
                }
                BudgetSource::Text(text) => {
                    let states = text_states(text)?.states_of_means(layer)?;
                    HeadMoments::from_states(&weights, &states, &pause).await
                }
                BudgetSource::Weights => HeadMoments::isotropic(&weights),
            };
            let rotation = weights.rotary_heads().key_rotation(rotary.rows, is_scaled);
            for head in 0..weights.heads {
                let budget = moments.budget(&rotation, head, self.offsets(rotary.rows));
                context.send(&vec![HeadBudget {
                    layer,
                    head,
                    shares: budget.shares().unwrap_or([f64::NAN; 3]),
                    words: moments.words,
                }]);
                context.pause().await;
            }
        }
        Ok(())
    }
}

impl PositionBudgets {
    /// Offsets that count in a text of n tokens.
    fn offsets(&self, n: usize) -> impl Iterator<Item = i64> + use<> {
        let reach = n as i64 - 1;
        match self.cells {
            AttentionMask::Whole => -reach..=reach,
            AttentionMask::Causal => -reach..=0,
        }
    }
}
