//! T5: no table, but a bias per bucket of offsets and head.
//!
//! ```text
//! score(i, j) = q_i·k_j + b[bucket(j − i)]
//! ```
//!
//! The bias of the first layer is used in all layers; in umT5 every layer has its own. Raffel et al., Exploring the
//! Limits of Transfer Learning with a Unified Text-to-Text Transformer, JMLR 2020.

use super::{
    Activation, AttentionDescription, AttentionPositions, BlockDescription, Detection,
    DetectionInput, EmbeddingDescription, Family, FeedForwardDescription, HeadCounts,
    LinearTensors, Model, ModelDescription, NormDescription, PositionTensors, ResidualDescription,
    ScoreScale, SourceDescription,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct T5;

/// Maximum distance of the buckets, unless configured.
const MAX_DISTANCE: u32 = 128;

impl Family for T5 {
    fn name(&self) -> &'static str {
        "T5"
    }

    fn about(&self) -> &'static str {
        "A bias by bucket of distance, added to the scores."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let sources = [half(clues, "encoder"), half(clues, "decoder")];
        Detection::by_names("T5", sources.into_iter().flatten().collect())
    }
}

/// The encoder attends in both directions, the decoder only to earlier positions.
fn half(clues: &DetectionInput<'_>, name: &str) -> Option<SourceDescription> {
    let bias = format!("{name}.block.{{}}.layer.0.SelfAttention.relative_attention_bias.weight");
    let model = clues.model(&bias.replace("{}", "0"))?;
    let config = model.config();
    let tensors = model.in_layers(&bias);
    let shared = tensors.len() == 1;
    let max_distance = config
        .count("relative_attention_max_distance")
        .unwrap_or(MAX_DISTANCE);
    let description = description(&model, name, &tensors, max_distance);
    let place = PositionTensors::Buckets {
        tensors,
        max_distance,
        bidirectional: name == "encoder",
    };
    let mut source = SourceDescription::bias(&model, place)
        .with_name(name, name)
        .without_scaling()
        .description(description);
    if name == "decoder" {
        source = source.causal();
    }
    if shared {
        source = source.remark("Shared bias", "All layers add the bias of the first.");
    }
    Some(source)
}

/// The encoder or decoder, without a prediction of words. Blocks without a table of their own share that of the first.
fn description(
    model: &Model<'_>,
    half: &str,
    tables: &[String],
    max_distance: u32,
) -> ModelDescription {
    let is_decoder = half == "decoder";
    let blocks = model.blocks(|at| {
        let table = tables.get(at).or(tables.first());
        let table = table.cloned().unwrap_or_default();
        let stem = format!("{half}.block.{at}.layer");
        let attention = |stem: &str, kind: &str| {
            let map = |name| LinearTensors::new(model, &format!("{stem}.{kind}.{name}"));
            let heads = HeadCounts {
                heads: model.config().heads,
                key_heads: None,
                width: model.config().count("d_kv"),
            };
            AttentionDescription {
                scale: ScoreScale::Factor(1.0),
                ..AttentionDescription::new(
                    ["q", "k", "v", "o"].map(map),
                    heads,
                    pre_norm(model, &format!("{stem}.layer_norm")),
                )
            }
        };
        let own = AttentionDescription {
            positions: AttentionPositions::Buckets {
                tensor: table,
                max_distance,
                bidirectional: !is_decoder,
            },
            ..attention(&format!("{stem}.0"), "SelfAttention").causal(is_decoder)
        };
        BlockDescription {
            cross_attention: is_decoder.then(|| attention(&format!("{stem}.1"), "EncDecAttention")),
            ..BlockDescription::new(
                own,
                feed_forward(model, &format!("{stem}.{}", if is_decoder { 2 } else { 1 })),
            )
        }
    });
    let words = [
        "shared.weight".to_owned(),
        format!("{half}.embed_tokens.weight"),
    ];
    let words = words.iter().find_map(|name| model.optional(name));
    let norm = format!("{half}.final_layer_norm");
    ModelDescription {
        final_norm: Some(NormDescription::rms(model, &norm, epsilon(model))),
        ..ModelDescription::new(EmbeddingDescription::from_words(words), blocks)
    }
}

/// The configured epsilon, or that of the library's `T5Config`.
fn epsilon(model: &Model<'_>) -> f64 {
    model.config().layer_norm_epsilon.unwrap_or(1e-6)
}

fn pre_norm(model: &Model<'_>, stem: &str) -> ResidualDescription {
    ResidualDescription::pre_norm(NormDescription::rms(model, stem, epsilon(model)))
}

/// Plain with ReLU in T5, gated with the tanh form of GELU since T5 v1.1. In configurations “gated-gelu” means that
/// form (`T5Config`).
fn feed_forward(model: &Model<'_>, stem: &str) -> FeedForwardDescription {
    let map = |name: &str| LinearTensors::new(model, &format!("{stem}.DenseReluDense.{name}"));
    let is_gated = model.has(&format!("{stem}.DenseReluDense.wi_0.weight"));
    let activation = match model.config().word("feed_forward_proj") {
        Some("gated-gelu") => Activation::GeluTanh,
        Some(name) => Activation::from_name(name.strip_prefix("gated-").unwrap_or(name)),
        None if is_gated => Activation::GeluTanh,
        None => Activation::Relu,
    };
    let residual = pre_norm(model, &format!("{stem}.layer_norm"));
    let inner = map(if is_gated { "wi_1" } else { "wi" });
    let part = FeedForwardDescription::plain(inner, map("wo"), activation, residual);
    if is_gated {
        part.gate(map("wi_0"))
    } else {
        part
    }
}
