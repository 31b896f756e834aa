//! `LeViT` and models with its attention, such as `TinyViT` and `EfficientFormer`: a bias by the distances |Δy| and |Δx|.
//!
//! ```text
//! score(i, j) = q_i·k_j / √d_k + b[|Δy|, |Δx|]
//! ```
//!
//! Graham et al., `LeViT`: a Vision Transformer in `ConvNet`'s Clothing, ICCV 2021. Attention between images of two sizes,
//! which makes them smaller between stages, is left out.

use super::{Detection, DetectionInput, Family, PositionTensors, SourceDescription, WindowLayout};

#[derive(Clone, Copy, Debug)]
pub(super) struct LeVit;

/// Names of a stage's tables in timm, in `TinyViT`, and in the transformers library, where every other layer is a
/// feed-forward one: `{s}` is the stage, `{}` the block.
const TABLES: &[(&str, usize)] = &[
    ("stages.{s}.blocks.{}.attn.attention_biases", 1),
    ("stages.{s}.blocks.{}.token_mixer.attention_biases", 1),
    ("layers.{s}.blocks.{}.attn.attention_biases", 1),
    ("encoder.stages.{s}.layers.{}.module.attention_biases", 2),
];
/// Maximum number of stages of a model.
const MOST_STAGES: usize = 16;
/// Maximum number of blocks of a stage.
const MOST_BLOCKS: usize = 64;

impl Family for LeVit {
    fn name(&self) -> &'static str {
        "LeViT"
    }

    fn about(&self) -> &'static str {
        "A bias by the distances in rows and columns of an image."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let tables = clues.names.prefixes("attention_biases").count();
        // Every block of every stage is looked up among all tables.
        if !(1..=MOST_STAGES * MOST_BLOCKS).contains(&tables) {
            return None;
        }
        let stages = (0..MOST_STAGES).flat_map(|stage| {
            TABLES
                .iter()
                .filter_map(move |(table, step)| stage_of(clues, stage, table, *step))
        });
        Detection::by_names("LeViT", stages.collect())
    }
}

fn stage_of(
    clues: &DetectionInput<'_>,
    stage: usize,
    table: &str,
    step: usize,
) -> Option<SourceDescription> {
    let table = table.replace("{s}", &stage.to_string());
    // In some models the first blocks are convolutions.
    let name = |at: usize| table.replace("{}", &at.to_string());
    let first = (0..MOST_BLOCKS).find(|at| clues.model(&name(*at)).is_some())?;
    let model = clues.model(&name(first))?;
    let blocks = (first..MOST_BLOCKS).step_by(step);
    let tensors = blocks.map_while(|at| model.optional(&name(at))).collect();
    let place = PositionTensors::Window {
        tensors,
        has_class: false,
        layout: WindowLayout::Distances,
    };
    let number = stage + 1;
    let source = SourceDescription::bias(&model, place)
        .with_name(&format!("stage-{number}"), &format!("stage {number}"))
        .remark(
            "Distances",
            "One score is stored for each pair of distances, so offsets to the left and to the right have the same.",
        );
    Some(source)
}
