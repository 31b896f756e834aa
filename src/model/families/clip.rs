//! CLIP: two models side by side, one for text and one for images, each with a learned table.
//!
//! ```text
//! text     h_i = word + E_i                       q, k = LayerNorm(h)·W + b
//! vision   h_i = LayerNorm(patch + E_{i+1})       q, k = LayerNorm(h)·W + b      row 0: the class token
//! ```
//!
//! Radford et al., Learning Transferable Visual Models From Natural Language Supervision, 2021. `SigLIP` (Zhai et al.,
//! 2023) has the same names, but no class token and no norm before the layers.

use super::{Detection, DetectionInput, Family, Leading, SourceDescription, TokenRows, head_count};

#[derive(Clone, Copy, Debug)]
pub(super) struct Clip;

/// Name of the table in both halves.
const TABLE: &str = "embeddings.position_embedding.weight";

impl Family for Clip {
    fn name(&self) -> &'static str {
        "CLIP"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions of tokens and of patches, in two models."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let sources = [half(clues, "text"), half(clues, "vision")];
        Detection::by_names("CLIP", sources.into_iter().flatten().collect())
    }
}

fn half(clues: &DetectionInput<'_>, name: &str) -> Option<SourceDescription> {
    let stem = format!("{name}_model");
    let model = clues.model(&format!("{stem}.{TABLE}"))?;
    // A half that is stored alone has its configuration at the top level.
    let section = model.config().section(&format!("{name}_config"));
    let model = if section.is_empty() {
        model
    } else {
        model.with(section)
    };
    let table = format!("{stem}.{TABLE}");
    let source = if name == "text" {
        SourceDescription::table(&model, &table, Leading::None)
            .words(&model, "text_model.embeddings.token_embedding")
            .usual_heads(&[])
            .causal()
    } else {
        let class = u64::from(model.has("vision_model.embeddings.class_embedding"));
        let leading = Leading::Tokens(TokenRows {
            patches: model.config().patches(),
            least: class,
            most: class,
            ..TokenRows::default()
        });
        SourceDescription::table(&model, &table, leading)
            .patches(&model, "vision_model.embeddings.patch_embedding")
            .norm(
                &model,
                &["vision_model.pre_layrnorm", "vision_model.pre_layernorm"],
            )
            .usual_heads(head_count::USUAL_OF_IMAGES)
    };
    let attention = format!("{stem}.encoder.layers.{{}}.self_attn");
    let layers = model.plain_layers(
        &format!("{attention}.q_proj"),
        &format!("{attention}.k_proj"),
    );
    let source = source
        .layers(layers)
        .layer_norm(&model, &format!("{stem}.encoder.layers.{{}}.layer_norm1"))
        .epsilon(1e-5)
        .with_name(name, name);
    Some(source)
}
