//! `DeBERTa`: relative embeddings, multiplied with the queries and keys of the contents.
//!
//! ```text
//! score(i, j) = (q_i·k_j + q_i·K_r + k_j·Q_r) / √(3·d_k)      r = bucket(i − j)      Q, K made from the table
//! ```
//!
//! Version 1 has its own maps for the table, and a row for every distance up to a maximum. Versions 2 and 3 apply the
//! maps of the words to the table, and distant offsets share buckets. He et al., `DeBERTa`: Decoding-enhanced BERT with
//! Disentangled Attention, ICLR 2021; `DeBERTaV3`, ICLR 2023.

use super::{
    Activation, AttentionDescription, AttentionPositions, BlockDescription, ConvolutionDescription,
    Cut, Detection, DetectionInput, DistanceMap, DistanceTerms, Distances, Family, HeadCounts,
    Leading, LinearTensors, Model, NormDescription, PositionTensors, ScoreScale, SourceDescription,
    bert,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Deberta;

const TABLE: &str = "encoder.rel_embeddings.weight";
/// Epsilon of the library's `DebertaConfig` and `DebertaV2Config`.
const EPSILON: f64 = 1e-7;
/// Stem of the map of words of some models that are not described.
const PROJECTION: &str = "embeddings.embed_proj";
/// Maximum distance of all published models of versions 2 and 3.
const MAX_DISTANCE: u32 = 512;

impl Family for Deberta {
    fn name(&self) -> &'static str {
        "DeBERTa"
    }

    fn about(&self) -> &'static str {
        "Embeddings of distances, multiplied by queries and keys."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let model = clues.model(TABLE)?;
        let first = model.has("encoder.layer.0.attention.self.in_proj.weight");
        let version = if first { 1 } else { 2 };
        let maps = |at| match version {
            1 => first_version(&model, at),
            _ => second_version(&model, at),
        };
        let layers = model.blocks(|at| block(&model, at, maps(at)));
        let distances = distances(&model, version, layers.len());
        let mut blocks: Vec<_> = (layers.into_iter().enumerate())
            .map(|(at, block)| with_distances(&model, at, block, &distances))
            .collect();
        if let Some(first) = blocks.first_mut() {
            first.convolution = convolution(&model);
        }
        // Published configurations set it to false in all versions, although files hold the table.
        let absolute =
            model.config().flag("position_biased_input") != Some(false) && model.has(bert::TABLE);
        let is_whole = model.map(PROJECTION).is_none();
        let around = |source: SourceDescription| {
            let source = source
                .words(&model, "embeddings.word_embeddings")
                .adds(
                    &model,
                    "embeddings.token_type_embeddings.weight",
                    "token type 0",
                )
                .norm(&model, &["embeddings.LayerNorm"])
                .epsilon(EPSILON)
                .usual_heads(&[])
                .blocks(&model, blocks.clone())
                .describe(|description| {
                    description.embedding.positions = absolute.then(|| model.name(bert::TABLE));
                })
                .masked_head(&model, bert::activation(model.config()));
            SourceDescription {
                description: source.description.filter(|_| is_whole),
                ..source
            }
        };
        let place = PositionTensors::Distances(distances.clone());
        let mut relative = around(SourceDescription::bias(&model, place)).remark(
            "Positions and content",
            "Scores depend on token content, too: the figures show the score of the mean word at every distance. Products of content with content are left out.",
        );
        if version == 2 && model.config().count("position_buckets").is_none() {
            relative = relative.remark("Buckets", buckets_assumed(&model));
        }
        let absolute = absolute.then(|| {
            around(SourceDescription::table(&model, bert::TABLE, Leading::None))
                .with_name("absolute", "absolute positions")
                .remark(
                    "Scale",
                    "The model also divides these scores by the square root of the number of kinds of terms.",
                )
        });
        let sources = [Some(relative), absolute];
        Detection::by_names("DeBERTa", sources.into_iter().flatten().collect())
    }
}

/// Queries, keys and values share one weight, head by head; only queries and values have biases.
fn first_version(model: &Model<'_>, at: usize) -> [LinearTensors; 3] {
    let stem = format!("encoder.layer.{at}.attention.self");
    let weight = format!("{stem}.in_proj.weight");
    let biases = [
        Some(format!("{stem}.q_bias")),
        None,
        Some(format!("{stem}.v_bias")),
    ];
    let part = |part: u64| {
        let bias = biases[part as usize].as_deref();
        LinearTensors::from_names(model, &weight, bias, Cut::third_of_heads(part))
    };
    [0, 1, 2].map(part)
}

fn second_version(model: &Model<'_>, at: usize) -> [LinearTensors; 3] {
    let stem = format!("encoder.layer.{at}.attention.self");
    ["query", "key", "value"].map(|kind| LinearTensors::new(model, &format!("{stem}.{kind}_proj")))
}

/// A block with norms after its two parts, before distances are known.
fn block(model: &Model<'_>, at: usize, maps: [LinearTensors; 3]) -> BlockDescription {
    let stem = format!("encoder.layer.{at}");
    let [query, key, value] = maps;
    let output = LinearTensors::new(model, &format!("{stem}.attention.output.dense"));
    let norm = format!("{stem}.attention.output.LayerNorm");
    BlockDescription::new(
        AttentionDescription::new(
            [query, key, value, output],
            HeadCounts::new(model.config().heads),
            bert::post_norm(model, &norm, EPSILON),
        ),
        bert::feed_forward(model, &stem, EPSILON),
    )
}

/// Adds the terms of words with distances to a block. Scores are divided by √(kinds of terms · `d_k`).
fn with_distances(
    model: &Model<'_>,
    at: usize,
    mut block: BlockDescription,
    distances: &Distances,
) -> BlockDescription {
    let map = |maps: &[LinearTensors], of_words: &LinearTensors| {
        let map = maps.get(at)?;
        Some(if map.weight == of_words.weight {
            DistanceMap::Shared
        } else {
            DistanceMap::Own(map.clone())
        })
    };
    let epsilon = model.config().layer_norm_epsilon.unwrap_or(EPSILON);
    let norm = distances.norm.as_ref();
    let terms = DistanceTerms {
        table: distances.tensor.clone(),
        norm: norm.map(|_| NormDescription::layer(model, "encoder.LayerNorm", epsilon)),
        max_distance: distances.max_distance,
        key: map(&distances.keys, &block.attention.key),
        query: map(&distances.queries, &block.attention.query),
    };
    block.attention.scale = ScoreScale::RootOfWidth((terms.kinds() as f64).sqrt());
    block.attention.positions = AttentionPositions::Distances(terms);
    block
}

/// The convolution of the largest models of version 2; tanh as in the library's `DebertaV2Model`.
fn convolution(model: &Model<'_>) -> Option<ConvolutionDescription> {
    let epsilon = model.config().layer_norm_epsilon.unwrap_or(EPSILON);
    let norm = NormDescription::layer(model, "encoder.conv.LayerNorm", epsilon);
    let activation = Activation::from_config(model.config(), &["conv_act"], Activation::Tanh);
    ConvolutionDescription::find(model, "encoder.conv.conv", activation, norm)
}

fn distances(model: &Model<'_>, version: u32, layers: usize) -> Distances {
    let config = model.config();
    // A list in files written by transformers, words separated by bars in the published files.
    let mut kinds = config.words("pos_att_type");
    kinds.extend(
        config
            .word("pos_att_type")
            .iter()
            .flat_map(|words| words.split('|')),
    );
    let has_kind = |kind: &str| kinds.is_empty() || kinds.contains(&kind);
    let maps = |kind: &str, first: &str, own: &str, of_words: &str| {
        let map = |at: usize| {
            let stem = |name: &str| format!("encoder.layer.{at}.attention.self.{name}");
            let name = [first, own, of_words].into_iter().find(|name| {
                let fits = (*name == first) == (version == 1);
                fits && model.has(&format!("{}.weight", stem(name)))
            })?;
            Some(LinearTensors::new(model, &stem(name)))
        };
        let count = if has_kind(kind) { layers } else { 0 };
        (0..count).map_while(map).collect()
    };
    let normed = config
        .word("norm_rel_ebd")
        .is_none_or(|kinds| kinds.contains("layer_norm"));
    Distances {
        tensor: model.name(TABLE),
        norm: model.norm("encoder.LayerNorm").filter(|_| normed),
        max_distance: is_bucketed(model, version).then(|| max_distance(model)),
        keys: maps("c2p", "pos_proj", "pos_key_proj", "key_proj"),
        queries: maps("p2c", "pos_q_proj", "pos_query_proj", "query_proj"),
    }
}

/// A configuration without an entry for buckets means that there are none; without a configuration, buckets are
/// assumed.
fn is_bucketed(model: &Model<'_>, version: u32) -> bool {
    let config = model.config();
    version > 1 && (config.count("position_buckets").is_some() || config.is_empty())
}

/// −1 and 0 mean the number of positions.
fn max_distance(model: &Model<'_>) -> u32 {
    let config = model.config();
    let keys = ["max_relative_positions", "max_position_embeddings"];
    keys.iter()
        .find_map(|key| config.count(key))
        .unwrap_or(MAX_DISTANCE)
}

fn buckets_assumed(model: &Model<'_>) -> &'static str {
    if model.config().is_empty() {
        "No configuration says how distances share rows; here they share rows as in all published models, up to a distance of 512."
    } else {
        "By the configuration every distance has its own row."
    }
}
