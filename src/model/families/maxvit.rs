//! `MaxViT`: a bias by offset within windows of the image, and one within the grid of every n-th patch.
//!
//! ```text
//! score(i, j) = q_i·k_j / √d_k + b[Δy, Δx]      in a window of neighbours, then on a grid of distant patches
//! ```
//!
//! Tu et al., `MaxViT`: Multi-Axis Vision Transformer, ECCV 2022. `CoAtNet` in timm has the same names.

use super::{
    Detection, DetectionInput, Family, Model, PositionTensors, SourceDescription, WindowLayout,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct MaxVit;

/// Names of a stage's tables in timm and in torchvision, where `{s}` is the stage and `{}` the block; the arrangement of
/// each; the id and title of its attention.
const TABLES: &[(&str, WindowLayout, &str, &str)] = &[
    (
        "stages.{s}.blocks.{}.attn_block.attn.rel_pos.relative_position_bias_table",
        WindowLayout::HeadMatrices,
        "window",
        "windows",
    ),
    (
        "stages.{s}.blocks.{}.attn_grid.attn.rel_pos.relative_position_bias_table",
        WindowLayout::HeadMatrices,
        "grid",
        "grid",
    ),
    (
        "stages.{s}.blocks.{}.attn.rel_pos.relative_position_bias_table",
        WindowLayout::HeadMatrices,
        "attention",
        "attention",
    ),
    (
        "blocks.{s}.layers.{}.layers.window_attention.attn_layer.relative_position_bias_table",
        WindowLayout::OffsetRows,
        "window",
        "windows",
    ),
    (
        "blocks.{s}.layers.{}.layers.grid_attention.attn_layer.relative_position_bias_table",
        WindowLayout::OffsetRows,
        "grid",
        "grid",
    ),
];
/// Maximum number of stages of a model.
const MOST_STAGES: usize = 16;

impl Family for MaxVit {
    fn name(&self) -> &'static str {
        "MaxViT"
    }

    fn about(&self) -> &'static str {
        "A bias by offset within windows and on a grid of an image."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        // Stages without attention come first in some models.
        let sources = (0..MOST_STAGES).flat_map(|stage| {
            TABLES.iter().filter_map(move |table| {
                let first = table.0.replace("{s}", &stage.to_string());
                let model = clues.model(&first.replace("{}", "0"))?;
                Some(source(&model, &first, stage, table))
            })
        });
        Detection::by_names("MaxViT", sources.collect())
    }
}

fn source(
    model: &Model<'_>,
    table: &str,
    stage: usize,
    (_, layout, id, title): &(&str, WindowLayout, &str, &str),
) -> SourceDescription {
    let place = PositionTensors::Window {
        tensors: model.in_layers(table),
        has_class: false,
        layout: *layout,
    };
    let number = stage + 1;
    SourceDescription::bias(model, place).with_name(
        &format!("stage-{number}-{id}"),
        &format!("stage {number}, {title}"),
    )
}
