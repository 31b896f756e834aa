//! The configuration of a GGUF file, from its metadata.

use super::Config;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Configuration entries and the GGUF metadata keys with the same meaning, without the architecture prefix. Heads may
/// be wider than the layer width divided by their number, and may be rotated in part.
const GGUF_ENTRIES: &[(&str, &str)] = &[
    ("rope_theta", "rope.freq_base"),
    ("local_rope_theta", "rope.freq_base_swa"),
    ("rotary_dim", "rope.dimension_count"),
    ("local_rotary_dim", "rope.dimension_count_swa"),
    ("head_dim", "attention.key_length"),
    ("local_head_dim", "attention.key_length_swa"),
    ("mrope_section", "rope.dimension_sections"),
    ("sliding_window", "attention.sliding_window"),
    ("num_key_value_heads", "attention.head_count_kv"),
    ("rms_norm_eps", "attention.layer_norm_rms_epsilon"),
    ("use_parallel_residual", "use_parallel_residual"),
    ("max_position_embeddings", "context_length"),
    ("alibi_bias", "attention.max_alibi_bias"),
];

impl Config {
    /// Reads the metadata of a GGUF file, whose keys begin with the architecture's name. Empty if there is no
    /// architecture.
    #[must_use]
    pub fn from_gguf(metadata: &BTreeMap<String, String>) -> Self {
        let Some(architecture) = metadata.get("general.architecture") else {
            return Self::default();
        };
        let value = |key: &str| {
            let text = metadata.get(&format!("{architecture}.{key}"))?;
            // Words in the metadata have no quotes.
            Some(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())))
        };
        let listed = |names: &[(&str, &str)]| {
            let entry = |(ours, theirs): &(&str, &str)| Some(((*ours).to_owned(), value(theirs)?));
            names.iter().filter_map(entry).collect::<Map<_, _>>()
        };
        let number = |key: &str| value(key)?.as_f64();
        let count = |key: &str| number(key).map(|count| count as u32).filter(|c| *c > 0);
        let scaling = listed(&[
            ("rope_type", "rope.scaling.type"),
            // The older name, before scaling had types.
            ("factor", "rope.scale_linear"),
            ("factor", "rope.scaling.factor"),
            (
                "original_max_position_embeddings",
                "rope.scaling.original_context_length",
            ),
            ("attention_factor", "rope.scaling.attn_factor"),
            ("beta_fast", "rope.scaling.yarn_beta_fast"),
            ("beta_slow", "rope.scaling.yarn_beta_slow"),
        ]);
        let section = Self {
            entries: scaling,
            ..Self::default()
        };
        let (heads, hidden_width) = (count("attention.head_count"), count("embedding_length"));
        let mut entries = listed(GGUF_ENTRIES);
        // Without a key length heads share the width of the model, whatever other libraries assume for the architecture.
        if let (Some(heads), Some(width), None) = (heads, hidden_width, entries.get("head_dim")) {
            entries.insert("head_dim".to_owned(), Value::from(width / heads));
        }
        Self {
            model_type: Some(architecture.clone()),
            heads,
            layers: count("block_count"),
            hidden_width,
            layer_norm_epsilon: number("attention.layer_norm_epsilon"),
            entries,
            sections: vec![("rope_scaling".to_owned(), section)],
            ..Self::default()
        }
    }
}
