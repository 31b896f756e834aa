//! `ViT` and `DeiT`: a learned table of patches, its first rows those of class and distillation tokens.
//!
//! ```text
//! h_i = patch + E_{i+1}      q, k = LayerNorm(h)·W + b      patches row by row
//! ```
//!
//! Dosovitskiy et al., An Image is Worth 16×16 Words, ICLR 2021; Touvron et al., Training data-efficient image
//! transformers, ICML 2021 (`DeiT`); Oquab et al., `DINOv2`, 2023, under the same names.

use super::{
    Activation, AttentionDescription, BlockDescription, Detection, DetectionInput,
    EmbeddingContent, Family, FeedForwardDescription, HeadCounts, Leading, LinearTensors, Model,
    NormDescription, ResidualDescription, SourceDescription, TokenRows, head_count,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Vit;

const TABLE: &str = "embeddings.position_embeddings";
/// Stem of the map of patches.
const PATCHES: &str = "embeddings.patch_embeddings.projection";

impl Family for Vit {
    fn name(&self) -> &'static str {
        "ViT"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions of an image’s patches."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let model = clues.model(TABLE)?;
        let source = source(&model)?;
        Detection::by_names("ViT", vec![source])
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
    if layers.is_empty() && !model.has(&format!("{PATCHES}.weight")) {
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
        .patches(model, PATCHES)
        .layers(layers)
        .layer_norm(model, norm)
        .usual_heads(head_count::USUAL_OF_IMAGES);
    let blocks = model.blocks(|at| block(model, at));
    if blocks.is_empty() {
        return Some(source);
    }
    let tokens = [
        "embeddings.cls_token",
        "embeddings.distillation_token",
        "embeddings.register_tokens",
    ];
    let source = source
        .blocks(model, blocks)
        .final_norm(model, "layernorm")
        .describe(|description| {
            description.embedding.content = Some(EmbeddingContent::Patches {
                weight: model.name(&format!("{PATCHES}.weight")),
                bias: model.optional(&format!("{PATCHES}.bias")),
                tokens: model.optionals(&tokens),
            });
        });
    Some(source)
}

/// A block with norms before its two parts; ε = 1e-12 as in the library's `ViTConfig`. `DINOv2` has other names for its
/// feed-forward part and scales what both parts add; its configuration gives the epsilon.
fn block(model: &Model<'_>, at: usize) -> BlockDescription {
    let stem = format!("encoder.layer.{at}");
    let is_dino = model.has(&format!("{stem}.norm1.weight"));
    let map = |name: &str| LinearTensors::new(model, &format!("{stem}.{name}"));
    let epsilon = model.config().layer_norm_epsilon.unwrap_or(1e-12);
    let residual = |norm: &str, scale: &str| ResidualDescription {
        output_scale: model.optional(&format!("{stem}.{scale}")),
        ..ResidualDescription::pre_norm(NormDescription::layer(
            model,
            &format!("{stem}.{norm}"),
            epsilon,
        ))
    };
    let [first, second, inner, output] = if is_dino {
        ["norm1", "norm2", "mlp.fc1", "mlp.fc2"]
    } else {
        [
            "layernorm_before",
            "layernorm_after",
            "intermediate.dense",
            "output.dense",
        ]
    };
    let maps = [
        map("attention.attention.query"),
        map("attention.attention.key"),
        map("attention.attention.value"),
        map("attention.output.dense"),
    ];
    let heads = HeadCounts::new(model.config().heads);
    let activation = Activation::from_config(model.config(), &["hidden_act"], Activation::Gelu);
    BlockDescription::new(
        AttentionDescription::new(maps, heads, residual(first, "layer_scale1.lambda1")),
        FeedForwardDescription::plain(
            map(inner),
            map(output),
            activation,
            residual(second, "layer_scale2.lambda1"),
        ),
    )
}
