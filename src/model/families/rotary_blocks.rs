//! Blocks of rotary models, under the names of transformers and of llama.cpp.
//!
//! ```text
//! Llama, Mistral, Qwen, SmolLM, Gemma   pre-norm with RMS norms, grouped keys, gated feed-forward part
//! Qwen2-VL, Qwen2.5-VL, Qwen3-VL        the same; words have one number on all axes, so that pairs rotate as in Llama
//! gpt-oss                               the same with sinks, and with experts in place of the feed-forward part
//! GPT-NeoX                              pre-norm, attention and feed-forward part side by side
//! ModernBERT                            pre-norm, gated, local and global layers, no mask
//! BERT                                  as in `bert.rs`, with rotation in place of its table
//! ```
//!
//! Touvron et al., LLaMA, 2023; Yang et al., Qwen3, 2025; Gemma Team, Gemma 3, 2025; Black et al., GPT-NeoX-20B, 2022;
//! Warner et al., `ModernBERT`, 2024; OpenAI, gpt-oss, 2025. Models of other types are not described.

use super::{
    Activation, AttentionDescription, AttentionPositions, Config, Cut, DetectionInput,
    EmbeddingContent, EmbeddingDescription, HeadCounts, Leading, LinearTensors, Model,
    ModelDescription, NormDescription, PredictionHead, QueryKeyNorms, ResidualDescription,
    RotaryPairs, RotationDescription, ScoreScale, bert, rotary, rotary_bases::Angles,
    rotary_description::index_of_angles, rotary_layers::LayerRules, rotary_widths::head_width,
};

/// A kind of block with its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockLayout {
    Llama,
    NeoX,
    ModernBert,
    Gguf,
}

/// Layouts with the model types that have them, and the tensor whose name ends the prefix of all others.
const LAYOUTS: &[(BlockLayout, &[&str], &str)] = &[
    (
        BlockLayout::Gguf,
        &[
            "llama",
            "qwen2",
            "qwen2vl",
            "qwen3",
            "qwen3vl",
            "smollm3",
            "gemma",
            "gemma3",
            "gptneox",
            "modern-bert",
        ],
        "token_embd.weight",
    ),
    (
        BlockLayout::Llama,
        &[
            "llama",
            "mistral",
            "qwen2",
            "qwen2_vl",
            "qwen2_vl_text",
            "qwen2_5_vl",
            "qwen2_5_vl_text",
            "qwen2_5_omni_text",
            "qwen3",
            "qwen3_vl_text",
            "smollm3",
            "gemma",
            "gemma3_text",
            GPT_OSS,
        ],
        "layers.0.self_attn.q_proj.weight",
    ),
    (
        BlockLayout::NeoX,
        &["gpt_neox"],
        "layers.0.attention.query_key_value.weight",
    ),
    (
        BlockLayout::ModernBert,
        &["modernbert"],
        "layers.0.attn.Wqkv.weight",
    ),
];
/// Model type with sinks and experts.
const GPT_OSS: &str = "gpt_oss";
/// GGUF architectures whose query and key maps were reordered so that pairs are adjacent columns.
const ADJACENT: &[&str] = &["llama", "smollm3"];
/// Model types of Qwen2-VL and Qwen2.5-VL; the shorter ones are in older configurations without a section for the text.
const QWEN2_VL: &[&str] = &["qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text"];
/// Parts of the prefixes of language models beside models for images and sound, or beside one that speaks.
const LANGUAGE: &[&str] = &["language", "thinker"];
/// Model types with `LayerNorm`s instead of RMS norms.
const LAYER_NORMS: &[&str] = &["gpt_neox", "gptneox", "modernbert", "modern-bert"];

/// A rotary model whose blocks are described.
pub(super) struct RotaryBlocks<'a> {
    clues: &'a DetectionInput<'a>,
    pub(super) model: Model<'a>,
    config: &'a Config,
    pub(super) model_type: &'a str,
    layout: BlockLayout,
    angles: &'a [Angles<'a>],
    rules: LayerRules<'a>,
}

/// The whole model; `None` for model types that are not described here.
pub(super) fn description(
    clues: &DetectionInput<'_>,
    config: &Config,
    angles: &[Angles<'_>],
) -> Option<ModelDescription> {
    let model_type = config.model_type.as_deref()?;
    let (layout, model) = LAYOUTS.iter().find_map(|(layout, types, anchor)| {
        let models = clues.models(anchor);
        let fitting = models.iter().filter(|_| types.contains(&model_type));
        // Beside a language model there may be one for images or sound with the same names.
        let is_language = |m: &&Model<'_>| LANGUAGE.iter().any(|part| m.prefix().contains(part));
        let language = fitting.clone().find(is_language);
        let model = language.or(fitting.clone().next())?;
        Some((*layout, *model))
    })?;
    RotaryBlocks {
        clues,
        model: model.with(config),
        config,
        model_type,
        layout,
        angles,
        rules: LayerRules::new(config),
    }
    .description()
}

/// BERT with rotation in place of its table, as models that are trained on this page have it; `None` for other models.
pub(super) fn bert_description(
    clues: &DetectionInput<'_>,
    config: &Config,
    angles: &[Angles<'_>],
) -> Option<ModelDescription> {
    if config.model_type.as_deref() != Some("bert") || angles.is_empty() {
        return None;
    }
    let model = clues.model("encoder.layer.0.attention.self.query.weight")?;
    let rules = LayerRules::new(config);
    let source = bert::source(&model, Leading::None).describe(|description| {
        description.embedding.positions = None;
        for (at, block) in description.blocks.iter_mut().enumerate() {
            block.attention.positions =
                positions(clues, config, (angles, &rules), at, RotaryPairs::Halves);
        }
    });
    source.description
}

/// The angles of a layer; `angles` has some.
fn angles_of<'a>(angles: &'a [Angles<'a>], rules: &LayerRules<'_>, at: usize) -> &'a Angles<'a> {
    let own = angles.get(index_of_angles(angles, rules, at, rules.kind(at)));
    own.unwrap_or(&angles[0])
}

/// Rotation of a layer, or none.
fn positions(
    clues: &DetectionInput<'_>,
    config: &Config,
    (angles, rules): (&[Angles<'_>], &LayerRules<'_>),
    at: usize,
    pairs: RotaryPairs,
) -> AttentionPositions {
    let tensors = rotary::tensors(clues, config, angles_of(angles, rules, at));
    match tensors.filter(|_| rules.kind(at).is_rotated) {
        Some((tensors, ..)) => AttentionPositions::Rotation(RotationDescription { tensors, pairs }),
        None => AttentionPositions::None,
    }
}

impl RotaryBlocks<'_> {
    fn description(&self) -> Option<ModelDescription> {
        self.angles.first()?;
        let blocks = self.model.blocks(|at| match self.layout {
            BlockLayout::Llama => self.llama(at),
            BlockLayout::NeoX => self.neox(at),
            BlockLayout::ModernBert => self.modern_bert(at),
            BlockLayout::Gguf => self.gguf(at),
        });
        let [words, embedding_norm, final_norm] = match self.layout {
            BlockLayout::Llama => ["embed_tokens.weight", "", "norm"],
            BlockLayout::NeoX => ["embed_in.weight", "", "final_layer_norm"],
            BlockLayout::ModernBert => [
                "embeddings.tok_embeddings.weight",
                "embeddings.norm",
                "final_norm",
            ],
            BlockLayout::Gguf => ["token_embd.weight", "token_embd_norm", "output_norm"],
        };
        let words = self.model.name(words);
        let norm = self.model.norm(embedding_norm);
        let embedding = EmbeddingDescription {
            content: Some(EmbeddingContent::Words {
                tensor: words.clone(),
                is_scaled: self.is_gemma(),
                map: None,
            }),
            norm: norm.map(|_| self.norm(embedding_norm)),
            ..EmbeddingDescription::default()
        };
        let head = match self.layout {
            BlockLayout::ModernBert => {
                let keys = ["classifier_activation"];
                let activation = Activation::from_config(self.config, &keys, Activation::Gelu);
                PredictionHead::for_masked_words(&self.model, &words, activation, self.epsilon())
            }
            BlockLayout::Gguf if self.model_type == "modern-bert" => None,
            BlockLayout::Gguf => {
                PredictionHead::causal(&self.model, &words, &["output.weight"], true)
            }
            _ => {
                let own = ["lm_head.weight", "embed_out.weight"];
                // Models for pictures say it outside of the section for the text.
                let is_tied = self.clues.config().flag("tie_word_embeddings") == Some(true);
                PredictionHead::causal(&self.model, &words, &own, is_tied || self.is_gemma())
            }
        };
        (!blocks.is_empty()).then(|| ModelDescription {
            final_norm: Some(self.norm(final_norm)),
            head,
            ..ModelDescription::new(embedding, blocks)
        })
    }

    pub(super) fn attention(
        &self,
        at: usize,
        maps: [LinearTensors; 4],
        residual: ResidualDescription,
    ) -> AttentionDescription {
        let kind = self.rules.kind(at);
        let is_encoder = matches!(self.model_type, "modernbert" | "modern-bert");
        let angles = angles_of(self.angles, &self.rules, at);
        let heads = HeadCounts {
            heads: self.config.heads,
            key_heads: self.key_heads(),
            width: head_width(self.config, angles),
        };
        let scalar = self.config.number("query_pre_attn_scalar");
        AttentionDescription {
            positions: self.positions(at),
            reach: self.reach(is_encoder).filter(|_| kind.is_local),
            scale: match scalar.filter(|scalar| *scalar > 0.0) {
                Some(scalar) => ScoreScale::Factor(scalar.sqrt().recip()),
                None => ScoreScale::RootOfWidth(1.0),
            },
            ..AttentionDescription::new(maps, heads, residual).causal(!is_encoder)
        }
    }

    /// The configured number of key heads, or the library's default for the model type. Qwen2-VL's configuration has as
    /// many as heads where it says null.
    fn key_heads(&self) -> Option<u32> {
        const KEY: &str = "num_key_value_heads";
        let usual = match self.model_type {
            _ if self.config.is_null(KEY) => None,
            "qwen2_5_omni_text" => Some(4),
            "qwen3_vl_text" => Some(32),
            model_type => (self.is_gpt_oss() || QWEN2_VL.contains(&model_type)).then_some(8),
        };
        self.config.count(KEY).or(usual)
    }

    /// Greatest distance within the window of a local layer. A decoder's window counts the query itself; that of an
    /// encoder has one half on either side. Without an entry it is the library's default for `ModernBERT` and gpt-oss.
    fn reach(&self, is_encoder: bool) -> Option<u32> {
        if !is_encoder {
            let configured = self.config.count("sliding_window");
            return Some(configured.or(self.is_gpt_oss().then_some(128))? - 1);
        }
        let window = self.config.count("local_attention");
        let window = window.or(self.config.count("sliding_window"));
        Some(window.unwrap_or(128) / 2)
    }

    fn positions(&self, at: usize) -> AttentionPositions {
        let is_adjacent = self.layout == BlockLayout::Gguf && ADJACENT.contains(&self.model_type);
        let pairs = if is_adjacent {
            RotaryPairs::Adjacent
        } else {
            RotaryPairs::Halves
        };
        let rules = (self.angles, &self.rules);
        positions(self.clues, self.config, rules, at, pairs)
    }

    pub(super) fn query_key_norms(&self, query: &str, key: &str) -> Option<QueryKeyNorms> {
        self.model.norm(query)?;
        Some(QueryKeyNorms {
            query: self.norm(query),
            key: self.norm(key),
            is_per_head: true,
        })
    }

    /// The two equal halves of a weight.
    pub(super) fn halves(&self, stem: &str) -> [LinearTensors; 2] {
        [0, 1].map(|part| LinearTensors::part(&self.model, stem, Cut::Rows { part, of: 2 }))
    }

    pub(super) fn norm(&self, stem: &str) -> NormDescription {
        let epsilon = self.epsilon();
        if LAYER_NORMS.contains(&self.model_type) {
            return NormDescription::layer(&self.model, stem, epsilon);
        }
        NormDescription {
            // In GGUF files the 1 is part of the weight.
            adds_one: self.is_gemma() && self.layout != BlockLayout::Gguf,
            ..NormDescription::rms(&self.model, stem, epsilon)
        }
    }

    /// The configured epsilon, or that of the library's `GPTNeoXConfig`, `ModernBertConfig`, `GptOssConfig` and
    /// `Qwen2VLTextConfig`, or of `LlamaConfig` and those derived from it.
    fn epsilon(&self) -> f64 {
        let keys = ["rms_norm_eps", "norm_eps"];
        let configured = keys.iter().find_map(|key| self.config.number(key));
        let is_larger = LAYER_NORMS.contains(&self.model_type)
            || QWEN2_VL.contains(&self.model_type)
            || self.is_gpt_oss();
        configured
            .or(self.config.layer_norm_epsilon)
            .unwrap_or(if is_larger { 1e-5 } else { 1e-6 })
    }

    /// The configured activation, or the default of the library's configuration of this model type.
    pub(super) fn activation(&self) -> Activation {
        let (keys, default): (&[&str], _) = match self.model_type {
            "gpt_neox" | "gptneox" => (&["hidden_act"], Activation::Gelu),
            "modernbert" | "modern-bert" => (&["hidden_activation"], Activation::Gelu),
            // Gemma's `hidden_act` was wrong in the first published files and is not read.
            _ if self.is_gemma() => (&["hidden_activation"], Activation::GeluTanh),
            _ => (&["hidden_act"], Activation::Silu),
        };
        Activation::from_config(self.config, keys, default)
    }

    pub(super) fn is_gpt_oss(&self) -> bool {
        self.model_type == GPT_OSS
    }

    /// Number of experts that each token of gpt-oss passes, and the limit before their activation: as configured, or the
    /// library's defaults of `GptOssConfig`.
    pub(super) fn expert_settings(&self) -> (u32, f64) {
        let keys = ["num_experts_per_tok", "experts_per_token"];
        let active = keys.iter().find_map(|key| self.config.count(key));
        let limit = self.config.number("swiglu_limit");
        (active.unwrap_or(4), limit.unwrap_or(7.0))
    }

    /// Activation x·σ(αx) of gpt-oss's experts, with the library's default α = 1.702.
    pub(super) fn expert_activation(&self) -> Activation {
        match self.config.number("swiglu_alpha") {
            Some(factor) if factor != 1.702 => Activation::Other(format!("x·σ({factor}·x)")),
            _ => Activation::QuickGelu,
        }
    }

    fn is_gemma(&self) -> bool {
        self.model_type.starts_with("gemma")
    }

    /// GPT-NeoX is parallel unless its configuration says otherwise (`GPTNeoXConfig`).
    pub(super) fn is_parallel(&self) -> bool {
        let is_neox = matches!(self.model_type, "gpt_neox" | "gptneox");
        is_neox && self.config.flag("use_parallel_residual") != Some(false)
    }
}
