//! Code for models that rotate queries and keys by rows and columns of patches: angles, positions, and heads without an
//! image.

use super::{
    LONGEST_LINE, POSITION_ROWS,
    layer_code::{BiasUse, map_lines},
    python::{CodeSegment, name_in_layer, string_literal, tuple_literal, wrap_line},
    readable,
};
use crate::{
    checkpoint::Weights,
    encoding::{PatchAngles, PatchPairs},
    model::{
        LayerTensors, LinearTensors, PatchFrequencies, PatchRotation, PositionModel, RotaryPairs,
        norm_tensors,
    },
};

/// The name of an order of pairs in programs.
#[must_use]
pub fn pair_order(order: PatchPairs) -> &'static str {
    match order {
        PatchPairs::RowsFirst => "rows first",
        PatchPairs::ColumnsFirst => "columns first",
        PatchPairs::Alternating => "alternating",
        PatchPairs::SharedList => "shared list",
    }
}

/// `PATCH_ANGLES`, the angles of all layers that have some of their own, or of one that stands for all.
pub(super) async fn angles<W: Weights>(
    rotation: &PatchRotation,
    file: &W,
) -> Result<CodeSegment, String> {
    let value = match &rotation.frequencies {
        PatchFrequencies::Formula(angles) => {
            let PatchAngles {
                width,
                base,
                order,
                steps,
            } = angles;
            let order = string_literal(pair_order(*order));
            let [down, across] = steps;
            let arguments = format!("{width}, {base:?}, {order}, ({down:?}, {across:?})");
            format!("np.reshape(patch_angles({arguments}), (1, 1, -1, 2))")
        }
        PatchFrequencies::Periods {
            tensor,
            steps: [down, across],
        } => {
            readable(file, tensor).await?;
            let periods = format!("tensor({})", string_literal(tensor));
            let [down, across] = [down, across].map(|step| format!("{step:?} / {periods}"));
            format!("np.reshape(angles_by_axis({down}, {across}), (1, 1, -1, 2))")
        }
        PatchFrequencies::Learned(tensor) => {
            readable(file, tensor).await?;
            let layers = rotation
                .read(file)
                .await
                .map_err(|error| error.to_string())?;
            let first = layers.first().ok_or("The file has no angles.")?;
            let shape = tuple_literal([2, layers.len(), first.heads, first.pairs()]);
            // The file has frequencies of columns first.
            let stored = format!("tensor({}).reshape{shape}", string_literal(tensor));
            format!("np.moveaxis({stored}[::-1], 0, -1)")
        }
    };
    let line = format!("PATCH_ANGLES = {value}");
    let about = "  # [layers, heads, pairs, y and x]";
    let value = match line.len() + about.len() > LONGEST_LINE {
        true => wrap_line(&line, LONGEST_LINE).join("\n")["PATCH_ANGLES = ".len()..].to_owned(),
        false => value + about,
    };
    Ok(CodeSegment::constant("PATCH_ANGLES", &value).with_part("patch_angles"))
}

/// `E` and `POSITION_ROWS`: sines and cosines of the angles at every patch, of all heads of the first layer.
pub(super) fn rows() -> [CodeSegment; 2] {
    let rows = "wave_columns(patch_turns(PATCH_ANGLES[0].reshape(-1, 2), GRID))";
    [
        CodeSegment::constant("E", rows).with_part("patch_angles"),
        CodeSegment::constant("POSITION_ROWS", POSITION_ROWS),
    ]
}

/// `shared_query_and_key` and `scores`, of a model whose heads have scores without an image.
pub(super) async fn heads<W: Weights>(
    model: &PositionModel,
    rotation: &PatchRotation,
    file: &W,
) -> Result<[CodeSegment; 2], String> {
    let layers = &model.layer_tensors()[..model.layers];
    let queries: Vec<&LinearTensors> = layers.iter().map(|layer| &layer.query).collect();
    let keys: Vec<&LinearTensors> = layers.iter().map(|layer| &layer.key).collect();
    for maps in [&queries, &keys] {
        in_all_or_none(
            &maps
                .iter()
                .map(|map| map.bias.is_some())
                .collect::<Vec<_>>(),
        )?;
    }
    let mut body = map_lines("query", &queries, BiasUse::Always, file).await?;
    body.extend(map_lines("key", &keys, BiasUse::Always, file).await?);
    match shift(layers, file).await? {
        Some(shift) => body.extend([
            format!("shift = {shift}  # of the norm before the maps"),
            "return shift @ query + query_bias, shift @ key + key_bias".to_owned(),
        ]),
        None => {
            let zeros =
                ["query", "key"].map(|map| format!("{map}_bias + np.zeros({map}.shape[1])"));
            body.push(format!("return {}", zeros.join(", ")));
        }
    }
    let about = "The part of the queries and of the keys of a layer that all patches share.";
    let shared_parts = CodeSegment::function("shared_query_and_key(layer)", about, &body);
    let angles = rotation
        .read(file)
        .await
        .map_err(|error| error.to_string())?;
    let layer = if angles.len() > 1 { "layer" } else { "0" };
    let has_own = angles.first().is_some_and(|angles| angles.heads > 1);
    let head = if has_own { "head" } else { "0" };
    let pairs = match rotation.pairs {
        RotaryPairs::Halves => "np.arange(len(query)).reshape(2, -1).T  # halves of a head",
        RotaryPairs::Adjacent => "np.arange(len(query)).reshape(-1, 2)  # neighbours",
    };
    let lines = [
        "parts = shared_query_and_key(layer)".to_owned(),
        "query, key = (part.reshape(HEADS, -1)[head] for part in parts)".to_owned(),
        format!("columns = {pairs}"),
        format!("turns = patch_turns(PATCH_ANGLES[{layer}, {head}], GRID)"),
        "parts = (np.tile(part, (len(turns), 1)) for part in (query, key))".to_owned(),
        "queries, keys = (rotate_pairs(part, columns, turns) for part in parts)".to_owned(),
        "return queries @ keys.T * len(query) ** -0.5".to_owned(),
    ];
    let about = "Scores of what all patches share, turned by row and column of each patch, [n, n].";
    let scores = CodeSegment::function("scores(layer, head)", about, &lines);
    Ok([
        shared_parts,
        scores.with_part("patch_angles").with_part("rotate_pairs"),
    ])
}

/// The bias of the norm at the beginning of each layer, an expression. `None` without one.
///
/// # Errors
/// If some layers alone have one.
async fn shift<W: Weights>(layers: &[LayerTensors], file: &W) -> Result<Option<String>, String> {
    let norms = layers.iter().map(|layer| layer.norm.as_deref());
    let shifts: Vec<Option<String>> = norms.map(|norm| norm_tensors(file, norm?).1).collect();
    if shifts.iter().all(Option::is_none) {
        return Ok(None);
    }
    in_all_or_none(&shifts.iter().map(Option::is_some).collect::<Vec<_>>())?;
    let names: Vec<&str> = shifts.iter().flatten().map(String::as_str).collect();
    for name in &names {
        readable(file, name).await?;
    }
    let name = name_in_layer(&names);
    Ok(Some(format!("tensor({name}).reshape(-1)")))
}

/// Refuses layers of which some alone have a bias.
fn in_all_or_none(has: &[bool]) -> Result<(), String> {
    match has.contains(&true) && has.contains(&false) {
        true => Err("Some layers of this model have biases, and others have none.".to_owned()),
        false => Ok(()),
    }
}
