//! A model in short, to stand beside others.

use crate::{
    analysis::{
        Brief, Compute, Desk, Failure, Opened, Question, Reply, Similarity, Urgency, Watch,
        compare::brief, compute::Job, opened::ComparedPositions,
    },
    checkpoint::{ByteSource, Fetch},
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// R² of a model's positions, their matrix in small, and how smooth its table is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelOverview {
    /// The model.
    pub of: Opened,
    /// How two positions are compared.
    pub similarity: Similarity,
}

impl Question for ModelOverview {
    type Piece = Brief;
    type Answer = Brief;
    const URGENCY: Urgency = Urgency::Later;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    fn collect(so_far: Option<Self::Answer>, piece: Self::Piece) -> Self::Answer {
        super::only(so_far, piece)
    }

    async fn answer<L: ByteSource, F: Fetch, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, F, C, R>,
    ) -> Result<(), Failure> {
        let model = desk.session.model(self.of).await?;
        desk.send(
            &desk
                .compute(SummariseModel(
                    model.compared(self.similarity, desk).await?,
                    model.positions().rows().map(std::borrow::Cow::into_owned),
                ))
                .await,
        );
        Ok(())
    }
}

/// Fits and draws the matrix, and correlates the table's columns with themselves.
struct SummariseModel(Rc<ComparedPositions>, Option<Array2<f32>>);

impl Job for SummariseModel {
    type Output = Brief;

    async fn run(self, _watch: &impl Watch) -> Brief {
        brief(&self.0.p, self.1.as_ref())
    }
}
