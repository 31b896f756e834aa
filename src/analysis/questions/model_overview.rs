//! A model in short, to stand beside others.

use crate::{
    analysis::{
        Brief, Compute, Desk, Failure, Opened, Reply, Similarity, SingleAnswer, Urgency, Watch,
        compare::brief, compute::Job, opened::ComparedPositions,
    },
    checkpoint::ByteSource,
    math::RandomTable,
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, rc::Rc};

/// R² of a model's positions, their matrix in small, and how smooth its table is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelOverview {
    /// The model.
    pub of: Opened,
    /// How two positions are compared.
    pub similarity: Similarity,
}

impl SingleAnswer for ModelOverview {
    type Answer = Brief;
    const URGENCY: Urgency = Urgency::Later;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Brief, Failure> {
        let model = desk.session.model(self.of).await?;
        let summarise = SummariseModel {
            positions: model.compared(self.similarity, desk).await?,
            table: model.positions().rows().map(Cow::into_owned),
            chance: model.chance(self.similarity),
        };
        Ok(desk.compute(summarise).await)
    }
}

/// Fits and draws the matrix, and correlates the table's columns with themselves.
struct SummariseModel {
    positions: Rc<ComparedPositions>,
    table: Option<Array2<f32>>,
    chance: Option<RandomTable>,
}

impl Job for SummariseModel {
    type Output = Brief;

    async fn run(self, _watch: &impl Watch) -> Brief {
        brief(&self.positions.p, self.table.as_ref(), self.chance)
    }
}
