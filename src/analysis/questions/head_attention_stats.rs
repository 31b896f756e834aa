//! Average attention of a head by offset, alone or with kernels added (TISA paper, eq. 4a without content).

use super::prelude::*;
use crate::{
    analysis::{
        AttentionStats, MixedAttention, attention_stats::AttentionStatsBuilder,
        progress::ROWS_AT_ONCE,
    },
    encoding::Kernels,
    math::{AttentionMask, Scores, attention_rows, cut},
};

/// Statistics of softmax(F̂_P + `F_P`); without kernels, those of the head alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadAttentionStats {
    /// The head.
    pub of: HeadId,
    /// Kernels added to the scores; none leaves the scores unchanged.
    pub kernels: Kernels,
    /// Number of positions, at most that of the head.
    pub n: usize,
    /// Mask of the attention.
    pub cells: AttentionMask,
}

impl SingleAnswer for HeadAttentionStats {
    type Answer = AttentionStats;
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
    ) -> Result<AttentionStats, Failure> {
        let scores = context.session.head(self.of, context).await?;
        let model = context.session.model(self.of.model).await?;
        let seam = model.breaks().main_seam();
        let seam = seam.map(|seam| seam.first_behind);
        let n = self.n.clamp(1, scores.n());
        let look = Look {
            scores: scores.leading_block(n),
            attention: MixedAttention::new(&self.kernels, n, self.cells),
            sums: AttentionStatsBuilder::new(n, self.cells, seam),
            cells: self.cells,
        };
        Ok(context.compute(look).await)
    }
}

/// Forms the attention map a few rows at a time, and sums it.
struct Look {
    scores: Scores,
    attention: MixedAttention,
    sums: AttentionStatsBuilder,
    cells: AttentionMask,
}

impl Job for Look {
    type Output = AttentionStats;

    async fn run(mut self, watch: &impl Progress) -> AttentionStats {
        let n = self.scores.n();
        for queries in cut(&(0..n), ROWS_AT_ONCE) {
            let rows = self.scores.rows(queries.clone());
            let mut scores = rows.into_raw_vec_and_offset().0;
            self.attention.add_kernels(queries.clone(), &mut scores);
            let mut attention = scores.clone();
            attention_rows(&mut attention, n, queries.start, self.cells);
            self.sums.add(queries, &scores, &attention);
            watch.pause().await;
        }
        self.sums.finish()
    }
}
