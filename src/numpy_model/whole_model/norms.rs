//! Norms: a function for those that are like most of a model's, and expressions for the others.

use super::{
    TextCode,
    coverage::{block_norms, outer_norms},
    function,
    layers::same,
};
use crate::{
    model::{ModelDescription, NormDescription, NormKind},
    numpy_model::python::CodeSegment,
};

/// All of a norm but its tensors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NormForm {
    kind: NormKind,
    has_bias: bool,
    adds_one: bool,
    epsilon: f64,
}

impl NormForm {
    fn of_norm(norm: &NormDescription) -> Self {
        Self {
            kind: norm.kind,
            has_bias: norm.bias.is_some(),
            adds_one: norm.adds_one,
            epsilon: norm.epsilon,
        }
    }

    /// The form of most norms of a model, among those whose tensors have names with a common stem.
    pub(super) fn most_frequent(description: &ModelDescription) -> Option<Self> {
        let norms = block_norms(description).chain(outer_norms(description));
        let forms: Vec<Self> = norms
            .filter(|norm| stem(norm).is_some())
            .map(Self::of_norm)
            .collect();
        let count = |form: &Self| forms.iter().filter(|other| *other == form).count();
        forms.iter().copied().max_by_key(count)
    }

    /// The norm of `x`, by expressions for its tensors.
    fn call(self, x: &str, weight: &str, bias: Option<&str>) -> Result<String, String> {
        let weight = if self.adds_one {
            format!("1 + {weight}")
        } else {
            weight.to_owned()
        };
        let epsilon = self.epsilon;
        match (self.kind, bias) {
            (NormKind::Layer, bias) => Ok(format!(
                "layer_norm({x}, {weight}, {}, {epsilon:?})",
                bias.unwrap_or("0.0")
            )),
            (NormKind::Rms, None) => Ok(format!("rms_norm({x}, {weight}, {epsilon:?})")),
            (NormKind::Rms, Some(_)) => Err("Programs have no RMS norm with a shift.".to_owned()),
        }
    }
}

/// The common stem of the names of a norm's tensors, if they end in `weight` and `bias`.
fn stem(norm: &NormDescription) -> Option<&str> {
    let stem = norm.weight.strip_suffix(".weight")?;
    let fits = |bias: &String| bias.strip_suffix(".bias") == Some(stem);
    norm.bias.as_ref().is_none_or(fits).then_some(stem)
}

impl TextCode<'_> {
    /// `stored_norm`.
    pub(super) fn norm_function(&self) -> Result<Option<CodeSegment>, String> {
        let Some(form) = self.usual_norm else {
            return Ok(None);
        };
        let title = match form.kind {
            NormKind::Layer => "A LayerNorm of the file.",
            NormKind::Rms => "An RMS norm of the file.",
        };
        let bias = form.has_bias.then_some("tensor(name + \".bias\")");
        let call = form.call("x", "tensor(name + \".weight\")", bias)?;
        Ok(Some(function(
            "stored_norm(x, name)",
            title,
            vec![format!("return {call}")],
        )))
    }

    /// The norm of `x`; `norms` has that of every block, as far as it has one.
    pub(super) fn norm(
        &self,
        norms: &[Option<&NormDescription>],
        x: &str,
    ) -> Result<String, String> {
        let form = same(norms.iter().flatten().map(|norm| NormForm::of_norm(norm)))?;
        let is_plain = |norm: &&NormDescription| {
            let tensors = norm.tensors().filter_map(|name| self.shapes.get(name));
            stem(norm).is_some() && tensors.into_iter().all(|shape| shape.len() == 1)
        };
        if self.usual_norm == Some(form) && norms.iter().flatten().all(is_plain) {
            let stems: Vec<Option<&str>> = norms.iter().map(|norm| stem((*norm)?)).collect();
            return Ok(format!("stored_norm({x}, {})", self.name(&stems)));
        }
        let weights: Vec<Option<&str>> = norms
            .iter()
            .map(|norm| Some(norm.as_ref()?.weight.as_str()))
            .collect();
        let biases: Vec<Option<&str>> = norms
            .iter()
            .map(|norm| norm.as_ref()?.bias.as_deref())
            .collect();
        let bias = form.has_bias.then(|| self.vector(&biases));
        form.call(x, &self.vector(&weights), bias.as_deref())
    }

    /// Lines that assign the norm of `source` to `target`, which is `source` in blocks without the norm.
    pub(super) fn norm_call(
        &self,
        norms: &[Option<&NormDescription>],
        target: &str,
        source: &str,
    ) -> Result<Vec<String>, String> {
        let otherwise = (target != source).then(|| format!("{target} = {source}"));
        let has: Vec<bool> = norms.iter().map(Option::is_some).collect();
        if !has.contains(&true) {
            return Ok(otherwise.into_iter().collect());
        }
        let line = format!("{target} = {}", self.norm(norms, source)?);
        Ok(self.in_layers(&has, line, otherwise))
    }

    /// Lines that apply a norm to `parts`, [parts, n, d], whose sum is normed; the shift belongs to the last part.
    pub(super) fn norm_of_parts(&self, norm: &NormDescription) -> Result<Vec<String>, String> {
        let form = NormForm::of_norm(norm);
        let mut lines = vec![format!("weight = {}", self.vector(&[Some(&norm.weight)]))];
        if let Some(bias) = &norm.bias {
            lines.push(format!("bias = {}", self.vector(&[Some(bias)])));
        }
        let call = form.call("parts", "weight", form.has_bias.then_some("bias"))?;
        lines.push(format!(
            "parts = {}",
            call.replacen("_norm(", "_norm_of_parts(", 1)
        ));
        Ok(lines)
    }
}
