//! Notes on what happens between the positions of a source and the scores of its heads.

use super::{
    CenterSource, ContentInput, Correction, Heads, HeadsSource, LayerTensors, ModelDescription,
    ModelOptions, Note, PositionSource, PreprocessStep, SourceDescription,
};

/// Adds notes on all steps between the positions and the heads.
pub(super) fn explain(
    source: &SourceDescription,
    choice: &ModelOptions,
    is_table: bool,
    notes: &mut Vec<Note>,
) {
    if source.layers.is_empty() {
        // Without heads these steps are never used.
        return;
    }
    let switch = |note: Note, correction| note.with_switch(correction, choice.does(correction));
    match &source.content {
        ContentInput::Vector { about, .. } | ContentInput::Unknown(about) => {
            notes.push(about.clone());
        }
        ContentInput::Words {
            is_scaled: scaled,
            map,
            ..
        } => {
            if *scaled {
                let text = "Token embeddings are multiplied by the square root of their width before positions are added.";
                notes.push(Note::new("Token embeddings scaled", text));
            }
            if let Some(map) = map {
                let text = format!("Token embeddings pass “{map}” before positions are added.");
                notes.push(Note::new("Token embeddings projected", text));
            }
        }
    }
    let in_layers = source.layers.iter().find_map(|layer| layer.norm.as_ref());
    let norm = source.steps.iter().find_map(|step| match step {
        PreprocessStep::Norm(stem) => Some(stem),
        _ => None,
    });
    match norm.or(in_layers) {
        Some(stem) => {
            let epsilon = source.norm_epsilon();
            let origin = if source.epsilon.is_some() {
                "as configured"
            } else {
                "assumed: no configuration says"
            };
            let every = if in_layers.is_some() {
                " The scores of each layer use the LayerNorm of that layer."
            } else {
                ""
            };
            let text = format!(
                "Scores with LayerNorm and biases use the LayerNorm of “{stem}” (ε = {epsilon:e}, {origin}); scores with weights only leave it out.{every}"
            );
            notes.push(switch(Note::new("LayerNorm", text), Correction::LayerNorm));
        }
        None if source.is_by_hand => notes.push(Note::new(
            "No LayerNorm",
            "You chose none, so scores leave out any that the model has.",
        )),
        None => notes.push(Note::new(
            "No LayerNorm",
            "The file has none before the first attention.",
        )),
    }
    for step in &source.steps {
        match step {
            PreprocessStep::Add { title, .. } => {
                let text = format!(
                    "Scores with LayerNorm and biases add the embedding of {title} to every position; scores with weights only leave it out."
                );
                let note = Note::new("Added to every position", text);
                notes.push(switch(note, Correction::AddedRow));
            }
            PreprocessStep::Map(stem) => {
                let text = format!(
                    "Embeddings pass “{stem}” before the first layer, so heads see projected positions. Its bias is part of scores with LayerNorm and biases only. P is that of the table unless this is on."
                );
                let note = Note::new("Projection", text);
                notes.push(if is_table {
                    switch(note, Correction::Projection)
                } else {
                    note
                });
            }
            PreprocessStep::Norm(_) => {}
        }
    }
    let biased = |layer: &LayerTensors| layer.query.bias.is_some() || layer.key.bias.is_some();
    if source.layers.iter().any(biased) {
        let text = "Scores with LayerNorm and biases add the biases of queries and keys; scores with weights only leave them out.";
        notes.push(switch(Note::new("Biases", text), Correction::Biases));
    }
}

/// Note on a number of heads that the configuration does not give, or gives wrongly (`configured`).
pub(super) fn heads_note(
    heads: Heads,
    configured: Option<u32>,
    positions: &PositionSource,
    hidden_width: usize,
) -> Option<Note> {
    let (title, text) = match (heads.count, heads.source, configured, positions) {
        (0, _, _, PositionSource::Table(_)) => (
            "No heads",
            "The file has no queries and keys where this family keeps them.".to_owned(),
        ),
        (0, ..) => return None,
        (count, HeadsSource::Assumed, Some(configured), _) => (
            "Heads assumed",
            format!(
                "Inferred: {count} per layer. The configuration says {configured}, which does not divide the width of \
                 the queries. It may belong to another model. You can choose another number."
            ),
        ),
        (count, HeadsSource::Assumed, None, _) => (
            "Heads assumed",
            format!(
                "Inferred: {count} per layer, as is usual for a width of {hidden_width}, because no configuration gives the number. You can choose another number."
            ),
        ),
        (count, HeadsSource::Chosen, ..) => (
            "Heads chosen",
            format!("Each layer has {count}, as you chose."),
        ),
        (_, HeadsSource::Config, ..) => return None,
    };
    Some(Note::new(title, text))
}

/// Note on the words that stand for all others in the heads of a rotary model, of which `layers` can be shown.
pub(super) fn rotary_heads_note(model: &ModelDescription, layers: usize) -> Note {
    let all = model.passes.len();
    let parts = |layer: usize| match model.input_shift(layer) {
        Some(_) => {
            "the bias of the LayerNorm before them, times their weights, plus their own biases if they have some"
        }
        None => "their biases",
    };
    let (has_words, first) = match model.center_source(0) {
        Some(CenterSource::Words) => (
            true,
            "In the first layer, a head’s scores are those of its mean query and its mean key over the vocabulary.".to_owned(),
        ),
        Some(CenterSource::Biases) => (
            false,
            format!("A head’s scores are those of the part of queries and keys that is the same for every word: {}.", parts(0)),
        ),
        None => (
            false,
            "A head’s scores depend on the text, and the file has neither words nor biases of queries and keys.".to_owned(),
        ),
    };
    let later = match model.center_source(1).filter(|_| layers == all) {
        Some(CenterSource::Biases) if has_words => format!(
            " In later layers they are those of the part of queries and keys that is the same for every word: {}.",
            parts(1)
        ),
        _ if layers == all => String::new(),
        _ => " In later layers queries and keys depend on the text: “over the last text” takes their means over one, which the view Text shows."
            .to_owned(),
    };
    Note::new("Heads", format!("{first}{later}"))
}

/// Note on sinks, for models whose heads have them.
pub(super) fn sinks_note(model: &ModelDescription) -> Option<Note> {
    let mut blocks = model.blocks.iter();
    let has_sinks = blocks.any(|block| block.attention.sinks.is_some());
    let text = "Each head has a sink: a learned score that competes with the keys and leads to no value, so that a part of the attention reaches no key. Attention over a text counts it. Attention from weights leaves it out, and a figure of the view Heads shows its share. R² of these scores does not depend on it, also where it is weighted by attention: they are functions of the offset.";
    has_sinks.then(|| Note::new("Sinks", text))
}

/// Note on the part of queries and keys that stands for all patches in heads that rotate them.
pub(super) fn patch_heads_note(layers: &[LayerTensors]) -> Note {
    let first = layers.first();
    let has_shift = first.is_some_and(|layer| layer.norm.is_some());
    let of_keys = first.is_some_and(|layer| layer.key.bias.is_some());
    let part = match (has_shift, of_keys) {
        (false, _) => "the biases of queries and keys",
        (true, true) => {
            "the bias of the LayerNorm before them, times their weights, plus their own biases"
        }
        (true, false) => {
            "the bias of the LayerNorm before them, times their weights; queries add a bias of their own if they have one, keys have none"
        }
    };
    Note::new(
        "Heads",
        format!(
            "A head’s scores are those of the part of its queries and keys that all patches share: {part}. What else a patch contributes depends on the image and is left out. Tokens before the patches, such as a class token, are not rotated and are left out too."
        ),
    )
}
