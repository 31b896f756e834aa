//! `ViT` and `DeiT`: a learned table of patches, its first rows those of class and distillation tokens.
//!
//! ```text
//! h_i = patch + E_{i+1}      q, k = LayerNorm(h)·W + b      patches row by row
//! ```
//!
//! Dosovitskiy et al., An Image is Worth 16×16 Words, ICLR 2021; Touvron et al., Training data-efficient image
//! transformers, ICML 2021 (`DeiT`); Oquab et al., `DINOv2`, 2023, under the same names.

use super::{
    DetectionInput, Family, Found, Leading, Model, SourceDescription, TokenRows, head_count,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Vit;

const TABLE: &str = "embeddings.position_embeddings";

impl Family for Vit {
    fn name(&self) -> &'static str {
        "ViT"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions of an image’s patches."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Found> {
        let model = clues.model(TABLE)?;
        let source = source(&model)?;
        Found::by_names("ViT", vec![source])
    }
}

/// Positions, preprocessing and layers, for the families that share them; `None` if the tensors do not match.
pub(super) fn source(model: &Model<'_>) -> Option<SourceDescription> {
    let mut layers = model.plain_layers(
        "encoder.layer.{}.attention.attention.query",
        "encoder.layer.{}.attention.attention.key",
    );
    let mut norm = "encoder.layer.{}.layernorm_before";
    if layers.is_empty() {
        // Memory layout of transformers 5.
        layers = model.plain_layers("layers.{}.attention.q_proj", "layers.{}.attention.k_proj");
        norm = "layers.{}.layernorm_before";
    }
    if !model.has(&format!("{}.weight", norm.replace("{}", "0"))) {
        // DINOv2 uses another name.
        norm = "encoder.layer.{}.norm1";
    }
    if layers.is_empty() && !model.has("embeddings.patch_embeddings.projection.weight") {
        return None;
    }
    let first = model.optionals(&["embeddings.cls_token", "embeddings.distillation_token"]);
    let tokens = first.len() as u64;
    let leading = Leading::Tokens(TokenRows {
        patches: model.config().patches(),
        first,
        registers: model.optionals(&["embeddings.register_tokens"]),
        last: model.optionals(&["embeddings.detection_tokens"]),
        least: tokens,
        // A file that holds only the table has no token tensors to count.
        most: if tokens > 0 { tokens } else { 2 },
    });
    let source = SourceDescription::table(model, TABLE, leading)
        .patches(model, "embeddings.patch_embeddings.projection")
        .layers(layers)
        .layer_norm(model, norm)
        .usual_heads(head_count::USUAL_OF_IMAGES);
    Some(source)
}
