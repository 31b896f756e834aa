//! Transformer-XL and `XLNet`: waves of the offset are projected to relative keys r, and every head adds two vectors u and
//! v to its queries.
//!
//! ```text
//! score(i, j) = [(q_i + u)·k_j + (q_i + v)·r_{i−j}] / √d_k      r_o = W_R·[sin(o·θ_m) …, cos(o·θ_m) …]
//! ```
//!
//! Dai et al., Transformer-XL: Attentive Language Models Beyond a Fixed-Length Context, ACL 2019; Yang et al., `XLNet`,
//! 2019.

use super::{
    Cut, Detection, DetectionInput, Family, LayerTensors, LinearTensors, Model, OffsetWaves,
    PositionTensors, SourceDescription, WaveTensors, WaveTerm,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct TransformerXlFamily;

/// The parts of the score, each a source: id, title and terms.
const PARTS: &[(&str, &str, &[WaveTerm])] = &[
    (
        "all",
        "all four terms",
        &[
            WaveTerm::ContentContent,
            WaveTerm::ContentOffset,
            WaveTerm::BiasContent,
            WaveTerm::BiasOffset,
        ],
    ),
    (
        "content-offset",
        "content and offset, q·r",
        &[WaveTerm::ContentOffset],
    ),
    ("offset", "offset alone, v·r", &[WaveTerm::BiasOffset]),
    (
        "content-content",
        "content and content, q·k",
        &[WaveTerm::ContentContent],
    ),
    ("content", "content alone, u·k", &[WaveTerm::BiasContent]),
];

impl Family for TransformerXlFamily {
    fn name(&self) -> &'static str {
        "Transformer-XL"
    }

    fn about(&self) -> &'static str {
        "Waves of the offset as keys, in Transformer-XL and XLNet."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        if let Some(model) = clues.model("layer.0.rel_attn.r") {
            let layers = model.layers(|at| xlnet_layer(&model, at));
            let is_one_way = model.config().word("attn_type") == Some("uni");
            let sources = sources(&model, &layers).into_iter().map(|source| {
                let source = source.words(&model, "word_embedding");
                if is_one_way { source.causal() } else { source }
            });
            return Detection::by_names("XLNet", sources.collect());
        }
        let model = clues.model("layers.0.dec_attn.r_net.weight")?;
        let layers = model.layers(|at| transformer_xl_layer(&model, at));
        let sources = sources(&model, &layers).into_iter();
        let sources = sources.map(|source| add_words(source.causal(), &model));
        Detection::by_names("Transformer-XL", sources.collect())
    }
}

/// A layer's queries and keys, and its tensors of offsets.
type Layer = (LayerTensors, WaveTensors);

fn sources(model: &Model<'_>, layers: &[Layer]) -> Vec<SourceDescription> {
    if layers.is_empty() {
        return Vec::new();
    }
    let (maps, waves): (Vec<_>, Vec<_>) = layers.iter().cloned().unzip();
    let source = |(id, title, terms): &(&str, &str, &[WaveTerm])| {
        let place = PositionTensors::Waves(OffsetWaves {
            layers: waves.clone(),
            terms: terms.to_vec(),
            // −1 in most configurations: no limit.
            farthest: model.config().count("clamp_len"),
        });
        SourceDescription::bias(model, place)
            .with_name(id, title)
            .layers(maps.clone())
            .remark(
                "Positions and content",
                "Scores depend on token content, too: the figures show the score of the mean word at every offset. The terms q·k and u·k are then the same at all offsets.",
            )
    };
    PARTS.iter().map(source).collect()
}

/// Adds the words of Transformer-XL, whose frequent words have a table of their own.
fn add_words(source: SourceDescription, model: &Model<'_>) -> SourceDescription {
    if model.has("word_emb.emb_projs.0") {
        return source.unknown(
            "Projected words",
            "Token embeddings are projected before the first layer, which is not read here, so x̄ is taken as zero: only the term v·r remains.",
        );
    }
    let source = source
        .words(model, "word_emb.emb_layers.0")
        .times_root_of_width();
    if model.has("word_emb.emb_layers.1.weight") {
        return source.remark(
            "Rare words",
            "Rare words have tables of their own, which the mean word leaves out.",
        );
    }
    source
}

/// A layer of `XLNet`, whose maps are stored as [in, heads, `d_k`].
fn xlnet_layer(model: &Model<'_>, at: usize) -> Option<Layer> {
    let name = |end: &str| format!("layer.{at}.rel_attn.{end}");
    let map = |end: &str| LinearTensors::from_names(model, &name(end), None, Cut::COLUMNS);
    let waves = WaveTensors {
        map: map("r"),
        content_bias: model.name(&name("r_w_bias")),
        offset_bias: model.name(&name("r_r_bias")),
    };
    let exists = model.has(&name("q")) && model.has(&name("k"));
    exists.then(|| (LayerTensors::new(map("q"), map("k")), waves))
}

/// A layer of Transformer-XL. In some models all layers share the vectors u and v, whose names then have no number.
fn transformer_xl_layer(model: &Model<'_>, at: usize) -> Option<Layer> {
    let name = |end: &str| format!("layers.{at}.dec_attn.{end}");
    let vectors = |end: &str| {
        let own = model.optional(&name(end));
        own.unwrap_or_else(|| model.name(end))
    };
    let waves = WaveTensors {
        map: LinearTensors::new(model, &name("r_net")),
        content_bias: vectors("r_w_bias"),
        offset_bias: vectors("r_r_bias"),
    };
    let fused = name("qkv_net.weight");
    model.has(&fused).then(|| {
        let maps = LayerTensors::from_fused_weight(model, &fused, "", Cut::third_of_rows);
        (maps, waves)
    })
}
