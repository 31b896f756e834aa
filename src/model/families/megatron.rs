//! GPT and BERT in the files of Megatron-LM and NeMo: a learned table beside layers with one map for queries, keys and
//! values.
//!
//! ```text
//! h_i = word + E_i      [q k v] = LayerNorm(h)·W + b, the parts of each head together
//! ```
//!
//! Shoeybi et al., Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism, 2019.

use super::{
    Cut, Detection, DetectionInput, Family, LayerTensors, Leading, Model, SourceDescription,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Megatron;

/// Name of the table.
const TABLE: &str = "embedding.position_embeddings.weight";
/// Names of a layer's map without its last part, and of the norm before it: two generations of Megatron-LM, and its core.
const LAYERS: &[(&str, &str)] = &[
    (
        "encoder.layers.{}.self_attention.query_key_value",
        "encoder.layers.{}.input_layernorm",
    ),
    (
        "transformer.layers.{}.attention.query_key_value",
        "transformer.layers.{}.input_layernorm",
    ),
    (
        "encoder.layers.{}.attention.query_key_value",
        "encoder.layers.{}.input_layernorm",
    ),
    (
        "decoder.layers.{}.self_attention.linear_qkv",
        "decoder.layers.{}.input_layernorm",
    ),
    (
        "encoder.layers.{}.self_attention.linear_qkv",
        "encoder.layers.{}.input_layernorm",
    ),
];

impl Family for Megatron {
    fn name(&self) -> &'static str {
        "Megatron"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions in Megatron-LM's GPT and BERT."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let model = clues.model(TABLE)?;
        let layers = LAYERS.iter().find_map(|(map, norm)| {
            let layers = layers(&model, map, norm);
            (!layers.is_empty()).then_some(layers)
        });
        if layers.is_none() && clues.has_attention() {
            return None;
        }
        let layers = layers.unwrap_or_default();
        // BERT alone has types of tokens.
        let types = "embedding.tokentype_embeddings.weight";
        let is_bert = model.has(types);
        let mut source = SourceDescription::table(&model, TABLE, Leading::None)
            .words(&model, "embedding.word_embeddings")
            .adds(&model, types, "token type 0")
            .layers(layers)
            .epsilon(1e-5);
        if !source.layers.is_empty() {
            source = source.remark(
                "Order of maps",
                "Queries, keys and values are read head by head, as files write them since version 2 of Megatron's format. Older files have another order, and their heads would be wrong here.",
            );
        }
        let source = if is_bert { source } else { source.causal() };
        Detection::by_names("Megatron-LM", vec![source])
    }
}

/// Layers with the norms before them. Transformer Engine stores a norm with the map after it.
fn layers(model: &Model<'_>, map: &str, norm: &str) -> Vec<LayerTensors> {
    let [weight, bias] = ["weight", "bias"].map(|end| format!("{map}.{end}"));
    let mut layers = model.fused_layers(&weight, &bias, Cut::third_of_heads);
    for (at, layer) in layers.iter_mut().enumerate() {
        let [map, norm] = [map, norm].map(|stem| stem.replace("{}", &at.to_string()));
        let with_map = || {
            let weight = model.optional(&format!("{map}.layer_norm_weight"))?;
            Some(weight.strip_suffix("_weight")?.to_owned())
        };
        layer.norm = model.norm(&norm).or_else(with_map);
    }
    layers
}
