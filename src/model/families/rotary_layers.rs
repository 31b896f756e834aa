//! Differences between the layers of a rotary model: windows, and layers without rotation.

use super::Config;

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
        return *kind == "sliding_attention";
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

/// `no_rope_layers` has a 1 for every layer with rotation. Without it `SmolLM3` leaves out every fourth.
fn is_rotated(config: &Config, at: usize) -> bool {
    if let Some(turns) = config.numbers("no_rope_layers").get(at) {
        return *turns != 0.0;
    }
    let usual = (config.model_type.as_deref() == Some("smollm3")).then_some(4);
    let interval = config.count("no_rope_layer_interval").or(usual);
    interval.is_none_or(|interval| !(at + 1).is_multiple_of(interval as usize))
}
