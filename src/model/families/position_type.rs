//! Detection of the family by the position type in a configuration, `position_embedding_type`.
//!
//! BERT's code stores a table of absolute positions in every file, even if the model does not use it. The table counts
//! only if the configuration says "absolute" or has no such entry.

use super::{
    Detection, DetectionInput, Family, Note, TABLE,
    alibi::AlibiFamily,
    bert::Bert,
    bert_buckets::BertBuckets,
    relative_keys::{self, RelativeKeys},
    rotary::RotaryFamily,
    tisa::Tisa,
};
use crate::checkpoint::Name;

/// Name of the configuration entry.
const ENTRY: &str = "position_embedding_type";
/// Values for a learned table.
const ABSOLUTE: &[&str] = &["absolute", "learned", "learned_absolute", "learnable"];
/// Values for rotary positions.
const ROTARY: &[&str] = &["rotary", "rope"];
/// Value for a bias by bucket of offsets, in models that are trained on this page.
const BUCKETS: &str = "relative_attention_bias";
/// Values for TISA's kernels, alone and beside a table (eq. 4a), in models that are trained on this page.
const KERNELS: &str = "tisa";
const TABLE_AND_KERNELS: &str = "absolute_tisa";
/// Values for no positions.
const NOTHING: &[&str] = &["nope", "none"];
/// Part of the names of tensors that ESM-2 stores in every layer, although they follow from the base.
const ROTARY_TENSOR: &str = ".rotary_embeddings.";

/// Whether the configuration says that positions are rotary.
pub(super) fn is_rotary(clues: &DetectionInput<'_>) -> bool {
    let kind = clues.config().word(ENTRY);
    kind.is_some_and(|kind| ROTARY.contains(&kind))
}

/// Whether keys are multiplied with the offset vectors too, not only queries; `None` if the configuration does not name
/// relative keys.
pub(super) fn meets_keys(clues: &DetectionInput<'_>) -> Option<bool> {
    match clues.config().word(ENTRY)? {
        "relative_key" => Some(false),
        "relative_key_query" => Some(true),
        _ => None,
    }
}

/// Whether the configuration explicitly says that positions are a learned table.
pub(super) fn is_absolute(clues: &DetectionInput<'_>) -> bool {
    let kind = clues.config().word(ENTRY);
    kind.is_some_and(|kind| ABSOLUTE.contains(&kind))
}

/// The family and positions of a checkpoint whose configuration or other tensors show that the model does not read its
/// table; `None` if nothing does.
pub(super) fn decide(clues: &DetectionInput<'_>) -> Option<(&'static str, Detection)> {
    let table = clues.model(TABLE).map(|model| model.name(TABLE));
    let Some(kind) = clues.config().word(ENTRY) else {
        table.as_ref()?;
        // Without the entry, tensors that exist in no other case decide.
        return if relative_keys::has_vectors(clues) {
            RelativeKeys
                .find(clues)
                .map(|found| (RelativeKeys.name(), found))
        } else {
            let rotary = clues
                .tensor_containing(ROTARY_TENSOR)
                .and(RotaryFamily.find(clues))?;
            Some((RotaryFamily.name(), without_table(rotary, table.as_deref())))
        };
    };
    let (family, found): (&dyn Family, _) = if ABSOLUTE.contains(&kind) {
        return None;
    } else if kind == TABLE_AND_KERNELS {
        return table_and_kernels(clues).map(|found| (Bert.name(), found));
    } else if kind == KERNELS {
        (&Tisa, Tisa.find(clues))
    } else if ROTARY.contains(&kind) {
        (&RotaryFamily, RotaryFamily.find(clues))
    } else if kind == BUCKETS {
        (&BertBuckets, BertBuckets.find(clues))
    } else if kind == "alibi" {
        (&AlibiFamily, AlibiFamily.find(clues))
    } else if meets_keys(clues).is_some() {
        (&RelativeKeys, RelativeKeys.find(clues))
    } else {
        (&RelativeKeys, None)
    };
    if let Some(found) = found {
        return Some((family.name(), without_table(found, table.as_deref())));
    }
    let sentence = if NOTHING.contains(&kind) {
        "By its configuration this model has no positions at all: its attention tells tokens apart by their content alone."
            .to_owned()
    } else if ROTARY.contains(&kind) {
        "The configuration says that positions are rotary, but not how wide a head is. Open the whole config.json of \
         the model beside its weights."
            .to_owned()
    } else if meets_keys(clues).is_some() && relative_keys::has_vectors(clues) {
        "Offsets have vectors here. They are multiplied by token embeddings after a projection to the width of the layers. This page does not read the projection, so it shows no scores."
            .to_owned()
    } else if meets_keys(clues).is_some() {
        format!(
            "The configuration says that offsets have vectors ({ENTRY} is {}), and the file does not have them where BERT has them, so no scores are shown.",
            Name(kind)
        )
    } else {
        format!(
            "The configuration names a kind of positions that is not read here: {ENTRY} is {}. If the file has a position table, the model may not use it, so none is shown.",
            Name(kind)
        )
    };
    let found = without_table(Detection::nothing(&sentence), table.as_deref());
    Some(("positions by configuration", found))
}

/// BERT's table, and kernels that are added to its scores.
fn table_and_kernels(clues: &DetectionInput<'_>) -> Option<Detection> {
    let mut found = Bert.find(clues)?;
    let kernels = Tisa
        .find(clues)
        .map_or_else(Vec::new, |found| found.sources);
    let kernels = kernels
        .into_iter()
        .map(|source| source.with_name("kernels", "kernels beside the table"));
    found.sources.extend(kernels);
    Some(found)
}

/// Adds a remark that the model does not read the table in the file.
fn without_table(mut found: Detection, table: Option<&str>) -> Detection {
    let Some(table) = table else {
        return found;
    };
    let text = format!(
        "The file also has the table {}. The model does not use it, so it is not shown.",
        Name(table)
    );
    if found.sources.is_empty() {
        found.reason = format!("{} {text}", found.reason);
    }
    for source in &mut found.sources {
        source.remarks.push(Note::new("Unused table", text.clone()));
    }
    found
}
