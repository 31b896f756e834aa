//! timm's vision transformers: a learned table of patches, with or without rows for the class token.
//!
//! ```text
//! h_i = patch + E_{i+c}      [q k v] = LayerNorm(h)·W + b      c leading rows for tokens
//! ```
//!
//! `ViT` has a row for the class token, distilled `DeiT` has two, `DeiT` III none although it has the token (Touvron et
//! al., 2022). The original code of MAE, DINO and `DINOv2` uses the same names.

use super::{
    Activation, AttentionDescription, BlockDescription, Config, Cut, Detection, DetectionInput,
    EmbeddingContent, Family, FeedForwardDescription, HeadCounts, Leading, LinearTensors, Model,
    NormDescription, QueryKeyNorms, ResidualDescription, SourceDescription, TokenRows, head_count,
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
        let model = clues.model(TABLE)?;
        let source = source(&model);
        let blocks = model.blocks(|at| block(&model, at, source.heads));
        if blocks.is_empty() && !model.has("patch_embed.proj.weight") {
            return None;
        }
        let tokens = ["cls_token", "class_token", "dist_token", "reg_token"];
        let source = source
            .blocks(&model, blocks)
            .final_norm(&model, "norm")
            .describe(|description| {
                description.embedding.content = Some(EmbeddingContent::Patches {
                    weight: model.name("patch_embed.proj.weight"),
                    bias: model.optional("patch_embed.proj.bias"),
                    tokens: model.optionals(&tokens),
                });
            });
        Detection::by_names("timm ViT", vec![source])
    }
}

/// The table and its preprocessing. `BEiT` may have it, too.
pub(super) fn source(model: &Model<'_>) -> SourceDescription {
    let leading = Leading::Tokens(TokenRows {
        patches: patches(model.config()),
        first: model.optionals(&["cls_token", "class_token", "dist_token"]),
        registers: model.optionals(&["reg_token", "register_tokens"]),
        last: model.optionals(&["det_token", "detection_tokens"]),
        least: 0,
        most: MOST_TOKENS,
    });
    let arguments = model.config().section("model_args");
    SourceDescription::table(model, TABLE, leading)
        .patches(model, "patch_embed.proj")
        .norm(model, &["norm_pre"])
        .heads(arguments.heads)
        .usual_heads(head_count::USUAL_OF_IMAGES)
        .epsilon(EPSILON)
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
    let [query, key, value] =
        LinearTensors::thirds(model, &format!("{stem}.attn.qkv"), Cut::third_of_rows);
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

/// Rows and columns of patches, from the size of the images and that of a patch. The latter may appear only in the
/// model's name.
fn patches(config: &Config) -> Option<(u32, u32)> {
    let arguments = config.section("model_args");
    let image = [
        arguments.counts("img_size"),
        config.section("pretrained_cfg").counts("input_size"),
        config.counts("input_size"),
    ];
    let image = image.into_iter().find(|sides| !sides.is_empty())?;
    let in_name = || {
        let (_, rest) = config.word("architecture")?.split_once("patch")?;
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest[..end].parse().ok()
    };
    let mut patch = arguments.counts("patch_size");
    if patch.is_empty() {
        patch.push(in_name()?);
    }
    // Input sizes begin with the number of channels.
    let image = match image[..] {
        [_, height, width] => vec![height, width],
        _ => image,
    };
    Config::patches_of(&image, &patch, &arguments.strides())
}
