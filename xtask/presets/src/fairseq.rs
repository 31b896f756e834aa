//! Checkpoints of fairseq's `RoBERTa` under the names of transformers' `RoBERTa`, as the conversion script of
//! transformers has them (`convert_roberta_original_pytorch_checkpoint_to_pytorch.py`).

use xtask::preset::Preset;

/// Beginning of the encoder's names in fairseq. A training checkpoint has a dictionary before it.
const ENCODER: &str = "decoder.sentence_encoder.";

/// The names of fairseq and of transformers: of tensors outside of layers, and of those of a layer.
const NAMES: [(&str, &str); 3] = [
    ("embed_tokens.", "embeddings.word_embeddings."),
    ("embed_positions.", "embeddings.position_embeddings."),
    ("emb_layer_norm.", "embeddings.LayerNorm."),
];
const LAYER_NAMES: [(&str, &str); 2] = [
    ("self_attn.q_proj.", "attention.self.query."),
    ("self_attn.k_proj.", "attention.self.key."),
];

/// The configuration of Sapiens as transformers writes one, since fairseq has no such file. The numbers are those of the
/// checkpoint's `args` and shapes: `encoder_layers`, `encoder_attention_heads`, `encoder_embed_dim`,
/// `encoder_ffn_embed_dim`, `activation_fn`. The norms' ε and the padding id are fairseq's, which does not store them.
const SAPIENS_CONFIG: &str = r#"{
  "architectures": ["RobertaForMaskedLM"],
  "hidden_act": "gelu",
  "hidden_size": 128,
  "intermediate_size": 256,
  "layer_norm_eps": 1e-05,
  "max_position_embeddings": 146,
  "model_type": "roberta",
  "num_attention_heads": 8,
  "num_hidden_layers": 4,
  "pad_token_id": 1,
  "vocab_size": 25
}
"#;

/// The configuration of a preset that is a checkpoint of fairseq.
pub(crate) fn config(preset: &Preset) -> Option<&'static str> {
    (preset.id == "sapiens-vh").then_some(SAPIENS_CONFIG)
}

/// The name of a tensor in transformers. `None` for tensors that a preset does without.
pub(crate) fn name_in_transformers(name: &str) -> Option<String> {
    let (_, name) = name.split_once(ENCODER)?;
    let replace_beginning = |name: &str, names: &[(&str, &str)]| {
        let mut names = names.iter();
        names.find_map(|(before, after)| Some(format!("{after}{}", name.strip_prefix(before)?)))
    };
    let name = match name.strip_prefix("layers.") {
        Some(name) => {
            let (layer, name) = name.split_once('.')?;
            format!(
                "encoder.layer.{layer}.{}",
                replace_beginning(name, &LAYER_NAMES)?
            )
        }
        None => replace_beginning(name, &NAMES)?,
    };
    Some(format!("roberta.{name}"))
}
