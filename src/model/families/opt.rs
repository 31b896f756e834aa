//! OPT: a decoder whose learned table begins in row 2; narrower word embeddings are projected.
//!
//! ```text
//! h_i = W·word + E_{i+2}      q, k = LayerNorm(h)·W + b
//! ```
//!
//! The variant with 350 million parameters applies its norms after the attention instead. Zhang et al., OPT: Open
//! Pre-trained Transformer Language Models, 2022.

use super::{
    Activation, Detection, DetectionInput, Family, LinearTensors, SourceDescription, bart,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Opt;

/// Number of heads at widths whose heads are not 64 wide.
const HEADS: &[(usize, u32)] = &[
    (2560, 32),
    (4096, 32),
    (5120, 40),
    (7168, 56),
    (9216, 72),
    (12288, 96),
];

impl Family for Opt {
    fn name(&self) -> &'static str {
        "OPT"
    }

    fn about(&self) -> &'static str {
        "A decoder with learned absolute positions that begin in row 2."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let table = "decoder.embed_positions.weight";
        let model = clues.model(table)?;
        // BART's decoder has a norm on embeddings or attends to an encoder.
        let other = model.has("decoder.layernorm_embedding.weight")
            || model.has("decoder.layers.0.encoder_attn.k_proj.weight")
            || model.has("encoder.embed_positions.weight");
        let config = model.config();
        // The final norm exists only if norms come before the attention.
        let last = model.has("decoder.final_layer_norm.weight");
        let norms_before = config.flag("do_layer_norm_before").unwrap_or(last);
        // ReLU in the library's `OPTConfig`.
        let keys = ["activation_function"];
        let activation = Activation::from_config(config, &keys, Activation::Relu);
        let blocks = bart::blocks(&model, "decoder", norms_before, &activation, config.heads);
        if other || (blocks.is_empty() && !clues.says_alone(&["opt", "biogpt"])) {
            return None;
        }
        let project_out = "decoder.project_out";
        let final_map = model.map(project_out);
        let final_map = final_map.map(|_| LinearTensors::new(&model, project_out));
        // BioGPT's configuration scales words unless it says otherwise.
        let is_scaled = config
            .flag("scale_embedding")
            .unwrap_or(model.library_of(table) == Some("BioGPT"));
        let mut source = SourceDescription::table(&model, table, bart::second_row())
            .words(&model, "decoder.embed_tokens");
        if is_scaled {
            source = source.times_root_of_width();
        }
        let source = source
            .with_map(&model, "decoder.project_in")
            .epsilon(bart::EPSILON)
            .usual_heads(HEADS)
            .causal()
            .blocks(&model, blocks)
            .final_norm(&model, "decoder.final_layer_norm")
            .describe(|description| description.final_map = final_map)
            .causal_head(&model, &["lm_head.weight"], true);
        Detection::by_names("OPT", vec![source])
    }
}
