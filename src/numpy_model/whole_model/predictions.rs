//! Predictions from the states after the last layer.

use super::{TextCode, function, maps::activation_call};
use crate::numpy_model::python::CodeSegment;

impl TextCode<'_> {
    /// `logits` of models that predict words, `replaced_probabilities` of those that detect replaced words.
    pub(super) fn predictions(&self) -> Result<Vec<CodeSegment>, String> {
        let mut last = Vec::new();
        if let Some(norm) = &self.description.final_norm {
            last.push(format!("x = {}", self.norm(&[Some(norm)], "x")?));
        }
        if let Some(map) = &self.description.final_map {
            last.push(format!("x = {}", self.map(&[map], "x")?));
        }
        let mut functions = Vec::new();
        if let Some(detector) = &self.description.detector {
            let mut lines = last.clone();
            let inner = self.map(&[&detector.dense], "x")?;
            lines.push(format!(
                "inner = {}",
                activation_call(&detector.activation, &inner)?
            ));
            lines.push(format!("x = {}", self.map(&[&detector.output], "inner")?));
            lines.push("return 1 / (1 + np.exp(-x[:, 0]))".to_owned());
            let about = "Probability that each token is not the original one, from the states after the last layer.";
            functions.push(function("replaced_probabilities(x)", about, lines));
        }
        if let Some(head) = &self.description.head {
            let mut lines = last;
            if let Some(transform) = &head.transform {
                let inner = self.map(&[&transform.dense], "x")?;
                lines.push(format!(
                    "inner = {}",
                    activation_call(&transform.activation, &inner)?
                ));
                lines.push(format!(
                    "x = {}",
                    self.norm(&[Some(&transform.norm)], "inner")?
                ));
            }
            let bias = head
                .bias
                .as_deref()
                .map(|bias| format!(" + {}", self.vector(&[Some(bias)])));
            lines.push(format!(
                "return x @ {}.T{}",
                self.table(&head.words),
                bias.unwrap_or_default()
            ));
            let about = "Scores of all words, [n, words], from the states after the last layer.";
            functions.push(function("logits(x)", about, lines));
        }
        Ok(functions)
    }
}
