//! Feed-forward parts of experts.

use super::{LAYERS_DIFFER, TextCode, function, layers::same, maps::activation_call};
use crate::{
    model::{ExpertsDescription, FeedForwardDescription, LinearTensors},
    numpy_model::python::CodeSegment,
};

impl TextCode<'_> {
    /// `experts`, if the feed-forward parts have them.
    pub(super) fn experts(&self) -> Result<Option<CodeSegment>, String> {
        let blocks = self.blocks().iter();
        let parts: Vec<&FeedForwardDescription> = blocks.map(|block| &block.feed_forward).collect();
        let experts = parts.iter().filter_map(|part| part.experts.as_ref());
        let experts: Vec<&ExpertsDescription> = experts.collect();
        if experts.is_empty() {
            return Ok(None);
        }
        if experts.len() != parts.len() {
            return Err(LAYERS_DIFFER.to_owned());
        }
        let active = same(experts.iter().map(|experts| experts.active))?;
        let limit = same(experts.iter().map(|experts| experts.limit))?;
        let activation = same(parts.iter().map(|part| &part.activation))?;
        let routers: Vec<&LinearTensors> = experts.iter().map(|experts| &experts.router).collect();
        let mut lines = vec![
            format!("logits = {}", self.map(&routers, "x")?),
            format!("chosen = np.argsort(-logits, axis=1, kind=\"stable\")[:, :{active}]"),
            "shares = np.exp(np.take_along_axis(logits, chosen, axis=1) - logits.max(axis=1, keepdims=True))".to_owned(),
            "shares /= shares.sum(axis=1, keepdims=True)".to_owned(),
            "output = np.zeros_like(x)".to_owned(),
            "for expert in range(logits.shape[1]):".to_owned(),
        ];
        let inner: Vec<&LinearTensors> = parts.iter().map(|part| &part.inner).collect();
        lines.extend(self.map_of_expert("both", "x", &inner)?);
        lines.push(format!(
            "    gate, inner = np.minimum(both[:, ::2], {limit:?}), np.clip(both[:, 1::2], -{limit:?}, {limit:?})"
        ));
        let gated = activation_call(activation, "gate")?;
        lines.push(format!("    inner = (inner + 1) * {gated}"));
        let outputs: Vec<&LinearTensors> = parts.iter().map(|part| &part.output).collect();
        lines.extend(self.map_of_expert("mapped", "inner", &outputs)?);
        lines.extend([
            "    output += (shares * (chosen == expert)).sum(axis=1, keepdims=True) * mapped"
                .to_owned(),
            "return output".to_owned(),
        ]);
        let about = "Outputs of the experts with the greatest logits of each token, weighted by their softmax, [n, d].";
        Ok(Some(function("experts(x, layer)", about, lines)))
    }

    /// Lines of a loop over experts that assign x W + b of an expert.
    fn map_of_expert(
        &self,
        target: &str,
        x: &str,
        maps: &[&LinearTensors],
    ) -> Result<Vec<String>, String> {
        let weights: Vec<Option<&str>> = maps.iter().map(|map| Some(map.weight.as_str())).collect();
        let biases: Vec<Option<&str>> = maps.iter().map(|map| map.bias.as_deref()).collect();
        let mut lines = vec![format!(
            "    {target} = {x} @ {}[expert]",
            self.tensor(&weights)
        )];
        if same(biases.iter().map(Option::is_some))? {
            lines.push(format!(
                "    {target} = {target} + {}[expert]",
                self.tensor(&biases)
            ));
        }
        Ok(lines)
    }
}
