//! Quantised queries and keys: how they are stored, or why they are not read, as a sentence.

use super::{Config, Note, SourceDescription, names::TensorNames};
use crate::checkpoint::{CheckpointError, CleanText, Dtype, TensorInfo, Weights, factor_names};

/// Why queries or keys of the first layer cannot be read, as a sentence; `None` if they can. Keys are located only beside
/// quantised queries, since they may be in another file.
pub(super) async fn unreadable<W: Weights>(
    source: &SourceDescription,
    checkpoint: &W,
) -> Option<String> {
    let layer = source.layers.first()?;
    for map in [&layer.query, &layer.key] {
        match checkpoint.locate(&map.weight).await {
            Ok(tensor) if !tensor.dtype.is_float() => {
                return Some(format!(
                    "Queries and keys are quantised ({}) and are not read here, so heads are not shown.",
                    CleanText(tensor.dtype.name())
                ));
            }
            Err(error @ CheckpointError::Packed { .. }) => {
                return Some(format!("{error} Heads are not shown."));
            }
            Ok(tensor) if tensor.dtype.is_quantised() => {}
            _ => break,
        }
    }
    None
}

/// Note on how the queries of the first layer are stored; `None` if their numbers are stored as they are. Keys are not
/// located.
pub(super) async fn note<W: Weights>(source: &SourceDescription, checkpoint: &W) -> Option<Note> {
    let query = &source.layers.first()?.query.weight;
    let tensor = checkpoint.locate(query).await.ok()?;
    let text = format!(
        "Queries of the first layer are stored as {}. Quantised weights are read as the numbers that their codes stand for, which differ from the trained ones by rounding.",
        describe(&tensor, checkpoint)?
    );
    Some(Note::new("Quantised weights", text))
}

/// How a quantised tensor is stored; `None` for a tensor of another type.
fn describe<W: Weights>(tensor: &TensorInfo, checkpoint: &W) -> Option<String> {
    let name = tensor.dtype.name();
    match &tensor.dtype {
        Dtype::Blocks(block) => {
            let bits = (8 * block.bytes()) as f64 / block.numbers() as f64;
            Some(format!("{name} ({bits} bits a number)"))
        }
        dtype if dtype.is_eight_bit_float() => {
            let names = factor_names(&tensor.name);
            Some(match names.iter().any(|factors| checkpoint.has(factors)) {
                true => format!("{name} with scale factors"),
                false => format!("{name} without scale factors"),
            })
        }
        dtype => dtype.is_quantised().then(|| name.to_owned()),
    }
}

/// Endings of tensor names that only quantised maps have, and the libraries that write them.
const ENDINGS: &[(&str, &str)] = &[
    (".g_idx", "GPTQ"),
    (".qweight", "GPTQ or AWQ"),
    (".weight.absmax", "bitsandbytes"),
    (".SCB", "bitsandbytes"),
    (".weight_packed", "compressed-tensors"),
    (".weight._data", "quanto"),
    ("._packed_params._packed_params", "PyTorch"),
    (".scales", "MLX"),
];

/// A sentence for a file whose maps are quantised; `None` if neither a name nor the configuration shows that.
pub(super) fn sentence(names: &TensorNames<'_>, config: &Config) -> Option<String> {
    let by_config = config.section("quantization_config").word("quant_method");
    let ends_with = |ending: &str| names.iter().any(|name| name.ends_with(ending));
    let mut endings = ENDINGS.iter();
    let by_names = endings
        .find(|(ending, _)| ends_with(ending))
        .map(|(_, method)| *method);
    let method = match (by_names, by_config) {
        (None, None) => return None,
        (_, Some(method)) => CleanText(method).to_string().to_uppercase(),
        (Some(method), None) => method.to_owned(),
    };
    Some(format!(
        "Queries and keys are quantised ({method}) and are not read here, so heads are not shown. The position table is not quantised."
    ))
}
