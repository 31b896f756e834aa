//! timm's vision transformers: a learned table of patches, with or without rows for the class token.
//!
//! ```text
//! h_i = patch + E_{i+c}      [q k v] = LayerNorm(h)·W + b      c leading rows for tokens
//! ```
//!
//! `ViT` has a row for the class token, distilled `DeiT` has two, `DeiT` III none although it has the token (Touvron et
//! al., 2022). The original code of MAE, DINO and `DINOv2` uses the same names.

use super::{
    Activation, AttentionDescription, BlockDescription, ContentInput, Cut, Detection,
    DetectionInput, EmbeddingContent, Family, FeedForwardDescription, HeadCounts, LayerTensors,
    Leading, LinearTensors, Model, NormDescription, Note, QueryKeyNorms, ResidualDescription,
    SourceDescription, TokenRows, head_count, patch_source, timm_config,
    timm_rotation::{self, FREQUENCIES},
};

#[derive(Clone, Copy, Debug)]
pub(super) struct TimmVit;

const TABLE: &str = "pos_embed";
/// Maximum number of token rows if no tensor shows it: class, distillation and up to four registers.
const MOST_TOKENS: u64 = 5;

impl Family for TimmVit {
    fn name(&self) -> &'static str {
        "timm ViT"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions of an image’s patches, under timm’s names."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let Some(model) = clues.model(TABLE) else {
            // The decoder is a part of its own where the file has no table of an encoder.
            let decoder = decoder(&clues.model(DECODER_TABLE)?);
            return Detection::by_names("MAE", decoder.into_iter().collect());
        };
        let source = source(&model);
        let source = if model.has("blocks.0.attn.query_kernel") {
            source
                .layers(flax_layers(&model))
                .layer_norm(&model, "blocks.{}.norm1")
        } else {
            let blocks = model.blocks(|at| block(&model, at, source.heads));
            if blocks.is_empty() && !model.has("patch_embed.proj.weight") {
                return None;
            }
            with_blocks(source, &model, blocks)
        };
        let encoder = remarks(source, &model);
        let decoder = decoder(&model);
        let name = if decoder.is_some() { "MAE" } else { "timm ViT" };
        let encoder = match decoder {
            Some(_) => encoder.with_name("encoder", "encoder"),
            None => encoder,
        };
        let rotation = encoder.patch_rotation.clone();
        let rotation = rotation.map(|rotation| patch_source::beside_table(&model, rotation));
        let sources = [Some(encoder), rotation, decoder];
        Detection::by_names(name, sources.into_iter().flatten().collect())
    }
}

/// Sets the blocks, and what enters the first one.
fn with_blocks(
    source: SourceDescription,
    model: &Model<'_>,
    blocks: Vec<BlockDescription>,
) -> SourceDescription {
    let tokens = ["cls_token", "class_token", "dist_token", "reg_token"];
    let source = source
        .blocks(model, blocks)
        .final_norm(model, "norm")
        .describe(|description| {
            description.embedding.content = Some(EmbeddingContent::Patches {
                weight: model.name("patch_embed.proj.weight"),
                bias: model.optional("patch_embed.proj.bias"),
                tokens: model.optionals(&tokens),
            });
        });
    let is_whole = ["patch_embed.proj.weight", "blocks.0.mlp.fc1.weight"];
    let is_rotated = source.patch_rotation.is_some() || is_eva(model);
    match is_whole.iter().all(|name| model.has(name)) && !is_rotated {
        true => source,
        false => SourceDescription {
            description: None,
            ..source
        },
    }
}

/// Whether the file is EVA-02's, whose queries and keys are rotated as well.
fn is_eva(model: &Model<'_>) -> bool {
    model.has("blocks.0.attn.q_proj.weight") || model.has("rope.freqs_cos")
}

fn remarks(mut source: SourceDescription, model: &Model<'_>) -> SourceDescription {
    if source.patch_rotation.is_some() || is_eva(model) {
        source = source.remark(
            "Rotary angles",
            "Queries and keys are also turned by angles of the patch's row and column. Table and angles both carry position; the scores here leave the angles out. Where the angles are known, “rotation by rows and columns” under Positions shows them.",
        );
    }
    if model.has("blocks.0.attn.rel_pos_h") {
        source = source.remark(
            "Relative positions",
            "Every block also adds scores by the offset in rows and in columns (rel_pos_h and rel_pos_w), which depend on the query. The scores here leave them out.",
        );
    }
    if !model.has("patch_embed.proj.weight") {
        source = source.unknown(
            "Patches",
            "The file has no map of patches under the name that timm gives it, so x̄ is taken as zero.",
        );
    }
    source
}

/// Queries and keys of a file of Flax, [in, heads, `d_k`].
fn flax_layers(model: &Model<'_>) -> Vec<LayerTensors> {
    model.layers(|at| {
        let [query, key] = ["query", "key"].map(|map| {
            let [weight, bias] =
                ["kernel", "bias"].map(|end| format!("blocks.{at}.attn.{map}_{end}"));
            (model.has(&weight))
                .then(|| LinearTensors::from_names(model, &weight, Some(&bias), Cut::COLUMNS))
        });
        Some(LayerTensors::new(query?, key?))
    })
}

/// Name of the table of MAE's decoder.
const DECODER_TABLE: &str = "decoder_pos_embed";

/// The decoder that restores masked patches (He et al., Masked Autoencoders Are Scalable Vision Learners, 2021).
fn decoder(model: &Model<'_>) -> Option<SourceDescription> {
    if !model.has(DECODER_TABLE) {
        return None;
    }
    let layers = model.fused_layers(
        "decoder_blocks.{}.attn.qkv.weight",
        "decoder_blocks.{}.attn.qkv.bias",
        Cut::third_of_rows,
    );
    let leading = Leading::Tokens(TokenRows {
        patches: timm_config::patches(model.config()),
        first: model.optionals(&["cls_token"]),
        most: MOST_TOKENS,
        ..TokenRows::default()
    });
    let source = SourceDescription::table(model, DECODER_TABLE, leading)
        .with_name("decoder", "decoder")
        .layers(layers)
        .layer_norm(model, "decoder_blocks.{}.norm1")
        // All published decoders have 16 heads at width 512.
        .usual_heads(&[(512, 16)])
        .epsilon(EPSILON);
    let source = SourceDescription {
        heads: None,
        ..source
    };
    Some(match model.optional("mask_token") {
        Some(tensor) => SourceDescription {
            content: ContentInput::Vector {
                tensor,
                name: "the masked patch",
                about: Note::new(
                    "Masked patches",
                    "Positions are added to the embedding of a masked patch.",
                ),
            },
            ..source
        },
        None => source.unknown(
            "Patches",
            "The file has no embedding of a masked patch, so x̄ is taken as zero.",
        ),
    })
}

/// The table and its preprocessing. `BEiT` may have it, too.
pub(super) fn source(model: &Model<'_>) -> SourceDescription {
    let leading = Leading::Tokens(TokenRows {
        patches: timm_config::patches(model.config()),
        first: model.optionals(&["cls_token", "class_token", "dist_token"]),
        registers: model.optionals(&["reg_token", "register_tokens"]),
        last: model.optionals(&["det_token", "detection_tokens"]),
        least: 0,
        most: MOST_TOKENS,
    });
    let arguments = model.config().section("model_args");
    let layers = model.in_layers("blocks.{}.norm1.weight").len();
    let source = SourceDescription::table(model, TABLE, leading)
        .patches(model, "patch_embed.proj")
        .norm(model, &["norm_pre"])
        .heads(arguments.heads)
        .usual_heads(head_count::USUAL_OF_IMAGES)
        .epsilon(EPSILON);
    SourceDescription {
        patch_rotation: timm_rotation::find(model.config(), model.optional(FREQUENCIES), layers),
        ..source
    }
}

/// Epsilon of timm's vision transformers.
const EPSILON: f64 = 1e-6;

/// A block with norms before its two parts, and GELU, as timm's `VisionTransformer` builds it by default.
fn block(model: &Model<'_>, at: usize, heads: Option<u32>) -> BlockDescription {
    let stem = format!("blocks.{at}");
    let map = |name: &str| LinearTensors::new(model, &format!("{stem}.{name}"));
    let norm = |name: &str| NormDescription::layer(model, &format!("{stem}.{name}"), EPSILON);
    let residual = |name: &str, scale: &str| ResidualDescription {
        output_scale: model.optional(&format!("{stem}.{scale}")),
        ..ResidualDescription::pre_norm(norm(name))
    };
    let [query, key, value] = if is_eva(model) && model.has(&format!("{stem}.attn.q_proj.weight")) {
        ["q_proj", "k_proj", "v_proj"].map(|name| map(&format!("attn.{name}")))
    } else {
        LinearTensors::thirds(model, &format!("{stem}.attn.qkv"), Cut::third_of_rows)
    };
    let has_norms = model.has(&format!("{stem}.attn.q_norm.weight"));
    let attention = AttentionDescription {
        query_key_norms: has_norms.then(|| QueryKeyNorms {
            query: norm("attn.q_norm"),
            key: norm("attn.k_norm"),
            is_per_head: true,
        }),
        ..AttentionDescription::new(
            [query, key, value, map("attn.proj")],
            HeadCounts::new(heads),
            residual("norm1", "ls1.gamma"),
        )
    };
    BlockDescription::new(
        attention,
        FeedForwardDescription::plain(
            map("mlp.fc1"),
            map("mlp.fc2"),
            Activation::Gelu,
            residual("norm2", "ls2.gamma"),
        ),
    )
}
