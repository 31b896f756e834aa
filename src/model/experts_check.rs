//! Comparison of the experts of a feed-forward part with the shapes of their tensors.

use super::{
    ExpertsDescription, FeedForwardDescription, LinearTensors, ModelError,
    block_check::{Shapes, count},
    read::wrong_shape,
};
use crate::checkpoint::Weights;

impl<W: Weights> Shapes<'_, W> {
    /// Checks the router and the stacks of maps, and returns the inner width of an expert.
    pub(super) async fn experts(
        &self,
        part: &FeedForwardDescription,
        experts: &ExpertsDescription,
        hidden: usize,
    ) -> Result<usize, ModelError> {
        let (_, experts_count) = self.map(&experts.router, Some(hidden), None).await?;
        let active = experts.active as usize;
        if !(1..=experts_count).contains(&active) {
            let tensor = self.checkpoint.locate(&experts.router.weight).await?;
            let expected = format!("at least {} rows", active.max(1));
            return Err(wrong_shape(&tensor, expected));
        }
        // Gate and inner width alternate.
        let alternating = self.stack(&part.inner, experts_count, hidden, None).await?;
        if !alternating.is_multiple_of(2) {
            let tensor = self.checkpoint.locate(&part.inner.weight).await?;
            let expected = format!("{experts_count} × {hidden} × an even number");
            return Err(wrong_shape(&tensor, expected));
        }
        let inner = alternating / 2;
        self.stack(&part.output, experts_count, inner, Some(hidden))
            .await?;
        Ok(inner)
    }

    /// Checks a stack of maps and of their biases, and returns the number of outputs of a map.
    async fn stack(
        &self,
        map: &LinearTensors,
        maps: usize,
        inputs: usize,
        outputs: Option<usize>,
    ) -> Result<usize, ModelError> {
        let tensor = self.checkpoint.locate(&map.weight).await?;
        let expected_outputs = outputs.map_or("outputs".to_owned(), |number| number.to_string());
        let fits = match tensor.shape[..] {
            [some, rows, columns] if [some, rows] == [maps, inputs].map(|side| side as u64) => {
                let is_expected = outputs.is_none_or(|outputs| columns == outputs as u64);
                (is_expected && columns > 0).then_some(columns as usize)
            }
            _ => None,
        };
        let Some(columns) = fits else {
            let expected = format!("{maps} × {inputs} × {expected_outputs}");
            return Err(wrong_shape(&tensor, expected));
        };
        if let Some(bias) = &map.bias {
            let tensor = self.checkpoint.locate(bias).await?;
            if count(&tensor) != maps * columns {
                return Err(wrong_shape(&tensor, format!("{maps} × {columns}")));
            }
        }
        Ok(columns)
    }
}
