//! The source of positions of a model that rotates queries and keys by rows and columns of patches. `vision_towers.rs`
//! and `timm_rotation.rs` read the angles, `patch_layers.rs` names the layers.

use super::{
    Config, DetectionInput, LayerTensors, Model, PatchFrequencies, PatchRotation, PositionTensors,
    SourceDescription, patch_layers, timm_rotation, vision_towers,
};
use crate::checkpoint::Name;

/// The source of a model or of the tower of a larger model, and whether it is such a tower.
pub(super) fn find(clues: &DetectionInput<'_>) -> Option<(SourceDescription, bool)> {
    let top = clues.config();
    let (config, rotation, is_part, layers) = match vision_towers::find(top) {
        Some(tower) => {
            let layers = patch_layers::of_tower(clues, tower.kind, tower.is_part);
            (tower.config, tower.rotation, tower.is_part, layers)
        }
        None => {
            let rotation = timm_rotation::find_alone(clues)?;
            (top, rotation, false, patch_layers::of_timm(clues))
        }
    };
    let name = match is_part {
        true => ("vision", "vision tower"),
        false => ("positions", "positions"),
    };
    Some((source(config, rotation, layers, name), is_part))
}

/// The rotation of a model that has a table of positions as well, as a source beside that table.
pub(super) fn beside_table(model: &Model<'_>, rotation: PatchRotation) -> SourceDescription {
    let layers = patch_layers::below(model);
    let name = ("rotation", "rotation by rows and columns");
    source(model.config(), rotation, layers, name)
}

fn source(
    config: &Config,
    rotation: PatchRotation,
    layers: Vec<LayerTensors>,
    (id, title): (&str, &str),
) -> SourceDescription {
    let text = match &rotation.frequencies {
        PatchFrequencies::Formula(angles) => format!(
            "Queries and keys are rotated by angles of the patch’s row and column, with base {} over {} columns of every head. The figures show this rotation alone, without a table that the model may have as well.",
            angles.base, angles.width
        ),
        PatchFrequencies::Periods { tensor, .. } => format!(
            "Queries and keys are rotated by angles of the patch’s row and column, with the periods in {}. The figures show this rotation alone, for images of 14 by 14 patches.",
            Name(tensor)
        ),
        PatchFrequencies::Learned(tensor) => format!(
            "Queries and keys are rotated by angles that mix the patch’s row and column. Every head has frequencies of its own, which are learned ({}). Figures of positions show the rotation of the first layer’s heads together.",
            Name(tensor)
        ),
    };
    let place = PositionTensors::RotaryPatches(rotation);
    let source = SourceDescription::new(config, id, title, place)
        .layers(layers)
        .remark("Angles by row and column", text);
    // Qwen2.5-VL.
    match config.counts("fullatt_block_indexes").is_empty() {
        true => source,
        false => source.remark(
            "Windows",
            "Most layers attend within windows of the image. Scores by (Δy, Δx) hold there as well; attention is shown as if every patch saw all others.",
        ),
    }
}
