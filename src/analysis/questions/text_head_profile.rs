//! Diagonal means of a head over the texts of a run, beside those of its positional scores.

use super::prelude::*;
use crate::{
    analysis::{
        ScoreInput, SpecialTokenMode, TextProfile, TextRunId, TextValues, text::visible_fit,
    },
    math::{AttentionMask, DenseFit, Scores, attention_rows, sink_shares},
    model::PositionModel,
};

/// Profile of a head over the texts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TextHeadProfile {
    /// The model.
    pub of: ModelVersion,
    /// The run, whose texts must have passed the layers before.
    pub run: TextRunId,
    /// Layer from 0.
    pub layer: usize,
    /// Head from 0.
    pub head: usize,
    /// Values of which the means are taken.
    pub values: TextValues,
    /// Treatment of special tokens.
    pub special: SpecialTokenMode,
}

impl SingleAnswer for TextHeadProfile {
    type Answer = TextProfile;
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
    ) -> Result<TextProfile, Failure> {
        let session = context.session;
        let model = session.model(self.of).await?;
        let place = (self.layer, self.head);
        let mut fits = Vec::new();
        let mut weights_layer = 0;
        for text in session.text_runs.texts(self.of, self.run)? {
            let head = model.text_head(&text, place, self.values, context).await?;
            fits.push(visible_fit(&head, self.values, text.tokens(), self.special));
            weights_layer = text.layer(self.layer)?.1;
            context.pause().await;
        }
        let mut profile = TextProfile::from_fits(&fits);
        let of = HeadId {
            model: self.of,
            input: ScoreInput::Positions(ScoreMode::AsComputed),
            layer: weights_layer,
            head: self.head,
        };
        // Models whose positional scores cannot be computed from weights alone have no such line.
        let from_weights = session.head(of, context).await;
        let sinks = model.sinks(self.layer, context).await?;
        let cells = model
            .model()
            .map_or(AttentionMask::Whole, PositionModel::cells);
        profile.weights = from_weights.ok().map(|scores| {
            let n = fits
                .iter()
                .map(|fit| fit.f.n())
                .max()
                .unwrap_or(1)
                .min(scores.n());
            let scores = scores.leading_block(n);
            let f = match self.values {
                TextValues::Scores => scores.fit().f,
                TextValues::Attention => {
                    let mut rows = scores.rows(0..n);
                    attention_rows(rows.as_slice_mut().unwrap_or_default(), n, 0, cells);
                    if let (Some(sinks), Scores::Toeplitz(f)) = (&sinks, &scores) {
                        let sink = f64::from(sinks.scores[self.head]);
                        let shares = sink_shares(f, cells, None, sink);
                        for (mut row, share) in rows.rows_mut().into_iter().zip(shares) {
                            row *= (1.0 - share) as f32;
                        }
                    }
                    DenseFit::new(rows.view()).f
                }
            };
            let has_cells = |k: i64| cells == AttentionMask::Whole || k <= 0;
            let mean = |k: &i64| f.at(*k).filter(|_| has_cells(*k)).unwrap_or(f64::NAN);
            profile.offsets.iter().map(mean).collect()
        });
        Ok(profile)
    }
}
