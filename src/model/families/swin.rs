//! Swin: a bias by offset in a window of the image, one table per layer.
//!
//! ```text
//! score(i, j) = q_i·k_j / √d_k + b[(Δy + w − 1)(2w − 1) + Δx + w − 1]      Δ = query − key
//! ```
//!
//! Stages differ in their number of heads, so each is a source. Liu et al., Swin Transformer, ICCV 2021.

use super::{
    Detection, DetectionInput, Family, Model, PositionTensors, SourceDescription, WindowLayout,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Swin;

/// Name of the table of a block: in files of transformers 4 and 5, in the memory layout of version 5, in files of timm
/// and the authors, in those of MONAI, of torchvision, and of mmpretrain. `{s}` is the stage counted from 0, `{n}` the
/// stage counted from 1, `{t}` twice the stage plus 1, `{}` the block.
const TABLES: &[&str] = &[
    "encoder.layers.{s}.blocks.{}.attention.self.relative_position_bias_table",
    "encoder.layers.{s}.blocks.{}.attention.relative_position_bias.relative_position_bias_table",
    "layers.{s}.blocks.{}.attn.relative_position_bias_table",
    "layers{n}.0.blocks.{}.attn.relative_position_bias_table",
    "features.{t}.{}.attn.relative_position_bias_table",
    "stages.{s}.blocks.{}.attn.w_msa.relative_position_bias_table",
];

impl Family for Swin {
    fn name(&self) -> &'static str {
        "Swin"
    }

    fn about(&self) -> &'static str {
        "A bias by offset within windows of an image."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let stages = TABLES.iter().find_map(|table| {
            let model = clues.model(&of_stage(table, 0).replace("{}", "0"))?;
            Some(model.layers(|stage| stage_of(&model, table, stage)))
        })?;
        Detection::by_names("Swin", stages)
    }
}

fn of_stage(table: &str, stage: usize) -> String {
    let table = table.replace("{s}", &stage.to_string());
    let table = table.replace("{t}", &(2 * stage + 1).to_string());
    table.replace("{n}", &(stage + 1).to_string())
}

fn stage_of(model: &Model<'_>, table: &str, stage: usize) -> Option<SourceDescription> {
    let tensors = model.in_layers(&of_stage(table, stage));
    let place = PositionTensors::Window {
        tensors: (!tensors.is_empty()).then_some(tensors)?,
        has_class: false,
        layout: WindowLayout::OffsetRows,
    };
    let number = stage + 1;
    let source = SourceDescription::bias(model, place)
        .with_name(&format!("stage-{number}"), &format!("stage {number}"));
    Some(source)
}
