//! BERT: learned absolute positions, one row a position, added to word and token type before a `LayerNorm`.
//!
//! ```text
//! x_i = LayerNorm(word + type + E_i)      q = x·W_Q + b_Q      k = x·W_K + b_K
//! ```
//!
//! Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers, NAACL 2019. `MiniLM`, `TinyBERT`,
//! `BioBERT` and many sentence encoders keep the same names. ELECTRA and `DistilBERT` do not, or not all.

use super::{Clues, Family, Names, Note};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Bert;

/// Shared with the families that were made from BERT's code and kept its names.
pub(super) const NAMES: Names = Names {
    table: "embeddings.position_embeddings.weight",
    words: "embeddings.word_embeddings.weight",
    mean_word: "embeddings.word_embeddings.mean",
    token_type: Some("embeddings.token_type_embeddings.weight"),
    layer_norm: &["embeddings.LayerNorm"],
    projection: None,
    query: ["query.weight", "query.bias"],
    key: ["key.weight", "key.bias"],
};

impl Family for Bert {
    fn name(&self) -> &'static str {
        "BERT"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions, added to the words before a LayerNorm."
    }

    fn names(&self) -> &'static Names {
        &NAMES
    }

    fn layers(&self, clues: &Clues<'_>) -> Vec<String> {
        layers(clues)
    }

    fn recognises(&self, clues: &Clues<'_>) -> Option<String> {
        fits(clues).then(|| match clues.model_type() {
            Some("bert") => "The configuration says so.".to_owned(),
            Some(other) => format!(
                "The tensors bear BERT's names. The configuration names another kind of model, “{other}”, \
                 so something it does besides may be missing here."
            ),
            None => "The tensors bear BERT's names, and nothing speaks for RoBERTa.".to_owned(),
        })
    }

    fn remarks(&self, clues: &Clues<'_>) -> Vec<Note> {
        remarks(clues)
    }
}

/// BERT's layers: `encoder.layer.0`, `encoder.layer.1`, …
pub(super) fn layers(clues: &Clues<'_>) -> Vec<String> {
    (0..)
        .map(|layer| format!("encoder.layer.{layer}.attention.self."))
        .take_while(|stem| clues.has(&format!("{stem}query.weight")))
        .take_while(|stem| clues.has(&format!("{stem}key.weight")))
        .collect()
}

/// Whether the tensors around the table are BERT's. Another model may use the table's name and then go its
/// own way (ELECTRA projects, `DistilBERT` names its attention otherwise): that one is not guessed at.
pub(super) fn fits(clues: &Clues<'_>) -> bool {
    let own_way = clues.has("embeddings_project.weight")
        || clues.has("encoder.embedding_hidden_mapping_in.weight");
    !own_way && (!layers(clues).is_empty() || !clues.has_attention())
}

pub(super) fn remarks(clues: &Clues<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    let (found, said) = (
        layers(clues).len(),
        clues.config().and_then(|config| config.layers),
    );
    if let Some(said) = said.filter(|said| found > 0 && found as u64 != u64::from(*said)) {
        notes.push(Note::new(
            "Layers",
            format!(
                "The configuration says {said} layers; the file has {found} with queries and keys."
            ),
        ));
    }
    if clues.has("encoder.layer.0.attention.self.distance_embedding.weight") {
        notes.push(Note::new(
            "Relative positions",
            "This model also adds embeddings of the distance between query and key. They are not part of \
             what is shown.",
        ));
    }
    notes
}
