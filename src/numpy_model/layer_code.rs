//! Code for the queries and keys of a model's layers.

use super::{
    python::{CodeSegment, name_in_layer},
    readable,
};
use crate::{
    checkpoint::Weights,
    model::{Correction, Cut, LinearTensors, PositionModel, norm_tensors},
};

/// `SCORE_SCALE`, `layer_input` and `layer_maps`.
pub(super) async fn segments<W: Weights>(
    model: &PositionModel,
    file: &W,
) -> Result<Vec<CodeSegment>, String> {
    let layers = model.layer_tensors();
    if layers.is_empty() {
        return Ok(Vec::new());
    }
    let head_width = head_width(model, file).await?;
    let scale = match model.is_scaled() {
        true => format!("{head_width} ** -0.5  # one over the root of a head's width"),
        false => "1.0  # this model does not scale its scores".to_owned(),
    };
    let queries: Vec<&LinearTensors> = layers.iter().map(|layer| &layer.query).collect();
    let keys: Vec<&LinearTensors> = layers.iter().map(|layer| &layer.key).collect();
    let uses_biases = match model.choice().does(Correction::Biases) {
        true => BiasUse::AsComputed,
        false => BiasUse::Never,
    };
    let mut body = map_lines("query", &queries, uses_biases, file).await?;
    body.extend(map_lines("key", &keys, uses_biases, file).await?);
    body.push("return query, query_bias, key, key_bias".to_owned());
    Ok(vec![
        CodeSegment::constant("SCORE_SCALE", &scale),
        layer_input(model, file).await?,
        CodeSegment::function(
            "layer_maps(layer)",
            "W_Q, b_Q, W_K and b_K of a layer.",
            &body,
        ),
    ])
}

/// Number of columns of a head, from the shape of the first layer's queries; 0 without layers.
pub(super) async fn head_width<W: Weights>(model: &PositionModel, file: &W) -> Result<u64, String> {
    let Some(first) = model.layer_tensors().first() else {
        return Ok(0);
    };
    let shape = readable(file, &first.query.weight).await?;
    let width = match first.query.cut {
        Cut::Rows { of, .. } | Cut::HeadRows { of, .. } => shape.first().map(|rows| rows / of),
        Cut::Columns { of, .. } => Some(shape.iter().skip(1).product::<u64>() / of),
    };
    Ok(width.unwrap_or(0) / u64::from(model.heads.count.max(1)))
}

/// `output_maps`: maps to values and from all heads to the states. `None` if the model is not described as a whole, or
/// stores them in ways that programs cannot read.
pub(super) async fn output_maps<W: Weights>(
    model: &PositionModel,
    file: &W,
) -> Option<CodeSegment> {
    let blocks = &model.description()?.blocks;
    let values: Vec<&LinearTensors> = blocks.iter().map(|block| &block.attention.value).collect();
    let outputs: Vec<&LinearTensors> = blocks.iter().map(|block| &block.attention.output).collect();
    if blocks.is_empty() {
        return None;
    }
    let mut body = map_lines("value", &values, BiasUse::Never, file)
        .await
        .ok()?;
    body.extend(
        map_lines("output", &outputs, BiasUse::Never, file)
            .await
            .ok()?,
    );
    body.retain(|line| !line.contains("_bias"));
    body.push("return value, output".to_owned());
    let about = "W_V, [d, key heads * d_k], and W_O, [heads * d_k, d], of a layer.";
    Some(CodeSegment::function("output_maps(layer)", about, &body))
}

/// Biases in the scores of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BiasUse {
    /// None.
    Never,
    /// Where the page shows scores as the model computes them.
    AsComputed,
    /// Always.
    Always,
}

/// Lines that assign the weight and the bias of a map of every layer.
pub(super) async fn map_lines<W: Weights>(
    name: &str,
    maps: &[&LinearTensors],
    uses_biases: BiasUse,
    file: &W,
) -> Result<Vec<String>, String> {
    let cut = maps[0].cut;
    let mut bias_cut = cut;
    for map in maps {
        if map.cut != cut {
            return Err("The layers of this model store their maps in different ways.".to_owned());
        }
        let shape = readable(file, &map.weight).await?;
        let outputs = match cut {
            Cut::Columns { .. } => shape.iter().skip(1).product(),
            Cut::Rows { .. } | Cut::HeadRows { .. } => shape.first().copied().unwrap_or(0),
        };
        if let Some(bias) = &map.bias
            && uses_biases != BiasUse::Never
        {
            let count: u64 = readable(file, bias).await?.iter().product();
            // Of a weight of several maps, the bias may hold only the part of this one.
            bias_cut = if count == outputs { cut } else { Cut::ROWS };
        }
    }
    let weights: Vec<&str> = maps.iter().map(|map| map.weight.as_str()).collect();
    let mut lines = matrix_lines(name, &name_in_layer(&weights), cut);
    lines.push(format!("{name}_bias = 0.0"));
    let biases: Option<Vec<&str>> = maps.iter().map(|map| map.bias.as_deref()).collect();
    if let Some(biases) = biases {
        let line = format!(
            "{name}_bias = {}",
            vector(&name_in_layer(&biases), bias_cut)
        );
        match uses_biases {
            BiasUse::Never => {}
            BiasUse::AsComputed => {
                lines.push("if AS_COMPUTED:".to_owned());
                lines.push(format!("    {line}"));
            }
            BiasUse::Always => {
                lines.pop();
                lines.push(line);
            }
        }
    }
    Ok(lines)
}

/// The norm at the beginning of each layer, if there is one.
async fn layer_input<W: Weights>(model: &PositionModel, file: &W) -> Result<CodeSegment, String> {
    let norms = model
        .layer_tensors()
        .iter()
        .map(|layer| layer.norm.as_deref());
    let norms: Option<Vec<&str>> = norms.collect();
    let norms = norms.filter(|_| model.choice().does(Correction::LayerNorm));
    let mut body = Vec::new();
    let has_norm = norms.is_some();
    if let Some(norms) = norms {
        let tensors: Vec<_> = norms.iter().map(|stem| norm_tensors(file, stem)).collect();
        let scales: Vec<&str> = tensors.iter().map(|(scale, _)| scale.as_str()).collect();
        for scale in &scales {
            readable(file, scale).await?;
        }
        let shifts: Option<Vec<&str>> = tensors.iter().map(|(_, shift)| shift.as_deref()).collect();
        let shift = shifts.map_or_else(
            || "0.0".to_owned(),
            |shifts| format!("tensor({}).reshape(-1)", name_in_layer(&shifts)),
        );
        body.push("if AS_COMPUTED:".to_owned());
        body.push(format!(
            "    x = layer_norm(x, tensor({}).reshape(-1), {shift}, {:e})",
            name_in_layer(&scales),
            model.source_description().norm_epsilon()
        ));
    }
    body.push("return x".to_owned());
    let about = "The states that the maps of a layer are applied to.";
    let function = CodeSegment::function("layer_input(x, layer)", about, &body);
    Ok(match has_norm {
        true => function.with_part("layer_norm"),
        false => function,
    })
}

/// Longest line that assigns a weight, inside of a function.
const LONGEST_LINE: usize = 106;

/// Lines that assign the weight of a map, [in, out]; `name` is an expression for its name.
pub(super) fn matrix_lines(target: &str, name: &str, cut: Cut) -> Vec<String> {
    let line = format!("{target} = {}", matrix(name, cut));
    match cut.parts() > 1 && line.len() > LONGEST_LINE {
        true => vec![
            format!("stored = tensor({name})"),
            format!("{target} = {}", matrix_part("stored", cut)),
        ],
        false => vec![line],
    }
}

/// An expression for the weight of a map, [in, out].
pub(super) fn matrix(name: &str, cut: Cut) -> String {
    let stored = format!("tensor({name})");
    match cut {
        // Flax stores [in, heads, width of a head].
        Cut::Columns { of: 1, .. } => format!("{stored}.reshape(len({stored}), -1)"),
        _ => matrix_part(&stored, cut),
    }
}

/// [`matrix`] of an expression for what the file holds.
fn matrix_part(stored: &str, cut: Cut) -> String {
    match cut {
        Cut::Rows { of: 1, .. } => format!("{stored}.T"),
        Cut::Rows { part, of } => format!("np.split({stored}, {of})[{part}].T"),
        Cut::Columns { of: 1, .. } => stored.to_owned(),
        Cut::Columns { part, of } => format!("np.split({stored}, {of}, axis=1)[{part}]"),
        Cut::HeadRows { part, of } => {
            format!("np.concatenate(np.split({stored}, {of} * HEADS)[{part}::{of}]).T")
        }
    }
}

/// An expression for the bias of a map.
pub(super) fn vector(name: &str, cut: Cut) -> String {
    let stored = format!("tensor({name}).reshape(-1)");
    match cut {
        Cut::Rows { of: 1, .. } | Cut::Columns { of: 1, .. } => stored,
        Cut::Rows { part, of } | Cut::Columns { part, of } => {
            format!("np.split({stored}, {of})[{part}]")
        }
        Cut::HeadRows { part, of } => {
            format!("np.concatenate(np.split({stored}, {of} * HEADS)[{part}::{of}])")
        }
    }
}
