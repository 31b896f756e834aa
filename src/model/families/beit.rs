//! `BEiT`: a bias by offset as in Swin, over the whole image and with three rows for the class token. One table per
//! layer or one for all, sometimes in addition to an absolute table.
//!
//! ```text
//! score(i, j) = q_i·k_j / √d_k + b[(Δy + w − 1)(2w − 1) + Δx + w − 1]      Δ = query − key
//! ```
//!
//! Bao et al., `BEiT`: BERT Pre-Training of Image Transformers, ICLR 2022; data2vec's image model is the same.

use super::{
    Cut, Detection, DetectionInput, Family, LayerTensors, LinearTensors, Model, PositionTensors,
    SourceDescription, WindowLayout, timm_vit, vit,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Beit;

/// Tables per layer: in files of transformers, in its memory layout, and in files of timm.
const TABLES: &[&str] = &[
    "encoder.layer.{}.attention.attention.relative_position_bias.relative_position_bias_table",
    "layers.{}.relative_position_bias.relative_position_bias_table",
    "blocks.{}.attn.relative_position_bias_table",
];

/// A table for all layers, in the same three layouts.
const SHARED_TABLES: &[&str] = &[
    "encoder.relative_position_bias.relative_position_bias_table",
    "shared_position_bias.relative_position_bias_table",
    "rel_pos_bias.relative_position_bias_table",
];

impl Family for Beit {
    fn name(&self) -> &'static str {
        "BEiT"
    }

    fn about(&self) -> &'static str {
        "A bias by offset in the image, and scores for the class token."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let names = TABLES.iter().chain(SHARED_TABLES);
        let (model, tensors) = names.into_iter().find_map(|name| {
            let model = clues.model(&name.replace("{}", "0"))?;
            let is_shared = !name.contains("{}");
            let tensors = if is_shared {
                vec![model.name(name)]
            } else {
                model.in_layers(name)
            };
            Some((model, tensors))
        })?;
        let shared = tensors.len() == 1;
        let place = PositionTensors::Window {
            tensors,
            has_class: true,
            layout: WindowLayout::OffsetRows,
        };
        let mut bias = SourceDescription::bias(&model, place);
        if shared {
            bias = bias.remark("Shared bias", "All layers add the same bias.");
        }
        let sources = match table(&model) {
            Some(table) => vec![table, bias.with_name("bias", "bias by offset")],
            None => vec![bias],
        };
        Detection::by_names("BEiT", sources)
    }
}

/// The absolute table, if there is one.
fn table(model: &Model<'_>) -> Option<SourceDescription> {
    if model.has("embeddings.position_embeddings") {
        // The scales of this model's blocks and its bias by offset are not described.
        return vit::source(model).map(|source| SourceDescription {
            description: None,
            ..source
        });
    }
    let stem = |at: usize| format!("blocks.{at}.attn");
    let layers = model.layers(|at| {
        let weight = format!("{}.qkv.weight", stem(at));
        let bias = format!("{}.q_bias", stem(at));
        // Keys have no bias.
        model.has(&weight).then(|| {
            LayerTensors::new(
                LinearTensors::from_names(model, &weight, Some(&bias), Cut::third_of_rows(0)),
                LinearTensors::from_names(model, &weight, None, Cut::third_of_rows(1)),
            )
        })
    });
    let source = || timm_vit::source(model).layers(layers);
    model
        .has("pos_embed")
        .then(|| source().layer_norm(model, "blocks.{}.norm1"))
}
