//! CLIP with its authors' tensor names, which `OpenCLIP` uses too: a text and a vision model, with fused maps.
//!
//! ```text
//! text     h_i = word + E_i                       [q k v] = LayerNorm(h)·W + b
//! vision   h_i = LayerNorm(patch + E_{i+1})       [q k v] = LayerNorm(h)·W + b      row 0: the class token
//! ```
//!
//! Radford et al., Learning Transferable Visual Models From Natural Language Supervision, 2021; Cherti et al.,
//! Reproducible scaling laws for contrastive language-image learning, CVPR 2023.

use super::{
    Cut, Detection, DetectionInput, Family, LayerTensors, Leading, Model, SourceDescription,
    TokenRows, head_count,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct OpenClip;

impl Family for OpenClip {
    fn name(&self) -> &'static str {
        "OpenCLIP"
    }

    fn about(&self) -> &'static str {
        "CLIP under the names of its authors."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let text = clues.model("token_embedding.weight").and_then(|model| {
            let layers = layers(&model, "transformer");
            let ours = model.has("positional_embedding") && !layers.is_empty();
            ours.then(|| {
                SourceDescription::table(&model, "positional_embedding", Leading::None)
                    .words(&model, "token_embedding")
                    .layers(layers)
                    .layer_norm(&model, "transformer.resblocks.{}.ln_1")
                    .usual_heads(&[])
            })
        });
        let vision = clues
            .model("visual.positional_embedding")
            .and_then(|model| {
                let layers = layers(&model, "visual.transformer");
                let leading = Leading::Tokens(TokenRows {
                    least: 1,
                    most: 1,
                    ..TokenRows::default()
                });
                (!layers.is_empty()).then(|| {
                    SourceDescription::table(&model, "visual.positional_embedding", leading)
                        .patches(&model, "visual.conv1")
                        .norm(&model, &["visual.ln_pre"])
                        .layers(layers)
                        .layer_norm(&model, "visual.transformer.resblocks.{}.ln_1")
                        .usual_heads(head_count::USUAL_OF_IMAGES)
                })
            });
        let text = text.map(|source| source.with_name("text", "text").epsilon(1e-5).causal());
        let vision = vision.map(|source| source.with_name("vision", "vision").epsilon(1e-5));
        Detection::by_names("OpenCLIP", [text, vision].into_iter().flatten().collect())
    }
}

/// Layers of PyTorch's own attention, whose maps share one weight.
fn layers(model: &Model<'_>, stem: &str) -> Vec<LayerTensors> {
    let [weight, bias] =
        ["weight", "bias"].map(|end| format!("{stem}.resblocks.{{}}.attn.in_proj_{end}"));
    model.fused_layers(&weight, &bias, Cut::third_of_rows)
}
