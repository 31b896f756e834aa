//! A snapshot as files: a checkpoint and its configuration, under BERT's names.

use crate::safetensors_writer::SafetensorsWriter;
use small_transformer::Trainer;

/// Name of a snapshot's file of weights.
pub const WEIGHTS_FILE: &str = "model.safetensors";

/// Name of a snapshot's configuration.
pub const CONFIG_FILE: &str = "config.json";

/// The weights as a safetensors file. Its metadata has the recipe, the step, and the version of the program. Equal
/// weights give equal bytes.
pub(super) fn weights_file(trainer: &Trainer) -> Vec<u8> {
    let mut writer = SafetensorsWriter::new()
        .with_metadata("source", concat!("Diagonal ", env!("CARGO_PKG_VERSION")))
        .with_metadata("recipe", &trainer.recipe().to_string())
        .with_metadata("step", &trainer.steps_done().to_string());
    for tensor in trainer.tensors() {
        writer.add_f32(&tensor.name, &tensor.shape, tensor.values);
    }
    writer.into_bytes()
}
