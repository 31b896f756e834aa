//! The inner products of all pairs of positions at some distances.

use super::prelude::*;
use crate::{
    analysis::{DiagonalsOf, Similarity, diagonals::diagonals},
    math::{LowRank, Scores},
};

/// The inner products E_i·E_{i+d} by i, for each of some distances d.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiagonalCells {
    /// The table.
    pub of: DiagonalsOf,
    /// The distances; at most [`crate::analysis::MOST_DISTANCES`] are answered.
    pub distances: Vec<usize>,
}

impl SingleAnswer for DiagonalCells {
    type Answer = Vec<Vec<f64>>;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        match self.of {
            DiagonalsOf::Model(model) => Some(model),
            DiagonalsOf::Sinusoidal(_) => None,
        }
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Vec<Vec<f64>>, Failure> {
        let p = match self.of {
            DiagonalsOf::Sinusoidal(table) => Scores::Product(LowRank::gram(table.table()), None),
            DiagonalsOf::Model(model) => {
                let model = context.session.model(model).await?;
                model
                    .compare_positions(Similarity::InnerProduct, context)
                    .await?
                    .p
                    .clone()
            }
        };
        Ok(context.compute(ReadDiagonals(p, self.distances)).await)
    }
}

/// Reads every cell of some diagonals.
struct ReadDiagonals(Scores, Vec<usize>);

impl Job for ReadDiagonals {
    type Output = Vec<Vec<f64>>;

    async fn run(self, watch: &impl Progress) -> Vec<Vec<f64>> {
        diagonals(&self.0, &self.1, watch).await
    }
}
