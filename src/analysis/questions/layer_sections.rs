//! Sections through the scores of every head of a layer, at short offsets.

use super::prelude::*;
use crate::{
    analysis::{ScoreInput, head::section_queries, project_layer::HeadRange},
    math::{AttentionMask, Scores, SoftmaxR2},
};
use futures_util::TryStreamExt;

/// Sections of a layer's heads show offsets up to this one, on either side.
pub const SECTION_REACH: usize = 30;

/// Sections through the scores of the heads of a layer (TISA paper, Figs. 3, 6 and 7): rows of the matrix and the mean of
/// each diagonal, at offsets up to [`SECTION_REACH`]. A chunk holds some heads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerSections {
    /// The model.
    pub of: ModelVersion,
    /// Input of the scores.
    pub input: ScoreInput,
    /// The layer, from 0.
    pub layer: usize,
}

/// Scores of a head at short offsets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShortSections {
    /// Head of the layer, from 0.
    pub head: usize,
    /// Toeplitz R² of the whole matrix; in two dimensions if positions are patches of an image.
    pub r2: f64,
    /// Toeplitz R² over the cells j ≤ i.
    pub causal_r2: f64,
    /// R² after each row's mean, which softmax ignores, is subtracted; `None` if scores depend on the offset alone.
    pub softmax_r2: Option<SoftmaxR2>,
    /// Means f(k) of the diagonals, at offsets from −reach to reach. Their number is odd.
    pub means: Vec<f64>,
    /// The rows at [`crate::analysis::SECTION_FRACTIONS`].
    pub rows: Vec<ShortRow>,
}

/// Scores of a query for the keys near it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShortRow {
    /// The query position.
    pub query: usize,
    /// Offset of the first score.
    pub first: i64,
    /// Scores at consecutive offsets.
    pub scores: Vec<f32>,
}

impl Question for LayerSections {
    list_answer!(ShortSections);
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let (model, input) = (context.session.model_with_input(self.of, self.input)).await?;
        let (layers, _) = model.some_heads(&input)?;
        let layer = self.layer;
        if layer >= layers {
            return Err(Failure::no_such_head(HeadId {
                model: self.of,
                input: self.input,
                layer,
                head: 0,
            }));
        }
        let parts = model.heads_in_parts(&input, layer..layer + 1, context);
        context.send_each(parts.map_ok(CutSections)).await
    }
}

/// Forms some heads of a layer if necessary, and cuts sections out of their scores.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct CutSections(HeadRange);

impl PortableJob for CutSections {
    type Output = Vec<ShortSections>;

    async fn run(self, watch: &impl Progress) -> Result<Vec<ShortSections>, LoadError> {
        let mut sections = Vec::new();
        for (head, scores) in self.0.scores() {
            watch.pause().await;
            sections.push(ShortSections::new(&scores, head));
        }
        Ok(sections)
    }
}

impl ShortSections {
    fn new(scores: &Scores, head: usize) -> Self {
        let n = scores.n();
        let queries = section_queries(n);
        // Every offset is in one of the rows: lower ones in the last row, higher ones in the first.
        let covered = queries[queries.len() - 1].min(n.saturating_sub(1 + queries[0]));
        let reach = SECTION_REACH.min(covered);
        let fits = scores.fits(&scores.plans());
        let rows = queries.map(|query| {
            let keys = query.saturating_sub(reach)..(query + reach + 1).min(n);
            let row = scores.rows(query..query + 1);
            ShortRow {
                query,
                first: keys.start as i64 - query as i64,
                scores: row
                    .iter()
                    .copied()
                    .skip(keys.start)
                    .take(keys.len())
                    .collect(),
            }
        });
        let reach = reach as i64;
        let means = (-reach..=reach).map(|k| fits.fit.f.at(k).unwrap_or(f64::NAN));
        Self {
            head,
            r2: fits.grid_fit.as_ref().map_or(fits.fit.r2, |fit| fit.r2),
            causal_r2: fits.causal_r2(),
            softmax_r2: fits.softmax_r2(),
            means: means.collect(),
            rows: rows.into(),
        }
    }

    /// The greatest offset.
    #[must_use]
    pub fn reach(&self) -> i64 {
        self.means.len() as i64 / 2
    }

    /// Toeplitz R² under a mask.
    #[must_use]
    pub fn r2_over(&self, cells: AttentionMask) -> f64 {
        match cells {
            AttentionMask::Whole => self.r2,
            AttentionMask::Causal => self.causal_r2,
        }
    }

    /// The mean f(k) at an offset; `None` beyond [`Self::reach`].
    #[must_use]
    pub fn mean_at(&self, k: i64) -> Option<f64> {
        let at = usize::try_from(k + self.reach()).ok()?;
        self.means.get(at).copied()
    }
}
