//! Differences between the layers of a rotary model: windows, and layers without rotation.

use super::Config;

/// Values of `layer_types` that are attention layers.
pub(super) const ATTENTIONS: &[&str] = &[
    "attention",
    "full_attention",
    "sliding_attention",
    "chunked_attention",
];
/// Model types in which every fourth layer has no rotation, unless configured otherwise.
const EVERY_FOURTH: &[&str] = &["smollm3", "llama4", "llama4_text"];
/// Model types that rotate only in layers with a local window.
const WINDOWS_ALONE: &[&str] = &[
    "cohere2",
    "command-r2",
    "exaone4",
    "exaone_moe",
    "exaone-moe",
    "afmoe",
];
/// Default period of the global layers among all layers.
const USUAL_PERIOD: u32 = 4;

/// Kind of a layer's attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LayerKind {
    /// Whether queries see keys within a window only.
    pub(super) is_local: bool,
    /// Whether queries and keys are rotated.
    pub(super) is_rotated: bool,
}

/// Kind of a layer, counted from 0, by the configuration and the library's defaults for its model type.
pub(super) fn layer_kind(config: &Config, at: usize) -> LayerKind {
    LayerKind {
        is_local: is_local(config, at),
        is_rotated: is_rotated(config, at),
    }
}

fn is_local(config: &Config, at: usize) -> bool {
    let kinds = config.words("layer_types");
    if let Some(kind) = kinds.get(at) {
        return matches!(*kind, "sliding_attention" | "chunked_attention");
    }
    // Every layer whose number, counted from 1, this period divides sees everything.
    let is_between = |key: &str, usual: u32| {
        let period = config.count(key).unwrap_or(usual) as usize;
        !(at + 1).is_multiple_of(period)
    };
    let has_window = config.count("sliding_window").is_some();
    match config.model_type.as_deref() {
        Some("gemma3" | "gemma3_text") => is_between("sliding_window_pattern", 6),
        // Here the first layer of each period sees everything.
        Some("modernbert" | "modern-bert") => {
            let period = config.count("global_attn_every_n_layers").unwrap_or(3);
            !at.is_multiple_of(period as usize)
        }
        Some("mistral") => has_window,
        Some("qwen2" | "qwen3") => {
            let first = config.number("max_window_layers").unwrap_or(28.0);
            has_window && config.flag("use_sliding_window") == Some(true) && at as f64 >= first
        }
        _ => false,
    }
}

/// Whether a layer, counted from 0, rotates queries and keys.
pub(super) fn is_rotated(config: &Config, at: usize) -> bool {
    // One number per layer: 1 with rotation, 0 without.
    if let Some(turns) = config.numbers("no_rope_layers").get(at) {
        return *turns != 0.0;
    }
    if let Some(interval) = unrotated_interval(config) {
        return !(at + 1).is_multiple_of(interval as usize);
    }
    if !rotates_in_windows_alone(config) {
        return true;
    }
    match config.words("layer_types").get(at) {
        Some(kind) => *kind != "full_attention",
        None => {
            let period = config.count("sliding_window_pattern");
            !(at + 1).is_multiple_of(period.unwrap_or(USUAL_PERIOD) as usize)
        }
    }
}

/// Whether a layer, counted from 0, has an attention to which angles apply. Layers of hybrid models may be linear
/// attention, convolutions or state spaces.
pub(super) fn has_attention(config: &Config, at: usize) -> bool {
    let kinds = config.words("layer_types");
    kinds.get(at).is_none_or(|kind| ATTENTIONS.contains(kind))
}

/// Every layer whose number, counted from 1, this number divides has no rotation.
pub(super) fn unrotated_interval(config: &Config) -> Option<u32> {
    let model_type = config.model_type.as_deref().unwrap_or_default();
    let usual = EVERY_FOURTH.contains(&model_type).then_some(USUAL_PERIOD);
    config.count("no_rope_layer_interval").or(usual)
}

/// Whether only layers with a local window rotate queries and keys.
pub(super) fn rotates_in_windows_alone(config: &Config) -> bool {
    let model_type = config.model_type.as_deref().unwrap_or_default();
    WINDOWS_ALONE.contains(&model_type) && config.count("sliding_window").is_some()
}
