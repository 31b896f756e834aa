//! BERT: a learned table, added to words and token types, followed by a `LayerNorm`, and read by every head.
//!
//! ```text
//! x_i = LayerNorm(word + type + E_i)      score(i, j) = (x_i·W_Q + b_Q)·(x_j·W_K + b_K) / √d_k
//! ```
//!
//! Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers, NAACL 2019.

use super::{
    Activation, AttentionDescription, BlockDescription, Config, Cut, Detection, DetectionInput,
    Family, FeedForwardDescription, HeadCounts, Leading, LinearTensors, Model, NO_HEADS,
    NormDescription, ResidualDescription, SourceDescription,
};
use crate::checkpoint::CleanText;

#[derive(Clone, Copy, Debug)]
pub(super) struct Bert;

/// Name of the table in BERT and the families derived from its code.
pub(in crate::model) const TABLE: &str = "embeddings.position_embeddings.weight";

impl Family for Bert {
    fn name(&self) -> &'static str {
        "BERT"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions, added to token embeddings before a LayerNorm."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let models = clues.models(TABLE);
        let fitting = models.iter().filter(|model| fits(model, clues));
        let mut sources: Vec<_> = fitting
            .map(|m| name_by_prefix(source(m, Leading::None), m, &models))
            .collect();
        sources.extend(models.first().into_iter().flat_map(box_tables));
        let reason = match clues.model_type() {
            Some("bert") => "The configuration says so.".to_owned(),
            Some(other) => format!(
                "Tensor names match BERT. The configuration names another kind of model, “{}”, so a part of it may be missing here.",
                CleanText(other)
            ),
            None => "Tensor names match BERT; there is no sign of RoBERTa.".to_owned(),
        };
        (!sources.is_empty()).then_some(Detection { reason, sources })
    }
}

/// Tables of the box of a word in a document (Xu et al., `LayoutLM`, 2020): the beginning of their names, and the
/// coordinates to which their rows belong.
const BOXES: &[(&str, &str)] = &[
    ("x", "left and right edges of boxes"),
    ("y", "upper and lower edges of boxes"),
    ("h", "heights of boxes"),
    ("w", "widths of boxes"),
];

/// The tables of the boxes of words, each a source without heads.
pub(super) fn box_tables(model: &Model<'_>) -> Vec<SourceDescription> {
    let table = |(name, title): &(&str, &str)| {
        let tensor = format!("embeddings.{name}_position_embeddings.weight");
        model.has(&tensor).then(|| {
            SourceDescription::table(model, &tensor, Leading::None)
                .with_name(&format!("box-{name}"), title)
                .remark(
                    NO_HEADS,
                    "A word's box adds rows of these tables to the row of its position. Scores of heads use the table of positions alone.",
                )
        })
    };
    BOXES.iter().filter_map(table).collect()
}

/// Positions, preprocessing and layers of BERT, for the families that share them.
pub(super) fn source(model: &Model<'_>, leading: Leading) -> SourceDescription {
    let blocks = model.blocks(|at| block(model, &format!("encoder.layer.{at}")));
    let has_boxes = model.has("embeddings.x_position_embeddings.weight");
    let (stored, configured) = (blocks.len(), model.config().layers);
    let mut source = SourceDescription::table(model, TABLE, leading)
        .words(model, "embeddings.word_embeddings")
        .adds(
            model,
            "embeddings.token_type_embeddings.weight",
            "token type 0",
        )
        .norm(model, &["embeddings.LayerNorm"])
        // Of the families with this code only ELECTRA has it.
        .map(model, "embeddings_project")
        .blocks(model, blocks)
        .masked_head(model, activation(model.config()));
    if model.library_of(TABLE) == Some(FAIRSEQ) {
        source = source.epsilon(FAIRSEQ_EPSILON);
    }
    if has_boxes {
        source = source.remark(
            "Boxes",
            "A word's place on the page adds rows of further tables, which are among the parts of this model. Scores leave them out.",
        );
        source.description = None;
    }
    if let Some(configured) =
        configured.filter(|configured| stored > 0 && stored as u64 != u64::from(*configured))
    {
        let text = format!(
            "The configuration says {configured} layers; the file has {stored} with queries and keys."
        );
        source = source.remark("Layers", text);
    }
    source
}

/// Epsilon of the library's `BertConfig` and the configurations derived from it.
const EPSILON: f64 = 1e-12;
/// Layout of fairseq, and the epsilon of its `LayerNorm`s.
pub(super) const FAIRSEQ: &str = "fairseq’s RoBERTa";
const FAIRSEQ_EPSILON: f64 = 1e-5;

/// Default epsilon of a model with BERT's names.
fn usual_epsilon(model: &Model<'_>) -> f64 {
    if model.library_of(TABLE) == Some(FAIRSEQ) {
        FAIRSEQ_EPSILON
    } else {
        EPSILON
    }
}

/// The configured activation, or GELU as in the library's `BertConfig`.
pub(super) fn activation(config: &Config) -> Activation {
    Activation::from_config(config, &["hidden_act"], Activation::Gelu)
}

/// A block with norms after its two or three parts.
fn block(model: &Model<'_>, stem: &str) -> BlockDescription {
    let is_decoder = model.config().flag("is_decoder") == Some(true);
    let own = attention(model, &format!("{stem}.attention")).causal(is_decoder);
    let cross = format!("{stem}.crossattention");
    let has_cross = model.has(&format!("{cross}.self.query.weight"));
    BlockDescription {
        cross_attention: has_cross.then(|| attention(model, &cross)),
        ..BlockDescription::new(own, feed_forward(model, stem, usual_epsilon(model)))
    }
}

fn attention(model: &Model<'_>, stem: &str) -> AttentionDescription {
    let map = |name: &str| LinearTensors::new(model, &format!("{stem}.{name}"));
    // Older versions of fairseq store one weight.
    let fused = ["weight", "bias"].map(|end| format!("{stem}.self.in_proj_{end}"));
    let [query, key, value] = if model.has(&fused[0]) {
        let part = |part| {
            let cut = Cut::third_of_rows(part);
            LinearTensors::from_names(model, &fused[0], Some(&fused[1]), cut)
        };
        [0, 1, 2].map(part)
    } else {
        ["self.query", "self.key", "self.value"].map(map)
    };
    let maps = [query, key, value, map("output.dense")];
    let heads = HeadCounts::new(model.config().heads);
    let norm = format!("{stem}.output.LayerNorm");
    AttentionDescription::new(maps, heads, post_norm(model, &norm, usual_epsilon(model)))
}

/// A norm after the sum, with the configured epsilon or the family's default.
pub(super) fn post_norm(model: &Model<'_>, stem: &str, epsilon: f64) -> ResidualDescription {
    let epsilon = model.config().layer_norm_epsilon.unwrap_or(epsilon);
    ResidualDescription::post_norm(NormDescription::layer(model, stem, epsilon))
}

/// The feed-forward part of a block, for the families that share its names.
pub(super) fn feed_forward(model: &Model<'_>, stem: &str, epsilon: f64) -> FeedForwardDescription {
    let map = |name: &str| LinearTensors::new(model, &format!("{stem}.{name}"));
    FeedForwardDescription::plain(
        map("intermediate.dense"),
        map("output.dense"),
        activation(model.config()),
        post_norm(model, &format!("{stem}.output.LayerNorm"), epsilon),
    )
}

/// Whether the tensors around the table are BERT's. Other families may share the table's name but differ in other ways
/// (ELECTRA projects, `DistilBERT` has other names for its attention); those are not guessed at.
pub(super) fn fits(model: &Model<'_>, clues: &DetectionInput<'_>) -> bool {
    let own_way = model.has("embeddings_project.weight")
        || model.has("encoder.embedding_hidden_mapping_in.weight");
    let maps = ["query.weight", "in_proj_weight"];
    let has_maps = maps
        .iter()
        .any(|map| model.has(&format!("encoder.layer.0.attention.self.{map}")));
    !own_way && (has_maps || !clues.has_attention())
}

/// Names a source by its prefix if the checkpoint holds several such models, such as an encoder and a decoder.
pub(super) fn name_by_prefix(
    source: SourceDescription,
    model: &Model<'_>,
    all: &[Model<'_>],
) -> SourceDescription {
    let name = model.prefix().trim_end_matches('.');
    if all.len() < 2 || name.is_empty() {
        return source;
    }
    source.with_name(name, name)
}
