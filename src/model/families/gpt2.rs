//! GPT-2: a learned table added to words, and a `LayerNorm` at the beginning of every layer.
//!
//! ```text
//! h_i = word + E_i      [q k v] = LayerNorm(h)·W + b      W stored [in, out]
//! ```
//!
//! Radford et al., Language Models are Unsupervised Multitask Learners, 2019. GPT-Neo (Black et al., 2021) stores
//! queries and keys separately and does not scale their products.

use super::{
    Cut, DetectionInput, Family, FeedForwardTensors, Found, LayerTensors, Leading, LinearTensors,
    Model, SourceDescription,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Gpt2;

const TABLE: &str = "wpe.weight";

impl Family for Gpt2 {
    fn name(&self) -> &'static str {
        "GPT-2"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions; a LayerNorm begins every layer."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Found> {
        let model = clues.model(TABLE)?;
        let neo = model.plain_layers("h.{}.attn.attention.q_proj", "h.{}.attn.attention.k_proj");
        let ours = model.has("h.0.attn.c_attn.weight") || !neo.is_empty();
        if !ours && clues.has_attention() {
            return None;
        }
        let table = SourceDescription::table(&model, TABLE, Leading::None).words(&model, "wte");
        let source = if neo.is_empty() {
            let layers = if clues.model_type() == Some("gpt_bigcode") {
                Vec::new()
            } else {
                model.fused_layers("h.{}.attn.c_attn", Cut::third_of_columns)
            };
            let source = table.layers(layers);
            match model.config().flag("scale_attn_weights") {
                Some(false) => source.unscaled(),
                _ => source,
            }
        } else {
            table.layers(neo).unscaled()
        };
        let source = source
            .layer_norm(&model, "h.{}.ln_1")
            .with_layers(|at, layer| rest_of_layer(&model, &format!("h.{at}"), layer))
            .epsilon(1e-5)
            .usual_heads(&[])
            .causal();
        Found::by_names("GPT-2", vec![remarks(source, &model)])
    }
}

/// Adds output and feed-forward part, and GPT-Neo's values, which are stored separately.
fn rest_of_layer(model: &Model<'_>, stem: &str, layer: &mut LayerTensors) {
    let neo = model.has(&format!("{stem}.attn.attention.q_proj.weight"));
    let cut = if neo { Cut::ROWS } else { Cut::COLUMNS };
    let map = |name: &str| LinearTensors::optional(model, &format!("{stem}.{name}"), cut);
    layer.output = map(if neo {
        "attn.attention.out_proj"
    } else {
        "attn.c_proj"
    });
    if neo {
        layer.value = map("attn.attention.v_proj");
    }
    layer.feed_forward = map("mlp.c_fc")
        .zip(map("mlp.c_proj"))
        .map(|(inner, output)| FeedForwardTensors {
            norm: model.norm(&format!("{stem}.ln_2")),
            inner,
            output,
            output_norm: None,
        });
}

fn remarks(mut source: SourceDescription, model: &Model<'_>) -> SourceDescription {
    if model.has("h.0.attn.bias") || model.has("h.0.attn.attention.bias") {
        source = source.remark(
            "Stored masks",
            "The tensors “attn.bias” are masks that hide later words, not biases. They are not read.",
        );
    }
    if model.config().flag("scale_attn_by_inverse_layer_idx") == Some(true) {
        source = source.remark(
            "Scale",
            "This model divides the scores of each layer by the layer’s number besides; that is left out.",
        );
    }
    if model.config().model_type.as_deref() == Some("gpt_bigcode") {
        source = source.remark(
            "No heads",
            "All heads of this model share their keys, which is not read here: only the table is shown.",
        );
    }
    source
}
