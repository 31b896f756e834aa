//! What kernels do to where a head looks (TISA paper, eq. 4a without content).

use crate::{
    analysis::{
        AttentionLook, Compute, Desk, Failure, HeadId, MixedAttention, Opened, Reply, SingleAnswer,
        Urgency, Watch, attention_look::LookSums, compute::Job, session::ROWS_AT_ONCE,
    },
    checkpoint::ByteSource,
    encoding::Kernels,
    math::{Cells, Scores, Window, cut},
};
use serde::{Deserialize, Serialize};

/// Where a head looks, where kernels look alone, and where both look together: softmax of `F̂_P`, of `F_P`, and of
/// their sum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionLooks {
    /// The head.
    pub of: HeadId,
    /// What is added.
    pub kernels: Kernels,
    /// How many positions.
    pub n: usize,
    /// Which cells count.
    pub cells: Cells,
}

/// The answer to [`AttentionLooks`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Looks {
    /// The head by itself: before.
    pub head: AttentionLook,
    /// The kernels by themselves.
    pub kernels: AttentionLook,
    /// Both added: after.
    pub together: AttentionLook,
}

impl SingleAnswer for AttentionLooks {
    type Answer = Looks;
    const URGENCY: Urgency = Urgency::Soon;

    fn about(&self) -> Option<Opened> {
        Some(self.of.model)
    }

    fn succeeds(&self, earlier: &Self) -> bool {
        self.of == earlier.of
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Looks, Failure> {
        let scores = desk.session.head(self.of, desk).await?;
        let n = self.n.clamp(1, scores.n());
        let head = scores.leading(n);
        let alone = Scores::Toeplitz(self.kernels.scores(n));
        let nothing = Kernels::default();
        let of = async |scores: &Scores, kernels: &Kernels| {
            let job = Look {
                scores: scores.clone(),
                attention: MixedAttention::new(kernels, n, self.cells, Window::whole(n, n), 1),
                sums: LookSums::new(n, self.cells),
            };
            desk.compute(job).await
        };
        Ok(Looks {
            head: of(&head, &nothing).await,
            kernels: of(&alone, &nothing).await,
            together: of(&head, &self.kernels).await,
        })
    }
}

/// Forms the attention map a few rows at a time.
struct Look {
    scores: Scores,
    attention: MixedAttention,
    sums: LookSums,
}

impl Job for Look {
    type Output = AttentionLook;

    async fn run(mut self, watch: &impl Watch) -> AttentionLook {
        for queries in cut(&(0..self.scores.n()), ROWS_AT_ONCE) {
            let rows = self.scores.rows(queries.clone());
            let mut rows = rows.into_raw_vec_and_offset().0;
            self.attention.attend(queries.clone(), &mut rows);
            self.sums.add(queries, &rows);
            watch.pause().await;
        }
        self.sums.finish()
    }
}
