//! Differences between the layers of a rotary model: windows, layers without attention, layers without rotation, and
//! which of several sets of angles each layer uses.
//!
//! Entries, periods and defaults are those of the transformers library, version 5.24, for every model type that has
//! rules of its own; GGUF architectures have the names in hyphens.

use super::Config;

/// Model types in which every fourth layer has no rotation, unless configured otherwise.
const EVERY_FOURTH: &[&str] = &["smollm3", "llama4", "llama4_text"];
/// Model types that rotate only in layers with a local window.
const WINDOWS_ALONE: &[&str] = &[
    "cohere2",
    "cohere2_moe",
    "command-r2",
    "exaone4",
    "exaone_moe",
    "exaone-moe",
    "afmoe",
    "flint",
    "kolibri1",
    "lara_mini",
];
/// Default period of the global layers among all layers, for models that rotate in local ones alone.
const USUAL_PERIOD: u32 = 4;
/// Model types whose every nth layer is global and whose others are local, if the configuration lists no kinds.
const PERIODS: &[(&[&str], u32)] = &[
    (&["gemma2", "gpt_oss", "gpt-oss", "vaultgemma"], 2),
    (
        &[
            "olmo3",
            "cohere2",
            "cohere2_moe",
            "command-r2",
            "exaone4",
            "exaone_moe",
            "exaone-moe",
            "afmoe",
        ],
        4,
    ),
    (&["gemma3n", "gemma3n_text", "kolibri1"], 5),
    (
        &[
            "gemma3",
            "gemma3_text",
            "gemma4",
            "gemma4_text",
            "gemma4_unified_text",
            "diffusion_gemma_text",
            "embedding_gemma2_text",
            "t5gemma2_text",
            "t5gemma2_decoder",
        ],
        6,
    ),
];
/// Model types whose every nth layer has attention, if the configuration lists no kinds.
const HYBRIDS: &[&str] = &[
    "qwen3_next",
    "qwen3_5_text",
    "qwen3_5_moe_text",
    "qwen3next",
    "qwen35",
    "qwen35moe",
];
/// Entries with one kind of attention or of another mixer for each layer.
const KINDS: &[&str] = &["layer_types", "layers_block_type"];
/// Entries with the indices of the layers that have attention.
const ATTENTION_LAYERS: &[&str] = &["attn_layer_indices", "full_attn_idxs"];
/// Entries with a pattern of global and local layers: their period, or letters as in “LLLG”.
const PATTERNS: &[&str] = &["sliding_window_pattern", "_sliding_window_pattern"];

/// Maximum number of layers, more than any model has.
pub(super) const MOST_LAYERS: usize = 4096;

/// Kind of a layer's attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LayerKind {
    /// Whether queries see keys within a window or chunk only.
    pub(super) is_local: bool,
    /// Whether queries and keys are rotated.
    pub(super) is_rotated: bool,
    /// Whether the layer has an attention to which angles apply. Layers of hybrid models may be linear attention,
    /// convolutions, state spaces or attention to a picture.
    pub(super) has_attention: bool,
}

/// Rules by which the layers of a model differ.
#[derive(Clone, Debug)]
pub(super) struct LayerRules<'a> {
    config: &'a Config,
    model_type: &'a str,
    /// One kind for each of the first layers, as configured; may be empty.
    kinds: Vec<&'a str>,
    /// Not 0 for each layer that rotates, as configured; may be empty.
    rotations: Vec<f64>,
    /// Base of each layer, 0 without rotation, as configured; may be empty.
    bases: Vec<f64>,
    /// Indices of the layers with attention; `None` if they are not configured.
    attention_layers: Option<Vec<f64>>,
    /// Indices of the layers with attention to a picture.
    cross_layers: Vec<f64>,
}

impl<'a> LayerRules<'a> {
    /// The rules of a configuration, with the library's defaults for its model type.
    pub(super) fn new(config: &'a Config) -> Self {
        let kinds = KINDS.iter().map(|key| config.words(key));
        let mut kinds = kinds.into_iter().find(|kinds| !kinds.is_empty());
        let pattern = config.words("block_types");
        if kinds.is_none() && !pattern.is_empty() {
            kinds = Some(pattern.into_iter().cycle().take(MOST_LAYERS).collect());
        }
        let mut kinds = kinds.unwrap_or_default();
        kinds.truncate(MOST_LAYERS);
        let numbers = |key: &str| {
            let mut numbers = config.numbers(key);
            numbers.truncate(MOST_LAYERS);
            numbers
        };
        let lists = ATTENTION_LAYERS.iter().map(|key| numbers(key));
        Self {
            config,
            model_type: config.model_type.as_deref().unwrap_or_default(),
            kinds,
            rotations: numbers("no_rope_layers"),
            bases: numbers("layer_rope_theta"),
            attention_layers: lists.into_iter().find(|list| !list.is_empty()),
            cross_layers: numbers("cross_attention_layers"),
        }
    }

    /// Number of layers for which the configuration has kinds or numbers; 0 if it lists none.
    pub(super) fn list_length(&self) -> usize {
        // A pattern says nothing about their number.
        let kinds = match self.config.words("block_types").is_empty() {
            true => self.kinds.len(),
            false => 0,
        };
        kinds.max(self.rotations.len()).max(self.bases.len())
    }

    /// Kind of a layer, counted from 0.
    pub(super) fn kind(&self, at: usize) -> LayerKind {
        LayerKind {
            is_local: self.is_local(at),
            is_rotated: self.is_rotated(at),
            has_attention: self.has_attention(at),
        }
    }

    /// Configured name of a layer's kind, such as `full_attention`.
    pub(super) fn name(&self, at: usize) -> Option<&'a str> {
        self.kinds.get(at).copied()
    }

    /// Configured base of a layer, if layers have their own.
    pub(super) fn base(&self, at: usize) -> Option<f64> {
        self.bases.get(at).copied()
    }

    fn is_local(&self, at: usize) -> bool {
        if let Some(kind) = self.name(at) {
            return ["sliding", "chunked", "local"]
                .iter()
                .any(|word| kind.contains(word));
        }
        let config = self.config;
        let letters = PATTERNS.iter().find_map(|key| config.word(key));
        if let Some(letters) = letters.filter(|letters| !letters.is_empty()) {
            return letters.as_bytes().get(at % letters.len()) == Some(&b'L');
        }
        let has_window = config.count("sliding_window").is_some();
        if let Some((_, usual)) = PERIODS
            .iter()
            .find(|(types, _)| types.contains(&self.model_type))
        {
            // Gemma 3 has windows of a default width.
            let has_window = has_window || self.model_type.starts_with("gemma");
            return has_window && self.is_between(PATTERNS, *usual, at);
        }
        match self.model_type {
            // Here the first layer of each period sees everything.
            "modernbert" | "modernbert-decoder" | "modern-bert" => {
                let period = config.count("global_attn_every_n_layers").unwrap_or(3);
                !at.is_multiple_of(period as usize)
            }
            "cwm" | "granite_swa" | "granitemoe_swa" => has_window && !at.is_multiple_of(4),
            "llama4" | "llama4_text" => self.is_rotated(at),
            "mistral" | "ministral" => has_window,
            "qwen2" | "qwen3" | "qwen2_5_omni_text" | "qwen2_vl" | "qwen2_vl_text"
            | "qwen2_5_vl" | "qwen2_5_vl_text" => {
                let usual = match self.model_type.contains("_vl") {
                    true => 80.0,
                    false => 28.0,
                };
                let first = config.number("max_window_layers").unwrap_or(usual);
                has_window && config.flag("use_sliding_window") == Some(true) && at as f64 >= first
            }
            _ => false,
        }
    }

    /// Whether a layer, counted from 0, is not the last one of a period.
    fn is_between(&self, keys: &[&str], usual: u32, at: usize) -> bool {
        let period = keys.iter().find_map(|key| self.config.count(key));
        !(at + 1).is_multiple_of(period.unwrap_or(usual) as usize)
    }

    fn has_attention(&self, at: usize) -> bool {
        if self.cross_layers.contains(&(at as f64)) {
            return false;
        }
        if let Some(layers) = &self.attention_layers {
            return layers.contains(&(at as f64));
        }
        if let Some(kind) = self.name(at) {
            let is_other = kind.contains("linear") || kind.contains("cross");
            return kind.starts_with("hybrid") || (kind.contains("attention") && !is_other);
        }
        let period = self.config.count("full_attention_interval");
        if period.is_some() || HYBRIDS.contains(&self.model_type) {
            return (at + 1).is_multiple_of(period.unwrap_or(USUAL_PERIOD) as usize);
        }
        // Bamba without a list has state spaces alone.
        self.model_type != "bamba"
    }

    /// Whether a layer, counted from 0, rotates queries and keys.
    pub(super) fn is_rotated(&self, at: usize) -> bool {
        // One number per layer: 1 with rotation, 0 without.
        if let Some(turns) = self.rotations.get(at).or(self.bases.get(at)) {
            return *turns != 0.0;
        }
        if self.model_type == "zamba2" && self.config.flag("use_mem_rope") != Some(true) {
            return false;
        }
        if let Some(kind) = self.name(at)
            && self.config.section("rope_parameters").is_null(kind)
        {
            return false;
        }
        if let Some(interval) = self.unrotated_interval() {
            return !(at + 1).is_multiple_of(interval as usize);
        }
        if !self.rotates_in_windows_alone() || self.has_forced_rotation(at) {
            return true;
        }
        match self.name(at) {
            Some(kind) => kind != "full_attention",
            None => self.is_between(PATTERNS, USUAL_PERIOD, at),
        }
    }

    /// Every layer whose number, counted from 1, this number divides has no rotation.
    pub(super) fn unrotated_interval(&self) -> Option<u32> {
        let usual = EVERY_FOURTH.contains(&self.model_type);
        let usual = usual.then_some(USUAL_PERIOD);
        self.config.count("no_rope_layer_interval").or(usual)
    }

    /// Whether only layers with a local window rotate queries and keys.
    pub(super) fn rotates_in_windows_alone(&self) -> bool {
        let has_window = self.config.count("sliding_window").is_some();
        WINDOWS_ALONE.contains(&self.model_type) && has_window
    }

    /// Command A's dense layers before those with experts rotate without a window as well.
    fn has_forced_rotation(&self, at: usize) -> bool {
        let is_prefix = self.config.count("prefix_dense_sliding_window_pattern") == Some(1);
        let dense = self.config.count("first_k_dense_replace").unwrap_or(0);
        self.model_type == "cohere2_moe" && is_prefix && at < dense as usize
    }
}
