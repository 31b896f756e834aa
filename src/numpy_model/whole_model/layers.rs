//! Names of tensors in every layer, and conditions on layers.

use super::{LAYERS_DIFFER, TextCode};
use crate::numpy_model::python::name_by_index;

impl TextCode<'_> {
    /// The Python expression for the number of a layer's block.
    pub(super) fn layer_index(&self) -> &'static str {
        let passes = &self.description.passes;
        let is_plain = passes.iter().copied().eq(0..self.description.blocks.len());
        match is_plain || self.description.blocks.len() == 1 {
            true => "layer",
            false => "PASSES[layer]",
        }
    }

    /// An expression for the name of a tensor in the layer `layer`, from its names in the blocks. Blocks without it are
    /// never asked.
    pub(super) fn name(&self, names: &[Option<&str>]) -> String {
        name_by_index(names, self.layer_index())
    }

    /// An expression for a tensor in the layer `layer`.
    pub(super) fn tensor(&self, names: &[Option<&str>]) -> String {
        format!("tensor({})", self.name(names))
    }

    /// An expression for a tensor with one dimension.
    pub(super) fn vector(&self, names: &[Option<&str>]) -> String {
        let mut shapes = names
            .iter()
            .flatten()
            .filter_map(|name| self.shapes.get(name));
        let flat = match shapes.all(|shape| shape.len() == 1) {
            true => "",
            false => ".reshape(-1)",
        };
        self.tensor(names) + flat
    }

    /// An expression for a table, whose rows may be stored in several dimensions.
    pub(super) fn table(&self, name: &str) -> String {
        let shape = self.shapes.get(name).map(Vec::as_slice).unwrap_or_default();
        let rows = match shape {
            [_, _] => String::new(),
            _ => format!(".reshape(-1, {})", shape.last().copied().unwrap_or(1)),
        };
        self.tensor(&[Some(name)]) + &rows
    }

    /// Lines for the layers whose blocks have a feature: `line`, in the others `otherwise`.
    pub(super) fn in_layers(
        &self,
        has: &[bool],
        line: String,
        otherwise: Option<String>,
    ) -> Vec<String> {
        let passes: Vec<bool> = self.description.passes.iter().map(|at| has[*at]).collect();
        if passes.iter().all(|has| *has) {
            return vec![line];
        }
        if !passes.contains(&true) {
            return otherwise.into_iter().collect();
        }
        let mut lines = vec![format!("if {}:", condition(&passes)), format!("    {line}")];
        if let Some(otherwise) = otherwise {
            lines.extend(["else:".to_owned(), format!("    {otherwise}")]);
        }
        lines
    }
}

/// A Python condition on `layer` for some of the layers.
pub(super) fn condition(layers: &[bool]) -> String {
    let is =
        |test: &dyn Fn(usize) -> bool| layers.iter().enumerate().all(|(at, has)| *has == test(at));
    let own: Vec<usize> = (0..layers.len()).filter(|at| layers[*at]).collect();
    for at in 0..layers.len() {
        if is(&|layer| layer == at) {
            return format!("layer == {at}");
        }
        if is(&|layer| layer != at) {
            return format!("layer != {at}");
        }
        if is(&|layer| layer >= at) {
            return format!("layer >= {at}");
        }
        if is(&|layer| layer < at) {
            return format!("layer < {at}");
        }
    }
    // A period counts as one if it comes twice.
    for period in 2..=layers.len() / 2 {
        for rest in 0..period {
            if is(&|layer| layer % period == rest) {
                return format!("layer % {period} == {rest}");
            }
            if is(&|layer| layer % period != rest) {
                return format!("layer % {period} != {rest}");
            }
        }
    }
    format!("layer in {own:?}")
}

/// The value that all layers share.
pub(super) fn common_value<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Option<T> {
    let mut values = values.into_iter();
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// The value that all layers share, or the sentence that they differ.
pub(super) fn same<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Result<T, String> {
    common_value(values).ok_or_else(|| LAYERS_DIFFER.to_owned())
}
