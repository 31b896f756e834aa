//! Quantised queries and keys, which are not read: the reason, as a sentence.

use super::{Config, names::TensorNames};
use crate::checkpoint::CleanText;

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
