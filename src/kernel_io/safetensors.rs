//! Kernels as safetensors under the names of the authors' module, in its convention.
//!
//! A layer is three tensors `[S, H]`: a prefix with the layer's number in it, then `kernel_offsets`,
//! `kernel_amplitudes`, `kernel_sharpness`, so that `load_state_dict` of a module at that prefix takes them as
//! they are. They are stored as F64: kernels that were fitted often cancel each other, and in single precision
//! their sum would be off by more than the 10⁻⁶ to which it is checked. PyTorch rounds them to what its own
//! parameters are when it loads them.
//!
//! Written by hand: the header is a line of JSON, for which the `safetensors` crate brings 8.9 KB of compressed
//! wasm. It reads the files in the tests.

use super::kernel_file::KernelFile;
use crate::encoding::AuthorsLayer;
use std::fmt::Write;

/// Where a layer's kernels go unless somebody says otherwise: into the self-attention of an encoder as the
/// transformers library calls it. `{layer}` stands for its number from 0.
pub const DEFAULT_PREFIX: &str = "encoder.layer.{layer}.attention.self.";

const CONVENTION: &str = "F[i, j] = f(i - j - 1), query i, key j; f(r) = sum over S of kernel_amplitudes * \
                          exp(-|kernel_sharpness| * (kernel_offsets - r)**2). With k = j - i centres are \
                          c = -(kernel_offsets + 1).";

/// The kernels that are not muted, as a file.
///
/// # Errors
/// When the set is none, or `prefix` gives two layers one name.
pub fn to_safetensors(file: &KernelFile, prefix: &str) -> Result<Vec<u8>, String> {
    file.set.check()?;
    let set = file.set.clone().audible();
    if set.layers.len() > 1 && !prefix.contains("{layer}") {
        return Err("the prefix needs {layer} in it: there is more than one layer".to_owned());
    }
    let quoted = |text: &str| serde_json::to_string(text).map_err(|error| error.to_string());
    let mut header = "{\"__metadata__\":{\"format\":\"pt\",\"source\":\"Diagonal\"".to_owned();
    let notes = [
        ("convention", CONVENTION),
        ("model", &file.model),
        ("mode", &file.mode),
    ];
    // Writing to a String cannot fail.
    for (name, note) in notes.into_iter().filter(|(_, note)| !note.is_empty()) {
        let _ = write!(header, ",\"{name}\":{}", quoted(note)?);
    }
    header.push('}');
    let mut data: Vec<u8> = Vec::new();
    let heads = set.most_heads();
    for layer in &set.layers {
        let prefix = prefix.replace("{layer}", &layer.layer.to_string());
        let layer = AuthorsLayer::new(layer, heads);
        let tensors = [
            ("kernel_offsets", &layer.offsets),
            ("kernel_amplitudes", &layer.amplitudes),
            ("kernel_sharpness", &layer.sharpness),
        ];
        for (name, numbers) in tensors {
            let begin = data.len();
            data.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            let _ = write!(
                header,
                ",{}:{{\"dtype\":\"F64\",\"shape\":[{},{heads}],\"data_offsets\":[{begin},{}]}}",
                quoted(&format!("{prefix}{name}"))?,
                layer.rows(),
                data.len()
            );
        }
    }
    header.push('}');
    // So that the data begin at a multiple of 8, as the format's own writer sees to.
    while !header.len().is_multiple_of(8) {
        header.push(' ');
    }
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    Ok(bytes)
}
