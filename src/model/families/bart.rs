//! BART and models derived from its code: an encoder and a decoder, each with its own table.
//!
//! ```text
//! BART       h_i = LayerNorm(word + E_{i+2})
//! mBART      h_i = LayerNorm(√d·word + E_{i+2})      q, k = LayerNorm(h)·W + b
//! Pegasus    h_i = √d·word + E_i, E computed         q, k = LayerNorm(h)·W + b
//! ```
//!
//! LED has BART's decoder and `Longformer`'s attention in its encoder; its tables begin with the first position.
//!
//! Only models that apply a norm before the attention have a last norm in each half, which distinguishes them. Lewis et
//! al., BART, 2019; Liu et al., Multilingual Denoising Pre-training, 2020; Zhang et al., PEGASUS, 2019.

use super::{
    Activation, AttentionDescription, BlockDescription, Config, Detection, DetectionInput, Family,
    FeedForwardDescription, HeadCounts, LayerTensors, Leading, LinearTensors, Model,
    NormDescription, ResidualDescription, SourceDescription, longformer,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Bart;

/// Values of `model_type` whose tables begin with the first position.
const FROM_ROW_0: &[&str] = &[
    "pegasus",
    "bigbird_pegasus",
    "blenderbot",
    "blenderbot-small",
    "marian",
    "m2m_100",
    "led",
];
/// Stem of the `Longformer` attention in LED's encoder.
const LONG: &str = "self_attn.longformer_self_attn";
/// Values of `model_type` whose tables are computed.
const COMPUTED_TABLES: &[&str] = &["pegasus", "marian", "m2m_100"];

impl Family for Bart {
    fn name(&self) -> &'static str {
        "BART"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions in an encoder and a decoder, from row 2 on."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        if clues.tensor_containing("embed_positions.").is_none()
            && is_one_of(clues.config(), COMPUTED_TABLES)
        {
            return Some(Detection::nothing(
                "By its configuration this model computes its positions, sines and cosines, and the file does not contain them. The sinusoidal encoding shows such a table.",
            ));
        }
        let half = |name| {
            let model = clues.model(&format!("{name}.embed_positions.weight"))?;
            let layers = layers(&model, name);
            (!layers.is_empty() || !clues.has_attention()).then(|| half(&model, name, layers))
        };
        let encoder = half("encoder").map(|source| {
            let window = longformer::window(&clues.config().counts("attention_window"));
            if clues.tensor_containing(LONG).is_some() {
                source.remark("Window", window)
            } else {
                source
            }
        });
        let described = encoder
            .as_ref()
            .and_then(|encoder| encoder.description.clone());
        let decoder = half("decoder").map(|source| {
            source.describe(|description| {
                description.encoder = described.map(Box::new);
                description.start_word = start_word(clues.config());
            })
        });
        let sources = [encoder, decoder, global(clues)];
        Detection::by_names("BART", sources.into_iter().flatten().collect())
    }
}

/// Id of the word with which a decoder's text begins. Without an entry it is that of the library's `BartConfig`; mBART
/// begins with the last word of the text, which names its language.
fn start_word(config: &Config) -> Option<u32> {
    let usual = || is_one_of(config, &["bart"]).then_some(2.0);
    let id = config.number("decoder_start_token_id").or_else(usual);
    id.map(|id| id as u32)
}

fn is_one_of(config: &Config, list: &[&str]) -> bool {
    let named = config.model_type.as_deref();
    named.is_some_and(|model_type| list.contains(&model_type))
}

/// Whether the encoder uses `Longformer`'s attention, which among these models only LED does.
fn is_led(model: &Model<'_>) -> bool {
    let query = format!("encoder.layers.0.{LONG}.query.weight");
    model.has(&query) || is_one_of(model.config(), &["led"])
}

/// LED's encoder, with the queries and keys of the global attention of a few words.
fn global(clues: &DetectionInput<'_>) -> Option<SourceDescription> {
    let model = clues.model("encoder.embed_positions.weight")?;
    let stem = format!("encoder.layers.{{}}.{LONG}");
    let layers = model.plain_layers(
        &format!("{stem}.query_global"),
        &format!("{stem}.key_global"),
    );
    let title = "encoder, global attention";
    (!layers.is_empty()).then(|| half(&model, "encoder", layers).with_name("encoder-global", title))
}

/// The encoder or the decoder.
fn half(model: &Model<'_>, name: &str, layers: Vec<LayerTensors>) -> SourceDescription {
    let config = model.config();
    let leading = if is_led(model) || is_one_of(config, FROM_ROW_0) {
        Leading::None
    } else {
        second_row()
    };
    let norms_before = model.has(&format!("{name}.layer_norm.weight"));
    let words = [format!("{name}.embed_tokens"), "shared".to_owned()];
    let words = words
        .iter()
        .find(|stem| model.has(&format!("{stem}.weight")));
    let mut source =
        SourceDescription::table(model, &format!("{name}.embed_positions.weight"), leading)
            .with_name(name, name)
            .heads(config.count(&format!("{name}_attention_heads")))
            .usual_heads(&[])
            .epsilon(EPSILON)
            .layers(layers);
    if let Some(words) = words {
        source = source.words(model, words);
    }
    // Models with a norm before the attention were all trained with scaled words.
    let is_assumed = config.is_empty() && norms_before;
    if config.flag("scale_embedding").unwrap_or(is_assumed) {
        source = source.times_root_of_width();
    }
    if is_assumed {
        source = source.remark(
            "Scale assumed",
            "Models of this form scale their token embeddings; no configuration says whether this one does.",
        );
    }
    source = source.norm(model, &[&format!("{name}.layernorm_embedding")]);
    if norms_before {
        source = source.layer_norm(model, &format!("{name}.layers.{{}}.self_attn_layer_norm"));
    }
    // The library's `BartConfig` and most of those derived from it name the same activation.
    let keys = ["activation_function"];
    let activation = Activation::from_config(config, &keys, Activation::Gelu);
    let blocks = blocks(model, name, norms_before, &activation, source.heads);
    // A decoder of blenderbot-small has its norm before positions are added.
    let is_usual = name == "encoder" || !is_one_of(config, &["blenderbot-small"]);
    if is_usual && !blocks.is_empty() {
        source = source
            .blocks(model, blocks)
            .final_norm(model, &format!("{name}.layer_norm"));
        if name == "decoder" {
            source = source
                .causal_head(model, &["lm_head.weight"], true)
                .describe(|description| {
                    let head = description.head.take();
                    description.head = head.map(|head| head.bias(model, "final_logits_bias"));
                });
        }
    }
    if is_one_of(config, COMPUTED_TABLES) {
        source = source.remark("Fixed positions", "This kind of model computes its table.");
    }
    if name == "decoder" {
        source = source.causal();
    }
    if name == "decoder" && is_one_of(config, &["blenderbot-small"]) {
        source = source.remark(
            "LayerNorm",
            "In the model it comes before positions are added; scores with LayerNorm and biases apply it afterwards.",
        );
    }
    source
}

/// Epsilon of every `LayerNorm` of this code: PyTorch's default, which no configuration changes.
pub(super) const EPSILON: f64 = 1e-5;

/// Blocks of the encoder or decoder. The norms of a block come first where `norms_before`.
pub(super) fn blocks(
    model: &Model<'_>,
    half: &str,
    norms_before: bool,
    activation: &Activation,
    heads: Option<u32>,
) -> Vec<BlockDescription> {
    let residual = |stem: &str| {
        let norm = NormDescription::layer(model, stem, EPSILON);
        if norms_before {
            ResidualDescription::pre_norm(norm)
        } else {
            ResidualDescription::post_norm(norm)
        }
    };
    let map = |stem: &str| LinearTensors::new(model, stem);
    let attention = |stem: &str| {
        let maps = ["q_proj", "k_proj", "v_proj", "out_proj"];
        let maps = maps.map(|name| map(&format!("{stem}.{name}")));
        let residual = residual(&format!("{stem}_layer_norm"));
        AttentionDescription::new(maps, HeadCounts::new(heads), residual)
    };
    let is_decoder = half == "decoder";
    model.blocks(|at| {
        let stem = format!("{half}.layers.{at}");
        let own = attention(&format!("{stem}.self_attn")).causal(is_decoder);
        let cross = format!("{stem}.encoder_attn");
        let has_cross = model.has(&format!("{cross}.q_proj.weight"));
        BlockDescription {
            cross_attention: has_cross.then(|| attention(&cross)),
            ..BlockDescription::new(
                own,
                FeedForwardDescription::plain(
                    map(&format!("{stem}.fc1")),
                    map(&format!("{stem}.fc2")),
                    activation.clone(),
                    residual(&format!("{stem}.final_layer_norm")),
                ),
            )
        }
    })
}

/// Queries and keys of the self-attention of the encoder or decoder.
pub(super) fn layers(model: &Model<'_>, half: &str) -> Vec<LayerTensors> {
    let stem = format!("{half}.layers.{{}}.self_attn");
    let layers = model.plain_layers(&format!("{stem}.q_proj"), &format!("{stem}.k_proj"));
    if layers.is_empty() {
        let stem = format!("{half}.layers.{{}}.{LONG}");
        return model.plain_layers(&format!("{stem}.query"), &format!("{stem}.key"));
    }
    layers
}

/// Fairseq's tables have rows for two special words before the first position.
pub(super) fn second_row() -> Leading {
    Leading::Offset {
        rows: 2,
        reason: "Tables of this family begin in row 2 counted from 0, whatever the padding id is."
            .to_owned(),
    }
}
