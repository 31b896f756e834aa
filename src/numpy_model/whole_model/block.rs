//! A layer: its attention and its feed-forward part, with the norms around them.

use super::{LAYERS_DIFFER, TextCode, function, layers::same, maps::activation_call};
use crate::{
    model::{Cut, FeedForwardDescription, LinearTensors, ResidualDescription},
    numpy_model::python::CodeSegment,
};

impl TextCode<'_> {
    /// `apply_block`.
    pub(super) fn apply_block(&self) -> Result<CodeSegment, String> {
        let attentions = self.attentions();
        let outputs: Vec<&LinearTensors> = attentions
            .iter()
            .map(|attention| &attention.output)
            .collect();
        let residuals: Vec<_> = attentions
            .iter()
            .map(|attention| &attention.residual)
            .collect();
        let read = format!("read = {}", self.map(&outputs, "attend(x, layer)")?);
        let add_read = self.addition(&residuals, "read")?;
        let parts: Vec<_> = self
            .blocks()
            .iter()
            .map(|block| &block.feed_forward)
            .collect();
        let residuals: Vec<_> = parts.iter().map(|part| &part.residual).collect();
        let inner = self.feed_forward(&parts)?;
        let add_written = self.addition(&residuals, "written")?;
        let mut lines = vec![read];
        match same(self.blocks().iter().map(|block| block.is_parallel))? {
            true => {
                lines.extend(inner);
                lines.extend(add_read);
            }
            false => {
                lines.extend(add_read);
                lines.extend(inner);
            }
        }
        lines.extend(add_written);
        Ok(function(
            "apply_block(x, layer)",
            "States of a text after a layer, [n, d].",
            lines,
        ))
    }

    /// Lines that assign `written`, the output of the feed-forward part.
    fn feed_forward(&self, parts: &[&FeedForwardDescription]) -> Result<Vec<String>, String> {
        let norms: Vec<_> = parts
            .iter()
            .map(|part| part.residual.input_norm.as_ref())
            .collect();
        let has_norm = norms.iter().any(Option::is_some);
        let y = if has_norm { "y" } else { "x" };
        let mut lines = match has_norm {
            true => self.norm_call(&norms, "y", "x")?,
            false => Vec::new(),
        };
        if parts.iter().any(|part| part.experts.is_some()) {
            lines.push(format!("written = experts({y}, layer)"));
            return Ok(lines);
        }
        let activation = same(parts.iter().map(|part| &part.activation))?;
        let inner: Vec<&LinearTensors> = parts.iter().map(|part| &part.inner).collect();
        let gates: Vec<&LinearTensors> =
            parts.iter().filter_map(|part| part.gate.as_ref()).collect();
        match gates.len() {
            0 => {
                let mapped = self.map(&inner, y)?;
                lines.push(format!("inner = {}", activation_call(activation, &mapped)?));
            }
            count if count != parts.len() => return Err(LAYERS_DIFFER.to_owned()),
            _ => match same(
                inner
                    .iter()
                    .zip(&gates)
                    .map(|(inner, gate)| self.halves(inner, gate)),
            )? {
                Some(order) => {
                    lines.push(format!(
                        "{order} = np.split({}, 2, axis=1)",
                        self.whole_map(&inner, y)?
                    ));
                    lines.push(format!(
                        "inner = {} * inner",
                        activation_call(activation, "gate")?
                    ));
                }
                None => {
                    let gate = activation_call(activation, &self.map(&gates, y)?)?;
                    lines.push(format!("gate = {gate}"));
                    let mapped = self.map(&inner, y)?;
                    lines.push(match mapped.contains(" @ ") {
                        true => format!("inner = gate * ({mapped})"),
                        false => format!("inner = gate * {mapped}"),
                    });
                }
            },
        }
        let outputs: Vec<&LinearTensors> = parts.iter().map(|part| &part.output).collect();
        lines.push(format!("written = {}", self.map(&outputs, "inner")?));
        Ok(lines)
    }

    /// The order of gate and inner map as halves of one weight and bias.
    fn halves(&self, inner: &LinearTensors, gate: &LinearTensors) -> Option<&'static str> {
        let is_whole = inner.bias.is_none() || self.has_whole_bias(inner);
        if (&inner.weight, &inner.bias) != (&gate.weight, &gate.bias) || !is_whole {
            return None;
        }
        match (inner.cut, gate.cut) {
            (Cut::Rows { part: 1, of: 2 }, Cut::Rows { part: 0, of: 2 })
            | (Cut::Columns { part: 1, of: 2 }, Cut::Columns { part: 0, of: 2 }) => {
                Some("gate, inner")
            }
            (Cut::Rows { part: 0, of: 2 }, Cut::Rows { part: 1, of: 2 })
            | (Cut::Columns { part: 0, of: 2 }, Cut::Columns { part: 1, of: 2 }) => {
                Some("inner, gate")
            }
            _ => None,
        }
    }

    /// Lines that add the output of a part to `x`, with the norms and the scale around it.
    fn addition(
        &self,
        residuals: &[&ResidualDescription],
        target: &str,
    ) -> Result<Vec<String>, String> {
        let norms: Vec<_> = residuals
            .iter()
            .map(|residual| residual.output_norm.as_ref())
            .collect();
        let mut lines = self.norm_call(&norms, target, target)?;
        if same(
            residuals
                .iter()
                .map(|residual| residual.output_scale.is_some()),
        )? {
            let names: Vec<_> = residuals
                .iter()
                .map(|residual| residual.output_scale.as_deref())
                .collect();
            lines.push(format!("{target} = {target} * {}", self.vector(&names)));
        }
        let norms: Vec<_> = residuals
            .iter()
            .map(|residual| residual.sum_norm.as_ref())
            .collect();
        let sum = format!("x + {target}");
        lines.push(match same(norms.iter().map(Option::is_some))? {
            true => format!("x = {}", self.norm(&norms, &sum)?),
            false => format!("x = {sum}"),
        });
        Ok(lines)
    }
}
