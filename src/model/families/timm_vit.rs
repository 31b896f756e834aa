//! timm's vision transformers: a learned table of patches, with or without rows for the class token.
//!
//! ```text
//! h_i = patch + E_{i+c}      [q k v] = LayerNorm(h)·W + b      c leading rows for tokens
//! ```
//!
//! `ViT` has a row for the class token, distilled `DeiT` has two, `DeiT` III none although it has the token (Touvron et
//! al., 2022). The original code of MAE, DINO and `DINOv2` uses the same names.

use super::{
    Config, Cut, DetectionInput, Family, Found, Leading, Model, SourceDescription, TokenRows,
    head_count,
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

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Found> {
        let model = clues.model(TABLE)?;
        let layers = model.fused_layers("blocks.{}.attn.qkv", Cut::third_of_rows);
        if layers.is_empty() && !model.has("patch_embed.proj.weight") {
            return None;
        }
        Found::by_names(
            "timm ViT",
            vec![
                source(&model)
                    .layers(layers)
                    .layer_norm(&model, "blocks.{}.norm1"),
            ],
        )
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
        .epsilon(1e-6)
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
