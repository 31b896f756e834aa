//! ALBERT: narrow embeddings with a projection, and one set of weights for all layers.
//!
//! ```text
//! x_i = LayerNorm(word + type + E_i)·W + b      the same W_Q and W_K in every layer
//! ```
//!
//! Lan et al., ALBERT: A Lite BERT for Self-supervised Learning of Language Representations, ICLR 2020.

use super::{
    Activation, AttentionDescription, BlockDescription, Detection, DetectionInput, Family,
    FeedForwardDescription, HeadCounts, Leading, LinearTensors, Model, Note, SourceDescription,
    bert,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Albert;

impl Family for Albert {
    fn name(&self) -> &'static str {
        "ALBERT"
    }

    fn about(&self) -> &'static str {
        "Narrow learned positions, projected up; all layers share their weights."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let model = clues.model(bert::TABLE)?;
        let groups = groups(&model);
        let layers: usize = groups.iter().map(Vec::len).sum();
        let named = layers > 0 || model.has("encoder.embedding_hidden_mapping_in.weight");
        let reason = if named {
            "Tensor names match ALBERT.".to_owned()
        } else if clues.says_alone(&["albert"]) {
            "The configuration says so.".to_owned()
        } else {
            return None;
        };
        let mut source = SourceDescription::table(&model, bert::TABLE, Leading::None)
            .words(&model, "embeddings.word_embeddings")
            .adds(
                &model,
                "embeddings.token_type_embeddings.weight",
                "token type 0",
            )
            .norm(&model, &["embeddings.LayerNorm"])
            .map(&model, "encoder.embedding_hidden_mapping_in");
        source
            .remarks
            .extend(sharing_note(layers, model.config().layers));
        let passes = passes(&groups, model.config().layers);
        let source = source
            .blocks(&model, groups.concat())
            .describe(|description| description.passes = passes)
            .masked_head(&model, activation(&model));
        let sources = vec![source];
        Some(Detection { reason, sources })
    }
}

/// Published models have one group with one layer, but the names allow more of both.
fn groups(model: &Model<'_>) -> Vec<Vec<BlockDescription>> {
    let group = |group: usize| {
        let stem = format!("encoder.albert_layer_groups.{group}.albert_layers");
        let blocks = model.blocks(|at| block(model, &format!("{stem}.{at}")));
        (!blocks.is_empty()).then_some(blocks)
    };
    model.layers(group)
}

/// Layers of the library's `AlbertConfig`, which is that of the xxlarge model.
const USUAL_LAYERS: u32 = 12;
/// Greatest number of passes, more than any model makes.
const MOST_PASSES: u32 = 4096;

/// Index of the block of every pass. Pass i of n goes through all blocks of group ⌊i·groups/n⌋.
fn passes(groups: &[Vec<BlockDescription>], layers: Option<u32>) -> Vec<usize> {
    let layers = layers.unwrap_or(USUAL_LAYERS).min(MOST_PASSES) as usize;
    let pass = |at: usize| {
        let group = at * groups.len() / layers;
        let before: usize = groups[..group].iter().map(Vec::len).sum();
        before..before + groups[group].len()
    };
    if groups.is_empty() {
        return Vec::new();
    }
    (0..layers).flat_map(pass).collect()
}

/// The configured activation, or that of the library's `AlbertConfig`.
fn activation(model: &Model<'_>) -> Activation {
    Activation::from_config(model.config(), &["hidden_act"], Activation::GeluTanh)
}

/// A block with norms after its two parts; ε = 1e-12 as in the library's `AlbertConfig`.
fn block(model: &Model<'_>, stem: &str) -> BlockDescription {
    let map = |name: &str| LinearTensors::new(model, &format!("{stem}.{name}"));
    let norm = |name: &str| bert::post_norm(model, &format!("{stem}.{name}"), 1e-12);
    let maps = ["query", "key", "value", "dense"].map(|name| map(&format!("attention.{name}")));
    let heads = HeadCounts::new(model.config().heads);
    BlockDescription::new(
        AttentionDescription::new(maps, heads, norm("attention.LayerNorm")),
        FeedForwardDescription::plain(
            map("ffn"),
            map("ffn_output"),
            activation(model),
            norm("full_layer_layer_norm"),
        ),
    )
}

fn sharing_note(distinct: usize, layers: Option<u32>) -> Option<Note> {
    let text = match (distinct, layers) {
        (0, _) => return None,
        (1, Some(layers)) => {
            format!("All {layers} layers share one set of weights, so one is shown.")
        }
        (1, None) => "All layers share one set of weights, so one is shown.".to_owned(),
        (_, Some(layers)) => {
            format!("The {layers} layers share {distinct} sets of weights; each is shown once.")
        }
        (_, None) => format!("The layers share {distinct} sets of weights; each is shown once."),
    };
    Some(Note::new("Shared layers", text))
}
