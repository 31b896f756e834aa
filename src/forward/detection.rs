//! Detection of replaced words.

use ndarray::ArrayView2;

use super::{
    ForwardError, ForwardPass, activation::ActivationFunction, score_weights::map_tensors,
    tensor_numbers::TensorNumbers,
};
use crate::{checkpoint::Weights, model::Cut};

impl ForwardPass {
    /// Whether the file detects replaced words, as ELECTRA's discriminator does.
    #[must_use]
    pub fn detects_replaced_words(&self) -> bool {
        self.description.detector.is_some()
    }

    /// Probability that each word was replaced, from states that left the last layer, [positions, hidden].
    ///
    /// # Errors
    /// If the model does not detect them, or its tensors are missing, do not fit, cannot be read, or are not finite.
    pub async fn detect_replaced_words<W: Weights>(
        &self,
        checkpoint: &W,
        states: ArrayView2<'_, f32>,
        pause: &impl AsyncFn(),
    ) -> Result<Vec<f64>, ForwardError> {
        let detector = self.description.detector.as_ref();
        let detector = detector.ok_or(ForwardError::NoDetector)?;
        let states = self.last_states(checkpoint, states, pause).await?;
        let maps = [&detector.dense, &detector.output];
        let tensors: Vec<(&str, Cut)> = maps.into_iter().flat_map(map_tensors).collect();
        let mut numbers = TensorNumbers::read(checkpoint, &tensors, pause).await?;
        let dense = numbers.take_map(&detector.dense, 1)?;
        let output = numbers.take_map(&detector.output, 1)?;
        let mut inner = dense.apply(states.view(), pause).await;
        ActivationFunction::find(&detector.activation)?.apply_to_rows(&mut inner);
        let scores = output.apply(inner.view(), pause).await;
        let probability = |score: &f32| (1.0 + (-f64::from(*score)).exp()).recip();
        Ok(scores.iter().map(probability).collect())
    }
}
