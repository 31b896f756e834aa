//! Linear maps: functions for those that are stored as most of a model's, and expressions for the others.

use super::{
    TextCode,
    coverage::{block_maps, is_whole, outer_maps},
    function,
    layers::same,
};
use crate::{
    model::{Activation, Cut, LinearTensors, ModelDescription},
    numpy_model::{layer_code, python::CodeSegment},
    short_text::short_name,
};

/// Form in which most maps of a model are stored.
pub(super) struct UsualMaps {
    /// Whether weights are [in, out].
    is_by_columns: bool,
    has_biases: bool,
    lacks_biases: bool,
}

impl UsualMaps {
    pub(super) fn of_model(description: &ModelDescription) -> Self {
        let maps = block_maps(description).chain(outer_maps(description));
        let maps: Vec<&LinearTensors> = maps.filter(|map| stem(map).is_some()).collect();
        let columns = maps.iter().filter(|map| is_by_columns(map.cut)).count();
        let is_usual = |map: &&&LinearTensors| is_by_columns(map.cut) == (2 * columns > maps.len());
        Self {
            is_by_columns: 2 * columns > maps.len(),
            has_biases: maps.iter().filter(is_usual).any(|map| map.bias.is_some()),
            lacks_biases: maps.iter().filter(is_usual).any(|map| map.bias.is_none()),
        }
    }
}

/// Whether a weight is stored as [in, out].
fn is_by_columns(cut: Cut) -> bool {
    matches!(cut, Cut::Columns { .. })
}

/// The common stem of the names of weight and bias.
fn stem(map: &LinearTensors) -> Option<&str> {
    let stem = map.weight.strip_suffix(".weight")?;
    let fits = |bias: &String| bias.strip_suffix(".bias") == Some(stem);
    map.bias.as_ref().is_none_or(fits).then_some(stem)
}

impl TextCode<'_> {
    /// `linear_map` and `affine_map`.
    pub(super) fn map_functions(&self) -> Vec<CodeSegment> {
        let (turned, note) = match self.usual_maps.is_by_columns {
            true => ("", ""),
            false => (".T", "; the file holds the transpose of W"),
        };
        let product = format!("return x @ tensor(name + \".weight\"){turned}");
        let mut functions = Vec::new();
        if self.usual_maps.lacks_biases {
            let about = format!("The map x W{note}.");
            functions.push(function(
                "linear_map(x, name)",
                &about,
                vec![product.clone()],
            ));
        }
        if self.usual_maps.has_biases {
            let about = format!("The map x W + b{note}.");
            let sum = format!("{product} + tensor(name + \".bias\")");
            functions.push(function("affine_map(x, name)", &about, vec![sum]));
        }
        functions
    }

    /// x W + b; `maps` has the map of every block.
    pub(super) fn map(&self, maps: &[&LinearTensors], x: &str) -> Result<String, String> {
        let cut = same(maps.iter().map(|map| map.cut))?;
        if is_whole(cut) {
            return self.whole_map(maps, x);
        }
        let weights: Vec<Option<&str>> = maps.iter().map(|map| Some(map.weight.as_str())).collect();
        let product = format!("{x} @ {}", layer_code::matrix(&self.name(&weights), cut));
        Ok(match self.bias(maps)? {
            Some(bias) => format!("{product} + {bias}"),
            None => product,
        })
    }

    /// x W + b with all of the stored weight and bias.
    pub(super) fn whole_map(&self, maps: &[&LinearTensors], x: &str) -> Result<String, String> {
        let by_columns = same(maps.iter().map(|map| is_by_columns(map.cut)))?;
        let has_bias = same(maps.iter().map(|map| map.bias.is_some()))?;
        let stems: Option<Vec<Option<&str>>> = maps.iter().map(|map| stem(map).map(Some)).collect();
        if let Some(stems) = stems.filter(|_| by_columns == self.usual_maps.is_by_columns) {
            let function = if has_bias { "affine_map" } else { "linear_map" };
            return Ok(format!("{function}({x}, {})", self.name(&stems)));
        }
        let x = match x.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            true => x.to_owned(),
            false => format!("({x})"),
        };
        let turned = if by_columns { "" } else { ".T" };
        let weights: Vec<Option<&str>> = maps.iter().map(|map| Some(map.weight.as_str())).collect();
        let product = format!("{x} @ {}{turned}", self.tensor(&weights));
        let biases: Vec<Option<&str>> = maps.iter().map(|map| map.bias.as_deref()).collect();
        Ok(match has_bias {
            true => format!("{product} + {}", self.vector(&biases)),
            false => product,
        })
    }

    /// The weight of a map as [in, out].
    pub(super) fn weight(&self, map: &LinearTensors) -> String {
        let name = [Some(map.weight.as_str())];
        match map.cut {
            Cut::COLUMNS => self.tensor(&name),
            cut => layer_code::matrix(&self.name(&name), cut),
        }
    }

    /// The part of a bias that belongs to a map, if it has one.
    pub(super) fn bias(&self, maps: &[&LinearTensors]) -> Result<Option<String>, String> {
        if !same(maps.iter().map(|map| map.bias.is_some()))? {
            return Ok(None);
        }
        let biases: Vec<Option<&str>> = maps.iter().map(|map| map.bias.as_deref()).collect();
        let cut = same(maps.iter().map(|map| match self.has_whole_bias(map) {
            true => map.cut,
            // The bias holds only the part that is used.
            false => Cut::ROWS,
        }))?;
        Ok(Some(match is_whole(cut) {
            true => self.vector(&biases),
            false => layer_code::vector(&self.name(&biases), cut),
        }))
    }

    /// Whether the bias of a map has a number for each output of the stored weight.
    pub(super) fn has_whole_bias(&self, map: &LinearTensors) -> bool {
        let outputs =
            self.shapes
                .get(map.weight.as_str())
                .and_then(|shape| match is_by_columns(map.cut) {
                    true => shape.last().copied(),
                    false => shape.first().copied(),
                });
        let bias = map.bias.as_deref().and_then(|bias| self.shapes.get(bias));
        bias.is_some_and(|shape| Some(shape.iter().product()) == outputs)
    }
}

/// The activation of `x`.
pub(super) fn activation_call(activation: &Activation, x: &str) -> Result<String, String> {
    let name = match activation {
        Activation::Gelu => "gelu",
        Activation::GeluTanh => "gelu_tanh",
        Activation::QuickGelu => "quick_gelu",
        Activation::Relu => "relu",
        Activation::ReluSquared => "relu_squared",
        Activation::Silu => "silu",
        Activation::Tanh => "np.tanh",
        Activation::Other(name) => {
            return Err(format!(
                "Programs have no formula for the activation {}.",
                short_name(name)
            ));
        }
    };
    Ok(format!("{name}({x})"))
}
