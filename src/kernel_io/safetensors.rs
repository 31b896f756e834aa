//! Kernels as safetensors under the names of the authors' module, in its convention.
//!
//! A layer is three tensors `[S, H]`: a prefix that contains the layer's number, then `kernel_offsets`,
//! `kernel_amplitudes` or `kernel_sharpness`, so that `load_state_dict` of a module at that prefix accepts them. They
//! are stored as F64: fitted kernels often cancel each other, and in single precision the error of their sum would
//! exceed the 10⁻⁶ that is tested. PyTorch converts them to the type of its own parameters on loading.

use super::kernel_file::KernelFile;
use crate::{encoding::AuthorsLayer, safetensors_writer::SafetensorsWriter};

/// Default prefix of tensor names: the self-attention of an encoder in the transformers library. `{layer}` is replaced
/// by the layer's number, from 0.
pub const DEFAULT_PREFIX: &str = "encoder.layer.{layer}.attention.self.";

const CONVENTION: &str = "F[i, j] = f(i - j - 1), query i, key j; f(r) = sum over S of kernel_amplitudes * \
                          exp(-|kernel_sharpness| * (kernel_offsets - r)**2). With k = j - i centres are \
                          c = -(kernel_offsets + 1).";

/// Writes the kernels that are not muted.
///
/// # Errors
/// If the set is invalid, or `prefix` lacks `{layer}` although there are several layers.
pub fn to_safetensors(file: &KernelFile, prefix: &str) -> Result<Vec<u8>, String> {
    file.set.check()?;
    let set = file.set.clone().audible();
    if set.layers.len() > 1 && !prefix.contains("{layer}") {
        return Err("the prefix needs {layer} in it: there is more than one layer".to_owned());
    }
    let mut writer = SafetensorsWriter::new().with_metadata("source", "Diagonal");
    let notes = [
        ("convention", CONVENTION),
        ("model", &file.model),
        ("mode", &file.mode),
    ];
    for (name, note) in notes.into_iter().filter(|(_, note)| !note.is_empty()) {
        writer = writer.with_metadata(name, note);
    }
    let heads = set.most_heads();
    for layer in &set.layers {
        let prefix = prefix.replace("{layer}", &layer.layer.to_string());
        let layer = AuthorsLayer::new(layer, heads);
        let shape = [layer.rows(), heads];
        for (name, numbers) in [
            ("kernel_offsets", &layer.offsets),
            ("kernel_amplitudes", &layer.amplitudes),
            ("kernel_sharpness", &layer.sharpness),
        ] {
            writer.add_f64(&format!("{prefix}{name}"), &shape, numbers.iter().copied());
        }
    }
    Ok(writer.into_bytes())
}
